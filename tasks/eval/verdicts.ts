/**
 * Verdicts on a fixed set of queries over the posts of a file: the formula's score and the strongest
 * quotes, for a person to judge. `deno run -A tasks/eval.ts --verdicts [--posts POSTS.ndjson.gz] [--quotes N]`
 * uses an embedded database in a temporary directory; TEST_DATABASE_URL names an empty one instead, and
 * CORPUS_DATABASE_URL one that was mined already.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeFile, store } from "../../bench/gauge_corpus_support.ts";
import { openDatabase } from "../../db/mod.ts";
import { migrate } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/corpus.ts";
import { readQuery } from "../../gauge/read_query.ts";
import { findKinds } from "../../gauge/kinds.ts";
import { formulaScore, strength, temperature } from "../../gauge/score.ts";
import type { Match } from "../../gauge/types.ts";
import { ALIKE } from "./alike_queries.ts";
import { type Expectation, QUERIES } from "./verdict_queries.ts";

interface VerdictRow {
  readonly expected: Expectation;
  readonly query: string;
  /** The formula's score, before any model. */
  readonly score: number;
  readonly temperature: string;
  readonly voices: number;
  /** Of them, those whose post names what the query is about. */
  readonly about: number;
  /** Of those, the ones whose product, quote or title does. */
  readonly shown: number;
  /** The strongest quotes with the product each is about. */
  readonly quotes: readonly string[];
}

/** Gauges every query against what is stored; ages count from `asOf`. */
async function evaluateVerdicts(database: Database, asOf: Date): Promise<VerdictRow[]> {
  const rows: VerdictRow[] = [];
  for (const { expected, query, about } of QUERIES) {
    const read = await readQuery(database.sql, { query, category: null }, findKinds);
    const { matches } = await matchCorpus(database.sql, read);
    const posts = await database.sql<{ id: string; title: string; body: string }[]>`
      select id, title, body from posts where id = any(${matches.map(({ postId }) => postId)})`;
    const byId = new Map(posts.map((post) => [post.id, post]));
    const naming = (text: (match: Match, title: string, body: string) => string): number =>
      matches.filter((match) => {
        const { title = "", body = "" } = byId.get(match.postId) ?? {};
        return about?.test(text(match, title, body)) === true;
      }).length;
    const strongest = matches.toSorted((a, b) => strength(b, asOf) - strength(a, asOf));
    const score = formulaScore(matches, asOf);
    rows.push({
      expected,
      query,
      score,
      temperature: temperature(score),
      voices: matches.length,
      about: naming(({ product, quote }, title, body) => `${product} ${quote} ${title} ${body}`),
      shown: naming(({ product, quote }, title) => `${product} ${quote} ${title}`),
      quotes: strongest.map(({ relevance, product, quote }) =>
        `${relevance.toFixed(2)} [${product}] ${quote}`
      ),
    });
  }
  return rows;
}

/** How far apart two scores may be that tell of the same. */
const NEAR = 10;

/** How many pairs that ask for the same have scores near each other, and those that have not. */
async function alikeLines(database: Database, asOf: Date): Promise<string> {
  const scoreOf = async (query: string): Promise<number> => {
    const read = await readQuery(database.sql, { query, category: null }, findKinds);
    return formulaScore((await matchCorpus(database.sql, read)).matches, asOf);
  };
  const apart: string[] = [];
  for (const [one, other] of ALIKE) {
    const [a, b] = [await scoreOf(one), await scoreOf(other)];
    if (Math.abs(a - b) > NEAR) apart.push(`  ${a.toFixed(1)} ${one} | ${b.toFixed(1)} ${other}`);
  }
  const near = ALIKE.length - apart.length;
  return [`${near} of ${ALIKE.length} pairs within ${NEAR} points`, ...apart].join("\n");
}

const ALLOWED: Readonly<Record<Expectation, readonly string[]>> = {
  wanted: ["warm", "hot"],
  rare: ["cold", "warm"],
  attribute: ["cold"],
  service: ["cold"],
  nonsense: ["cold"],
};

/** How many queries of each sort are as expected. */
function verdictCounts(rows: readonly VerdictRow[]): string {
  return Object.entries(ALLOWED).map(([expected, allowed]) => {
    const of = rows.filter((row) => row.expected === expected);
    const good = of.filter((row) => allowed.includes(row.temperature));
    const sum = (count: "about" | "shown" | "voices") => of.reduce((n, row) => n + row[count], 0);
    return `${expected.padEnd(9)}  ${good.length} of ${of.length} as expected, ` +
      `${sum("about")} of ${sum("voices")} voices about it, ${sum("shown")} by what is shown`;
  }).join("\n");
}

/** The rows as a table, each with its strongest `quotes`. */
function verdictTable(rows: readonly VerdictRow[], quotes: number): string {
  return rows.flatMap((row) => [
    [
      row.expected.padEnd(9),
      row.query.padEnd(58),
      row.score.toFixed(1).padStart(5),
      row.temperature.padEnd(5),
      `${row.voices} voices, ${row.about} about it, ${row.shown} shown`,
    ].join("  "),
    ...row.quotes.slice(0, quotes).map((quote) => `    ${quote.slice(0, 150)}`),
  ]).join("\n");
}

/** What the queries say of what is stored; ages count from `asOf`. */
async function tell(database: Database, asOf: Date, quotes: number): Promise<string> {
  const rows = await evaluateVerdicts(database, asOf);
  const alike = await alikeLines(database, asOf);
  return `${verdictTable(rows, quotes)}\n\n${verdictCounts(rows)}\n${alike}`;
}

/** Tells of a corpus that was mined already, as `CORPUS_DATABASE_URL` names it. */
export async function verdictsIn(url: string, quotes: number): Promise<string> {
  const database = await openDatabase({ databaseUrl: url, dataDir: "" }, {
    share: false,
    now: Date.now,
  });
  try {
    const [last] = await database.sql<{ newest: Date }[]>`
      select max(created_at) as newest from signals`;
    return await tell(database, last?.newest ?? new Date(0), quotes);
  } finally {
    await database.close();
  }
}

/** Reads a file of posts into an empty database and tells of it. */
export async function verdictsOf(path: string, quotes: number): Promise<string> {
  const judged = await judgeFile(path);
  const directory = mkdtempSync(join(tmpdir(), "demand-eval-"));
  const storage = {
    databaseUrl: Deno.env.get("TEST_DATABASE_URL") ?? null,
    dataDir: directory,
  };
  const database = await openDatabase(storage, { share: false, now: Date.now });
  try {
    await migrate(database.sql);
    await store(database, judged);
    const newest = Math.max(...judged.map(({ post }) => Date.parse(post.createdAt)));
    const told = await tell(database, new Date(newest), quotes);
    return `verdict scores over ${judged.length} signals\n\n${told}`;
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
