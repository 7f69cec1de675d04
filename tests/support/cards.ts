/** Cards and catalogues that no corpus is needed for. */
import { CATEGORIES, CATEGORY_SLUGS } from "../../mining/categories.ts";
import type { Card, Catalogue } from "../../mining/cards/types.ts";
import type { CardFacts } from "../../mining/opportunities/facts.ts";

export const BUILT_AT = "2026-11-20T10:00:00.000Z";

/** What is counted behind each card; names and values as hostile as posts can make them. */
const FACTS: CardFacts = {
  product: "headphones",
  want: { type: "problem", value: "cable frays" },
  narrowedBy: null,
  authors: 11,
  askingForProduct: 40,
  budgets: [{
    currency: "usd",
    authors: 6,
    low: 50,
    median: 80,
    high: 150,
    ceilings: 4,
    marketMedian: 120,
  }],
  wouldPayMore: 2,
  cheap: 0,
  alsoWanted: [{ type: "use", value: "running", authors: 4, lift: 1.8 }],
  failures: [{ problem: "dies within <months>", product: "acme & sons", authors: 3 }],
  unmet: { authors: 9, marketShare: 0.4 },
  users: [{ value: "runner", authors: 2 }],
  brands: {
    rejected: [{ name: "acme & sons", authors: 3 }],
    owned: [],
    considered: [{ name: "<b>other</b>", authors: 2 }],
  },
  places: [],
  covers: [],
};

/** The `index`th card: scores fall with it, categories take turns over the first three. */
export function card(index: number, changes: Partial<Card> = {}): Card {
  const letters = "234567abcdefghijklmnopqrstuvwxyz";
  const tail = letters[index % 32] ?? "a";
  return {
    id: `opp_${"a".repeat(14)}${letters[Math.floor(index / 32)] ?? "a"}${tail}`,
    slug: `want-${index}`,
    title: `Headphones whose cable does not fray, number ${index}`,
    category: CATEGORY_SLUGS[index % 3] ?? "audio",
    score: Math.round((90 - index / 2) * 10) / 10,
    freqScore: 70,
    intensityScore: 60,
    wtpScore: 50,
    productAngle: "A braided cable that detaches",
    summary: `People replace their headphones because the cable frays (${index}).`,
    signalCount: 12,
    distinctAuthors: 11,
    authorsKnown: true,
    firstSeen: "2026-09-01T08:00:00.000Z",
    lastSeen: "2026-11-19T08:00:00.000Z",
    evidence: [{
      quote: `My third pair died at the cable, <b>again</b> & again (${index}).`,
      permalink: `https://example.com/r/headphones/comments/p${index}/`,
      upvotes: 120,
      subreddit: "headphones",
      postedAt: "2026-11-18T08:00:00.000Z",
    }],
    evidenceIds: [`p${index}`],
    facts: FACTS,
    scoring: {
      version: "1",
      components: { frequency: 0.7, intensity: 0.6, wtp: 0.5 },
      weights: { frequency: 0.5, intensity: 0.25, wtp: 0.25 },
      patterns: { repeat_failure: 9, frustration: 3 },
    },
    signals7d: 4,
    signals28d: 8,
    lastUpdated: "2026-11-19T09:00:00.000Z",
    ...changes,
  };
}

/** A catalogue over these cards, best first. */
export function catalogueOf(cards: readonly Card[], changes: Partial<Catalogue> = {}): Catalogue {
  const sorted = [...cards].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const first = sorted[0];
  return {
    revision: 1,
    builtAt: BUILT_AT,
    asOf: BUILT_AT,
    lastMinedAt: BUILT_AT,
    signalCount: sorted.reduce((sum, { signalCount }) => sum + signalCount, 0),
    dataFrom: first?.firstSeen ?? null,
    dataTo: first?.lastSeen ?? null,
    warming: sorted.length === 0,
    demonstration: false,
    categories: CATEGORY_SLUGS.map((slug) => {
      const own = sorted.filter(({ category }) => category === slug);
      return {
        slug,
        title: CATEGORIES[slug],
        opportunityCount: own.length,
        topScore: own[0]?.score ?? 0,
        lastUpdated: BUILT_AT,
        newestPost: own[0]?.lastSeen ?? null,
      };
    }),
    cards: sorted,
    inCategory: (slug) => sorted.filter(({ category }) => category === slug),
    byId: (id) => sorted.find((other) => other.id === id),
    bySlug: (slug) => sorted.find((other) => other.slug === slug),
    sample: first === undefined ? null : { card: first, cardAsOf: BUILT_AT },
    ...changes,
  };
}

/** Sixty cards over three categories. */
export const sixtyCards = (): Catalogue =>
  catalogueOf(Array.from({ length: 60 }, (_, index) => card(index)));
