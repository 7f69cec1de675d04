/** What both compilers start from: PGlite's parts, packed, in a folder of their own. */
import { Buffer } from "node:buffer";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { ASSETS } from "../../db/embedded/assets.ts";
import { EMBEDDED_DIRECTORY } from "../../db/embedded/directory.ts";
import { openEmbedded } from "../../db/embedded/mod.ts";
import { OperatorError } from "../../core/errors.ts";
import { migrate } from "../../db/migrate.ts";
import { errorLine } from "../run_task.ts";

export const ROOT: string = join(import.meta.dirname ?? ".", "..", "..");
export const DIST: string = join(ROOT, "dist");

/** The threads that the program starts, by the name that a bundle has each under, and their sources. */
const WORKER_SOURCES = {
  embedded_worker: "db/embedded/worker.ts",
  judge_worker: "mining/judging/worker.ts",
};

/** Names of the staged entry points of threads, without the ending. */
export const WORKERS: readonly string[] = Object.keys(WORKER_SOURCES);

/** A window of 16 MB sees that the databases of an empty directory are copies of each other. */
const pack = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
    },
  });

/**
 * An empty database at the newest migration, as a packed tar archive of its data directory. Without the
 * templates of databases that nobody makes: two thirds of its thousand files.
 */
async function emptyDirectory(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "demand-stage-"));
  try {
    const database = await openEmbedded(folder, { share: false, now: Date.now });
    await migrate(database.sql);
    await database.sql`update pg_database set datistemplate = false where datistemplate`;
    await database.sql`drop database template0`;
    await database.sql`drop database template1`;
    await database.close();
    const closed = await PGlite.create(join(folder, EMBEDDED_DIRECTORY));
    const archive = await closed.dumpDataDir("none");
    await closed.close();
    return pack(Buffer.from(await archive.arrayBuffer()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The commit that is checked out, or the one that DEMAND_COMMIT names where there is no repository. */
export function commit(): string | null {
  const named = Deno.env.get("DEMAND_COMMIT") ?? "";
  if (named !== "") return named;
  const git = (...args: string[]): string | null => {
    try {
      const { success, stdout } = new Deno.Command("git", { args, cwd: ROOT, stderr: "null" })
        .outputSync();
      return success ? new TextDecoder().decode(stdout).trim() : null;
    } catch {
      return null;
    }
  };
  const head = git("rev-parse", "--short=12", "HEAD");
  return head === null ? null : `${head}${git("status", "--porcelain") === "" ? "" : "-modified"}`;
}

/**
 * Fills dist/`name` with the assets, with the entry points of the threads, and with main.ts, which says the commit and
 * starts the program; gives its path. Entry points in one folder lie in one folder of an executable. What was there
 * before is removed. What every start
 * reads is packed on demand: it costs the start 70 ms and saves 10 MB.
 */
export async function stage(name: string, options: { readonly packed: boolean }): Promise<string> {
  const folder = join(DIST, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const parts = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  const put = (asset: string, bytes: Uint8Array) => writeFileSync(join(folder, asset), bytes);
  const part = (name: string): Uint8Array => {
    const bytes = readFileSync(join(parts, name));
    return options.packed ? gzipSync(bytes, { level: 9 }) : bytes;
  };
  put(ASSETS.wasm, part("pglite.wasm"));
  put(ASSETS.data, part("pglite.data"));
  copyFileSync(join(parts, "pg_trgm.tar.gz"), join(folder, ASSETS.trgm));
  put(ASSETS.directory, await emptyDirectory());
  writeFileSync(
    join(folder, "commit.ts"),
    `Object.assign(globalThis, { demandCommit: ${JSON.stringify(commit() ?? undefined)} });\n`,
  );
  writeFileSync(join(folder, "main.ts"), `import "./commit.ts";\nimport "../../main.ts";\n`);
  for (const [worker, source] of Object.entries(WORKER_SOURCES)) {
    writeFileSync(join(folder, `${worker}.ts`), `import "../../${source}";\n`);
  }
  return folder;
}

/** Runs a program in `cwd`, its output shown; throws where it fails. */
export function run(program: string, args: readonly string[], cwd: string): void {
  const { code, stderr } = new Deno.Command(program, {
    args: [...args],
    cwd,
    stdin: "null",
    stdout: "inherit",
    stderr: "piped",
  }).outputSync();
  const said = new TextDecoder().decode(stderr);
  if (code === 0) Deno.stderr.writeSync(stderr);
  else throw new OperatorError(`${basename(program)} ${args[0]} failed: ${errorLine(said)}`);
}

/** The executable's name for a target triple or a Bun target. */
export function outputName(base: string, target: string | null): string {
  const suffix = target === null ? "" : `-${target.replace(/^bun-/, "")}`;
  const windows = target?.includes("windows") ?? Deno.build.os === "windows";
  return `${base}${suffix}${windows ? ".exe" : ""}`;
}

/** `--target NAME` (repeatable) and `--all` of a command line; [null] means this machine. */
export function targetsOf(
  args: readonly string[],
  known: readonly string[],
): readonly (string | null)[] {
  if (args.includes("--all")) return known;
  const named = args.flatMap((arg, index) => args[index - 1] === "--target" ? [arg] : []);
  const wrong = named.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw new OperatorError(`--target: should be one of ${known.join(", ")}`);
  }
  return named.length === 0 ? [null] : named;
}

/** Says what was made, and how large it is. */
export function report(path: string): void {
  const megabytes = (Deno.statSync(path).size / 1e6).toFixed(1);
  console.log(`${path}  ${megabytes} MB`);
}
