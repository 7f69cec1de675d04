/** The category that a kind of product belongs to. */
import type { CategoryPrior } from "./types.ts";
import { lexicon } from "./want/lexicon.ts";
import { plural, singular } from "./want/grammar.ts";
import { namedIn } from "./want/mod.ts";

/**
 * The category of the kind, or of the longest end of its name that the lexicon knows ("road bike": "bike");
 * the one that the community leans to for a kind that nothing is known of.
 */
export function categoryOf(kind: string, prior: CategoryPrior): string {
  const { kinds } = lexicon();
  const words = kind.split(" ");
  for (let from = 0; from < words.length; from++) {
    const name = words.slice(from).join(" ");
    const known = kinds.get(name) ?? kinds.get(plural(name)) ?? kinds.get(singular(name));
    if (known !== undefined) return known.category;
  }
  for (const name of namedIn(kind).kinds) {
    const known = kinds.get(name);
    if (known !== undefined) return known.category;
  }
  return Object.entries(prior).reduce((best, next) => next[1] > best[1] ? next : best)[0];
}
