/** What a query asks of the product: needs, words that stand together, measures and sums. */
import type { KindSpan } from "./head.ts";
import {
  type Group,
  type PlanLevel,
  RULED_OUT,
  sumEighth,
  sumTerm,
  type WantPlan,
} from "../../db/matching/plan.ts";
import { MEASURED, type Price } from "./amounts.ts";
import { SLIGHT_WEIGHT, statedShare, wordWeight } from "../words/common.ts";
import {
  filled,
  includesAt,
  level,
  overlaps,
  type QueryWord,
  type Range,
  stemsOf,
  wordsText,
} from "./parts.ts";
import {
  ARTICLES,
  countsNext,
  isAmount,
  isAnybody,
  isProper,
  modelParts,
  numbersName,
  onlyAsks,
  OPENING,
  PREPOSITIONS,
  tellsByItself,
  wordSet,
} from "../words/word_classes.ts";

/** Words that speak of needs, each given by the stems of its name. */
export interface NeedSpan extends Range {
  /** The needs' ids, as one word. */
  readonly id: string;
  readonly needs: readonly Group[];
  /** What else people say who have such a need, each as stems. */
  readonly cues: readonly Group[];
  /** What those say who ask for more, of which this is a part. */
  readonly wider: readonly Group[];
  /** Needs that say how much it may cost, and nothing of the product. */
  readonly price: boolean;
  /** Where the query wants none of it: its name, what posts rule out that want the same, and whether it is a fault. */
  readonly none?: {
    readonly name: string;
    readonly denied: readonly Group[];
    readonly fault: boolean;
  };
}

const WANT = {
  stated: 1,
  summary: 0.97,
  text: 0.9,
  /** A word that nine of ten texts with it use in another way: "run" of what is for running. */
  textOtherwise: 0.45,
  cueSummary: 0.85,
  cueText: 0.7,
  slip: 0.8,
  /** All words of three and more but one, or all but those that go without saying for the product. */
  mostSummary: 0.75,
  mostText: 0.6,
  /** One word of several. */
  partSummary: 0.4,
  partText: 0.25,
} as const;

/** The power of a want in the most common words, from which it grows to 1 with their rarity; of a measure; of a price. */
const LEAST_POWER = 0.6;
const AMOUNT_POWER = 0.8;
const PRICE_POWER = 0.7;
/** The power of a word for nearly anybody. */
export const ANYBODY_POWER = 0.15;
/** The power of words that only accompany a want: "this fall" in "college this fall". */
export const BESIDE_POWER = 0.12;

/** A want, and which words of the query it is made of. */
export interface PlacedWant extends Omit<WantPlan, "aside" | "share">, Range {
  /** Whether none of it is wanted. */
  readonly none?: boolean;
}
const NOWHERE: Range = { start: -1, end: -1 };

/** A measure with its stems. */
export interface MeasureTerms {
  readonly name: string;
  readonly number: Group;
  readonly units: readonly Group[];
}

/** A measure, by its number with its unit, or by a number that hardly stands for anything else. */
export function measured({ name, number, units }: MeasureTerms): PlacedWant {
  const both = units.map((unit) => [...number, ...unit]);
  const telling = number.some((term) => term.length > 1);
  return {
    ...NOWHERE,
    name,
    power: AMOUNT_POWER,
    levels: filled([
      level(both, "stated", WANT.stated),
      level(both, "summary", WANT.summary),
      level(telling ? [number] : [], "summary", WANT.cueSummary),
      level(both, "text", WANT.cueText),
      level(telling ? [number] : [], "text", WANT.cueText),
    ]),
  };
}

/** Those who would spend such a sum. */
export function priced({ name, from, to }: Price): PlacedWant {
  const first = sumEighth(from);
  const terms = Array.from({ length: sumEighth(to) - first + 1 }, (_, i) => sumTerm(first + i));
  return {
    ...NOWHERE,
    name,
    power: PRICE_POWER,
    levels: filled([level(terms.map((term) => [term]), "summary", WANT.stated)]),
  };
}

/** Words by which a smaller share of texts state anything ("almost") ask for little: their power. */
const STATED = 0.1;
const UNSTATED_POWER = 0.3;
/** Of a single word by which no larger share of texts state anything, its mere mention states little. */
const SAID_OTHERWISE = 0.1;
const isUnstated = ({ word, stems }: QueryWord): boolean =>
  !isProper(word) && stems.every((stem) => (statedShare(stem) ?? 1) < STATED);

/** What a want is called: by its words, but for the place of a measure. */
const namedBy = (words: readonly QueryWord[]): string =>
  wordsText(words.filter(({ word }) => word !== MEASURED));

/** A want's words from the first that is asked: not "of the" best; "no plastic" is asked as it stands. */
function withoutOpening(words: readonly QueryWord[]): readonly QueryWord[] {
  const from = words.findIndex(({ stems }) => stems.length > 0);
  const kept = NEGATING.has(words[from - 1]?.word ?? "") ? from - 1 : from;
  return kept > 0 ? words.slice(kept) : words;
}

/** How much a post loses that does not state these words. */
function powerOf(
  words: readonly QueryWord[],
  need: NeedSpan | undefined,
  isDenied: boolean,
): number {
  if (words.every(({ word }) => isAmount(word))) return AMOUNT_POWER;
  if (words.every(({ word }) => isAnybody(word))) return ANYBODY_POWER;
  if (need === undefined && !isDenied && words.every(isUnstated)) return UNSTATED_POWER;
  const said = Math.max(0, ...words.map(({ word }) => wordWeight(word)));
  return Math.min(1, LEAST_POWER + (1 - LEAST_POWER) * said);
}

/** The words of a want that say most of it: all of three and more but one, and all but those that restrict nothing. */
function mostOf(words: readonly QueryWord[], isInherent: (word: QueryWord) => boolean): Group[] {
  const but = (left: (word: QueryWord) => boolean): Group =>
    stemsOf(words.filter((word) => !left(word)));
  const stems = stemsOf(words);
  const last = words.at(-1);
  // "4 bay" restricts by "bay", "solo camping" of a tent by "solo"; "small screen" of a laptop says how its screen is.
  const counts = countsNext(words[0]?.word ?? "") && !words.every(({ word }) => countsNext(word));
  const saysHow = last !== undefined && isInherent(last) && !last.word.endsWith("ing");
  const restricting = counts ? but(({ word }) => countsNext(word)) : saysHow ? [] : but(isInherent);
  return [
    ...stems.length > 2 ? words.map(({ word }) => but((other) => other.word === word)) : [],
    ...restricting.length > 0 && restricting.length < stems.length ? [restricting] : [],
  ];
}

/** The rarest word of several, which is no number that counts if there is another; none of a single one. */
function rarestOf(words: readonly QueryWord[]): Group[] {
  if (stemsOf(words).length <= 1) return [];
  const counted = words.filter(({ word }) => !countsNext(word));
  const [rarest] = (counted.length > 0 ? counted : words)
    .toSorted((a, b) => wordWeight(b.word) - wordWeight(a.word));
  return rarest === undefined ? [] : [rarest.stems];
}

/** How one thing is met, and how much it weighs, that these words ask, or the need that they speak of. */
function want(
  words: readonly QueryWord[],
  need: NeedSpan | undefined,
  isInherent: (word: QueryWord) => boolean,
  isDenied: boolean,
): Pick<PlacedWant, "power" | "levels"> | null {
  const telling = words.filter(({ word, stems }) =>
    stems.length > 0 && (wordWeight(word) > SLIGHT_WEIGHT || need !== undefined)
  );
  const own = telling.length > 0 ? telling : words.filter(({ stems }) => stems.length > 0);
  const stems = stemsOf(own);
  if (stems.length === 0 && need === undefined) return null;
  const power = powerOf(own, need, isDenied);
  const ruledOut = need?.none === undefined ? [] : noneOf(need.none.denied);
  if (need?.none?.fault === false) {
    return {
      power,
      levels: filled([
        ...ruledOut,
        level(need.needs, "summary", WANT.cueSummary),
        level(need.needs, "text", WANT.cueText),
      ]),
    };
  }
  const isSaidOtherwise = own.length === 1 &&
    stems.every((stem) => (statedShare(stem) ?? 1) <= SAID_OTHERWISE);
  const said = [stems, ...otherModels(own)];
  const similar = own.length === 1 ? own.flatMap((word) => word.similar) : [];
  const most = mostOf(own, isInherent);
  const part = rarestOf(own);
  const { needs, cues, wider } = need ?? { needs: [], cues: [], wider: [] };
  // Several words of a wider need stand about in whole texts without saying it: "screen" and "build quality".
  const widerWords = wider.filter(({ length }) => length === 1);
  return {
    power,
    levels: filled([
      ...ruledOut,
      level([...said, ...needs], "stated", WANT.stated),
      level(said, "summary", WANT.summary),
      level(needs, "summary", WANT.cueSummary),
      level(said, "text", isSaidOtherwise ? WANT.textOtherwise : WANT.text),
      level(cues, "summary", WANT.cueSummary),
      level(cues, "text", WANT.cueText),
      level(similar.map((stem) => [stem]), "text", WANT.slip),
      level([...wider, ...most], "summary", WANT.mostSummary),
      level([...widerWords, ...most], "text", WANT.mostText),
      level(part, "summary", WANT.partSummary),
      level(part, "text", WANT.partText),
    ]),
  };
}

/** Other ways to write the name of a model: "HD598" for "HD 598" or the other way round, "M50s" for "M50". */
function otherModels(words: readonly QueryWord[]): Group[] {
  const names = words.map(({ word }) => word);
  const [first = "", second = ""] = names;
  const model = modelParts(first);
  const apart = model !== null && names.length === 1 ? [model] : [];
  const together = names.length === 2 && modelParts(first + second) !== null
    ? [[first + second]]
    : [];
  const last = names.at(-1) ?? "";
  const before = stemsOf(words.slice(0, -1));
  const several = /^[a-z]+\d+$/.test(last) ? [[...before, `${last}s`]] : [];
  return [...apart, ...together, ...several];
}

/** The levels at which a post rules one of these out: by all of its words, or by the last, which includes the rest. */
function noneOf(denied: readonly Group[]): PlanLevel[] {
  const terms = denied.map((group) => group.map((stem) => RULED_OUT + stem));
  return [
    level(terms, "summary", WANT.stated),
    level(terms.map((group) => group.slice(-1)), "summary", WANT.mostSummary),
  ];
}

/** Words after which the name of a need says what the product should not be. */
const NEGATING = wordSet("not isnt arent non without no");
/** Words that are one want, at most: "dual boot linux". */
const MOST_TOGETHER = 3;
/** Words that separate one thing asked from the next. */
const PARTING = new Set([...OPENING, ...wordSet(`and or but ${MEASURED}`)]);

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return need.none === undefined && own === need.id &&
    NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** So many words at most stand between a denial and what it denies. */
const MOST_DENIED = 3;
const CONTRACTED = /^(are|ca|do|does|is|wo)nt$/;

/** The denial before the word at `at`, as the name of a want begins with it: "doesn't " before "leak". */
function deniedBefore(words: readonly QueryWord[], at: number): string {
  const from = words.slice(0, at).findLastIndex(({ word }) => CONTRACTED.test(word));
  const between = words.slice(from + 1, at);
  // "Doesn't leave a white cast": what is done to it is denied with the verb.
  const goesOn = ({ word }: QueryWord) => !PARTING.has(word) && !PREPOSITIONS.has(word);
  if (from < 0 || between.length > MOST_DENIED || !between.every(goesOn)) return "";
  const denial = words[from]?.word.replace(CONTRACTED, "$1n't") ?? "";
  return [denial, ...between.map(({ word }) => word), ""].join(" ");
}

/** What is known of a query's words when what they ask is read. */
interface AskingWords {
  readonly words: readonly QueryWord[];
  /** Words that ask nothing more: the product's name, and what repeats it. */
  readonly used: ReadonlySet<number>;
  /** Words of the name that ask something of the product, each with those that stand by it: "gaming" of "gaming laptop". */
  readonly asks: readonly (readonly number[])[];
  readonly needs: readonly NeedSpan[];
  /** Where the product's name ends. */
  readonly headEnd: number;
  /** Whether a word goes without saying for the product. */
  readonly isInherent: (word: QueryWord) => boolean;
  readonly spans: readonly KindSpan[];
}

/** Takes a want by the places of its words, and the need that they speak of. */
type AddWant = (at: readonly number[], need?: NeedSpan) => void;

const placesIn = ({ start, end }: Range): number[] =>
  Array.from({ length: end - start }, (_, i) => start + i);

/** Whether a number at `at` belongs to the name before it: "Nexus 7". */
const isNumberAt = ({ words, used }: AskingWords, at: number): boolean =>
  !used.has(at) && numbersName(words[at]?.word);

/** Adds what the product's name asks. */
function addNamed(query: AskingWords, add: AddWant): void {
  const { asks, needs } = query;
  const named = new Set(asks.flat());
  // A need of several words that stand in the product's name is one want: "noise cancelling headphones".
  const whole = needs.filter((need) =>
    !need.price && need.end > need.start + 1 && placesIn(need).every((at) => named.has(at))
  );
  for (const need of whole) add(placesIn(need), need);
  for (const at of asks) {
    if (whole.some((need) => at.every((i) => includesAt(i)(need)))) continue;
    const end = (at.at(-1) ?? 0) + 1;
    if (at.length > 0 && isNumberAt(query, end)) add([...at, end]);
    else add(at, needs.find((need) => need.start === at[0] && need.end === end && !need.price));
  }
}

/** Adds what all other words ask: those of a need, and the rest that says anything. */
function addOthers(query: AskingWords, add: AddWant): void {
  const { words, used, asks, headEnd } = query;
  const named = new Set(asks.flat());
  const needs = query.needs.filter((need) => placesIn(need).every((at) => !used.has(at)));
  const isNeed = (at: number): boolean => needs.some(includesAt(at));
  const isFree = (at: number): boolean => !used.has(at) && !named.has(at);
  const isParting = (at: number): boolean => PARTING.has(words[at]?.word ?? "");
  const says = (at: number): boolean =>
    isFree(at) && (words[at]?.stems.length ?? 0) > 0 && !isParting(at) &&
    !onlyAsks(words[at]?.word ?? "") && !isNeed(at);
  for (let i = 0; i < words.length;) {
    const need = needs.find(({ start }) => start === i);
    if (need !== undefined) {
      const at = placesIn(need)
        .filter((k) => need.none === undefined || (words[k]?.stems.length ?? 0) > 0);
      if (!need.price && !isNegated(words, need) && !at.every((k) => named.has(k))) add(at, need);
      i = need.end;
      continue;
    }
    const word = words[i]?.word ?? "";
    if (isFree(i) && countsNext(word) && says(i + 1)) {
      add([i, i + 1]);
      i += 2;
      continue;
    }
    if (isFree(i) && tellsByItself(word)) add([i]);
    if (!says(i)) {
      i++;
      continue;
    }
    // Before the product every word is a want of its own; behind it, words that stand together are one.
    const at = isNumberAt(query, i + 1) && !named.has(i + 1) ? [i, i + 1] : [i];
    let end = i + at.length;
    for (; i >= headEnd && end < words.length && at.length < MOST_TOGETHER; end++) {
      if (says(end) || (isNumberAt(query, end) && at.includes(end - 1))) at.push(end);
      else if (isParting(end) || used.has(end) || isNeed(end)) break;
    }
    add(at);
    i = (at.at(-1) ?? i) + 1;
  }
}

/**
 * The wants with what is left of their power where they only stand beside what is asked, without those that are said of
 * whoever asks. `ofNeeds` are those that needs ask.
 */
function weighedByPlace(
  { words, headEnd, spans }: AskingWords,
  wants: readonly PlacedWant[],
  ofNeeds: ReadonlySet<PlacedWant>,
): PlacedWant[] {
  // Clauses before the product and behind "because" mostly say who asks: "I study law and need a laptop".
  const because = words.findIndex(({ word }, i) => i >= headEnd && word === "because");
  const isBecause = ({ start }: PlacedWant): boolean => because >= 0 && start > because;
  const nameFrom = nameStart(words, headEnd);
  const context = wants.filter((one) => one.end <= nameFrom || isBecause(one));
  const [strongest] = context.filter((one) => ofNeeds.has(one))
    .toSorted((a, b) => b.power - a.power);
  // What those have who ask, and what else is said of them, is not asked of the product.
  const isAsked = (one: PlacedWant): boolean =>
    !isBecause(one) || (one === strongest && !spans.some(overlaps(one)));
  const behind = [...ofNeeds].filter(({ start, power }) =>
    start >= headEnd && power > ANYBODY_POWER
  );
  const isAside = (one: PlacedWant): boolean =>
    (context.includes(one) && one !== strongest) ||
    (!ofNeeds.has(one) && one.start >= headEnd && isBeside(words, one, behind));
  return wants.filter(isAsked).map((one) =>
    isAside(one) ? { ...one, power: Math.min(one.power, BESIDE_POWER) } : one
  );
}

/** What is asked of the product: one want for the words of each need, and for other words that stand together. */
export function wantsOf(query: AskingWords): PlacedWant[] {
  const { words, used, isInherent } = query;
  const wants: PlacedWant[] = [];
  const ofNeeds = new Set<PlacedWant>();
  const keyAt = (at: number): string => (words[at]?.stems ?? []).join(" ");
  const seen = new Set([...used].map(keyAt));
  const add: AddWant = (at, need) => {
    const own = at.map((i) => words[i]).filter((word) => word !== undefined);
    const key = need?.id ?? stemsOf(own).join(" ");
    if (key === "" || seen.has(key)) return;
    seen.add(key);
    for (const i of at) seen.add(keyAt(i));
    const [start = 0] = at;
    const end = (at.at(-1) ?? 0) + 1;
    const denial = need?.none === undefined ? deniedBefore(words, start) : "";
    const asked = want(own, need, isInherent, denial !== "");
    if (asked === null) return;
    const named = need === undefined ? words.slice(start, end) : withoutOpening(own);
    const name = need?.none?.name ?? denial + namedBy(named);
    const placed = { ...asked, name, start, end, none: need?.none !== undefined };
    wants.push(placed);
    if (need !== undefined) ofNeeds.add(placed);
  };
  addNamed(query, add);
  addOthers(query, add);
  return weighedByPlace(query, wants, ofNeeds);
}

/** Words that begin another thing that is asked. */
const RELATING = new Set([...PREPOSITIONS, ...wordSet("of against near")]);

/** Whether a want behind the product only continues the words of a need. */
function isBeside(
  words: readonly QueryWord[],
  one: PlacedWant,
  needs: readonly PlacedWant[],
): boolean {
  // A name says more than what it is a name of: "Nexus 7 tablet".
  if (words.slice(one.start, one.end).some(({ word }) => isProper(word))) return false;
  return needs.some((need) => {
    const [from, to] = need.start < one.start ? [need.end, one.start] : [one.end, need.start];
    return from <= to &&
      words.slice(from, to).every(({ word, stems }) =>
        stems.length === 0 && !PARTING.has(word) && !RELATING.has(word)
      );
  });
}

/** Where the product's name begins: behind the last word before it that only joins or asks. */
function nameStart(words: readonly QueryWord[], headEnd: number): number {
  const joins = ({ word, stems }: QueryWord) => stems.length === 0 || PARTING.has(word);
  return words.slice(0, Math.max(0, headEnd - 1)).findLastIndex(joins) + 1;
}

/** Words between two wants of which either will do: "camping or survival", "a hi-fi receiver or one for the home". */
const EITHER = new Set([...ARTICLES, ...wordSet("or for one ones")]);

/** Whether either of two wants will do; the product may stand between them. */
function isEither(
  words: readonly QueryWord[],
  a: PlacedWant,
  b: PlacedWant,
  headEnd: number,
): boolean {
  const from = a.end < headEnd && headEnd <= b.start ? headEnd : a.end;
  const between = words.slice(from, b.start).map(({ word }) => word);
  return b.start >= a.end && between.length > 0 && between.includes("or") &&
    between.every((word) => EITHER.has(word));
}

/** The wants, with those of which either will do joined into one. */
export function joinedByOr(
  words: readonly QueryWord[],
  wants: readonly PlacedWant[],
  headEnd: number,
): PlacedWant[] {
  const joined: PlacedWant[] = [];
  for (const one of wants.toSorted((a, b) => a.start - b.start)) {
    // Of two things that are ruled out, neither will do.
    const at = joined.findLastIndex((last) =>
      last.none !== true && one.none !== true &&
      isEither(words, last, one, headEnd)
    );
    const last = joined[at];
    if (last === undefined) joined.push(one);
    else {
      joined[at] = {
        ...last,
        name: `${last.name} or ${one.name}`,
        end: one.end,
        power: Math.min(last.power, one.power) === 0 ? 0 : Math.max(last.power, one.power),
        levels: filled([...last.levels, ...one.levels]),
      };
    }
  }
  return joined;
}
