/** How much a word of a query says: little where everybody uses it. */
import statedText from "./stated.txt" with { type: "text" };
import tiersText from "./common.txt" with { type: "text" };
import { singular } from "../../mining/lexicon/grammar.ts";
import { listLines } from "../../mining/lexicon/word_lists.ts";

/**
 * Weights of the tiers of common.txt. They are fixed and not counted in the corpus, so that a new post
 * never changes how relevant another one is.
 */
const TIER_WEIGHTS = [0.1, 0.25, 0.5, 0.7, 0.85, 1];
/** A word that ordinary posts do not use: a brand, a typing error, or nonsense. */
const UNKNOWN_WEIGHT = 1.2;

const WEIGHTS: ReadonlyMap<string, number> = new Map(
  listLines(tiersText).flatMap(
    (line, tier) => line.split(" ").map((word) => [word, TIER_WEIGHTS[tier] ?? 1] as const),
  ),
);

/** 0.1 for the most common words, 1 for the rare, 1.2 for the unknown; a plural says no more than its singular. */
export function wordWeight(word: string): number {
  const weigh = (form: string): number => WEIGHTS.get(form) ?? UNKNOWN_WEIGHT;
  return Math.min(weigh(word), weigh(singular(word)));
}

/** Words of at most this weight stand in sentences and in no list of what a product is like. */
export const EMPTY_WEIGHT = 0.1;
/** Words of at most this weight are nothing by themselves, and add nothing to weightier ones. */
export const SLIGHT_WEIGHT = 0.3;

const UNCOMMON_WEIGHT = 0.5;

/** Whether a word says something, and is not one that everybody uses. */
export const isUncommon = (word: string): boolean => wordWeight(word) >= UNCOMMON_WEIGHT;

/** All ordinary words, the most common first. */
export const commonWords = (): Iterable<string> => WEIGHTS.keys();

/** Whether the word is spelled as people spell it. */
export function isKnownWord(word: string): boolean {
  return WEIGHTS.has(word);
}

const STATED: ReadonlyMap<string, number> = new Map(
  listLines(statedText).flatMap(
    (line, tenths) =>
      line.split(" ").filter((stem) => stem !== "").map((stem) => [stem, tenths / 10] as const),
  ),
);

/** The share of the texts with this stem that state a fact or a product with it, 0-1; 1 where it is rare. */
export const statedShare = (stem: string): number => STATED.get(stem) ?? 1;
