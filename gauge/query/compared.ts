/** Names in a query to which the product is only compared: "better than the Leatherman Wave". */
import { singular } from "../../mining/lexicon/grammar.ts";
import { isKnownWord } from "../words/common.ts";
import { isProperName, kindCalled } from "../words/same.ts";
import { ARTICLES, isMark, type MarkWords, numbersName, wordSet } from "../words/word_classes.ts";
import type { QueryWord, Range } from "./parts.ts";
import { partedFrom } from "./placed.ts";

/** Words before a name to which what is asked for is compared; those with others only behind one of them. */
const COMPARING: MarkWords = new Map([
  ["than", null],
  ["like", null],
  ["as", wordSet("such")],
  ["to", wordSet("alternative alternatives similar comparable equivalent")],
  ["for", wordSet("substitute substitutes")],
]);

/** Words from the first that compares to the name, at most: "comparable to the". */
const MAX_BEFORE_NAME = 3;

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
export function comparedIn(words: readonly QueryWord[]): readonly Range[] {
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

/** Whether the word at `at` only compares what is asked for to a name that stands soon behind it. */
export const compares = (
  words: readonly QueryWord[],
  compared: readonly Range[],
  at: number,
): boolean =>
  [at, at + 1].some((i) => isMark(COMPARING, words[i]?.word, words[i - 1]?.word)) &&
  compared.some(({ start }) => start > at && start - at <= MAX_BEFORE_NAME);
