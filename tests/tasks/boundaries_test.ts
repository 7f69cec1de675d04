/** Each rule of tasks/check/boundaries.ts, with a repository that keeps it and one that does not. */
import { assertEquals } from "@std/assert";
import { breachesOf } from "../../tasks/check/boundaries.ts";

const breaches = (files: Readonly<Record<string, string>>): string[] =>
  breachesOf(new Map(Object.entries(files)));

interface Case {
  readonly rule: string;
  readonly kept: Readonly<Record<string, string>>;
  readonly broken: Readonly<Record<string, string>>;
  readonly breach: string;
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`docs/${i}.md`, ""]));

const CASES: readonly Case[] = [
  {
    rule: "a folder imports only folders below it",
    kept: { "db/a.ts": 'import { b } from "../core/b.ts";' },
    broken: { "core/b.ts": 'import { a } from "../db/a.ts";' },
    breach: "core/b.ts: imports db/a.ts: core/ may import nothing only",
  },
  {
    rule: "an import in the middle of a file counts",
    kept: { "db/a.ts": 'const b = await import("../core/b.ts");' },
    broken: { "core/b.ts": 'const a = await import("../db/a.ts");' },
    breach: "core/b.ts: imports db/a.ts: core/ may import nothing only",
  },
  {
    rule: "a subfolder of mining imports only those before it",
    kept: { "mining/extract/a.ts": 'import type { B } from "../classify/b.ts";' },
    broken: { "mining/classify/b.ts": 'import type { A } from "../extract/a.ts";' },
    breach:
      "mining/classify/b.ts: imports mining/extract/a.ts: mining/classify stands before mining/extract",
  },
  {
    rule: "a file of mining has its place too",
    kept: { "mining/job/a.ts": 'import { judge } from "../judge.ts";' },
    broken: { "mining/extract/a.ts": 'import { judge } from "../judge.ts";' },
    breach:
      "mining/extract/a.ts: imports mining/judge.ts: mining/extract stands before mining/judge.ts",
  },
  {
    rule: "a subfolder of payment imports only those before it",
    kept: { "payment/settle/a.ts": 'import { b } from "../evm/b.ts";' },
    broken: { "payment/evm/b.ts": 'import { a } from "../settle/a.ts";' },
    breach:
      "payment/evm/b.ts: imports payment/settle/a.ts: payment/evm stands before payment/settle",
  },
  {
    rule: "a subfolder of gauge imports only those before it",
    kept: { "gauge/match/a.ts": 'import { b } from "../query/b.ts";' },
    broken: { "gauge/query/b.ts": 'import { a } from "../match/a.ts";' },
    breach: "gauge/query/b.ts: imports gauge/match/a.ts: gauge/query stands before gauge/match",
  },
  {
    rule: "a subfolder of db imports only those before it",
    kept: { "db/corpus/a.ts": 'import { b } from "../postgres/b.ts";' },
    broken: { "db/postgres/b.ts": 'import { a } from "../corpus/a.ts";' },
    breach: "db/postgres/b.ts: imports db/corpus/a.ts: db/postgres stands before db/corpus",
  },
  {
    rule: "a subfolder of routes imports only those before it",
    kept: { "routes/data/a.ts": 'import { b } from "../pipeline/b.ts";' },
    broken: { "routes/pipeline/b.ts": 'import { a } from "../data/a.ts";' },
    breach:
      "routes/pipeline/b.ts: imports routes/data/a.ts: routes/pipeline stands before routes/data",
  },
  {
    rule: "a package is used by its own folders",
    kept: { "db/a.ts": 'import postgres from "postgres";' },
    broken: { "mining/a.ts": 'import postgres from "postgres";' },
    breach: "mining/a.ts: imports postgres: only db may",
  },
  {
    rule: "no files import each other, for types either",
    kept: { "core/a.ts": 'import type { B } from "./b.ts";', "core/b.ts": "" },
    broken: {
      "core/a.ts": 'import type { B } from "./b.ts";',
      "core/b.ts": 'export { C } from "./c.ts";',
      "core/c.ts": 'import { a } from "./a.ts";',
    },
    breach: "core/a.ts, core/b.ts, core/c.ts: import each other in a circle",
  },
  {
    rule: "tools have no circles",
    kept: { "tasks/a.ts": 'import "./b.ts";', "tasks/b.ts": "" },
    broken: { "tasks/a.ts": 'import "./b.ts";', "tasks/b.ts": 'import "./a.ts";' },
    breach: "tasks/a.ts, tasks/b.ts: import each other in a circle",
  },
  {
    rule: "an exported name has one owner, which others may pass on",
    kept: {
      "core/a.ts": "export const word = 1;\nconst other = 2;",
      "core/b.ts": 'export { word } from "./a.ts";\nexport const other = 2;',
    },
    broken: {
      "core/a.ts": "export interface Word {}",
      "db/b.ts": "export class Word {}",
    },
    breach: "core/a.ts, db/b.ts: each export Word: a name has one owner",
  },
  {
    rule: "a folder holds twenty files, migrations apart",
    kept: {
      ...many(20),
      ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`db/migrations/${i}.sql`, ""])),
    },
    broken: many(21),
    breach: "docs/: 21 files: more than 20 are not found at a glance",
  },
  {
    rule: "the runtime is named in runtime/ alone",
    kept: { "runtime/a.ts": "Deno.exit(1);", "tasks/a.ts": "Deno.exit(1);" },
    broken: { "core/a.ts": "// As Deno.exit does.\nDeno.exit(1);" },
    breach: "core/a.ts: names the runtime's global; only runtime/ may",
  },
  {
    rule: "SQL is written in db/ alone",
    kept: { "db/a.ts": "await sql`select 1`;" },
    broken: { "mining/a.ts": "await sql<Row[]>`select 1`;" },
    breach: "mining/a.ts: holds SQL; only db/ may",
  },
];

for (const { rule, kept, broken, breach } of CASES) {
  Deno.test(rule, () => {
    assertEquals(breaches(kept), []);
    assertEquals(breaches(broken), [breach]);
  });
}
