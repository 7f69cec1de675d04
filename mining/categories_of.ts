/** The category that a kind of product belongs to. */
import type { CategoryPrior } from "./types.ts";
import { lexicon } from "./lexicon/lexicon.ts";
import { phraseWords } from "./lexicon/tokens.ts";

/**
 * The category of the product that the kind's name ends in, as the lexicon knows it ("road bike": "bike"), or
 * else of any that it names; the one that the community leans to for a kind that nothing is known of.
 */
export function categoryOf(kind: string, prior: CategoryPrior): string {
  const { kinds, terms } = lexicon();
  const own = kinds.get(kind);
  if (own !== undefined) return own.category;
  const words = phraseWords(kind);
  const found = terms.all(words, words.map(() => false)).flatMap(({ value, end }) => {
    if (value.type === "kind") return [{ category: value.kind.category, end }];
    const [sense] = value.type === "senses" ? value.senses : [];
    return sense?.kind == null ? [] : [{ category: sense.kind.category, end }];
  }).sort((a, b) => b.end - a.end);
  return found[0]?.category ??
    Object.entries(prior).reduce((best, next) => next[1] > best[1] ? next : best)[0];
}
