/** Which words of a query ask something of the product: the needs that they speak of, and others that stand together. */
import { isProperName } from "../words/same.ts";
import { isParticle } from "../words/spelling.ts";
import {
  ARTICLES,
  AUXILIARIES,
  beginsCompound,
  CONTRACTED,
  countsNext,
  countsOnes,
  endsCompound,
  NEGATING,
  numbersName,
  onlyAsks,
  PREPOSITIONS,
  standsForProduct,
  tellsByItself,
  wordSet,
} from "../words/word_classes.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { comparedIn, compares } from "./compared.ts";
import { includesAt, type QueryWord, type Range, stemsOf, wordsText } from "./parts.ts";
import { PARTING, type PlacingWords, weighedByPlace } from "./placed.ts";
import { type NeedSpan, type PlacedWant, wantLevels } from "./want_levels.ts";

/** What a want is called: by its words, but for the place of a measure. */
const wantName = (words: readonly QueryWord[]): string =>
  wordsText(words.filter(({ word }) => word !== MEASURED));

/** A want's words from the first that is asked: not "of the" best; "no plastic" and "over-ear" are asked as they stand. */
function withoutOpening(words: readonly QueryWord[]): readonly QueryWord[] {
  const from = words.findIndex(({ stems }) => stems.length > 0);
  const before = words[from - 1]?.word ?? "";
  const kept = NEGATING.has(before) || isParticle(before) ? from - 1 : from;
  return kept > 0 ? words.slice(kept) : words;
}

/** Words that are one want, at most: "dual boot linux". */
const MAX_WORDS_OF_WANT = 3;

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return need.none === undefined && own === need.id &&
    NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** Whether any will do, since one of the buyer's own is the other choice: "first one or an upgrade". */
const isOneOfAny = (words: readonly QueryWord[], { start }: NeedSpan): boolean =>
  words[start - 1]?.word === "or" && countsOnes(words[start - 3]?.word, words[start - 2]?.word);

/** At most so many words stand between a denial and what it denies. */
const MAX_BETWEEN_DENIAL = 3;

/** Where the denial of the word at `at` begins: at "doesnt" of "doesnt leave a cast"; at the word itself for none. */
function denialStart(words: readonly QueryWord[], at: number): number {
  const from = words.slice(0, at).findLastIndex(({ word }, i) =>
    CONTRACTED.test(word) || (word === "never" && standsForProduct(words[i - 1]?.word))
  );
  const between = words.slice(from + 1, at);
  // "Doesn't leave a white cast": what is done to it is denied with the verb.
  const goesOn = ({ word }: QueryWord) => !PARTING.has(word) && !PREPOSITIONS.has(word);
  return from < 0 || between.length > MAX_BETWEEN_DENIAL || !between.every(goesOn) ? at : from;
}

/** The denial before the word at `at`, as the name of a want begins with it: "doesn't " before "leak". */
const deniedBefore = (words: readonly QueryWord[], at: number): string =>
  words.slice(denialStart(words, at), at)
    .map(({ word }) => `${word.replace(CONTRACTED, "$1n't")} `).join("");

/** Words behind which something else is wanted, however they are read: "other than gaming", "not a case". */
const REFUSING = new Set([...NEGATING, ...wordSet("neither nor except than")]);
/** Words between them and what is refused. */
const BEFORE_REFUSED = new Set([...ARTICLES, ...wordSet("for of")]);

/** What is known of a query's words when what they ask is read. */
interface AskingWords extends PlacingWords {
  /** Words that ask nothing more: the product's name, and what repeats it. */
  readonly used: ReadonlySet<number>;
  /** Words of the name that ask something of the product, each with those that stand by it: "gaming" of "gaming laptop". */
  readonly asks: readonly (readonly number[])[];
  readonly needs: readonly NeedSpan[];
  /** Whether the query names a sum, beside which "cheap" says nothing more. */
  readonly isPriced: boolean;
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

/** The words beside the product's name, and what each of them may be a part of, by its place. */
interface OtherWords extends AskingWords {
  /** Those that stand in no word of the product. */
  readonly needs: readonly NeedSpan[];
  /** Whether a word is of a need, or of its denial. */
  readonly isNeed: (at: number) => boolean;
  /** Whether a word neither names the product nor stands in its name. */
  readonly isFree: (at: number) => boolean;
  /** Whether a word is free and asks something by itself. */
  readonly says: (at: number) => boolean;
}

const isParting = ({ words }: AskingWords, at: number): boolean =>
  PARTING.has(words[at]?.word ?? "");

function otherWords(query: AskingWords): OtherWords {
  const { words, used, asks, compared } = query;
  const named = new Set(asks.flat());
  const isComparing = (at: number): boolean => compares(words, compared, at);
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
  const says = (at: number): boolean => {
    const { word = "", stems = [] } = words[at] ?? {};
    return isFree(at) && stems.length > 0 && !countsOnes(word, words[at + 1]?.word) &&
      !PARTING.has(word) && !onlyAsks(word) && !AUXILIARIES.has(word) &&
      !isNeed(at) && !isComparing(at);
  };
  return { ...query, needs, isNeed, isFree, says };
}

/** Adds what stands at `at`, and says where to go on; null where nothing of its sort begins there. */
type AddAt = (query: OtherWords, at: number, add: AddWant) => number | null;

/** A name to which the product is compared. */
const addCompared: AddAt = ({ compared, isFree }, at, add) => {
  const name = compared.find(({ start }) => start === at);
  if (name === undefined) return null;
  add(placesIn(name).filter(isFree));
  return name.end;
};

/** Whether a need asks nothing: the query says the same otherwise, takes it back, or tells of what is to be replaced. */
function isIdle(query: OtherWords, need: NeedSpan): boolean {
  const { words, isPriced, says, isNeed } = query;
  // Nobody wants what stops working: that tells of the one to be replaced. "Dead skin" goes on.
  const isOld = need.isBroken && denialStart(words, need.start) === need.start &&
    !says(need.end) && !isNeed(need.end);
  return need.price && isPriced || isNegated(words, need) || isOld || isOneOfAny(words, need);
}

/** A need. */
const addNeed: AddAt = (query, at, add) => {
  const { words, spans, asks, isNeed } = query;
  const need = query.needs.find(({ start }) => start === at);
  if (need === undefined) return null;
  const last = need.end - 1;
  const isName = isProperName([words[last]?.word ?? ""]) ||
    spans.some((span) => [last, last + 1].every((i) => includesAt(i)(span)));
  // "For xbox 360": the name goes on.
  if (isName && isNumberAt(query, last + 1) && !isNeed(last + 1)) {
    add([last, last + 1]);
    return last + 2;
  }
  const isRuledOut = need.none !== undefined;
  const own = placesIn(need).filter((i) => !isRuledOut || (words[i]?.stems.length ?? 0) > 0);
  const isInName = own.every((i) => asks.some((name) => name.includes(i)));
  if (!isIdle(query, need) && (isRuledOut || !isInName)) add(own, need);
  return need.end;
};

/** Two words of which the first says nothing alone: "multi day", "4 bay", "dishwasher safe". */
const addPair: AddAt = (query, at, add) => {
  const { words, headEnd, isFree, says } = query;
  const [word = "", next = ""] = [words[at]?.word, words[at + 1]?.word];
  const isCompound = at + 1 < words.length && !isParting(query, at + 1) &&
    (beginsCompound(word) || (says(at) && endsCompound(word, next)) ||
      (at < headEnd && isProperName([word, next])));
  if (!isFree(at)) return null;
  if (!(isCompound ? isFree(at + 1) : countsNext(word) && says(at + 1))) return null;
  add([at, at + 1]);
  return at + 2;
};

/** A number and what it counts, behind a word that says nothing more: "a NAS with four drive bays". */
const addCounted: AddAt = ({ words, used, headEnd, isInherent, isFree, says }, at, add) => {
  const next = words[at + 1];
  const saysNothing = next !== undefined && (used.has(at + 1) || isInherent(next));
  const isCounting = at >= headEnd && isFree(at) && countsNext(words[at]?.word ?? "");
  if (!isCounting || !saysNothing || !says(at + 2)) return null;
  add([at, at + 2]);
  return at + 3;
};

/** Any other words: before the product each is a want of its own, and behind it those that stand together are one. */
function addPhrase(query: OtherWords, at: number, add: AddWant): number {
  const { words, used, asks, headEnd, isNeed, isFree, says } = query;
  if (isFree(at) && tellsByItself(words[at]?.word ?? "")) add([at]);
  if (!says(at)) return at + 1;
  const isNumber = isNumberAt(query, at + 1) && !asks.some((name) => name.includes(at + 1));
  const phrase = isNumber ? [at, at + 1] : [at];
  let end = at + phrase.length;
  for (; at >= headEnd && end < words.length && phrase.length < MAX_WORDS_OF_WANT; end++) {
    if (says(end) || (isNumberAt(query, end) && phrase.includes(end - 1))) phrase.push(end);
    else if (isParting(query, end) || used.has(end) || isNeed(end)) break;
  }
  add(phrase);
  return (phrase.at(-1) ?? at) + 1;
}

/** Adds what the words ask that do not name the product, left to right. */
function addOthers(query: AskingWords, add: AddWant): void {
  const others = otherWords(query);
  for (let at = 0; at < query.words.length;) {
    at = addCompared(others, at, add) ?? addNeed(others, at, add) ?? addPair(others, at, add) ??
      addCounted(others, at, add) ?? addPhrase(others, at, add);
  }
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
    const before = words.slice(0, start).findLast(({ word }) => !BEFORE_REFUSED.has(word));
    const isRefused = REFUSING.has(before?.word ?? "");
    const met = wantLevels(own, { need, isInherent, isDenied: denial !== "", isRefused });
    if (met === null) return;
    const named = need === undefined ? words.slice(start, end) : withoutOpening(own);
    const name = need?.none?.name ?? denial + wantName(named);
    const none = need?.none !== undefined;
    const placed = { ...met, name, start, end, none, isValue: need !== undefined };
    wants.push(placed);
    if (need !== undefined) ofNeeds.add(placed);
  };
  addNamed(query, add);
  addOthers(query, add);
  return weighedByPlace(query, wants, ofNeeds);
}
