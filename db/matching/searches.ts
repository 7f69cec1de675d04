/** Searches of signal_index: by which words, how many they find, and how near what they find is to what is asked. */
import type { Fragment } from "postgres";
import { type Frequency, type Group, implies, type QueryPlan, type Term } from "./plan.ts";
import { isAbout, measuredRows, oftenFirst, relevance, tsquery, type Ways, waysOf } from "./sql.ts";
import { json, type Sql } from "../sql.ts";

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

/** What may be read for one answer; where all are as large as can be, everything is. */
export interface Bounds {
  /** All signals about the product are found where they are this many at most. */
  readonly found: number;
  /** Where they are more, about this many of the hottest are. */
  readonly target: number;
  /** This many of those found are graded at most, the hottest. */
  readonly graded: number;
  /** People given back. */
  readonly authors: number;
}

export interface MatchRow extends MatchCandidate {
  readonly authorKey: string;
  readonly rank: number;
}

/** What a search found. */
export interface MatchRead {
  readonly rows: readonly MatchRow[];
  readonly stating: readonly Stating[];
  /** How many signals were found, of which the hottest are graded. */
  readonly found: number;
}

/** Added to how many signals have a word: their number leaves out bodies. */
const BODIES = 1_000;

/** What a category asks of every way to find something. */
const scope = (category: string | null): string[] =>
  category === null ? [] : [tsquery([[`c/${category}`]])];

/** All terms of one of them. */
export type Groups = readonly Group[];

/** Whether all of a group's terms stand in the corpus, as far as was looked. */
export type IsIn = (group: Group) => boolean;

/** The words that name the product, in as few groups as find the same: none that no signal has. */
function naming({ head }: QueryPlan, isIn: IsIn): Group[] {
  return fewest(head.flatMap(({ groups }) => groups).filter(isIn));
}

/** The ways to name the product in the category that is asked about. */
export const namingWays = (plan: QueryPlan, isIn: IsIn): Ways =>
  waysOf(naming(plan, isIn), scope(plan.category));

/** As few groups, of as few terms, as find the same. */
export function fewest(all: readonly Group[]): Group[] {
  const groups = all.map((group) =>
    [...new Set(group)].filter((term, _, own) =>
      !own.some((other) => other !== term && implies(other, term))
    )
  );
  const finds = (wide: Group, group: Group) =>
    wide.every((term) => group.some((other) => implies(other, term)));
  return groups.filter((group, i) =>
    !groups.some((wide, other) =>
      other !== i && finds(wide, group) && (other < i || !finds(group, wide))
    )
  );
}

/** What finds `most` rows of signal_index at most: where each lies, its heat and its post's id. */
type Search = (most: number) => Fragment;

/** Whether a plan looks for what names the product in texts, too. */
export const inTexts = ({ head }: QueryPlan): boolean => head.some(({ place }) => place === "text");

/** How many are found, `most` at most: far sooner told than which of them are the hottest. */
export async function counted(
  sql: Sql,
  asked: Ways,
  texts: boolean,
  most: number,
): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select signals_counted(${json(sql, asked)}::jsonb, ${texts}, ${most}) as n`;
  return row?.n ?? 0;
}

/** All that name the product, in their texts too where the plan looks there. */
export function named(sql: Sql, plan: QueryPlan, ways: Ways): Search {
  return (most) => sql`signals_found(${json(sql, ways)}::jsonb, ${inTexts(plan)}, ${most})`;
}

/** Those that name the product in these slices. */
export function sliced(
  sql: Sql,
  plan: QueryPlan,
  slices: readonly (readonly number[])[],
  isIn: IsIn,
): Search {
  const product = tsquery(naming(plan, isIn));
  const asked = scope(plan.category).reduce((one, other) => `(${one}) & ${other}`, product);
  return (most) => sql`signals_sliced(${asked}::tsquery, ${json(sql, slices)}::jsonb, ${most})`;
}

/** What is looked for of those who state something. */
interface StatedSearch {
  /** Terms of which one names the product. */
  readonly naming: readonly Term[];
  /** What else is met, each by one of its groups. */
  readonly conditions: readonly Groups[];
  /** Whether texts are searched, too. */
  readonly inTexts: boolean;
}

/** Those that name the product and meet all conditions. */
export function stated(
  sql: Sql,
  { category }: QueryPlan,
  { naming, conditions, inTexts }: StatedSearch,
  frequency: Frequency,
): Search {
  // Each way to be about the product by its rarest term: fewer lists to go through, and the rest is measured.
  const product = fewest(naming.map((term) => [term]));
  const often = (group: Group) => BODIES + Math.min(...group.map(frequency));
  // The index goes through the lists of the first two conditions, and looks up the others only where both are met.
  const work = (groups: Groups) =>
    groups.flat().length * groups.reduce((sum, group) => sum + often(group), 0);
  const way = [product, ...conditions].toSorted((a, b) => work(a) - work(b))
    .map((groups) => oftenFirst(groups, often));
  const ways = [[...way, ...scope(category)]];
  return (most) => sql`signals_found(${json(sql, ways)}::jsonb, ${inTexts}, ${most})`;
}

/** Grades the hottest of what a search finds. */
export async function graded(
  sql: Sql,
  plan: QueryPlan,
  bounds: Bounds,
  search: Search,
): Promise<MatchRead> {
  const columns = sql`post_id as "postId", heat, voice`;
  const rows = sql`signal_index where ctid = any(array(
    select at from found order by heat desc, post_id limit ${bounds.graded}))`;
  const [read] = await sql<MatchRead[]>`
    with found as materialized (select * from ${search(bounds.found + 1)}),
    measured as materialized (${measuredRows(sql, plan, columns, rows)}),
    ranked as (
      select *, 3 * ln(relevance) / ln(2.0::float8) + heat as rank
      from (select *, ${relevance(sql, plan)} as relevance from measured) graded
    ), people as (
      select distinct on (voice) "postId", encode(voice, 'hex') as "authorKey", relevance, head, covered, met, rank
      from ranked order by voice, rank desc, "postId"
    ), strongest as (
      select * from people order by rank desc, "postId" limit ${bounds.authors}
    ), stating as (
      select met, count(*)::int as people from (
        select bit_or(met) as met from measured where ${isAbout(sql)} group by voice) said
      group by met
    )
    select (select count(*)::int from found) as found,
      (select coalesce(json_agg(strongest order by rank desc, "postId"), '[]') from strongest) as rows,
      (select coalesce(json_agg(stating order by met), '[]') from stating) as stating`;
  return read ?? { rows: [], stating: [], found: 0 };
}
