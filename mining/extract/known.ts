/** Which known kinds and values a question about posts shows, so that one thing keeps one name. */
import type { KnownValues } from "./question.ts";
import type { FactType } from "./types.ts";

/** The types whose known values are shown: those that are wants, and nothing that names a product. */
export const KNOWN_TYPES: readonly FactType[] = [
  "use",
  "user",
  "attribute",
  "spec",
  "compat",
  "problem",
];

/** So many kinds are shown. */
export const KNOWN_KINDS = 150;
/** What one author alone calls so is no known name yet. */
export const KNOWN_FROM = 2;
/** Of each type: values of all kinds together, and of the kinds of one question by turns. */
export const COMMON_VALUES = 15;
const VALUES_OF_ALL = 60;
const LEAST_VALUES = 8;
const MOST_VALUES = 30;

/** Values a type for each of so many kinds. */
export function valuesPerKind(kinds: number): number {
  return Math.max(LEAST_VALUES, Math.min(MOST_VALUES, Math.floor(VALUES_OF_ALL / kinds)));
}

/** What is stated how often, the most common first within each kind and type. */
export interface StatedValue {
  readonly kind: string;
  readonly type: string;
  readonly value: string;
  readonly authors: number;
}

/** The name under which the values of all kinds stand. */
export const ANY_KIND = "any product";

/** What a question about posts of these kinds shows of what is known. */
export function knownValues(
  kinds: readonly string[],
  asked: ReadonlySet<string>,
  stated: readonly StatedValue[],
): KnownValues {
  const limit = valuesPerKind(asked.size);
  const values = new Map<string, Map<string, string[]>>();
  const shown = [...asked].sort();
  for (const kind of [ANY_KIND, ...shown]) {
    values.set(kind, new Map(KNOWN_TYPES.map((type) => [type, []])));
  }
  for (const { kind, type, value, authors } of stated) {
    const names = values.get(kind)?.get(type);
    if (names === undefined || authors < KNOWN_FROM) continue;
    if (names.length < (kind === ANY_KIND ? COMMON_VALUES : limit)) names.push(value);
  }
  return { kinds: kinds.slice(0, KNOWN_KINDS), values };
}
