/** Slips of the keyboard in the names of products: "keybord" is read as "keyboard". */
import { once } from "../../core/once.ts";
import { editDistance, editsAllowed } from "../../core/edit_distance.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { commonWords, isKnownWord } from "./common.ts";

/** The words of all product names that anybody understands. */
const vocabulary = once((): ReadonlySet<string> =>
  new Set(
    [...lexicon().shown, ...lexicon().kinds.keys()].flatMap((phrase) => phrase.split(/[ -]/)),
  )
);

/** Whether the word stands in the name of a product that anybody understands. */
export const isProductWord = (word: string): boolean => vocabulary().has(word);

const letters = (word: string): string => [...word].sort().join("");

/** The words that fewest slips part from this one; those with the same letters swapped before all others. */
function nearest(word: string, among: Iterable<string>, allowed: number): readonly string[] {
  let least = allowed;
  let found: string[] = [];
  for (const other of among) {
    if (other[0] !== word[0]) continue;
    const apart = editDistance(word, other, least);
    if (apart > least) continue;
    found = apart < least ? [other] : [...found, other];
    least = apart;
  }
  const swapped = found.filter((other) => letters(other) === letters(word));
  return swapped.length > 0 ? swapped : found;
}

/**
 * The word as it was meant: where it is neither an ordinary word, nor one of a product's name, nor a brand,
 * the one word of product names that fewest slips part it from, or else the most common ordinary word that
 * one slip does. First letters agree; a tie between names decides nothing.
 */
export function meantWord(word: string): string {
  const allowed = editsAllowed(word);
  if (allowed === 0 || isKnownWord(word) || vocabulary().has(word)) return word;
  if (lexicon().terms.get([word]) !== undefined) return word;
  const [name, ...others] = nearest(word, vocabulary(), allowed);
  const [common] = nearest(word, commonWords(), 1);
  if (common !== undefined && letters(common) === letters(word)) return common;
  return name === undefined ? common ?? word : others.length === 0 ? name : word;
}
