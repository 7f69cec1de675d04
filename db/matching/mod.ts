/**
 * Finds the signals that a query is about, by the words in signal_index: those that want the product most
 * nearly as it was asked for, and how many state what, without reading all that name the product.
 * docs/verdicts.md says how and how well.
 */
import type { Fragment } from "postgres";
import {
  ABOUT_FROM,
  type Frequency,
  keys,
  type PlanLevel,
  type QueryPlan,
  STATED_FROM,
  type Term,
} from "./plan.ts";
import { anywhere, isAbout, judged, relevance, tsquery } from "./sql.ts";
import type { WordTerms } from "./terms.ts";
import type { Sql } from "../sql.ts";

export interface MatchCandidate {
  readonly postId: string;
  /** 0-1: how far it wants the product as asked. */
  readonly relevance: number;
  /** 0-1: how surely it is about the product. */
  readonly head: number;
  /** 0-1: how much it states of what is asked of the product. */
  readonly covered: number;
  /** Bit `i`: whether it states want `i`. */
  readonly met: number;
}

/** People who want the product and state the wants whose bits are set. */
export interface Stating {
  readonly met: number;
  readonly people: number;
}

export interface Found {
  /** Strongest first, one a person. */
  readonly candidates: readonly MatchCandidate[];
  /** All who were read, by what they state. */
  readonly stating: readonly Stating[];
  /** Of how many who want the product those stand for one; 1 where all were read. */
  readonly each: number;
}

/** What may be read for one answer; `exhaustive` reads everything, to measure the others against. */
export interface Bounds {
  /** Up to so many signals of a product are all read; of a more frequent one, the hottest. */
  readonly exact: number;
  /** How many signals are aimed at where only the hottest are read. */
  readonly target: number;
  /** Rows looked at in one go, whatever the estimates said. */
  readonly rows: number;
  /** People given back. */
  readonly voices: number;
}

export const BOUNDS: Bounds = { exact: 600, target: 250, rows: 1_500, voices: 150 };
/** So many signals about a product need no others that only mention it. */
const ENOUGH = 200;
/** Of the hottest so many who state all of it need no others. */
const FEW = 20;
/** Of those in all texts so many are read. */
const MOST_STATING = 400;

interface Row extends MatchCandidate {
  readonly voice: string;
  readonly rank: number;
}

interface Read {
  readonly rows: readonly Row[];
  readonly stating: readonly Stating[];
}

/** What is in the corpus of a plan: nothing where the query asks for no product. */
export async function matchSignals(
  sql: Sql,
  asked: QueryPlan,
  terms: WordTerms,
  bounds: Bounds = BOUNDS,
): Promise<Found> {
  if (asked.head.length === 0) return { candidates: [], stating: [], each: 1 };
  const frequency: Frequency = (term) => terms.counts.get(term)?.signals ?? 0;
  const sure = asked.head.filter(({ quality }) => quality >= ABOUT_FROM);
  const about = atLeast(sure, frequency);
  // What is hardly about the product matters where little else is.
  const looked = about > ENOUGH ? { ...asked, head: sure } : asked;
  const areFew = async (plan: QueryPlan): Promise<boolean> =>
    atMost(keys(plan.head, frequency), frequency) <= bounds.exact ||
    (atLeast(plan.head, frequency) <= bounds.exact &&
      await count(sql, plan, bounds.exact + 1) <= bounds.exact);
  const isFewLooked = await areFew(looked);
  const plan = isFewLooked || about === 0 ? looked : { ...looked, head: sure };
  const needed = keys(plan.head, frequency);
  if (isFewLooked || (plan !== looked && await areFew(plan))) {
    const { rows, stating } = await run(sql, plan, bounds, null, null);
    return { candidates: best(rows, bounds), stating, each: 1 };
  }
  const hottest = slices(needed, terms, bounds, frequency);
  const some = await run(sql, plan, bounds, null, hottest);
  const every = 2 ** plan.wants.length - 1;
  const isFew = some.rows.filter(({ met }) => met === every).length < FEW;
  // What only a text tells is not looked for again: its words are frequent, and each list is gone through.
  const told = keys(plan.head.filter(({ place }) => place !== "text"), frequency);
  const all = isFew ? await statingAll(sql, plan, bounds, told, hottest) : [];
  const read = some.stating.reduce((sum, { people }) => sum + people, 0);
  return {
    candidates: best([...all, ...some.rows], bounds),
    stating: some.stating,
    each: hottest === null || read === 0 ? 1 : Math.max(1, aboutAtMost(plan, frequency) / read),
  };
}

/** In how many signals one of the terms stands, about: words of names stand in mostly the same as themselves. */
function atMost(terms: readonly Term[], frequency: Frequency): number {
  const most = new Map<string, number>();
  for (const term of terms) {
    const word = term.replace(/^[ep]\//, "");
    most.set(word, Math.max(most.get(word) ?? 0, frequency(term)));
  }
  return [...most.values()].reduce((sum, signals) => sum + signals, 0);
}

/** In how many signals at least one of the levels is met: those with the most frequent term that is enough alone. */
const atLeast = (levels: readonly PlanLevel[], frequency: Frequency): number =>
  Math.max(
    0,
    ...levels.flatMap(({ groups }) => groups).flatMap(([term, ...others]) =>
      term === undefined || others.length > 0 ? [] : [frequency(term)]
    ),
  );

/** About how many signals are about the product: kinds and words of its name stand in mostly the same. */
const aboutAtMost = ({ head }: QueryPlan, frequency: Frequency): number =>
  Math.max(...keys(head.filter(({ quality }) => quality >= ABOUT_FROM), frequency).map(frequency));

/** The strongest of each person. */
function best(rows: readonly Row[], bounds: Bounds): MatchCandidate[] {
  const voices = new Map<string, Row>();
  for (const row of rows.toSorted(stronger)) {
    if (!voices.has(row.voice)) voices.set(row.voice, row);
  }
  return [...voices.values()].slice(0, bounds.voices);
}

function stronger(a: Row, b: Row): number {
  return b.rank - a.rank || (a.postId < b.postId ? -1 : a.postId > b.postId ? 1 : 0);
}

/** Signals that state every want, in their texts too: all of them, or the hottest where they are many. */
async function statingAll(
  sql: Sql,
  plan: QueryPlan,
  bounds: Bounds,
  needed: readonly Term[],
  hottest: readonly number[] | null,
): Promise<readonly Row[]> {
  if (plan.wants.length === 0 || hottest === null) return [];
  const stated = plan.wants.map(({ levels }) =>
    `(${anywhere(levels.filter(({ quality }) => quality >= STATED_FROM))})`
  );
  if (stated.includes("()")) return [];
  // Each way to be about the product by its rarest term: fewer lists to go through, and the rest is judged.
  const named = tsquery(needed.map((term) => [term]));
  const few = { ...bounds, rows: Math.min(bounds.rows, MOST_STATING) };
  const { rows } = await run(sql, plan, few, `(${named}) & ${stated.join(" & ")}`, null);
  return rows;
}

/**
 * Keys of signal_index.slices that hold about `bounds.target` signals with one of `of`, the hottest.
 * Null where that is about all of them.
 */
function slices(
  of: readonly Term[],
  terms: WordTerms,
  bounds: Bounds,
  frequency: Frequency,
): number[] | null {
  const stored = terms.eighths.reduce((sum, { signals }) => sum + signals, 0);
  const wanted = bounds.target * stored / atMost(of, frequency);
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

/** What names the product, and the category, as the texts of tsqueries. */
function scopeOf({ head, category }: QueryPlan): {
  readonly scoped: string;
  readonly category: string;
} {
  const named = `(${anywhere(head)})`;
  const within = tsquery([[`c/${category ?? ""}`]]);
  return { scoped: category === null ? named : `${named} & ${within}`, category: within };
}

/** All rows that name the product, in their texts too where the plan looks there. */
function named(sql: Sql, plan: QueryPlan): Fragment {
  const { scoped } = scopeOf(plan);
  return plan.head.some(({ place }) => place === "text")
    ? sql`(select * from signal_index where body is not null and (words || body) @@ ${scoped}::tsquery
        union all select * from signal_index where body is null and words @@ ${scoped}::tsquery) s`
    : sql`signal_index where words @@ ${scoped}::tsquery`;
}

/** How many rows name the product, up to `most`: asked where the terms' counts leave it open. */
async function count(sql: Sql, plan: QueryPlan, most: number): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from (select from ${named(sql, plan)} limit ${most}) found`;
  return row?.rows ?? 0;
}

/** Reads the signals that name the product: with `also` in their texts, or in these slices alone. */
async function run(
  sql: Sql,
  plan: QueryPlan,
  bounds: Bounds,
  also: string | null,
  hottest: readonly number[] | null,
): Promise<Read> {
  const { scoped, category } = scopeOf(plan);
  const columns = sql`post_id as "postId", heat, voice`;
  // The offset keeps the planner from reading the index of words as well.
  const source: Fragment = hottest !== null
    ? sql`(select * from signal_index where slices && ${[...hottest]}::bigint[] offset 0) s
        where words @@ ${scoped}::tsquery`
    : also !== null
    ? sql`signal_index where body is not null
        and (words || body) @@ ${plan.category === null ? also : `${category} & ${also}`}::tsquery`
    : named(sql, plan);
  const found = await sql<(Row & { kind: number; people: number })[]>`
    with judged as materialized (${
    judged(sql, plan, columns, sql`${source} limit ${bounds.rows}`)
  }),
    ranked as (
      select *, ${relevance(sql, plan)} as relevance from judged
    ), people as (
      select distinct on (voice) *, 3 * ln(relevance) / ln(2.0::float8) + heat as rank
      from ranked order by voice, 3 * ln(relevance) / ln(2.0::float8) + heat desc, "postId"
    )
    (select 0 as kind, "postId", encode(voice, 'hex') as voice, relevance, head, covered, met, rank, 0 as people
      from people order by rank desc, "postId" limit ${bounds.voices})
    union all
    select 1, '', '', 0, 0, 0, met, 0, count(*)::int from (
      select voice, bit_or(met) as met from judged where ${
    isAbout(sql)
  } group by voice) said group by met`;
  return {
    rows: found.filter(({ kind }) => kind === 0),
    stating: found.filter(({ kind }) => kind === 1).map(({ met, people }) => ({ met, people })),
  };
}
