/** What a query says besides, by which nothing is looked for: the answer names it, so that nobody takes it as counted. */
import { SLIGHT_WEIGHT, wordWeight } from "../words/common.ts";
import {
  ARTICLES,
  countsOnes,
  isAmount,
  isContentWord,
  NEGATING,
  onlyAsks,
  PREPOSITIONS,
} from "../words/word_classes.ts";
import { includesAt, overlaps, type QueryWord, type Range, stemsOf } from "./parts.ts";
import type { NeedSpan, PlacedWant } from "./want_levels.ts";

/** What was read of a query's words. */
interface ReadWords {
  readonly words: readonly QueryWord[];
  /** Words that ask nothing more: the product's name, and what repeats it. */
  readonly used: ReadonlySet<number>;
  readonly needs: readonly NeedSpan[];
  /** The products that it names, and of these those that are asked for. */
  readonly named: readonly Range[];
  readonly products: readonly Range[];
  /** Where products stand that are refused: "a tent, not a hammock". */
  readonly refused: readonly Range[];
  readonly placed: readonly PlacedWant[];
  /** Where the product's name begins, and where it ends. */
  readonly nameFrom: number;
  readonly last: number;
}

/** Whether a word is a part of what is looked for, or is said of whoever asks and not of the product. */
function takenIn(
  { words, used, needs, products, refused, placed, nameFrom, last }: ReadWords,
): (at: number) => boolean {
  const because = words.findIndex(({ word }) => word === "because");
  const said = stemsOf(words.filter((_, i) => used.has(i) || placed.some(includesAt(i))));
  const met = needs.filter((need) => need.price || placed.some(overlaps(need)));
  const isRepeated = (at: number): boolean =>
    needs.some((need) => includesAt(at)(need) && met.some(({ id }) => id === need.id));
  return (at) => {
    const word = words[at];
    if (word === undefined || at < nameFrom || (because >= 0 && at > because)) return true;
    if (refused.some(includesAt(at))) return false;
    return at === last || [...products, ...placed].some(includesAt(at)) ||
      word.stems.every((stem) => said.includes(stem)) || isRepeated(at);
  };
}

/**
 * What is said in words that are not taken: those that stand together are one name, with what denies it. A slight word says
 * something of the noun behind it alone: "a fine nib".
 */
function unusedNames(words: readonly QueryWord[], isTaken: (at: number) => boolean): string[] {
  const wordAt = (at: number): string => words[at]?.word ?? "";
  const hasStems = (at: number): boolean => (words[at]?.stems.length ?? 0) > 0;
  const isTelling = (at: number): boolean =>
    wordWeight(wordAt(at)) > SLIGHT_WEIGHT ||
    ((at === 0 || ARTICLES.has(wordAt(at - 1))) && hasStems(at + 1));
  const isLeft = (at: number): boolean =>
    hasStems(at) && !isTaken(at) && isContentWord(wordAt(at)) && isTelling(at) &&
    !countsOnes(wordAt(at), wordAt(at + 1));
  // "Model M": what a letter stands for.
  const isLettered = (at: number): boolean =>
    wordAt(at + 1).length === 1 && isLeft(at + 1) && !isTaken(at) && onlyAsks(wordAt(at));
  const denialOf = (at: number): string[] => {
    const from = words.slice(0, at)
      .findLastIndex(({ word }) => !ARTICLES.has(word) && !PREPOSITIONS.has(word));
    return NEGATING.has(wordAt(from)) ? words.slice(from, at).map(({ word }) => word) : [];
  };
  const names: string[][] = [];
  for (let at = 0; at < words.length; at++) {
    if (!isLeft(at) && !isLettered(at)) continue;
    if (isLeft(at - 1) || isLettered(at - 1)) names.at(-1)?.push(wordAt(at));
    else names.push([...denialOf(at), wordAt(at)]);
  }
  return names.map((name) => name.join(" "));
}

/** The names of what is said besides, and numbers that belong to nothing: of "tent 4" it may be people, or hundreds of dollars. */
export function unusedIn(read: ReadWords): string[] {
  const { words, used, named, placed } = read;
  const numbers = words.flatMap(({ word }, i) =>
    isAmount(word) && !used.has(i) && ![...named, ...placed].some(includesAt(i)) ? [word] : []
  );
  return [...unusedNames(words, takenIn(read)), ...numbers];
}
