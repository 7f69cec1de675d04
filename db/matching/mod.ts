/**
 * Finds the signals that a query is about, by the words in signal_index: those that want the product most
 * nearly as it was asked for, and how many state what, without reading all that name the product.
 * docs/verdicts.md says how and how well.
 */
import {
  ABOUT_FROM,
  type Frequency,
  type Group,
  isCommunityTerm,
  keys,
  type PlanLevel,
  type QueryPlan,
  STATED_FROM,
  type Term,
} from "./plan.ts";
import {
  type Bounds,
  counted,
  fewest,
  graded,
  type Groups,
  inTexts,
  type IsIn,
  type MatchCandidate,
  type MatchRead,
  type MatchRow,
  named,
  namingWays,
  sliced,
  stated,
  type Stating,
} from "./searches.ts";
import { anywhere, inNoBody } from "./sql.ts";
import type { WordTerms } from "./search_terms.ts";
import type { Sql } from "../sql.ts";

export interface Found {
  /** Strongest first, one a person. */
  readonly candidates: readonly MatchCandidate[];
  /** All who were read, by what they state. */
  readonly stating: readonly Stating[];
  /** How many who want the product one of those stands for; 1 where all were read. */
  readonly peoplePerRead: number;
}

export const BOUNDS: Bounds = { found: 1_500, target: 300, graded: 400, authors: 150 };
/**
 * Signals that name the product are looked up where its words stand in up to this many times `bounds.found` signals:
 * a name of several words is rarer than each of them.
 */
const NAME_RARER_THAN_WORDS = 10;
/** With more than this many signals about the product, those that hardly are about it are not looked for. */
const MIN_ABOUT_PRODUCT = 200;
/** With at least this many among the hottest that state all wants, no others are looked for. */
const MIN_STATING_ALL = 10;
/** From this many wants on, signals that state all but one of them are looked for, too. */
const MIN_WANTS_TO_MISS_ONE = 3;
/** With at least this many that state all wants but one, or any of several, no others like them are looked for. */
const MIN_STATING_SOME = 5;
/** A search for signals that state wants grades this many of them at most. */
const MAX_GRADED_STATING = 300;
/** Signals that name the product in a category are counted up to this number. */
const MAX_COUNTED_IN_CATEGORY = 10_000;
/**
 * Slices that gave less than the target divided by this are read again, deeper: the words of a name are more frequent
 * than the name.
 */
const READ_DEEPER_DIVISOR = 3;
/** The second reading of slices aims at this many times the target at most. */
const MAX_READ_DEEPER = 6;

/** A plan beside what the corpus has of its words. */
interface Matching {
  readonly sql: Sql;
  readonly terms: WordTerms;
  readonly bounds: Bounds;
  /** The plan without what no signal has. */
  readonly asked: QueryPlan;
  /** What is surely about the product: the same where nothing is, or where nothing else is asked. */
  readonly onlySure: QueryPlan;
  /** Signals that are surely about the product, at least. */
  readonly leastSure: number;
  readonly frequency: Frequency;
  readonly isIn: IsIn;
}

/** The plans by which all are looked for, one after the other. */
interface Plans {
  readonly looked: QueryPlan;
  /** Of what this finds the hottest may do; it is what the hottest are looked for by, too. */
  readonly narrow: QueryPlan;
  /** How many `onlySure` finds, as far as it was counted; null where it was not. */
  readonly sureCount: number | null;
}

/** What was found by a plan, and graded. */
interface Reading {
  readonly plan: QueryPlan;
  readonly read: MatchRead;
  /** Whether there are no others: all that were found are graded. */
  readonly isAll: boolean;
  readonly peoplePerRead: number;
}

/**
 * What is in the corpus of a plan: nothing where the query asks for no product. The steps are those of docs/verdicts.md,
 * "The search index".
 */
export async function matchSignals(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds = BOUNDS,
): Promise<Found> {
  // 1. What the corpus has of the query's words, which were stemmed and counted before.
  const matching = await inCorpus(sql, plan, terms, bounds);
  if (matching === null) return { candidates: [], stating: [], peoplePerRead: 1 };
  // 2. All signals about the product, if they are few enough.
  const plans = await choosePlans(matching);
  const all = await findAll(matching, plans);
  // 3. Otherwise the hottest.
  const reading = all ?? await findHottest(matching, plans.narrow);
  // 4. Where too few of those state what is asked, those that do.
  const rows = reading.isAll ? reading.read.rows : await addStating(matching, reading);
  // 5. What each step found was graded with it, the hottest first: the nearest people are kept.
  const { read: { stating }, peoplePerRead } = reading;
  return { candidates: nearest(rows, bounds), stating, peoplePerRead };
}

/** Step 1: what the corpus has of a plan; null where no signal has a name of the product. */
async function inCorpus(
  sql: Sql,
  plan: QueryPlan,
  terms: WordTerms,
  bounds: Bounds,
): Promise<Matching | null> {
  const asked = { ...plan, head: plan.head.map((level) => sought(level, terms)) };
  const sure = asked.head.filter(({ quality }) => quality >= ABOUT_FROM);
  const isIn = (group: Group): boolean => !group.some((term) => terms.absent.has(term));
  const isAnywhere = ({ groups }: PlanLevel): boolean => groups.some(isIn);
  if (!asked.head.some(isAnywhere)) return null;
  const onlySure = sure.some(isAnywhere) ? { ...asked, head: sure } : asked;
  const frequency = await frequencyIn(sql, onlySure, terms, isIn);
  const leastSure = atLeast(sure, frequency);
  return { sql, terms, bounds, asked, onlySure, leastSure, frequency, isIn };
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
  const everywhere: Frequency = (term) => counts.get(term)?.signals ?? 0;
  if (plan.category === null) return everywhere;
  const found = await counted(sql, namingWays(plan, isIn), inTexts(plan), MAX_COUNTED_IN_CATEGORY);
  // Of more, as many as the category has are an upper bound.
  const inCategory = found < MAX_COUNTED_IN_CATEGORY ? found : everywhere(`c/${plan.category}`);
  const share = inCategory / Math.max(1, ...keys(plan.head, everywhere).map(everywhere));
  return (term) => Math.min(1, share) * everywhere(term);
}

/** About how many signals name the product, at most. */
const mostNaming = ({ head }: QueryPlan, frequency: Frequency): number =>
  atMost(keys(head, frequency), frequency);

/** Whether all that name the product may be few enough to be found. */
const mayBeFound = (plan: QueryPlan, { bounds, frequency }: Matching): boolean =>
  atLeast(plan.head, frequency) <= bounds.found &&
  mostNaming(plan, frequency) <= bounds.found * NAME_RARER_THAN_WORDS;

/** Step 2: chooses whether what is hardly about the product is looked for, too: it matters where little else is. */
async function choosePlans(matching: Matching): Promise<Plans> {
  const { asked, onlySure, leastSure } = matching;
  // Where too many name the product to find them all, their number decides nothing and is not counted.
  if (![onlySure, asked].some((plan) => mayBeFound(plan, matching))) {
    return { looked: onlySure, narrow: onlySure, sureCount: null };
  }
  const sureCount = leastSure > 0 || onlySure === asked ? null : await countSure(matching);
  const about = sureCount ?? leastSure;
  const looked = about > MIN_ABOUT_PRODUCT ? onlySure : asked;
  return { looked, narrow: about === 0 ? looked : onlySure, sureCount };
}

/**
 * How many are surely about the product. What is named by several words together may be rare where each of them is
 * frequent: one count says whether it is, and whether all of it is found.
 */
async function countSure(matching: Matching): Promise<number> {
  const { sql, bounds, onlySure, frequency, isIn } = matching;
  const upTo = mostNaming(onlySure, frequency) > bounds.found && mayBeFound(onlySure, matching)
    ? Math.max(MIN_ABOUT_PRODUCT, bounds.found)
    : MIN_ABOUT_PRODUCT;
  return await counted(sql, namingWays(onlySure, isIn), inTexts(onlySure), upTo + 1);
}

/** Step 2: finds all signals about the product and grades the hottest; null where they are too many. */
async function findAll(
  matching: Matching,
  { looked, narrow, sureCount }: Plans,
): Promise<Reading | null> {
  const { sql, bounds, asked, onlySure, frequency, isIn } = matching;
  for (const plan of new Set([looked, narrow])) {
    if (!mayBeFound(plan, matching)) continue;
    const ways = namingWays(plan, isIn);
    // What hardly is about the product serves only where all that is found is graded.
    const usable = plan === narrow ? bounds.found : bounds.graded;
    const isFew = mostNaming(plan, frequency) <= usable;
    const known = isFew ? 0 : plan === onlySure ? sureCount : null;
    if ((known ?? await counted(sql, ways, inTexts(plan), usable + 1)) > usable) continue;
    const read = await graded(sql, plan, bounds, named(sql, plan, ways));
    // Words that stand apart in all that have them name nothing.
    if (read.rows.length === 0 && plan !== asked) return await findHottest(matching, asked);
    if (read.found <= bounds.graded) return { plan, read, isAll: true, peoplePerRead: 1 };
    if (plan === narrow && read.found <= bounds.found) {
      return { plan, read, isAll: false, peoplePerRead: read.found / bounds.graded };
    }
  }
  return null;
}

/** Step 3: finds the hottest by their slices, and grades them. */
async function findHottest(matching: Matching, plan: QueryPlan): Promise<Reading> {
  const { bounds, asked, frequency } = matching;
  const first = await readSlices(matching, plan, bounds.target);
  const deeper = bounds.target *
    Math.min(MAX_READ_DEEPER, bounds.target / Math.max(1, first.found));
  const read = first.found * READ_DEEPER_DIVISOR >= bounds.target
    ? first
    : await readSlices(matching, plan, deeper);
  if (read.rows.length === 0 && plan !== asked) return await findHottest(matching, asked);
  const people = read.stating.reduce((sum, { people }) => sum + people, 0);
  const peoplePerRead = people === 0 ? 1 : Math.max(1, aboutAtMost(plan, frequency) / people);
  return { plan, read, isAll: false, peoplePerRead };
}

/** Reads about `target` of the hottest that name the product, or all where they are no more. */
async function readSlices(
  { sql, terms, bounds, frequency, isIn }: Matching,
  plan: QueryPlan,
  target: number,
): Promise<MatchRead> {
  const within = slices(keys(plan.head, frequency), terms, target, frequency);
  const search = within === null
    ? named(sql, plan, namingWays(plan, isIn))
    : sliced(sql, plan, within, isIn);
  return await graded(sql, plan, bounds, search);
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
  const stored = terms.heats.reduce((sum, { signals }) => sum + signals, 0);
  const wanted = target * stored / atMost(of, frequency);
  const ids = of.flatMap((term) => terms.counts.get(term)?.id ?? []);
  const within: number[] = [];
  let passed = 0;
  for (const { heat, signals } of terms.heats) {
    if (passed >= wanted) return ids.map((id) => within.map((hot) => id * 65_536 + hot));
    passed += signals;
    within.push(heat);
  }
  return null;
}

/**
 * Step 4: adds to what was read, where few of it state all that is asked, those that do, that miss one of it, or that
 * state any.
 */
async function addStating(
  { sql, bounds, frequency }: Matching,
  { plan, read }: Reading,
): Promise<MatchRow[]> {
  const found = new Map(read.rows.map((row) => [row.postId, row]));
  const wants = plan.wants.map(({ levels }) =>
    anywhere(levels.filter(({ quality }) => quality >= STATED_FROM))
  );
  const all = wants.length;
  const stateAtLeast = (wanted: number): number =>
    [...found.values()].filter(({ met }) => bits(met) >= wanted).length;
  // What only a text tells is not looked for again: its words are frequent, and each list is gone through.
  const naming = keys(plan.head.filter(({ place }) => place !== "text"), frequency);
  const toldInTexts = plan.wants.some(({ levels }) =>
    levels.some(({ quality, place }) => quality >= STATED_FROM && place === "text")
  );
  const fewer = { ...bounds, graded: Math.min(bounds.graded, MAX_GRADED_STATING) };
  const look = async (conditions: readonly Groups[]) => {
    const search = stated(sql, plan, { naming, conditions, inTexts: toldInTexts }, frequency);
    const { rows } = await graded(sql, plan, fewer, search);
    for (const row of rows) found.set(row.postId, row);
  };
  if (all > 0 && wants.every(({ length }) => length > 0)) {
    if (stateAtLeast(all) < MIN_STATING_ALL) await look(wants);
    if (all >= MIN_WANTS_TO_MISS_ONE && stateAtLeast(all - 1) < MIN_STATING_SOME) {
      // All but one are stated where of any two one is.
      await look(
        wants.flatMap((want, i) => wants.slice(i + 1).map((other) => fewest([...want, ...other]))),
      );
    }
    // Where hardly anybody of the hottest states even one of it, its words are rare.
    if (all > 1 && stateAtLeast(1) < MIN_STATING_SOME) await look([fewest(wants.flat())]);
  }
  return [...found.values()];
}

/** How many bits are set. */
function bits(met: number): number {
  let set = 0;
  for (let left = met; left > 0; left >>= 1) set += left & 1;
  return set;
}

/** Step 5: the strongest of each person. */
function nearest(rows: readonly MatchRow[], bounds: Bounds): MatchCandidate[] {
  const authors = new Map<string, MatchRow>();
  for (const row of rows.toSorted(stronger)) {
    if (!authors.has(row.authorKey)) authors.set(row.authorKey, row);
  }
  return [...authors.values()].slice(0, bounds.authors);
}

function stronger(a: MatchRow, b: MatchRow): number {
  return b.rank - a.rank || (a.postId < b.postId ? -1 : a.postId > b.postId ? 1 : 0);
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
