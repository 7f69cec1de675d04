/** What wants weigh by where they stand in a query, and which of them are one since either will do. */
import {
  ARTICLES,
  beginsPhrase,
  ENOUGH,
  isProper,
  OPENING,
  PREPOSITIONS,
  wordSet,
} from "../words/word_classes.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { CHOICE, JOINING, type KindSpan } from "./head.ts";
import { filled, overlaps, type QueryWord, type Range } from "./parts.ts";
import { ANYBODY_POWER, BESIDE_POWER, isForAnybody, type PlacedWant } from "./want_levels.ts";

/** Words that separate one thing asked from the next. */
export const PARTING = new Set([...OPENING, ...JOINING, "but", CHOICE, MEASURED]);

/** Where the words from `at` on that belong together end: at the next word that separates, or with the query. */
export function partedFrom(words: readonly QueryWord[], at: number): number {
  const parting = words.findIndex(({ word }, i) => i >= at && PARTING.has(word));
  return parting < 0 ? words.length : parting;
}

/** Where the product's name begins: behind the last word before it that only joins or asks. */
export function nameStart(words: readonly QueryWord[], headEnd: number): number {
  const joins = ({ word, stems }: QueryWord) => stems.length === 0 || PARTING.has(word);
  return words.slice(0, Math.max(0, headEnd - 1)).findLastIndex(joins) + 1;
}

/** The words among which wants stand. */
export interface PlacingWords {
  readonly words: readonly QueryWord[];
  /** Where the product's name ends. */
  readonly headEnd: number;
  /** All products that the query names. */
  readonly spans: readonly KindSpan[];
  /** Whether a word goes without saying for the product. */
  readonly isInherent: (word: QueryWord) => boolean;
  /** Where names stand that only say what the product is compared to. */
  readonly compared: readonly Range[];
}

/** What is said of whoever asks: clauses before the product, and behind "because". */
interface AskersWants {
  readonly isBecause: (one: PlacedWant) => boolean;
  readonly all: readonly PlacedWant[];
  /** The need among them that is asked of the product after all: "I study law and need a laptop". */
  readonly strongest: PlacedWant | undefined;
}

function askersWants(
  { words, headEnd }: PlacingWords,
  wants: readonly PlacedWant[],
  ofNeeds: ReadonlySet<PlacedWant>,
): AskersWants {
  const because = words.findIndex(({ word }, i) => i >= headEnd && word === "because");
  const isBecause = ({ start }: PlacedWant): boolean => because >= 0 && start > because;
  const nameFrom = nameStart(words, headEnd);
  const all = wants.filter((one) => one.end <= nameFrom || isBecause(one));
  // "Women with big hands": whom it is for says less than anything else.
  const [strongest] = all.filter((one) => ofNeeds.has(one)).toSorted((a, b) =>
    Number(isForAnybody(words, a)) - Number(isForAnybody(words, b)) || b.power - a.power
  );
  return { isBecause, all, strongest };
}

/** Whether a want is the noun that ends a phrase behind a need that goes without saying: "for movie nights". */
function endsInherentNeed(
  { words, headEnd, isInherent }: PlacingWords,
  { start, end }: PlacedWant,
  ofNeeds: ReadonlySet<PlacedWant>,
): boolean {
  return end === start + 1 && !isProper(words[start]?.word ?? "") &&
    [...ofNeeds].some((need) =>
      need.start >= headEnd && need.end === start &&
      words.slice(need.start, need.end).some(isInherent) &&
      words[need.start - 1]?.word === "for"
    );
}

/** Whether a want is only the measure of another one: "powerful enough for games" is what plays them. */
function measuresAnother(
  words: readonly QueryWord[],
  { start, end }: PlacedWant,
  wants: readonly PlacedWant[],
): boolean {
  const at = words.findIndex(({ word }, i) => i > start && i <= end && word === ENOUGH);
  return at > 0 && wants.some((one) => one.start > at) && beginsPhrase(words[at + 1]?.word ?? "");
}

/** Whether the product may be so or otherwise: "a television, whether new or used". */
function isOfChoice(words: readonly QueryWord[], { start }: PlacedWant, headEnd: number): boolean {
  const at = words.findLastIndex(({ word }, i) => i < start && word !== "or" && PARTING.has(word));
  return at >= headEnd && words[at]?.word === CHOICE;
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

/**
 * The wants with what is left of their power where they only stand beside what is asked, without those that are said of
 * whoever asks. `ofNeeds` are those that needs ask.
 */
export function weighedByPlace(
  query: PlacingWords,
  wants: readonly PlacedWant[],
  ofNeeds: ReadonlySet<PlacedWant>,
): PlacedWant[] {
  const { words, headEnd, spans, isInherent, compared } = query;
  const { isBecause, all: ofAskers, strongest } = askersWants(query, wants, ofNeeds);
  // What those have who ask, and what else is said of them, is not asked of the product.
  const isAsked = (one: PlacedWant): boolean =>
    !isBecause(one) || (one === strongest && !spans.some(overlaps(one)));
  // What goes on from a need that goes without saying is asked: "a camcorder that records on tape".
  const needsBehind = [...ofNeeds].filter(({ start, end, power }) =>
    start >= headEnd && power > ANYBODY_POWER && !words.slice(start, end).every(isInherent)
  );
  const isAside = (one: PlacedWant): boolean =>
    compared.some(overlaps(one)) || measuresAnother(words, one, wants) ||
    isOfChoice(words, one, headEnd) || (ofAskers.includes(one) && one !== strongest) ||
    endsInherentNeed(query, one, ofNeeds) ||
    (!ofNeeds.has(one) && one.start >= headEnd && isBeside(words, one, needsBehind));
  return wants.filter(isAsked).map((one) =>
    isAside(one) ? { ...one, power: Math.min(one.power, BESIDE_POWER) } : one
  );
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
