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
    kept: { "db/a.ts": 'import { b } from "../runtime/b.ts";' },
    broken: { "runtime/b.ts": 'import { a } from "../db/a.ts";' },
    breach: "runtime/b.ts: imports db/a.ts: runtime/ may import core only",
  },
  {
    rule: "core imports no other folder",
    kept: { "core/a.ts": "", "config.ts": 'import "./core/a.ts";' },
    broken: { "core/a.ts": 'import "../db/b.ts";', "config.ts": 'import "./core/a.ts";' },
    breach: "core/a.ts: imports db/b.ts: core/ may import nothing only",
  },
  {
    rule:
      "a file of core is used by two folders, be it through another one, or by a file of the root",
    kept: {
      "core/a.ts": "",
      "core/b.ts": 'import "./a.ts";',
      "core/c.ts": "",
      "db/d.ts": 'import "../core/a.ts";\nimport "../core/b.ts";',
      "gauge/e.ts": 'import "../core/b.ts";',
      "main.ts": 'import "./core/c.ts";',
    },
    broken: {
      "core/a.ts": "",
      "db/b.ts": 'import "../core/a.ts";',
      "tests/c.ts": 'import "../core/a.ts";',
    },
    breach: "core/a.ts: only db uses it: core/ holds what several do",
  },
  {
    rule: "an import in the middle of a file counts",
    kept: { "db/a.ts": 'const b = await import("../runtime/b.ts");' },
    broken: { "runtime/b.ts": 'const a = await import("../db/a.ts");' },
    breach: "runtime/b.ts: imports db/a.ts: runtime/ may import core only",
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
    kept: { "model/a.ts": 'import type { B } from "./b.ts";', "model/b.ts": "" },
    broken: {
      "model/a.ts": 'import type { B } from "./b.ts";',
      "model/b.ts": 'export { B } from "./c.ts";',
      "model/c.ts": 'import { a } from "./a.ts";',
    },
    breach: "model/a.ts, model/b.ts, model/c.ts: import each other in a circle",
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
      "model/a.ts": "export const word = 1;\nconst other = 2;",
      "model/b.ts": 'export { word } from "./a.ts";\nexport const other = 2;',
      "model/c.ts": 'import { other, word } from "./b.ts";',
    },
    broken: {
      "model/a.ts": "export interface Word {}",
      "db/b.ts": "export class Word {}",
      "model/c.ts":
        'import type { Word } from "./a.ts";\nimport { Word as Other } from "../db/b.ts";',
    },
    breach: "db/b.ts, model/a.ts: each export Word: a name has one owner",
  },
  {
    rule:
      "an exported name is imported, by a test, as a whole file, or through a file that passes it on",
    kept: {
      "db/a.ts": "export const one = 1;\nexport type Two = 2;",
      "db/b.ts":
        'export type * from "./a.ts";\nexport { one as uno } from "./a.ts";\nexport const three = 3;',
      "db/c.ts": 'import {\n  type Two as Zwei,\n  uno,\n} from "./b.ts";',
      "db/d.ts": 'const { three } = await import("./b.ts");',
      "tests/a.ts": 'import { five } from "../db/e.ts";\nexport const six = 6;',
      "db/e.ts": "export const five = 5;",
    },
    broken: {
      "db/a.ts": "export type One = 1;\nexport type Two = One;",
      "db/b.ts": 'import { type Two } from "./a.ts";',
    },
    breach: "db/a.ts: exports One, which no other file imports",
  },
  {
    rule: "a name that is passed on is imported from there",
    kept: {
      "db/a.ts": "export const one = 1;",
      "db/b.ts": 'export { one } from "./a.ts";',
      "db/c.ts": 'import * as all from "./b.ts";\nconst two = all.one;',
    },
    broken: {
      "db/a.ts": "export const one = 1;",
      "db/b.ts": 'export { one } from "./a.ts";',
      "db/c.ts": 'import { one } from "./a.ts";',
    },
    breach: "db/b.ts: exports one, which no other file imports",
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
    broken: { "db/a.ts": "// As Deno.exit does.\nDeno.exit(1);" },
    breach: "db/a.ts: names the runtime's global; only runtime/ may",
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
