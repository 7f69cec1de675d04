/**
 * Verdicts on a fixed set of queries over the posts of a file: the formula's score and the strongest
 * quotes, for a person to judge. `deno run -A tasks/eval/verdicts.ts [POSTS.ndjson.gz] [--quotes N]`
 * uses an embedded database in a temporary directory; TEST_DATABASE_URL names an empty one instead.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeFile, store } from "../../bench/gauge_corpus.ts";
import { openDatabase } from "../../db/mod.ts";
import { migrate } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import { matchCorpus, readQuery } from "../../gauge/corpus.ts";
import { findKinds } from "../../gauge/kinds.ts";
import { formulaScore, strength, temperature } from "../../gauge/score.ts";

/** What a person who knows the posts expects: demand that is plain, some, or none. */
const QUERIES = {
  hot: [
    "headphones",
    "gaming laptop",
    "mechanical keyboard",
    "running shoes",
    "backpack for school",
    "chef's knife",
    "bluetooth speaker",
    "electric guitar",
    "moisturizer for dry skin",
    "road bike",
  ],
  warm: [
    "waterproof hiking boots",
    "ergonomic office chair",
    "safety razor",
    "mattress for back pain",
    "noise cancelling headphones",
    "cast iron skillet",
    "robot vacuum",
    "wireless gaming mouse",
    "umbrella that does not break",
    "travel mug that does not leak",
  ],
  cold: [
    "left handed can opener",
    "heated bird bath",
    "banjo strap",
    "telescope eyepiece filter",
    "solar powered lawn mower",
    "baby bottle sterilizer bag",
    "garlic press dishwasher safe",
  ],
  nonsense: [
    "xqzzt vlorp",
    "quantum flux headphones inducer",
    "purple monkey dishwasher tax",
    "the best thing ever",
    "asdf jkl",
    "colorless green ideas sleep furiously",
  ],
  service: [
    "plumber near me",
    "wedding photographer",
    "tax preparation software",
    "web hosting",
    "dog walking service",
    "life insurance quote",
    "personal trainer online",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Expectation = keyof typeof QUERIES;

export interface VerdictRow {
  readonly expected: Expectation;
  readonly query: string;
  /** The formula's score, before any model. */
  readonly score: number;
  readonly temperature: string;
  readonly voices: number;
  /** The strongest quotes with the product each is about. */
  readonly quotes: readonly string[];
}

/** Gauges every query against what is stored; ages count from `asOf`. */
export async function evaluateVerdicts(database: Database, asOf: Date): Promise<VerdictRow[]> {
  const rows: VerdictRow[] = [];
  for (const [expected, queries] of Object.entries(QUERIES)) {
    for (const query of queries) {
      const read = await readQuery(database.sql, { query, category: null }, findKinds);
      const { matches } = await matchCorpus(database.sql, read);
      const strongest = matches.toSorted((a, b) => strength(b, asOf) - strength(a, asOf));
      const score = formulaScore(matches, asOf);
      rows.push({
        expected: expected as Expectation,
        query,
        score,
        temperature: temperature(score),
        voices: matches.length,
        quotes: strongest.map(({ relevance, product, quote }) =>
          `${relevance.toFixed(2)} [${product}] ${quote}`
        ),
      });
    }
  }
  return rows;
}

/** The rows as a table, each with its strongest `quotes`. */
export function verdictTable(rows: readonly VerdictRow[], quotes: number): string {
  return rows.flatMap((row) => [
    [
      row.expected.padEnd(9),
      row.query.padEnd(38),
      row.score.toFixed(1).padStart(5),
      row.temperature.padEnd(5),
      `${row.voices} voices`,
    ].join("  "),
    ...row.quotes.slice(0, quotes).map((quote) => `    ${quote.slice(0, 150)}`),
  ]).join("\n");
}

/** Reads a file of posts into an empty database and gives the table of what it says of the queries. */
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
    const rows = await evaluateVerdicts(database, new Date(newest));
    return `verdict scores over ${judged.length} signals\n\n${verdictTable(rows, quotes)}`;
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
