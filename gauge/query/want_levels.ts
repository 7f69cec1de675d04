/** How one thing that a query asks is met by what posts state, and how much it weighs. */
import {
  communityTerm,
  type Group,
  type PlanLevel,
  RULED_OUT,
  sumEighth,
  sumTerm,
} from "../../db/matching/plan.ts";
import { communitiesGranting } from "../words/granted.ts";
import { SLIGHT_WEIGHT, statedShare, wordWeight } from "../words/common.ts";
import {
  ARTICLES,
  beginsCompound,
  countsNext,
  isAmount,
  isAnybody,
  isBrand,
  isGendered,
  isProper,
  modelParts,
  wordSet,
} from "../words/word_classes.ts";
import { isProperName } from "../words/same.ts";
import { isParticle } from "../words/spelling.ts";
import type { Price } from "../amounts/sums.ts";
import { filled, level, type QueryWord, type Range, stemsOf } from "./parts.ts";
import type { NoneWanted } from "./ruled_out.ts";

/** Words that speak of needs, each given by the stems of its name. */
export interface NeedSpan extends Range {
  /** The needs' ids, as one word. */
  readonly id: string;
  readonly needs: readonly Group[];
  /** What else people say who have such a need, each as stems. */
  readonly cues: readonly Group[];
  /** What those say who ask for more, of which this is a part. */
  readonly wider: readonly Group[];
  /** The communities in which any of the needs goes without saying. */
  readonly granting: readonly string[];
  /** Whether they only say how much it may cost. */
  readonly price: boolean;
  /** Whether these words ask alone, so that no post says the need by them. */
  readonly asksAlone: boolean;
  /** Whether they tell that something no longer works. */
  readonly isBroken: boolean;
  /** What posts rule out that want the same. */
  readonly denied: readonly Group[];
  /** Set if the query wants none of it. */
  readonly none?: NoneWanted;
}

/** How well a signal states a want, by where it does; docs/verdicts.md has the table. */
const WANT_QUALITY = {
  stated: 1,
  summary: 0.97,
  text: 0.9,
  /** A word that nine of ten texts with it use in another way: "run" of what is for running. */
  textOtherwise: 0.45,
  cueSummary: 0.85,
  cueText: 0.7,
  slip: 0.8,
  /** It goes without saying in the post's community. */
  granted: 0.85,
  /** All words of three and more but one, or all but those that go without saying for the product. */
  mostSummary: 0.75,
  mostText: 0.6,
  /** One word of several. */
  partSummary: 0.4,
  partText: 0.25,
} as const;

/** The power of a want in the most common words, from which it grows to 1 with their rarity. */
const LEAST_POWER = 0.6;
/** The power of a measure, and of what only says how much it may cost. */
const AMOUNT_POWER = 0.8;
const PRICE_POWER = 0.7;
/** The power of a word for nearly anybody. */
export const ANYBODY_POWER = 0.15;
/** The power of words that only accompany a want: "this fall" in "college this fall". */
export const BESIDE_POWER = 0.12;

/** A want, and which words of the query it is made of. */
export interface PlacedWant extends Range {
  /** As the query has it. */
  readonly name: string;
  /** How much it takes from a signal not to state it: 0 nothing, 1 nearly all. */
  readonly power: number;
  readonly levels: readonly PlanLevel[];
  /** The communities, in lower case, in which it goes without saying. */
  readonly granting: readonly string[];
  /** Whether none of it is wanted. */
  readonly none?: boolean;
  /** Whether its words are one need or one value that readers know. */
  readonly isValue?: boolean;
}

/** Whether a want says no more than that the product is for people: "for women". */
export const isForAnybody = (
  words: readonly QueryWord[],
  { start, end }: PlacedWant,
): boolean =>
  words.slice(start, end).every(({ word, stems }) => stems.length === 0 || isAnybody(word));
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
  // Inches are mostly written with a mark, which the index leaves out.
  const isMarked = telling && units.some((unit) => unit.includes("inch"));
  return {
    ...NOWHERE,
    name,
    power: AMOUNT_POWER,
    granting: [],
    levels: filled([
      level(both, "stated", WANT_QUALITY.stated),
      level(both, "summary", WANT_QUALITY.summary),
      level(telling ? [number] : [], "summary", WANT_QUALITY.cueSummary),
      level(both, "text", WANT_QUALITY.cueText),
      level(isMarked ? [number] : [], "text", WANT_QUALITY.cueText),
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
    granting: [],
    levels: filled([level(terms.map((term) => [term]), "summary", WANT_QUALITY.stated)]),
  };
}

/** Words by which fewer of the texts with them state anything than this share ("almost") ask for little: their power. */
const MIN_STATED_SHARE = 0.1;
export const UNSTATED_POWER = 0.3;
/** A single word by which no larger share of texts state anything states little where it is only mentioned. */
const SAID_OTHERWISE = 0.1;
const isUnstated = ({ word, stems }: QueryWord): boolean =>
  !isProper(word) && stems.every((stem) => statedShare(stem) < MIN_STATED_SHARE);

/** Whether texts state something by a word: by "face", and not by "wear", of what is to be worn on the face. */
const isStated = ({ word, stems }: QueryWord): boolean =>
  isProper(word) || stems.every((stem) => statedShare(stem) > SAID_OTHERWISE);

/** How much a post loses that does not state these words. */
function powerOf(
  words: readonly QueryWord[],
  need: NeedSpan | undefined,
  isDenied: boolean,
): number {
  if (words.every(({ word }) => isAmount(word))) return AMOUNT_POWER;
  if (need?.price === true) return PRICE_POWER;
  if (words.every(({ word }) => isAnybody(word) && !isGendered(word))) return ANYBODY_POWER;
  // A value by one word alone is met by that word as it stands in texts: "throws" of a projector.
  const isWord = words.length === 1 && need?.id === words[0]?.word && need?.none === undefined;
  if ((need === undefined || isWord) && !isDenied && words.every(isUnstated)) return UNSTATED_POWER;
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

/** Whether a maker is among the words: "Apple", "Herman Miller". */
const namesMaker = (words: readonly QueryWord[]): boolean =>
  words.some(({ word }, i) => isBrand(word) || isProperName([word, words[i + 1]?.word ?? ""]));

/** Words that only join what is asked, and say none of it; "on" of "carry on" does. */
const CONNECTING = new Set([...ARTICLES, ...wordSet("for of to with at my your and")]);

/** What is known of the words that ask one thing. */
interface Asking {
  /** The need that they speak of; undefined for none. */
  readonly need: NeedSpan | undefined;
  /** Whether a word goes without saying for the product. */
  readonly isInherent: (word: QueryWord) => boolean;
  /** Whether a denial stands before them: "doesn't leak". */
  readonly isDenied: boolean;
  /** Whether something else is wanted: "other than gaming". */
  readonly isRefused: boolean;
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
    level(terms, "summary", WANT_QUALITY.stated),
    level(terms.map((group) => group.slice(-1)), "summary", WANT_QUALITY.mostSummary),
  ];
}

const isTelling = ({ word }: QueryWord): boolean => wordWeight(word) > SLIGHT_WEIGHT;

/** The words by which a want is looked for: those by which texts state something, else those that tell anything. */
function searchedWords(
  words: readonly QueryWord[],
  { need, isDenied }: Asking,
): readonly QueryWord[] {
  const heard = words.filter(({ stems }) => stems.length > 0);
  const telling = need === undefined ? heard.filter(isTelling) : heard;
  // What is counted, and what begins a compound, says nothing without the word behind it.
  const areApart = need === undefined && !isDenied &&
    !heard.some(({ word }) => countsNext(word) || beginsCompound(word));
  const stated = areApart ? [telling, heard].map((some) => some.filter(isStated)) : [];
  return [...stated, telling].find(({ length }) => length > 0) ?? heard;
}

/** The communities in which all that is asked goes without saying; none for what is not wanted. */
function grantingCommunities(
  words: readonly QueryWord[],
  { need, isDenied, isRefused }: Asking,
): readonly string[] {
  if (isDenied || isRefused || need?.none !== undefined) return [];
  const said = words.map(({ word }) => word).filter((word) => !CONNECTING.has(word));
  return [...new Set([...communitiesGranting(said), ...need?.granting ?? []])];
}

/** How posts rule a thing out, or name a product that has none of it: "fanless". */
const lackingLevels = ({ denied, needs }: NeedSpan): PlanLevel[] => [
  ...noneOf(denied),
  level(needs, "summary", WANT_QUALITY.cueSummary),
  level(needs, "text", WANT_QUALITY.cueText),
];

/** How posts state a want that is asked in `words`, of which `own` are looked for. */
function statingLevels(
  words: readonly QueryWord[],
  own: readonly QueryWord[],
  granting: readonly string[],
  { need, isInherent }: Asking,
): PlanLevel[] {
  const { needs, cues, wider, denied, asksAlone } = need ??
    { needs: [], cues: [], wider: [], denied: [], asksAlone: false };
  const stems = stemsOf(own);
  const isSaidOtherwise = own.length === 1 &&
    stems.every((stem) => statedShare(stem) <= SAID_OTHERWISE);
  // Of "over-ear" the index has the whole word: its noun alone says less.
  const isParticled = need !== undefined && isParticle(words[0]?.word ?? "");
  // Nor has it the end of "wear out", whose verb alone says other things.
  const isPhrasal = isSaidOtherwise && isParticle(words.at(-1)?.word ?? "");
  const said = isParticled || isPhrasal || asksAlone ? [] : [stems, ...otherModels(own)];
  const similar = own.length === 1 ? own.flatMap((word) => word.similar) : [];
  const most = isParticled ? [stems] : asksAlone ? [] : mostOf(own, isInherent);
  const part = asksAlone ? [] : isPhrasal ? [stems] : rarestOf(own);
  // Several words of a wider need stand about in whole texts without saying it: "screen" and "build quality".
  const widerWords = wider.filter(({ length }) => length === 1);
  return [
    ...noneOf(denied),
    level([...said, ...needs], "stated", WANT_QUALITY.stated),
    level(said, "summary", WANT_QUALITY.summary),
    level(needs, "summary", WANT_QUALITY.cueSummary),
    level(said, "text", isSaidOtherwise ? WANT_QUALITY.textOtherwise : WANT_QUALITY.text),
    level(cues, "summary", WANT_QUALITY.cueSummary),
    level(cues, "text", WANT_QUALITY.cueText),
    level(similar.map((stem) => [stem]), "text", WANT_QUALITY.slip),
    {
      ...level(granting.map((name) => [communityTerm(name)]), "summary", WANT_QUALITY.granted),
      unless: [...new Set([...said, ...needs].flat().map((stem) => RULED_OUT + stem))],
    },
    level([...wider, ...most], "summary", WANT_QUALITY.mostSummary),
    level([...widerWords, ...most], "text", WANT_QUALITY.mostText),
    level(part, "summary", WANT_QUALITY.partSummary),
    level(part, "text", WANT_QUALITY.partText),
  ];
}

/**
 * How one thing is met, and how much it weighs, that these words ask, or the need that they speak of; null where they
 * say nothing of a product.
 */
export function wantLevels(
  words: readonly QueryWord[],
  asking: Asking,
): Pick<PlacedWant, "power" | "levels" | "granting"> | null {
  const { need, isDenied } = asking;
  const own = searchedWords(words, asking);
  if (need === undefined) {
    // "Could", "take", "going": nobody says with them how a product is.
    const sayNothing = !isDenied && own.every((word) => isUnstated(word) && !isTelling(word));
    if (stemsOf(own).length === 0 || sayNothing) return null;
  }
  const power = powerOf(own, need, isDenied);
  if (need?.none?.fault === false) {
    // Who asks for no brand at all would take any but this one.
    const isOneOfMany = need.none.contrast || namesMaker(words);
    return {
      power: isOneOfMany ? BESIDE_POWER : power,
      granting: [],
      levels: filled(lackingLevels(need)),
    };
  }
  const granting = grantingCommunities(words, asking);
  return { power, granting, levels: filled(statingLevels(words, own, granting, asking)) };
}
