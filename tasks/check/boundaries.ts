/**
 * Checks how the sources depend on each other: which folder may import which, that no files import each
 * other in a circle, that an exported name has one owner and is imported, that what core/ holds has several
 * users, how many files a folder holds, and where SQL and the runtime are named. Prints each breach; exits 1
 * if there is one. Part of `deno task check`.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Sources by their path from the repository's root; the text of files that are not sources may be empty. */
type Sources = ReadonlyMap<string, string>;

/** What each folder may import of ours, besides itself. A folder not named here may import anything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  runtime: ["core"],
  db: ["core", "runtime"],
  model: ["core", "db"],
  mining: ["core", "db", "runtime", "model"],
  gauge: ["core", "db", "mining", "model"],
  payment: ["core", "db", "runtime"],
  observability: ["core", "db", "mining", "payment", "routes"],
  routes: ["core", "db", "mining", "gauge", "payment"],
};

/**
 * The order of what stands in a folder, subfolders and files: each imports only what stands before it,
 * or beside it in the same list. One that is not named may import anything, and be imported by nothing named.
 */
const ORDER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  mining: [
    ["types.ts", "categories.ts", "short_arrays.ts"],
    ["authors.ts"],
    ["lexicon"],
    ["communities"],
    ["sources"],
    ["classify"],
    ["extract"],
    ["text_key.ts"],
    ["opportunities"],
    ["judge.ts"],
    ["judging"],
    ["cards"],
    ["session.ts"],
    ["removal"],
    ["demo"],
    ["job"],
  ],
  gauge: [
    ["input.ts"],
    ["words"],
    ["amounts"],
    ["query"],
    ["types.ts"],
    ["match"],
    ["score"],
    ["evidence"],
    ["synthesis"],
    ["verdict.ts"],
    ["live.ts", "verdict_cache.ts"],
    ["mod.ts"],
  ],
  db: [
    ["sql.ts", "count.ts", "group.ts", "leases.ts"],
    ["postgres"],
    ["embedded"],
    ["ledger"],
    ["corpus"],
    ["matching"],
    ["migrations"],
    ["migrate.ts"],
    ["backup"],
  ],
  payment: [["evm"], ["protocol"], ["verify"], ["settle"], ["sell"], ["upkeep"], ["mod.ts"]],
  routes: [["pipeline"], ["data"], ["openapi"], ["documents"], ["pages"], ["mcp"], ["admin"]],
};

/** Packages that only some folders may use: the domain knows neither HTTP nor the driver. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "hono": ["routes"],
  "postgres": ["db"],
  "@electric-sql/pglite": ["db"],
  "openai": ["model"],
  "viem": ["payment"],
};

/** Folders that serve the work and are not part of the program. */
const AROUND = new Set(["tests", "tasks", "bench", "examples"]);

const MAX_FILES = 20;
/** Folders of one numbered set, which grows by design. */
const SETS = new Set(["db/migrations"]);

const SQL_TEXT = /(^|[^.\w])(sql|tx)(<[^`]*>)?`/;
const RUNTIME_GLOBAL = /(^|[^.\w"'`/])(Deno|Bun)\.\w/;
const IMPORT =
  /^(?:import|export)\b[^"';]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
/** Names from a file of ours, which are passed on where it begins with "export", and the file. */
const NAMES = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(\.[^"]+)"/gm;
const ALL_PASSED_ON = /^export\s+(?:type\s+)?\*\s+from\s+"(\.[^"]+)"/gm;
/** A file of ours as a whole: what is used of it is named somewhere else in the importing file. */
const WHOLE = /\bimport(?:\(|\s+\*\s+as\s+\w+\s+from\s+)"(\.[^"]+)"/g;
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.indexOf("/")));
const isSource = (file: string): boolean => /\.tsx?$/.test(file);

/** The text without its comments, which may name anything. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (c) => c.replace(/[^\n]/g, "")).replace(
    /(^|[^:"'`])\/\/.*$/gm,
    "$1",
  );
}

interface Imports {
  /** Files of ours by their path, those of which only types are imported included. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** The path of a file of ours that another one imports. */
const pathFrom = (file: string, target: string): string => normalize(join(dirname(file), target));

function importsOf(file: string, code: string): Imports {
  const targets = [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  const [files, packages] = [true, false].map((ours) =>
    targets.filter((target) => target.startsWith(".") === ours)
  ) as [string[], string[]];
  return { files: files.map((target) => pathFrom(file, target)), packages };
}

/** Where a file stands in the order of its folder, and the name it stands under; -1 where it has no place. */
function placeOf(folder: string, file: string): { readonly name: string; readonly at: number } {
  const name = file.split("/")[1] ?? "";
  return { name, at: ORDER[folder]?.findIndex((level) => level.includes(name)) ?? -1 };
}

function packageBreach(file: string, target: string): string | null {
  const name = Object.keys(PACKAGES).find((p) => target === p || target.startsWith(`${p}/`));
  if (name === undefined || PACKAGES[name]?.includes(folderOf(file))) return null;
  return `imports ${name}: only ${PACKAGES[name]?.join(", ")} may`;
}

function importBreach(file: string, target: string): string | null {
  const folder = folderOf(file);
  const other = folderOf(target);
  const allowed = MAY_IMPORT[folder];
  if (other !== folder) {
    if (allowed === undefined || allowed.includes(other)) return null;
    return `imports ${target}: ${folder}/ may import ${allowed.join(", ") || "nothing"} only`;
  }
  const from = placeOf(folder, file);
  const to = placeOf(folder, target);
  if (from.name === to.name || from.at === -1 || (to.at !== -1 && to.at <= from.at)) return null;
  return `imports ${target}: ${folder}/${from.name} stands before ${folder}/${to.name}`;
}

/** The circles in which files import each other, each with its files in order. */
function circlesOf(imports: ReadonlyMap<string, Imports>): string[][] {
  // Tarjan's algorithm: a file is the root of its circle where nothing below it reaches further up.
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    let lowest = own;
    stack.push(file);
    for (const target of imports.get(file)?.files ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? own);
    }
    low.set(file, lowest);
    if (lowest === own) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1 || imports.get(file)?.files.includes(file)) circles.push(circle.sort());
    }
    return lowest;
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return circles;
}

/** Names that several files export, tests apart; a file that only passes a name on does not own it. */
function sharedNames(code: ReadonlyMap<string, string>): string[] {
  const owners = new Map<string, Set<string>>();
  for (const [file, text] of code) {
    if (folderOf(file) === "tests") continue;
    for (const [, name = ""] of text.matchAll(EXPORT)) {
      owners.set(name, (owners.get(name) ?? new Set()).add(file));
    }
  }
  return [...owners].filter(([, files]) => files.size > 1).map(([name, files]) =>
    `${[...files].sort().join(", ")}: each export ${name}: a name has one owner`
  );
}

/** The names between the braces of an import, as their owner has them, and of an export, as others see them. */
const namesTaken = (list: string): string[] =>
  [...list.matchAll(/(?:^|,)\s*(?:type\s+)?(\w+)/g)].map((match) => match[1] ?? "");
const namesGiven = (list: string): string[] =>
  [...list.matchAll(/(\w+)\s*(?:,|$)/g)].map((match) => match[1] ?? "");

/** What files import of each other: "path name". */
function importedNames(code: ReadonlyMap<string, string>): ReadonlySet<string> {
  const imported = new Set<string>();
  const add = (file: string, target: string, names: readonly string[]): void =>
    names.forEach((name) => imported.add(`${pathFrom(file, target)} ${name}`));
  for (const [file, text] of code) {
    for (const [, , names = "", target = ""] of text.matchAll(NAMES)) {
      add(file, target, namesTaken(names));
    }
    for (const [, target = ""] of text.matchAll(WHOLE)) add(file, target, text.match(/\w+/g) ?? []);
  }
  for (const [file, text] of code) {
    for (const [, target = ""] of text.matchAll(ALL_PASSED_ON)) {
      const from = [...imported].filter((each) => each.startsWith(`${file} `));
      add(file, target, from.map((each) => each.slice(file.length + 1)));
    }
  }
  return imported;
}

/** Exported names, tests apart, that no other file imports: what its own file alone uses is not exported. */
function needlessExports(code: ReadonlyMap<string, string>): string[] {
  const imported = importedNames(code);
  return [...code].filter(([file]) => folderOf(file) !== "tests").flatMap(([file, text]) => {
    const passedOn = [...text.matchAll(NAMES)].filter(([, keyword]) => keyword === "export");
    const own = [...text.matchAll(EXPORT)].map(([, name = ""]) => name);
    return [...own, ...passedOn.flatMap(([, , names = ""]) => namesGiven(names))]
      .filter((name) => !imported.has(`${file} ${name}`))
      .map((name) => `${file}: exports ${name}, which no other file imports`);
  });
}

/**
 * Files of core/ that one folder alone uses, itself or through another file of core/: they belong to it. A
 * file of the root has no folder, so what it uses may stay.
 */
function coreOfOne(imports: ReadonlyMap<string, Imports>): string[] {
  const usersOf = (file: string): string[] =>
    [...imports].filter(([, { files }]) => files.includes(file)).flatMap(([user]) =>
      folderOf(user) === "core" ? usersOf(user) : AROUND.has(folderOf(user)) ? [] : [folderOf(user)]
    );
  return [...imports.keys()].filter((file) => folderOf(file) === "core").flatMap((file) => {
    const users = new Set(usersOf(file));
    if (users.size > 1 || users.has("")) return [];
    return [`${file}: only ${[...users].join() || "nobody"} uses it: core/ holds what several do`];
  });
}

function crowdedFolders(files: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].filter(([folder, count]) => count > MAX_FILES && !SETS.has(folder)).map((
    [folder, count],
  ) => `${folder}/: ${count} files: more than ${MAX_FILES} are not found at a glance`);
}

/** Every breach of the rules in a repository of these files, one line each. */
export function breachesOf(sources: Sources): string[] {
  const code = new Map(
    [...sources].filter(([file]) => isSource(file)).map(([file, text]) => [file, codeOf(text)]),
  );
  const imports = new Map([...code].map(([file, text]) => [file, importsOf(file, text)]));
  const breaches: string[] = [];
  for (const [file, text] of code) {
    const folder = folderOf(file);
    if (AROUND.has(folder)) continue;
    const { files = [], packages = [] } = imports.get(file) ?? {};
    const own = [
      ...files.map((target) => importBreach(file, target)),
      ...packages.map((target) => packageBreach(file, target)),
    ];
    if (folder !== "runtime" && RUNTIME_GLOBAL.test(text)) {
      own.push("names the runtime's global; only runtime/ may");
    }
    if (folder !== "db" && SQL_TEXT.test(text)) own.push("holds SQL; only db/ may");
    breaches.push(...own.filter((breach) => breach !== null).map((breach) => `${file}: ${breach}`));
  }
  const circles = circlesOf(imports);
  for (const circle of circles) {
    breaches.push(`${circle.join(", ")}: import each other in a circle`);
  }
  return [
    ...breaches,
    ...sharedNames(code),
    ...needlessExports(code),
    // The users of a file have no end where files import each other in a circle.
    ...(circles.length === 0 ? coreOfOne(imports) : []),
    ...crowdedFolders(sources.keys()),
  ];
}

/** The files of the work tree that git tracks or would track. */
function readSources(root: string): Sources {
  const { stdout } = new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard"],
    cwd: root,
  }).outputSync();
  const files = new TextDecoder().decode(stdout).split("\n").filter(Boolean)
    // One that was deleted is tracked until its deletion is staged.
    .filter((file) => existsSync(join(root, file)));
  return new Map(
    files.map((file) => [file, isSource(file) ? readFileSync(join(root, file), "utf8") : ""]),
  );
}

if (import.meta.main) {
  const breaches = breachesOf(readSources(join(import.meta.dirname ?? ".", "..", "..")));
  for (const breach of breaches) console.error(breach);
  if (breaches.length > 0) Deno.exit(1);
}
