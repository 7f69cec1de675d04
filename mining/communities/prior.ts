/** What a community leans to: shares of the categories, from the weights of the registry. */
import { OperatorError } from "../../core/errors.ts";
import type { CategoryPrior } from "../types.ts";

/**
 * The share of every prior that is spread evenly over all categories, so that no category is ever
 * impossible for a community: the product decides, the community only leans.
 */
const UNIFORM_SHARE = 0.1;

/** The prior that knows nothing: the same share for each slug. */
export function evenPrior(slugs: readonly string[]): CategoryPrior {
  return Object.fromEntries(slugs.map((slug) => [slug, 1 / slugs.length]));
}

/** Positive weights to shares that sum to 1, mixed with the uniform share; every slug gets one. */
export function mixedPrior(
  slugs: readonly string[],
  weights: ReadonlyMap<string, number>,
): CategoryPrior {
  let total = 0;
  for (const weight of weights.values()) total += weight;
  const floor = UNIFORM_SHARE / slugs.length;
  return Object.fromEntries(
    slugs.map((slug) => [slug, floor + (1 - UNIFORM_SHARE) * (weights.get(slug) ?? 0) / total]),
  );
}

/**
 * Reads `slug=weight` fields.
 * @param fail makes the error for a rule that is broken, so that it can name the line.
 */
export function parseWeights(
  fields: readonly string[],
  isCategory: (slug: string) => boolean,
  fail: (rule: string) => OperatorError,
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of fields) {
    const [slug = "", value, ...rest] = field.split("=");
    if (value === undefined || rest.length > 0) {
      throw fail(`expected slug=weight, found ${shown(field)}`);
    }
    if (!isCategory(slug)) throw fail(`unknown category ${shown(slug)}`);
    if (weights.has(slug)) throw fail(`category ${shown(slug)} is given twice`);
    if (!/^\d{1,6}(\.\d{1,6})?$/.test(value) || Number(value) <= 0) {
      throw fail(`the weight of ${slug} must be a number above 0, found ${shown(value)}`);
    }
    weights.set(slug, Number(value));
  }
  if (weights.size === 0) throw fail("a community needs at least one slug=weight");
  return weights;
}

/** A piece of somebody's file as an error may show it: quoted, without control characters, short. */
export function shown(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, "?");
  return `"${plain.length > 20 ? `${plain.slice(0, 20)}...` : plain}"`;
}
