/**
 * Finds the signals that a query is about, by the words in signal_index: those that want the product most
 * nearly as it was asked for, and how many state what, without reading all that name the product.
 * docs/verdicts.md says how and how well.
 */
import type { Fragment } from "postgres";
import {
  ABOUT_FROM,
  type Frequency,
  type Group,
  implies,
  isCommunityTerm,
  keys,
  type PlanLevel,
  type QueryPlan,
  STATED_FROM,
  type Term,
} from "./plan.ts";
import {
  anywhere,
  inNoBody,
  isAbout,
  judged,
  oftenFirst,
  relevance,
  tsquery,
  type Ways,
  waysOf,
} from "./sql.ts";
import type { WordTerms } from "./search_terms.ts";
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

export interface Found {
  /** Strongest first, one a person. */
  readonly candidates: readonly MatchCandidate[];
  /** All who were read, by what they state. */
  readonly stating: readonly Stating[];
  /** How many who want the product one of those stands for; 1 where all were read. */
  readonly peoplePerRead: number;
}

/** What may be read for one answer; where all are as large as can be, everything is. */
export interface Bounds {
  /** Up to so many signals about a product are all found; of a more frequent one, about `target` of the hottest. */
  readonly found: number;
  readonly target: number;
  /** Of those found, so many are graded, the hottest. */
  readonly graded: number;
  /** People given back. */
  readonly authors: number;
}

export const BOUNDS: Bounds = { found: 1_500, target: 300, graded: 400, authors: 150 };
/** Names of several words are rarer than their rarest word: by how much at most, for all of them to be looked up. */
const RARER = 10;
/** So many signals about a product need no others that only mention it. */
const ENOUGH = 200;
/** Of the hottest so many who state all of it need no others. */
const FEW = 10;
/** Of so many wants, those who miss one are looked for where fewer than these state as much. */
const PARTED = 3;
const FEWEST = 5;
/** Of those in all texts so many are graded. */
const MOST_STATING = 300;
/** So many that name a product are counted in a category. */
const MOST_COUNTED = 10_000;
/** Added to how many signals have a word: their number leaves out bodies. */
const BODIES = 1_000;
/** Words of names are more frequent than the names: slices that give less than a part of the target are read deeper. */
const DEEPER = 3;
const DEEPEST = 6;

interface Row extends MatchCandidate {
  readonly authorKey: string;
  readonly rank: number;
}

interface Read {
  readonly rows: readonly Row[];
  readonly stating: readonly Stating[];
  /** How many signals were found, of which the hottest are graded. */
  readonly found: number;
}

/** What is in the corpus of a plan: nothing where the query asks for no product. */
export async function matchSignals(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds = BOUNDS,
): Promise<Found> {
  const asked = { ...plan, head: plan.head.map((level) => sought(level, terms)) };
  const sure = asked.head.filter(({ quality }) => quality >= ABOUT_FROM);
  const isIn = (group: Group): boolean => !group.some((term) => terms.absent.has(term));
  const isAnywhere = ({ groups }: PlanLevel): boolean => groups.some(isIn);
  if (!asked.head.some(isAnywhere)) return { candidates: [], stating: [], peoplePerRead: 1 };
  const onlySure = sure.some(isAnywhere) ? { ...asked, head: sure } : asked;
  const frequency = await frequencyIn(sql, onlySure, terms, isIn);
  const mostOf = ({ head }: QueryPlan) => atMost(keys(head, frequency), frequency);
  const mayBeFound = (plan: QueryPlan) =>
    atLeast(plan.head, frequency) <= bounds.found && mostOf(plan) <= bounds.found * RARER;
  const least = atLeast(sure, frequency);
  const fromHottest = async (plan: QueryPlan): Promise<Found> => {
    const read = await hottest(sql, plan, terms, bounds, frequency, isIn);
    if (read.rows.length === 0 && plan !== asked) return await fromHottest(asked);
    const people = read.stating.reduce((sum, { people }) => sum + people, 0);
    const peoplePerRead = people === 0 ? 1 : Math.max(1, aboutAtMost(plan, frequency) / people);
    return await withStating(sql, plan, bounds, frequency, read, peoplePerRead);
  };
  // Where too many name the product to find them all, their number decides nothing and is not counted.
  if (![onlySure, asked].some(mayBeFound)) return await fromHottest(onlySure);
  // What is named by several words together may be rare where each of them is frequent. One count says whether it is,
  // and whether all of it is found.
  const countSure = async (): Promise<number> => {
    const most = mostOf(onlySure);
    const upTo = most > bounds.found && mayBeFound(onlySure)
      ? Math.max(ENOUGH, bounds.found)
      : ENOUGH;
    return await counted(sql, namingWays(onlySure, isIn), inTexts(onlySure), upTo + 1);
  };
  const sureCount = least > 0 || onlySure === asked ? null : await countSure();
  const about = sureCount ?? least;
  // What is hardly about the product matters where little else is.
  const looked = about > ENOUGH ? onlySure : asked;
  const narrow = about === 0 ? looked : onlySure;
  for (const plan of new Set([looked, narrow])) {
    if (!mayBeFound(plan)) continue;
    const most = mostOf(plan);
    const ways = namingWays(plan, isIn);
    // What hardly is about the product serves only where all that is found is graded.
    const usable = plan === narrow ? bounds.found : bounds.graded;
    const known = most <= usable ? 0 : plan === onlySure ? sureCount : null;
    if ((known ?? await counted(sql, ways, inTexts(plan), usable + 1)) > usable) continue;
    const read = await run(sql, plan, bounds, named(sql, plan, ways));
    // Words that stand apart in all that have them name nothing.
    if (read.rows.length === 0 && plan !== asked) return await fromHottest(asked);
    if (read.found <= bounds.graded) {
      return { candidates: best(read.rows, bounds), stating: read.stating, peoplePerRead: 1 };
    }
    if (plan === narrow && read.found <= bounds.found) {
      return await withStating(sql, plan, bounds, frequency, read, read.found / bounds.graded);
    }
  }
  return await fromHottest(narrow);
}

/** The level without the groups that no signal meets. Words that stand in no summary may stand in a body. */
function sought(level: PlanLevel, { absent }: WordTerms): PlanLevel {
  const isNowhere = (term: Term) => absent.has(term) && (level.place !== "text" || inNoBody(term));
  return { ...level, groups: level.groups.filter((group) => !group.some(isNowhere)) };
}

/** How frequent terms are where the plan looks: of a category, by the share of those that name the product in it. */
async function frequencyIn(
  sql: Sql,
  plan: QueryPlan,
  { counts }: WordTerms,
  isIn: IsIn,
): Promise<Frequency> {
  const anywhere: Frequency = (term) => counts.get(term)?.signals ?? 0;
  if (plan.category === null) return anywhere;
  const found = await counted(sql, namingWays(plan, isIn), inTexts(plan), MOST_COUNTED);
  // Of more, as many as the category has are an upper bound.
  const inCategory = found < MOST_COUNTED ? found : anywhere(`c/${plan.category}`);
  const share = inCategory / Math.max(1, ...keys(plan.head, anywhere).map(anywhere));
  return (term) => Math.min(1, share) * anywhere(term);
}

/** The hottest, and where few of them state all that is asked, those that do, that miss one of it, or that state any. */
async function withStating(
  sql: Sql,
  plan: QueryPlan,
  bounds: Bounds,
  frequency: Frequency,
  { rows, stating }: Read,
  peoplePerRead: number,
): Promise<Found> {
  const found = new Map(rows.map((row) => [row.postId, row]));
  const wants = plan.wants.map(({ levels }) =>
    anywhere(levels.filter(({ quality }) => quality >= STATED_FROM))
  );
  const all = wants.length;
  const enough = (least: number, few: number) =>
    [...found.values()].filter(({ met }) => bits(met) >= least).length >= few;
  // What only a text tells is not looked for again: its words are frequent, and each list is gone through.
  const headWords = keys(plan.head.filter(({ place }) => place !== "text"), frequency);
  const toldInTexts = plan.wants.some(({ levels }) =>
    levels.some(({ quality, place }) => quality >= STATED_FROM && place === "text")
  );
  const look = async (also: readonly (readonly Groups[])[]) => {
    const few = { ...bounds, graded: Math.min(bounds.graded, MOST_STATING) };
    const search = stated(sql, plan, headWords, also, toldInTexts, frequency);
    const { rows } = await run(sql, plan, few, search);
    for (const row of rows) found.set(row.postId, row);
  };
  if (all > 0 && wants.every(({ length }) => length > 0)) {
    if (!enough(all, FEW)) await look([wants]);
    if (all >= PARTED && !enough(all - 1, FEWEST)) {
      // All but one are stated where of any two one is.
      await look([
        wants.flatMap((want, i) => wants.slice(i + 1).map((other) => fewest([...want, ...other]))),
      ]);
    }
    // Where hardly anybody of the hottest states even one of it, its words are rare.
    if (all > 1 && !enough(1, FEWEST)) await look([[fewest(wants.flat())]]);
  }
  return { candidates: best([...found.values()], bounds), stating, peoplePerRead };
}

/** How many bits are set. */
function bits(met: number): number {
  let set = 0;
  for (let left = met; left > 0; left >>= 1) set += left & 1;
  return set;
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
  Math.max(
    ...head.filter(({ quality }) => quality >= ABOUT_FROM).flatMap(({ groups }) => groups)
      .filter((group) => !group.some(isCommunityTerm))
      .map((group) => Math.min(...group.map(frequency))),
  );

/** The strongest of each person. */
function best(rows: readonly Row[], bounds: Bounds): MatchCandidate[] {
  const authors = new Map<string, Row>();
  for (const row of rows.toSorted(stronger)) {
    if (!authors.has(row.authorKey)) authors.set(row.authorKey, row);
  }
  return [...authors.values()].slice(0, bounds.authors);
}

function stronger(a: Row, b: Row): number {
  return b.rank - a.rank || (a.postId < b.postId ? -1 : a.postId > b.postId ? 1 : 0);
}

/** The hottest of a product that is too frequent to find all of. */
async function hottest(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds,
  frequency: Frequency,
  isIn: IsIn,
): Promise<Read> {
  const needed = keys(plan.head, frequency);
  const at = async (target: number): Promise<Read> => {
    const within = slices(needed, terms, target, frequency);
    return await run(
      sql,
      plan,
      bounds,
      within === null ? named(sql, plan, namingWays(plan, isIn)) : sliced(sql, plan, within, isIn),
    );
  };
  const read = await at(bounds.target);
  return read.found * DEEPER >= bounds.target
    ? read
    : await at(bounds.target * Math.min(DEEPEST, bounds.target / Math.max(1, read.found)));
}

/**
 * Keys of signal_index.slices, by word, that hold about `target` signals with one of `of`, the hottest.
 * Null where that is about all of them.
 */
function slices(
  of: readonly Term[],
  terms: WordTerms,
  target: number,
  frequency: Frequency,
): number[][] | null {
  const stored = terms.eighths.reduce((sum, { signals }) => sum + signals, 0);
  const wanted = target * stored / atMost(of, frequency);
  const ids = of.flatMap((term) => terms.counts.get(term)?.id ?? []);
  const within: number[] = [];
  let passed = 0;
  for (const { eighth, signals } of terms.eighths) {
    if (passed >= wanted) return ids.map((id) => within.map((eighth) => id * 65_536 + eighth));
    passed += signals;
    within.push(eighth);
  }
  return null;
}

/** What a category asks of every way to find something. */
const scope = (category: string | null): string[] =>
  category === null ? [] : [tsquery([[`c/${category}`]])];

/** All terms of one of them. */
type Groups = readonly Group[];

/** Whether all of a group's terms stand in the corpus, as far as was looked. */
type IsIn = (group: Group) => boolean;

/** The words that name the product, in as few groups as find the same: none that no signal has. */
function naming({ head }: QueryPlan, isIn: IsIn): Group[] {
  return fewest(head.flatMap(({ groups }) => groups).filter(isIn));
}

/** The ways to name the product in the category that is asked about. */
const namingWays = (plan: QueryPlan, isIn: IsIn): Ways =>
  waysOf(naming(plan, isIn), scope(plan.category));

/** As few groups, of as few terms, as find the same. */
function fewest(all: readonly Group[]): Group[] {
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

/** What finds at most so many rows of signal_index: where each lies, its heat and its post's id. */
type Search = (most: number) => Fragment;

/** Whether a plan looks for what names the product in texts, too. */
const inTexts = ({ head }: QueryPlan): boolean => head.some(({ place }) => place === "text");

/** How many are found, `most` at most: far sooner told than which of them are the hottest. */
async function counted(sql: Sql, asked: Ways, texts: boolean, most: number): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select signals_counted(${json(sql, asked)}::jsonb, ${texts}, ${most}) as n`;
  return row?.n ?? 0;
}

/** All that name the product, in their texts too where the plan looks there. */
function named(sql: Sql, plan: QueryPlan, ways: Ways): Search {
  return (most) => sql`signals_found(${json(sql, ways)}::jsonb, ${inTexts(plan)}, ${most})`;
}

/** Those that name the product in these slices. */
function sliced(
  sql: Sql,
  plan: QueryPlan,
  slices: readonly (readonly number[])[],
  isIn: IsIn,
): Search {
  const named = tsquery(naming(plan, isIn));
  const asked = scope(plan.category).reduce((one, other) => `(${one}) & ${other}`, named);
  return (most) => sql`signals_sliced(${asked}::tsquery, ${json(sql, slices)}::jsonb, ${most})`;
}

/** Those with one of these terms and all of one of `also`, in their texts too where that tells a want. */
function stated(
  sql: Sql,
  { category }: QueryPlan,
  of: readonly Term[],
  also: readonly (readonly Groups[])[],
  toldInTexts: boolean,
  frequency: Frequency,
): Search {
  // Each way to be about the product by its rarest term: fewer lists to go through, and the rest is judged.
  const one = fewest(of.map((term) => [term]));
  const often = (group: Group) => BODIES + Math.min(...group.map(frequency));
  // The index goes through the lists of the first two conditions, and looks up the others only where both are met.
  const work = (groups: Groups) =>
    groups.flat().length * groups.reduce((sum, group) => sum + often(group), 0);
  const asked = also.map((all) => [
    ...[one, ...all].toSorted((a, b) => work(a) - work(b)).map((groups) =>
      oftenFirst(groups, often)
    ),
    ...scope(category),
  ]);
  return (most) => sql`signals_found(${json(sql, asked)}::jsonb, ${toldInTexts}, ${most})`;
}

/** Grades the hottest of what a search finds. */
async function run(sql: Sql, plan: QueryPlan, bounds: Bounds, search: Search): Promise<Read> {
  const columns = sql`post_id as "postId", heat, voice`;
  const rows = sql`signal_index where ctid = any(array(
    select at from found order by heat desc, post_id limit ${bounds.graded}))`;
  const [read] = await sql<Read[]>`
    with found as materialized (select * from ${search(bounds.found + 1)}),
    judged as materialized (${judged(sql, plan, columns, rows)}),
    ranked as (
      select *, 3 * ln(relevance) / ln(2.0::float8) + heat as rank
      from (select *, ${relevance(sql, plan)} as relevance from judged) graded
    ), people as (
      select distinct on (voice) "postId", encode(voice, 'hex') as "authorKey", relevance, head, covered, met, rank
      from ranked order by voice, rank desc, "postId"
    ), strongest as (
      select * from people order by rank desc, "postId" limit ${bounds.authors}
    ), stating as (
      select met, count(*)::int as people from (
        select bit_or(met) as met from judged where ${isAbout(sql)} group by voice) said
      group by met
    )
    select (select count(*)::int from found) as found,
      (select coalesce(json_agg(strongest order by rank desc, "postId"), '[]') from strongest) as rows,
      (select coalesce(json_agg(stating order by met), '[]') from stating) as stating`;
  return read ?? { rows: [], stating: [], found: 0 };
}
