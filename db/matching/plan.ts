/** What is looked for in the index of signals: the product that is asked for, and what is asked of it. */

/**
 * A lexeme of signal_index.words: a stem, a kind as `k/…`, a word of the product's name as `p/…`, the noun
 * that the product's name or kind ends with as `e/…`, a category as `c/…`, a community as `r/…`, the most that would be
 * spent as `s/…`, or a stem that the post rules out and says nowhere else as `x/…`.
 */
export type Term = string;

/** The term of a kind of product. */
export const kindTerm = (kind: string): Term => `k/${kind}`;
/** The term of a word of a product's name, and of the noun that it ends with; by its stem. */
export const productTerm = (stem: string): Term => `p/${stem}`;
export const endTerm = (stem: string): Term => `e/${stem}`;

/** The term of a community, by its name. */
export const communityTerm = (name: string): Term => `r/${name.toLowerCase()}`;

/** Whether a term is that of a community. */
export const isCommunityTerm = (term: Term): boolean => term.startsWith("r/");

/** The term of the sums within an eighth of an octave. */
export const sumTerm = (eighth: number): Term => `s/${eighth}`;
/**
 * Which eighth of an octave a sum is in, counted from 1, as `product_terms` in the database has it. What is added keeps
 * powers of two on their side.
 */
export const sumEighth = (sum: number): number =>
  Math.floor(8 * Math.log(Math.max(1, sum)) / Math.log(2) + 1e-9);

/** Begins the term of a stem that is ruled out. */
export const RULED_OUT = "x/";

/** Terms that stand together. */
export type Group = readonly Term[];

/**
 * Where words are looked for: in what the reading says (`stated`: product and facts), in that, the quote and the
 * title (`summary`), or in the body as well (`text`).
 */
export type Place = "stated" | "summary" | "text";

/** How well something is met, best first: by all terms of one of these groups, in this place. */
export interface PlanLevel {
  readonly groups: readonly Group[];
  readonly place: Place;
  /** 0-1. */
  readonly quality: number;
  /** Whether the terms of a group stand one after the other; in no body, whose words have no places. */
  readonly adjacent?: boolean;
  /** Terms of which none may be there. */
  readonly unless?: readonly Term[];
}

/** One thing that is asked of the product. */
export interface WantPlan {
  /** The share of all that is asked; shares add up to 1. */
  readonly share: number;
  /** How much it takes from a signal not to state it: 0 nothing, 1 nearly all. */
  readonly power: number;
  readonly levels: readonly PlanLevel[];
}

/** From this quality on a signal states a want, and is about the product. */
export const STATED_FROM = 0.6;
export const ABOUT_FROM = 0.5;

/** What is left where a want of power 1 is not stated: readings miss things. */
export const UNSTATED = 0.1;

export interface QueryPlan {
  /** How a signal may be about the product; none where the query asks for none. */
  readonly head: readonly PlanLevel[];
  /** At most `MOST_WANTS`. */
  readonly wants: readonly WantPlan[];
  /** A category slug that every match belongs to, or null. */
  readonly category: string | null;
}

export const MOST_WANTS = 6;

/** In how many signals a term stands. */
export type Frequency = (term: Term) => number;

/** Whether a signal with one term has the other: the noun of a name stands in the name, and that in the words. */
export const implies = (term: Term, other: Term): boolean =>
  term === other ||
  (/^[ep]\//.test(term) && (other === term.slice(2) || other === `p/${term.slice(2)}`));

/**
 * Of each group the term that the fewest signals have beside those chosen before: whatever meets one of the levels
 * has one of them, and few lists are gone through. Of "gear" and "flashlight" that is "flashlight" where the names that
 * end with it are looked for anyway.
 */
export function keys(levels: readonly PlanLevel[], frequency: Frequency): Term[] {
  const chosen = new Set<Term>();
  const more = (term: Term): number =>
    frequency(term) -
    Math.max(0, ...[...chosen].filter((one) => implies(one, term)).map(frequency));
  const groups = levels.flatMap(({ groups }) => groups).toSorted((a, b) => a.length - b.length);
  for (const group of groups) {
    // A community has no slices, and says nothing of a product by itself.
    const [fewest] = group.filter((term) => !isCommunityTerm(term))
      .toSorted((a, b) => more(a) - more(b));
    if (fewest !== undefined && !group.some((term) => chosen.has(term))) chosen.add(fewest);
  }
  return [...chosen];
}
