/** The words of the domain (docs/architecture.md, "Words"), as types. Everything in mining/ speaks them. */

/** The eight demand patterns, most specific first: where two fit, the earlier one wins. */
export const PATTERNS = [
  "repeat_failure",
  "workaround",
  "unmet_need",
  "replacement_hunt",
  "alternative_seeking",
  "willingness_to_pay",
  "recommendation_request",
  "frustration",
] as const;

export type Pattern = (typeof PATTERNS)[number];

/** 0 none, 1 mild, 2 clear, 3 strong (for money: 1 will buy, 2 names a sum, 3 would pay more). */
export type Level = 0 | 1 | 2 | 3;

/** A submission as a source hands it over. `author` is the raw name, or null: `pseudonymous` takes it off. */
export interface Post {
  readonly id: string;
  readonly community: string;
  readonly title: string;
  readonly body: string;
  readonly author: string | null;
  readonly createdAt: Date;
  readonly upvotes: number;
  readonly comments: number;
  /** Absolute address of the public post. */
  readonly permalink: string;
}

/** A submission as it is read and stored. */
export interface PseudonymousPost extends Omit<Post, "author"> {
  /** 32 hex digits, a keyed hash of the author's name; null where the source names none. */
  readonly authorHash: string | null;
}

/** What a classifier may look at: never the author, the votes or the time. */
export interface PostText {
  readonly title: string;
  readonly body: string;
  readonly community: string;
}

/** How a post shows demand, without saying for what. */
export interface DemandShown {
  readonly pattern: Pattern;
  /** A second pattern, only where it is as plain as the first. */
  readonly also: Pattern | null;
  readonly intensity: Level;
  readonly wtp: Level;
  /** The sentence that shows the demand: a substring of the title or of the body. */
  readonly quote: string;
}

/** The demand that a post shows, with how likely it is. */
export interface Demand extends DemandShown {
  /** Calibrated probability, 0-1, that the post is a demand post of this pattern. */
  readonly confidence: number;
  /** How likely, 0-1, the post shows demand of any pattern. */
  readonly likelihood: number;
  /** How likely, 0-1, it is about nothing that is made and bought. */
  readonly unphysical: number;
}

/** A share per category slug; non-negative, summing to 1. */
export type CategoryPrior = Readonly<Record<string, number>>;
