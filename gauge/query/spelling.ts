/** Slips of the keyboard in the names of products: "keybord" is read as "keyboard". */
import { once } from "../../core/once.ts";
import { slips, slipsAllowed } from "../../core/slips.ts";
import { lexicon } from "../../mining/want/lexicon.ts";
import { commonWords, isKnownWord } from "./common.ts";

/** The words of all product names that anybody understands. */
const vocabulary = once((): ReadonlySet<string> =>
  new Set(
    [...lexicon().shown, ...lexicon().kinds.keys()].flatMap((phrase) => phrase.split(/[ -]/)),
  )
);

/** Whether the word stands in the name of a product that anybody understands. */
export const isProductWord = (word: string): boolean => vocabulary().has(word);

/**
 * The word as it was meant: where it is neither an ordinary word, nor one of a product's name, nor a brand,
 * the one word of product names that fewest slips part it from. First letters agree; a tie decides nothing.
 */
export function meantWord(word: string): string {
  const allowed = slipsAllowed(word);
  if (allowed === 0 || isKnownWord(word) || vocabulary().has(word)) return word;
  if (lexicon().terms.get([word]) !== undefined) return word;
  let least = allowed;
  let found: string[] = [];
  for (const other of vocabulary()) {
    if (other[0] !== word[0]) continue;
    const apart = slips(word, other, least);
    if (apart > least) continue;
    found = apart < least ? [other] : [...found, other];
    least = apart;
  }
  if (found.length === 0) {
    found = [...commonWords()].filter((other) => other[0] === word[0] && slips(word, other, 1) <= 1)
      .slice(0, 1);
  }
  const [only = word, ...others] = found;
  return others.length === 0 ? only : word;
}
