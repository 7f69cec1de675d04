/**
 * Finds the signals that match a query, by the words in signal_index: the hottest that carry enough of
 * the query, without reading all that carry some of it. docs/verdicts.md says how and how well.
 */
import {
  anchors,
  type Frequency,
  keys,
  qualifying,
  type QueryPlan,
  type Term,
  total,
} from "./matching_plan.ts";
import { judged, matching, relevance, tsquery } from "./matching_sql.ts";
import type { WordTerms } from "./matching_terms.ts";
import type { Sql } from "./sql.ts";

export interface Candidate {
  readonly postId: string;
  /** 0-1, see gauge/concepts.ts. */
  readonly relevance: number;
}

/** What may be read for one answer; `exhaustive` reads everything, to measure the others against. */
export interface Bounds {
  /** Up to so many signals with a word are all read; of a more frequent word, the hottest. */
  readonly exact: number;
  /** How many signals are aimed at where only the hottest are read. */
  readonly target: number;
  /** Rows looked at in one go, whatever the estimates said. */
  readonly rows: number;
  /** Voices given back. */
  readonly voices: number;
}

export const BOUNDS: Bounds = { exact: 2_000, target: 450, rows: 4_000, voices: 100 };
/** Parts of a query below this share hardly change the order of what has all the others. */
const WEIGHTY_SHARE = 0.12;
/** Full matches below which it pays to look at all of them. */
const FEW = 30;

/**
 * The strongest matches of a plan, one a voice, strongest first (relevance squared times two to the
 * heat), at most `bounds.voices`.
 */
export async function matchSignals(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds = BOUNDS,
): Promise<Candidate[]> {
  if (qualifying(plan).length === 0) return [];
  const streams = await Promise.all([
    fullMatches(sql, plan, terms, bounds),
    partialMatches(sql, plan, terms, bounds),
  ]);
  const best = new Map<string, Row>();
  for (const row of streams.flat()) best.set(row.postId, row);
  const voices = new Map<string, Row>();
  for (const row of [...best.values()].sort(stronger)) {
    if (!voices.has(row.voice)) voices.set(row.voice, row);
  }
  return [...voices.values()].slice(0, bounds.voices);
}

interface Row extends Candidate {
  readonly voice: string;
  readonly rank: number;
}

function stronger(a: Row, b: Row): number {
  return b.rank - a.rank || (a.postId < b.postId ? -1 : a.postId > b.postId ? 1 : 0);
}

const frequencyIn = ({ counts }: WordTerms): Frequency => (term) => counts.get(term)?.signals ?? 0;

/**
 * Signals with every part of the query that weighs. Nothing where those parts are just what makes a
 * match: then the other stream finds them.
 */
async function fullMatches(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds,
): Promise<Row[]> {
  const frequency = frequencyIn(terms);
  const weighty = plan.concepts.filter(({ share }) => share >= WEIGHTY_SHARE);
  if (qualifying(plan).every(({ length }) => length >= weighty.length)) return [];
  const parts = weighty.map((concept) => keys(concept, frequency));
  const rarest = parts.toSorted((a, b) => total(a, frequency) - total(b, frequency))[0] ?? [];
  if (total(rarest, frequency) === 0) return [];
  const all = weighty.map(({ groups }) => `(${tsquery(groups)})`).join(" & ");
  if (total(rarest, frequency) > bounds.exact) {
    const rows = await run(sql, plan, all, slices(rarest, terms, bounds), bounds);
    if (rows.length >= FEW) return rows;
  }
  return await run(sql, plan, all, null, bounds);
}

/** Signals with enough of the query. */
async function partialMatches(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds,
): Promise<Row[]> {
  const frequency = frequencyIn(terms);
  const enough = qualifying(plan).map((set) =>
    `(${set.map((i) => `(${tsquery(plan.concepts[i]?.groups ?? [])})`).join(" & ")})`
  ).join(" | ");
  const needed = anchors(plan, frequency);
  if (total(needed, frequency) === 0) return [];
  const bounded = total(needed, frequency) > bounds.exact;
  return await run(sql, plan, enough, bounded ? slices(needed, terms, bounds) : null, bounds);
}

/**
 * Keys of signal_index.slices that hold about `bounds.target` signals with one of `of`, the hottest.
 * Null where that is about all of them.
 */
function slices(of: readonly Term[], terms: WordTerms, bounds: Bounds): number[] | null {
  const stored = terms.eighths.reduce((sum, { signals }) => sum + signals, 0);
  const wanted = bounds.target * stored / total(of, frequencyIn(terms));
  const found: number[] = [];
  let passed = 0;
  for (const { eighth, signals } of terms.eighths) {
    if (passed >= wanted) return found;
    passed += signals;
    for (const term of of) {
      const id = terms.counts.get(term)?.id;
      if (id !== undefined) found.push(id * 65_536 + eighth);
    }
  }
  return null;
}

async function run(
  sql: Sql,
  plan: QueryPlan,
  words: string,
  keys: readonly number[] | null,
  bounds: Bounds,
): Promise<Row[]> {
  const scoped = plan.category === null
    ? words
    : `(${words}) & ${tsquery([[`c/${plan.category}`]])}`;
  // The offset keeps the planner from reading the index of words as well.
  const from = keys === null
    ? sql`signal_index`
    : sql`(select * from signal_index where slices && ${[...keys]}::bigint[] offset 0) hottest`;
  return await sql<Row[]>`
    select "postId", relevance, encode(voice, 'hex') as voice, rank from (
      select *, 2 * ln(relevance) / ln(2.0::float8) + heat as rank,
        row_number() over (partition by voice order by 2 * ln(relevance) / ln(2.0::float8) + heat desc)
      from (
        select *, ${relevance(sql)} as relevance from (
          select post_id as "postId", heat, voice, ${judged(sql, plan)}
          from ${from}
          where words @@ ${scoped}::tsquery
          limit ${bounds.rows}
        ) found
        where ${matching(sql, plan)}
      ) matched
    ) ranked
    where row_number = 1 order by rank desc, "postId" limit ${bounds.voices}`;
}
