/** What one post states of the product that it wants, with the words that state it. */

/** The eleven types of facts, as the reading guidelines define them (docs/extraction.md). */
export const FACT_TYPES = [
  "use",
  "user",
  "attribute",
  "spec",
  "price",
  "compat",
  "place",
  "problem",
  "rejected",
  "owned",
  "considered",
] as const;

/** One of FACT_TYPES. */
export type FactType = (typeof FACT_TYPES)[number];

/**
 * The types whose canonical value, together with the kind of product, is a want. A query's words mean a value of the
 * first type here that has it.
 */
export const WANT_TYPES = [
  "use",
  "user",
  "attribute",
  "spec",
  "compat",
  "problem",
] as const satisfies readonly FactType[];

/** One of WANT_TYPES. */
export type WantType = (typeof WANT_TYPES)[number];

/** Whether a type of facts is one of WANT_TYPES. */
export const isWantType = (type: string): type is WantType =>
  WANT_TYPES.some((known) => known === type);

/** One thing that the post states of the wanted product. */
export interface Fact {
  readonly type: FactType;
  /** Where it stands in `title + "\n" + body`, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Verbatim: the text from `start` to `end`. */
  readonly span: string;
  /** Canonical: lower case, one to five words; two posts that say the same have the same value. */
  readonly value: string;
  /** How likely the fact is stated, and of this type, 0-1. */
  readonly certainty: number;
}

/**
 * What one post states of the product that it wants: the product and the facts, each where it
 * stands and how surely.
 */
export interface Extraction {
  /** How likely the post shows demand for a physical product at all, 0-1. */
  readonly certainty: number;
  /** What is wanted, as the post calls it: a short noun phrase, singular, lower case, without brand. */
  readonly product: string;
  /** The kind of product: the shelf it stands on, in its most ordinary words. */
  readonly kind: string;
  /** How likely `kind` is right, 0-1. */
  readonly kindCertainty: number;
  /** Where the product is named in `title + "\n" + body`; null where it is named nowhere. */
  readonly productSpan: { readonly start: number; readonly end: number } | null;
  /** In the order of the text, none twice, at most 14. */
  readonly facts: readonly Fact[];
}
