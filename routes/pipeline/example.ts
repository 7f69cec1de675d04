/** A small catalogue of invented posts: what examples show while there is no real card to show. */
import { ServiceError } from "../../core/errors.ts";
import type { Card, Catalogue } from "../../mining/cards/types.ts";
import { CATEGORIES } from "../../mining/categories.ts";
import { SCORE_VERSION, WEIGHTS } from "../../mining/cards/score.ts";

const AS_OF = "2026-11-20T10:00:00.000Z";

const EXAMPLE_CARD: Card = {
  id: "opp_b7k2m4qzx3fwa6te",
  slug: "earphones-durability",
  title: "Earphones whose cable does not fray",
  category: "audio",
  score: 71.4,
  freqScore: 78,
  intensityScore: 69,
  wtpScore: 62,
  productAngle: "Earphones with a cable that detaches and costs little to replace.",
  summary: "People throw good earphones away because the cable breaks at the plug.",
  signalCount: 21,
  distinctAuthors: 21,
  authorsKnown: true,
  firstSeen: "2026-08-02T07:15:00.000Z",
  lastSeen: "2026-11-19T21:40:00.000Z",
  evidence: [{
    quote: "Third pair this year and the cable died at the plug again.",
    permalink: "https://example.com/r/earphones/comments/a1/",
    upvotes: 214,
    subreddit: "earphones",
    postedAt: "2026-11-19T21:40:00.000Z",
  }],
  evidenceIds: ["a1"],
  facts: {
    product: "earphones",
    want: { type: "problem", value: "cable breaks" },
    narrowedBy: null,
    authors: 21,
    askingForProduct: 64,
    budgets: [{
      currency: "usd",
      authors: 9,
      low: 30,
      median: 50,
      high: 80,
      ceilings: 4,
      marketMedian: 40,
    }],
    wouldPayMore: 3,
    cheap: 2,
    alsoWanted: [{ type: "attribute", value: "lasts years", authors: 8, lift: 2.1 }],
    failures: [{ problem: "frays at the plug", product: "lumeo b20", authors: 5 }],
    unmet: { authors: 18, marketShare: 0.41 },
    users: [{ value: "commuter", authors: 4 }],
    brands: { rejected: [], owned: [{ name: "lumeo b20", authors: 5 }], considered: [] },
    places: [],
    covers: [],
  },
  scoring: {
    version: SCORE_VERSION,
    components: { frequency: 0.78, intensity: 0.69, wtp: 0.62 },
    weights: WEIGHTS,
    patterns: { repeat_failure: 13, unmet_need: 8 },
  },
  signals7d: 6,
  signals28d: 11,
  lastUpdated: AS_OF,
};

/** One card in one category. */
export const EXAMPLE_CATALOGUE: Catalogue = {
  revision: 0,
  builtAt: AS_OF,
  asOf: AS_OF,
  lastMinedAt: AS_OF,
  signalCount: EXAMPLE_CARD.signalCount,
  dataFrom: EXAMPLE_CARD.firstSeen,
  dataTo: EXAMPLE_CARD.lastSeen,
  warming: false,
  demonstration: false,
  categories: [{
    slug: EXAMPLE_CARD.category,
    title: CATEGORIES.audio,
    opportunityCount: 1,
    topScore: EXAMPLE_CARD.score,
    lastUpdated: AS_OF,
    newestPost: EXAMPLE_CARD.lastSeen,
  }],
  cards: [EXAMPLE_CARD],
  inCategory: (slug) => slug === EXAMPLE_CARD.category ? [EXAMPLE_CARD] : [],
  byId: (id) => id === EXAMPLE_CARD.id ? EXAMPLE_CARD : undefined,
  bySlug: (slug) => slug === EXAMPLE_CARD.slug ? EXAMPLE_CARD : undefined,
  sample: { card: EXAMPLE_CARD, cardAsOf: AS_OF },
};

/** An example from this catalogue if it has one to give, else the invented one. */
export function exampleFrom<T>(make: (catalogue: Catalogue) => T, catalogue: Catalogue): T {
  if (catalogue.cards.length === 0) return make(EXAMPLE_CATALOGUE);
  try {
    return make(catalogue);
  } catch (error) {
    if (error instanceof ServiceError) return make(EXAMPLE_CATALOGUE);
    throw error;
  }
}

/**
 * The same value with its lists cut to `most` items each, enough to see their shape, and its texts to
 * `characters`.
 */
export function shortened(value: unknown, most: number, characters = Infinity): unknown {
  if (typeof value === "string" && value.length > characters) {
    // Not an ellipsis: buyers echo challenges, and some encode them by btoa, which takes Latin-1 alone.
    return `${value.slice(0, characters - 3).trimEnd()}...`;
  }
  if (Array.isArray(value)) {
    return value.slice(0, most).map((item) => shortened(item, most, characters));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => [key, shortened(own, most, characters)]),
  );
}
