/**
 * Matching a query against a large corpus on Postgres: latency by words, recall at 5 against reading
 * everything, and what stands beside it: a plain GIN index ranked by ts_rank.
 * `BENCH_DATABASE_URL=postgres://… deno run -A bench/gauge_match.ts [SIGNALS [POSTS.ndjson.gz]]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../db/migrate.ts";
import { BOUNDS, matchSignals } from "../db/matching/mod.ts";
import type { Bounds } from "../db/matching/searches.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import type { Sql } from "../db/sql.ts";
import { matchCorpus } from "../gauge/match/corpus.ts";
import { quoted } from "../gauge/evidence/quotes.ts";
import { readQuery } from "../gauge/query/read.ts";
import { findKinds } from "../gauge/query/kinds.ts";
import { archiveIn } from "./support/corpus.ts";
import { fill, generator } from "./support/gauge_corpus.ts";
import { percentile } from "./support/measure.ts";
import { evidenceOf, nearestFirst } from "../gauge/evidence/posts.ts";
import { ownDatabase } from "./support/own_database.ts";

const own = await ownDatabase("gauge_match");
const count = Number(Deno.args[0] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), "bench-gauge-"));
const path = Deno.args[1] ?? archiveIn(folder);
const PER_LENGTH = 60;
/** On a machine that others use, the fastest of a few runs says what the work itself takes. */
const runs = Number(Deno.env.get("BENCH_RUNS") ?? 1);
const AS_OF = new Date(Date.UTC(2013, 9, 1));
const EXHAUSTIVE: Bounds = { found: 1e9, target: 1e9, graded: 1e9, authors: 200 };

const database = await openPostgres({ url: own.url, max: 4 });
await migrate(database.sql);
await fill(database, path, count);
rmSync(folder, { recursive: true });

/** Queries as people might type them: a product's words, then words of posts about it. */
async function queries(sql: Sql): Promise<string[][]> {
  const rows = await sql<{ product: string; title: string }[]>`
    select s.product, p.title from signals s tablesample system (1) repeatable (7)
    join posts p on p.id = s.post_id limit 4000`;
  const next = generator(11);
  const byLength: string[][] = Array.from({ length: 7 }, () => []);
  for (const { product, title } of rows) {
    const words: string[] = product.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    const more: string[] = (title.toLowerCase().match(/[a-z]{4,}/g) ?? []).filter((w) =>
      !words.includes(w)
    );
    const wanted = 1 + Math.floor(next() * 6);
    while (words.length < wanted && more.length > 0) {
      words.unshift(more.splice(Math.floor(next() * more.length), 1)[0] ?? "");
    }
    const list = byLength[words.length];
    if (list !== undefined && list.length < PER_LENGTH) list.push(words.join(" "));
  }
  return byLength.slice(1);
}

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  let fastest = Infinity;
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}

const quantiles = (values: readonly number[]): string =>
  `p50 ${percentile(values, 0.5).toFixed(1)} ms, p95 ${percentile(values, 0.95).toFixed(1)} ms`;

/** The rival, as it is commonly done: every post that holds all words of the query is ranked, and five are kept. */
const plain = (sql: Sql, query: string) =>
  sql`select post_id from signal_index, plainto_tsquery('english', ${query}) q
    where words @@ q order by ts_rank(words, q) desc limit 5`;

const { sql } = database;
const lists = await queries(sql);
/** All that a verdict reads and reckons, but for the words of a model. */
async function verdict(query: string): Promise<void> {
  const read = await readQuery(sql, { query, category: null }, findKinds);
  const { matches } = await matchCorpus(sql, read, null);
  await evidenceOf(
    nearestFirst(matches, AS_OF, read),
    read.plan,
    (shown) => quoted(sql, read.plan, shown, new Map()),
  );
}
for (const query of lists.flat()) await verdict(query);
const all: number[] = [];
const whole: number[] = [];
for (const [i, list] of lists.entries()) {
  const times: number[] = [];
  for (const query of list) {
    const input = { query, category: null };
    times.push(
      await timed(async () => matchCorpus(sql, await readQuery(sql, input, findKinds), null)),
    );
    whole.push(await timed(() => verdict(query)));
  }
  all.push(...times);
  console.log(`${i + 1} words, ${list.length} queries: ${quantiles(times)}`);
}
console.log(`match: ${quantiles(all)}`);
console.log(`with the sentences chosen: ${quantiles(whole)}`);

let [found, wanted] = [0, 0];
const plainTimes: number[] = [];
for (const query of lists.flat()) {
  const { plan, terms } = await readQuery(sql, { query, category: null }, findKinds);
  const { candidates: bounded } = await matchSignals(sql, plan, terms, BOUNDS);
  const { candidates: exhaustive } = await matchSignals(sql, plan, terms, EXHAUSTIVE);
  const best = new Set(exhaustive.slice(0, 5).map(({ postId }) => postId));
  wanted += best.size;
  found += bounded.slice(0, 5).filter(({ postId }) => best.has(postId)).length;
  plainTimes.push(await timed(() => plain(sql, query)));
}
console.log(`a plain GIN index with ts_rank: ${quantiles(plainTimes)}`);
console.log(`recall at 5: ${(found / wanted).toFixed(3)} of ${wanted}`);
await database.close();
await own.drop();
