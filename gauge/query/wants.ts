/** Which words of a query ask something of the product: needs, words that stand together, and what only stands beside. */
import { singular } from "../../mining/lexicon/grammar.ts";
import { isKnownWord } from "../words/common.ts";
import { isProperName, kindCalled } from "../words/same.ts";
import { isParticle } from "../words/spelling.ts";
import {
  ARTICLES,
  AUXILIARIES,
  beginsCompound,
  beginsPhrase,
  CONTRACTED,
  countsNext,
  countsOnes,
  endsCompound,
  ENOUGH,
  isMark,
  isProper,
  type MarkWords,
  NEGATING,
  numbersName,
  onlyAsks,
  OPENING,
  PREPOSITIONS,
  standsForProduct,
  tellsByItself,
  wordSet,
} from "../words/word_classes.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { CHOICE, JOINING, type KindSpan } from "./head.ts";
import {
  filled,
  includesAt,
  overlaps,
  type QueryWord,
  type Range,
  stemsOf,
  wordsText,
} from "./parts.ts";
import {
  ANYBODY_POWER,
  BESIDE_POWER,
  isForAnybody,
  type NeedSpan,
  type PlacedWant,
  want,
} from "./want_levels.ts";

/** What a want is called: by its words, but for the place of a measure. */
const namedBy = (words: readonly QueryWord[]): string =>
  wordsText(words.filter(({ word }) => word !== MEASURED));

/** A want's words from the first that is asked: not "of the" best; "no plastic" and "over-ear" are asked as they stand. */
function withoutOpening(words: readonly QueryWord[]): readonly QueryWord[] {
  const from = words.findIndex(({ stems }) => stems.length > 0);
  const before = words[from - 1]?.word ?? "";
  const kept = NEGATING.has(before) || isParticle(before) ? from - 1 : from;
  return kept > 0 ? words.slice(kept) : words;
}

/** Words that are one want, at most: "dual boot linux". */
const MOST_TOGETHER = 3;
/** Words that separate one thing asked from the next. */
const PARTING = new Set([...OPENING, ...JOINING, "but", CHOICE, MEASURED]);

/** Where the words from `at` on that belong together end: at the next word that separates, or with the query. */
export function partedFrom(words: readonly QueryWord[], at: number): number {
  const parting = words.findIndex(({ word }, i) => i >= at && PARTING.has(word));
  return parting < 0 ? words.length : parting;
}

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return need.none === undefined && own === need.id &&
    NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** Whether any will do, since one of the buyer's own is the other choice: "first one or an upgrade". */
const isOneOfAny = (words: readonly QueryWord[], { start }: NeedSpan): boolean =>
  words[start - 1]?.word === "or" && countsOnes(words[start - 3]?.word, words[start - 2]?.word);

/** So many words at most stand between a denial and what it denies. */
const MOST_DENIED = 3;

/** Where the denial of the word at `at` begins: at "doesnt" of "doesnt leave a cast"; at the word itself for none. */
function denialStart(words: readonly QueryWord[], at: number): number {
  const from = words.slice(0, at).findLastIndex(({ word }, i) =>
    CONTRACTED.test(word) || (word === "never" && standsForProduct(words[i - 1]?.word))
  );
  const between = words.slice(from + 1, at);
  // "Doesn't leave a white cast": what is done to it is denied with the verb.
  const goesOn = ({ word }: QueryWord) => !PARTING.has(word) && !PREPOSITIONS.has(word);
  return from < 0 || between.length > MOST_DENIED || !between.every(goesOn) ? at : from;
}

/** The denial before the word at `at`, as the name of a want begins with it: "doesn't " before "leak". */
const deniedBefore = (words: readonly QueryWord[], at: number): string =>
  words.slice(denialStart(words, at), at)
    .map(({ word }) => `${word.replace(CONTRACTED, "$1n't")} `).join("");

/** Words behind which something else is wanted, however they are read: "other than gaming", "not a case". */
const REFUSING = new Set([...NEGATING, ...wordSet("neither nor except than")]);
/** Words between them and what is refused. */
const PASSED = new Set([...ARTICLES, ...wordSet("for of")]);

/** Words before a name to which what is asked for is compared; those with others only behind one of them. */
const COMPARING: MarkWords = new Map([
  ["than", null],
  ["like", null],
  ["as", wordSet("such")],
  ["to", wordSet("alternative alternatives similar comparable equivalent")],
  ["for", wordSet("substitute substitutes")],
]);

/** Words before such a name, at most: "comparable to the". */
const MOST_COMPARING = 3;

/** Whether a name stands at `at`: one of the lists, one with a number, or a word that people use for nothing else. */
function isNameAt(words: readonly QueryWord[], at: number): boolean {
  const [first = "", next = ""] = words.slice(at, at + 2).map(({ word }) => word);
  return isProperName([first]) || isProperName([first, next]) ||
    /\d\p{L}|\p{L}\d/u.test(first) || numbersName(next) ||
    (first !== "" && !isKnownWord(first) && !isKnownWord(singular(first)) &&
      kindCalled([first]) === undefined);
}

/**
 * Where names stand that only say what the product is compared to: "better than the Leatherman Wave", "such as an Osprey
 * or a Kelty".
 */
function comparedIn(words: readonly QueryWord[]): readonly Range[] {
  const behind = (at: number): number =>
    words.findIndex(({ word }, i) => i > at && !ARTICLES.has(word));
  return words.flatMap(({ word }, at): Range[] => {
    if (!isMark(COMPARING, word, words[at - 1]?.word)) return [];
    const named: Range[] = [];
    for (let from = behind(at); from >= 0 && isNameAt(words, from);) {
      const end = partedFrom(words, from + 1);
      named.push({ start: from, end });
      from = words[end]?.word === "or" ? behind(end) : -1;
    }
    return named;
  });
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
  /** Whether the query names a sum, beside which "cheap" says nothing more. */
  readonly isPriced: boolean;
  readonly spans: readonly KindSpan[];
  /** Where names stand that only say what the product is compared to. */
  readonly compared: readonly Range[];
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
  const { asks } = query;
  const needs = query.needs.filter(({ price }) => !price || !query.isPriced);
  const named = new Set(asks.flat());
  // A need of several words that stand in the product's name is one want: "noise cancelling headphones".
  const whole = needs.filter((need) =>
    need.end > need.start + 1 && placesIn(need).every((at) => named.has(at))
  );
  for (const need of whole) add(placesIn(need), need);
  for (const at of asks) {
    // "Non-gaming laptop".
    if (needs.some((need) => need.none !== undefined && at.every((i) => includesAt(i)(need)))) {
      continue;
    }
    if (whole.some((need) => at.every((i) => includesAt(i)(need)))) continue;
    const end = (at.at(-1) ?? 0) + 1;
    if (at.length > 0 && isNumberAt(query, end)) add([...at, end]);
    else add(at, needs.find((need) => need.start === at[0] && need.end === end));
  }
}

/** Adds what all other words ask: those of a need, and the rest that says anything. */
function addOthers(query: AskingWords, add: AddWant): void {
  const { words, used, asks, headEnd, spans, compared } = query;
  const named = new Set(asks.flat());
  // "Comparable to the Leatherman".
  const isComparing = (at: number): boolean =>
    [at, at + 1].some((i) => isMark(COMPARING, words[i]?.word, words[i - 1]?.word)) &&
    compared.some(({ start }) => start > at && start - at <= MOST_COMPARING);
  const needs = query.needs.filter((need) =>
    placesIn(need).every((at) => !used.has(at)) &&
    (need.none !== undefined || !isComparing(need.start))
  );
  // What is done to it is denied with it: "doesn't leave a white cast".
  const denials = needs.filter(({ none }) => none === undefined)
    .map(({ start }) => ({ start: denialStart(words, start), end: start }));
  const asked = [...needs, ...denials];
  const isNeed = (at: number): boolean => asked.some(includesAt(at));
  const isFree = (at: number): boolean => !used.has(at) && !named.has(at);
  const isParting = (at: number): boolean => PARTING.has(words[at]?.word ?? "");
  const says = (at: number): boolean =>
    isFree(at) && !countsOnes(words[at]?.word, words[at + 1]?.word) &&
    (words[at]?.stems.length ?? 0) > 0 && !isParting(at) &&
    !onlyAsks(words[at]?.word ?? "") && !AUXILIARIES.has(words[at]?.word ?? "") &&
    !isNeed(at) && !isComparing(at);
  for (let i = 0; i < words.length;) {
    const other = compared.find(({ start }) => start === i);
    if (other !== undefined) {
      add(placesIn(other).filter(isFree));
      i = other.end;
      continue;
    }
    const need = needs.find(({ start }) => start === i);
    if (need !== undefined) {
      const last = need.end - 1;
      const isName = isProperName([words[last]?.word ?? ""]) ||
        spans.some((span) => [last, last + 1].every((k) => includesAt(k)(span)));
      // "For xbox 360": the name goes on.
      if (isName && isNumberAt(query, last + 1) && !isNeed(last + 1)) {
        add([last, last + 1]);
        i = last + 2;
        continue;
      }
      const at = placesIn(need)
        .filter((k) => need.none === undefined || (words[k]?.stems.length ?? 0) > 0);
      // Nobody wants what stops working: that tells of the one to be replaced. "Dead skin" goes on.
      const isOld = need.isBroken && denialStart(words, need.start) === need.start &&
        !says(need.end) && !isNeed(need.end);
      const isSaid = need.price && query.isPriced || isNegated(words, need) || isOld ||
        isOneOfAny(words, need);
      if (!isSaid && (need.none !== undefined || !at.every((k) => named.has(k)))) add(at, need);
      i = need.end;
      continue;
    }
    const word = words[i]?.word ?? "";
    const isCompound = i + 1 < words.length && !isParting(i + 1) &&
      (beginsCompound(word) || (says(i) && endsCompound(word, words[i + 1]?.word)) ||
        (i < headEnd && isProperName([word, words[i + 1]?.word ?? ""])));
    if (isFree(i) && (isCompound ? isFree(i + 1) : countsNext(word) && says(i + 1))) {
      add([i, i + 1]);
      i += 2;
      continue;
    }
    // "A NAS with four drive bays": what is counted stands behind a word that says nothing more.
    const next = words[i + 1];
    const saysNothing = next !== undefined && (used.has(i + 1) || query.isInherent(next));
    if (i >= headEnd && isFree(i) && countsNext(word) && saysNothing && says(i + 2)) {
      add([i, i + 2]);
      i += 3;
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
  { words, headEnd, spans, isInherent, compared }: AskingWords,
  wants: readonly PlacedWant[],
  ofNeeds: ReadonlySet<PlacedWant>,
): PlacedWant[] {
  // Clauses before the product and behind "because" mostly say who asks: "I study law and need a laptop".
  const because = words.findIndex(({ word }, i) => i >= headEnd && word === "because");
  const isBecause = ({ start }: PlacedWant): boolean => because >= 0 && start > because;
  const nameFrom = nameStart(words, headEnd);
  const context = wants.filter((one) => one.end <= nameFrom || isBecause(one));
  // "Women with big hands": whom it is for says less than anything else.
  const [strongest] = context.filter((one) => ofNeeds.has(one)).toSorted((a, b) =>
    Number(isForAnybody(words, a)) - Number(isForAnybody(words, b)) || b.power - a.power
  );
  // What those have who ask, and what else is said of them, is not asked of the product.
  const isAsked = (one: PlacedWant): boolean =>
    !isBecause(one) || (one === strongest && !spans.some(overlaps(one)));
  // What goes on from a need that goes without saying is asked: "a camcorder that records on tape".
  const behind = [...ofNeeds].filter(({ start, end, power }) =>
    start >= headEnd && power > ANYBODY_POWER && !words.slice(start, end).every(isInherent)
  );
  // But the noun behind such a need is not, where it ends a phrase: "for movie nights".
  const isNounBehind = (one: PlacedWant): boolean =>
    one.end === one.start + 1 && !isProper(words[one.start]?.word ?? "") &&
    [...ofNeeds].some((need) =>
      need.start >= headEnd && need.end === one.start &&
      words.slice(need.start, need.end).some(isInherent) &&
      words[need.start - 1]?.word === "for"
    );
  // "Powerful enough for games" is what plays them.
  const isMeasured = ({ start, end }: PlacedWant): boolean => {
    const at = words.findIndex(({ word }, i) => i > start && i <= end && word === ENOUGH);
    return at > 0 && wants.some((one) => one.start > at) && beginsPhrase(words[at + 1]?.word ?? "");
  };
  const isAside = (one: PlacedWant): boolean =>
    compared.some(overlaps(one)) || isMeasured(one) || isOfChoice(words, one, headEnd) ||
    (context.includes(one) && one !== strongest) || isNounBehind(one) ||
    (!ofNeeds.has(one) && one.start >= headEnd && isBeside(words, one, behind));
  return wants.filter(isAsked).map((one) =>
    isAside(one) ? { ...one, power: Math.min(one.power, BESIDE_POWER) } : one
  );
}

/** Whether the product may be so or otherwise: "a television, whether new or used". */
function isOfChoice(words: readonly QueryWord[], { start }: PlacedWant, headEnd: number): boolean {
  const at = words.findLastIndex(({ word }, i) => i < start && word !== "or" && PARTING.has(word));
  return at >= headEnd && words[at]?.word === CHOICE;
}

/** What is asked of the product: one want for the words of each need, and for other words that stand together. */
export function wantsOf(asked: Omit<AskingWords, "compared">): PlacedWant[] {
  const { words, used, isInherent } = asked;
  const query = { ...asked, compared: comparedIn(words) };
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
    const before = words.slice(0, start).findLast(({ word }) => !PASSED.has(word));
    const isRefused = REFUSING.has(before?.word ?? "");
    const met = want(own, { need, isInherent, isDenied: denial !== "", isRefused });
    if (met === null) return;
    const named = need === undefined ? words.slice(start, end) : withoutOpening(own);
    const name = need?.none?.name ?? denial + namedBy(named);
    const none = need?.none !== undefined;
    const placed = { ...met, name, start, end, none, isValue: need !== undefined };
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
export function nameStart(words: readonly QueryWord[], headEnd: number): number {
  const joins = ({ word, stems }: QueryWord) => stems.length === 0 || PARTING.has(word);
  return words.slice(0, Math.max(0, headEnd - 1)).findLastIndex(joins) + 1;
}

/** Words between two wants of which either will do: "in a pocket or on a belt", "a hi-fi receiver or one for the home". */
const EITHER = new Set([...ARTICLES, ...PREPOSITIONS, ...wordSet("or for one ones")]);

/** Whether either of two wants will do; the product may stand between them. */
function isEither(
  words: readonly QueryWord[],
  a: PlacedWant,
  b: PlacedWant,
  headEnd: number,
): boolean {
  const isAround = a.end < headEnd && headEnd <= b.start;
  const between = words.slice(isAround ? headEnd : a.end, b.start).map(({ word }) => word);
  // "A sunscreen for the face or a moisturizer" is one or the other product.
  const isOther = isAround && between.every((word) => word === "or" || ARTICLES.has(word));
  return b.start >= a.end && !isOther && between.includes("or") &&
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
        granting: [...new Set([...last.granting, ...one.granting])],
      };
    }
  }
  return joined;
}
