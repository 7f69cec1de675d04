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
import { aboutHead, coverage, tsquery } from "./matching_sql.ts";
import type { Queryable, Sql } from "./sql.ts";

export interface TermCount {
  readonly term: string;
  readonly id: number;
  readonly signals: number;
}

export interface WordTerms {
  /** The stems of each word; none for words that say nothing ("the"). */
  readonly stems: readonly (readonly string[])[];
  /** In how many signals the terms stand; those in none are missing. */
  readonly counts: ReadonlyMap<string, TermCount>;
  /** Signals per eighth of a half-life, hottest first. */
  readonly eighths: readonly { readonly eighth: number; readonly signals: number }[];
}

/** Stems words as signals are stemmed, and counts those and `terms`. */
export async function readTerms(
  sql: Queryable,
  words: readonly string[],
  terms: readonly string[],
): Promise<WordTerms> {
  const rows = await sql<
    { ord: number; term: string; id: number | null; signals: number | null }[]
  >`
    with asked as (
      select ord, term from unnest(${[...words]}::text[]) with ordinality as w (word, ord),
        unnest(tsvector_to_array(to_tsvector('english', word))) as term
      union all select 0, term from unnest(${[...terms]}::text[]) as term
    )
    select a.ord, a.term, t.id, t.signals
    from asked a left join search_terms t on t.term = a.term
    union all
    select -1, term, id, signals from search_terms where term >= 'h/' and term < 'h0'`;
  const stems: string[][] = words.map(() => []);
  const counts = new Map<string, TermCount>();
  const eighths: { eighth: number; signals: number }[] = [];
  for (const { ord, term, id, signals } of rows) {
    if (ord === -1) eighths.push({ eighth: Number(term.slice(2)), signals: signals ?? 0 });
    else {
      if (ord > 0) stems[ord - 1]?.push(term);
      if (id !== null && signals !== null) counts.set(term, { term, id, signals });
    }
  }
  return { stems, counts, eighths: eighths.sort((a, b) => b.eighth - a.eighth) };
}

/** Terms that look like the stems, by the trigrams they share; for a closer look at their letters. */
export async function similarTerms(
  sql: Queryable,
  stems: readonly string[],
): Promise<(TermCount & { readonly stem: string })[]> {
  if (stems.length === 0) return [];
  return await sql<(TermCount & { readonly stem: string })[]>`
    select s.stem, t.term, t.id, t.signals
    from unnest(${[...stems]}::text[]) as s (stem)
    cross join lateral (
      select term, id, signals from search_terms
      where term % s.stem and term !~ '/' and signals >= 2
      order by similarity(term, s.stem) desc, signals desc, term limit 12
    ) t`;
}

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

export const BOUNDS: Bounds = { exact: 2_000, target: 450, rows: 4_000, voices: 200 };
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
    plan.concepts.length > 1 ? fullMatches(sql, plan, terms, bounds) : [],
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

/** Signals with every part of the query. */
async function fullMatches(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds,
): Promise<Row[]> {
  const frequency = frequencyIn(terms);
  const parts = plan.concepts.map((concept) => keys(concept, frequency));
  const rarest = parts.toSorted((a, b) => total(a, frequency) - total(b, frequency))[0] ?? [];
  if (total(rarest, frequency) === 0) return [];
  const all = plan.concepts.map(({ groups }) => `(${tsquery(groups)})`).join(" & ");
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
        select post_id as "postId", heat, voice, ${coverage(sql, plan)} as relevance,
          ${aboutHead(sql, plan)} as strong
        from ${from}
        where words @@ ${scoped}::tsquery
        limit ${bounds.rows}
      ) found
      where relevance >= case when strong then ${plan.floor}::float8 else ${plan.weakFloor}::float8 end
    ) ranked
    where row_number = 1 order by rank desc, "postId" limit ${bounds.voices}`;
}

/** A matched signal with its post, without relevance. */
export interface MatchedRow {
  readonly postId: string;
  readonly opportunityId: string;
  readonly pattern: string;
  readonly category: string;
  readonly product: string;
  readonly intensity: number;
  readonly wtp: number;
  readonly confidence: number;
  readonly quote: string;
  readonly permalink: string;
  readonly community: string;
  readonly upvotes: number;
  readonly createdAt: Date;
  readonly voice: string;
  readonly textKey: string;
}

/** The signals of these posts with what a verdict shows of them; posts that are gone are missing. */
export async function readMatches(
  sql: Queryable,
  postIds: readonly string[],
): Promise<Map<string, MatchedRow>> {
  const rows = await sql<MatchedRow[]>`
    select s.post_id as "postId", s.opportunity_id as "opportunityId", s.pattern, s.category,
      s.product, s.intensity, s.wtp, s.confidence, s.quote, p.permalink, p.community, s.upvotes,
      s.created_at as "createdAt", encode(s.voice, 'hex') as voice,
      encode(s.text_key, 'hex') as "textKey"
    from signals s join posts p on p.id = s.post_id where s.post_id = any(${[...postIds]})`;
  return new Map(rows.map((row) => [row.postId, row]));
}

/** The words of a post that is not in the corpus. */
export interface LooseSignal {
  readonly postId: string;
  readonly product: string;
  readonly kind: string;
  readonly need: string | null;
  readonly brands: readonly string[];
  readonly quote: string;
  readonly title: string;
  readonly category: string;
}

/** Those of `signals` that match a plan, by the same rule as stored ones. */
export async function matchLoose(
  sql: Sql,
  plan: QueryPlan,
  signals: readonly LooseSignal[],
): Promise<Candidate[]> {
  if (plan.concepts.length === 0 || signals.length === 0) return [];
  return await sql<Candidate[]>`
    select "postId", relevance from (
      select "postId", ${coverage(sql, plan)} as relevance, ${aboutHead(sql, plan)} as strong
      from (
        select "postId",
          signal_words(product, kind, need, brands, quote, title, category, 0) as words
        from jsonb_to_recordset(${sql.json([...signals] as never)}) as s (
          "postId" text, product text, kind text, need text, brands text[], quote text, title text,
          category text)
      ) s
    ) found
    where relevance >= case when strong then ${plan.floor}::float8 else ${plan.weakFloor}::float8 end`;
}
