/**
 * Verdicts on a file of queries whose truth was found by hand, over the posts that it was found in:
 * `deno run -A tasks/eval/mod.ts --verdicts QUERIES.ndjson [--posts POSTS.ndjson.gz] [--quotes]`. Uses an embedded
 * database in a temporary directory; TEST_DATABASE_URL names an empty one instead, and CORPUS_DATABASE_URL
 * one that was mined already.
 *
 * A line is `{id, group, query, truth_count, truth_temp, relevant, pair}`: how many people want it as asked in
 * the last 180 days of the posts, the ids of posts that do at any time, and a name that two ways to ask for
 * the same share. Groups `absent` and `nonphysical` are of what nobody asks for.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { judgeFile, store } from "../../bench/support/gauge_corpus.ts";
import { openDatabase } from "../../db/mod.ts";
import { migrate } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { quoted } from "../../gauge/evidence/quotes.ts";
import { askedBits, funnelOf } from "../../gauge/match/funnel.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { factSentences } from "../../gauge/score/verdict_facts.ts";
import { effectivePeople, scoreOfPeople, temperature } from "../../gauge/score/verdict_score.ts";
import type { Match, Temperature } from "../../gauge/types.ts";
import { evidenceOf, type EvidenceQuote, nearestFirst } from "../../gauge/evidence/posts.ts";
import { factsFor } from "../../gauge/verdict.ts";

const Query = z.object({
  id: z.string(),
  group: z.string(),
  query: z.string(),
  truth_count: z.number(),
  truth_temp: z.enum(["cold", "warm", "hot"]),
  relevant: z.array(z.string()),
  pair: z.string().nullable(),
});
type Query = z.infer<typeof Query>;

interface Row {
  readonly asked: Query;
  /** The formula's score, before any model. */
  readonly score: number;
  readonly temperature: Temperature;
  readonly evidence: readonly Match[];
  readonly rationale: string;
}

const SHOWN = 5;
const EMPTY = new Set(["absent", "nonphysical"]);
const ORDER: readonly Temperature[] = ["cold", "warm", "hot"];

async function judge({ sql }: Database, asked: Query, asOf: Date, signals: number): Promise<Row> {
  const read = await readQuery(sql, { query: asked.query, category: null }, findKinds);
  const found = { ...await matchCorpus(sql, read, null), live: [] };
  const people = nearestFirst(found.matches, asOf, read);
  const quote: EvidenceQuote = (matches) => quoted(sql, read.plan, matches, new Map());
  const evidence = (await evidenceOf(people, read.plan, quote)).slice(0, SHOWN);
  const asAsked = effectivePeople(found.matches, askedBits(read.plan), asOf);
  const score = scoreOfPeople(asAsked);
  const funnel = funnelOf(read, found, signals);
  const told = { funnel, asAsked, asOf, now: asOf };
  const facts = people.length === 0 ? null : factsFor(read, found, people, told);
  return {
    asked,
    score,
    temperature: temperature(score),
    evidence,
    rationale: facts === null ? "nothing" : factSentences(facts).join(" "),
  };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const share = (rows: readonly Row[], test: (row: Row) => boolean): string => {
  const good = rows.filter(test).length;
  return `${(rows.length === 0 ? 0 : good / rows.length).toFixed(3)} (${good} of ${rows.length})`;
};

function figures(rows: readonly Row[]): string {
  const wanted = rows.filter(({ asked }) => asked.relevant.length > 0);
  const empty = rows.filter(({ asked }) => EMPTY.has(asked.group));
  const hits = ({ asked, evidence }: Row) =>
    evidence.filter(({ postId }) => asked.relevant.includes(postId)).length;
  const pairs = new Map<string, number[]>();
  for (const { asked: { pair }, score } of rows) {
    if (pair !== null) pairs.set(pair, [...pairs.get(pair) ?? [], score]);
  }
  const apart = [...pairs.values()].filter(({ length }) => length > 1)
    .map((scores) => Math.max(...scores) - Math.min(...scores));
  return [
    ["temperature exact", share(rows, (row) => row.temperature === row.asked.truth_temp)],
    [
      "off by two",
      share(
        rows,
        (row) => Math.abs(ORDER.indexOf(row.temperature) - ORDER.indexOf(row.asked.truth_temp)) > 1,
      ),
    ],
    ["false zeros", share(wanted, (row) => row.score === 0)],
    ["a relevant post among five", share(wanted, (row) => hits(row) > 0)],
    [
      "recall at 5",
      mean(wanted.map((row) => hits(row) / Math.min(SHOWN, row.asked.relevant.length))).toFixed(3),
    ],
    [
      "evidence known as relevant",
      mean(
        wanted.filter(({ evidence }) => evidence.length > 0)
          .map((row) => hits(row) / row.evidence.length),
      ).toFixed(3),
    ],
    ["paraphrases apart", `${mean(apart).toFixed(1)} points (${apart.length} pairs)`],
    ["absent called warm or hot", share(empty, (row) => row.temperature !== "cold")],
  ].map(([name, value]) => `${name?.padEnd(28)}${value}`).join("\n");
}

function line({ asked, score, temperature, evidence, rationale }: Row, quotes: boolean): string {
  const mark = temperature === asked.truth_temp ? " " : "*";
  const hits = evidence.filter(({ postId }) => asked.relevant.includes(postId)).length;
  const row = `${mark} ${asked.id} ${asked.query.padEnd(60)} ${score.toFixed(1).padStart(5)} ` +
    `${temperature.padEnd(4)} truth ${asked.truth_temp.padEnd(4)} ${asked.truth_count}` +
    `, ${hits} of ${evidence.length} known among ${asked.relevant.length}`;
  if (!quotes) return row;
  const shown = evidence.map(({ postId, product, quote }) =>
    `      ${asked.relevant.includes(postId) ? "+" : "-"} ${postId} [${product}] ${quote}`
  );
  return [row, `    ${rationale}`, ...shown].join("\n");
}

/** Every second query, by the number in its id: one half is for tuning, the other is not looked at. */
const isOdd = ({ asked }: Row): boolean => Number(asked.id.replace(/\D/g, "")) % 2 === 1;

async function tell(database: Database, path: string, options: VerdictOptions): Promise<string> {
  const queries = readFileSync(path, "utf8").split("\n").filter((text) => text.trim() !== "")
    .map((text) => Query.parse(JSON.parse(text)));
  const [corpus] = await database.sql<{ newest: Date | null; signals: number }[]>`
    select max(created_at) as newest, count(*) as signals from signals`;
  const asOf = corpus?.newest ?? new Date(0);
  const rows: Row[] = [];
  for (const query of queries) rows.push(await judge(database, query, asOf, corpus?.signals ?? 0));
  const halves = [
    ["odd ids (tuned on)", rows.filter(isOdd)],
    ["even ids (held back)", rows.filter((row) => !isOdd(row))],
  ] as const;
  const shown = options.half === null
    ? halves
    : halves.filter((_, i) => (i === 0) === (options.half === "odd"));
  return [
    ...shown.flatMap(([, half]) => half.map((row) => line(row, options.quotes))),
    ...shown.map(([name, half]) => `\n${name}: ${half.length} queries\n${figures(half)}`),
    // Two ways to say the same may have an odd id and an even one.
    ...options.half === null ? [`\nall: ${rows.length} queries\n${figures(rows)}`] : [],
  ].join("\n");
}

export interface VerdictOptions {
  /** Whether to print rationales and quotes. */
  readonly quotes: boolean;
  /** One half alone. */
  readonly half: "odd" | "even" | null;
}

/** Tells of a corpus that was mined already, as `CORPUS_DATABASE_URL` names it. */
export async function verdictsIn(
  url: string,
  queries: string,
  options: VerdictOptions,
): Promise<string> {
  const storage = { databaseUrl: url, dataDir: "" };
  const database = await openDatabase(storage, { share: false, now: Date.now });
  try {
    return await tell(database, queries, options);
  } finally {
    await database.close();
  }
}

/** Reads a file of posts into an empty database and prints the outcome. */
export async function verdictsOf(
  posts: string,
  queries: string,
  options: VerdictOptions,
): Promise<string> {
  const judged = await judgeFile(posts);
  const directory = mkdtempSync(join(tmpdir(), "demand-eval-"));
  const storage = {
    databaseUrl: Deno.env.get("TEST_DATABASE_URL") ?? null,
    dataDir: directory,
  };
  const database = await openDatabase(storage, { share: false, now: Date.now });
  try {
    await migrate(database.sql);
    await store(database, judged);
    return `verdicts over ${judged.length} signals\n\n${await tell(database, queries, options)}`;
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
