/**
 * Cards, words and reviews as the database holds them: JSON that another version of this program may have written. They are
 * parsed once, where they are read. Fields that this version does not know are kept.
 */
import { z } from "zod";
import { WANT_TYPES } from "../extract/types.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import { PATTERNS } from "../types.ts";
import type { CardReview } from "./review.ts";
import type { Card } from "./types.ts";
import type { CardWords } from "./model_words.ts";

const text = z.string();
const count = z.number();
const counted = z.array(z.looseObject({ value: text, authors: count }));
const brands = z.array(z.looseObject({ name: text, authors: count }));
const parts = z.looseObject({ frequency: count, intensity: count, wtp: count });

const stated = z.looseObject({ type: z.enum(WANT_TYPES), value: text });

const facts: z.ZodType<CardFacts> = z.looseObject({
  product: text,
  want: stated,
  // Earlier versions had no pairs.
  narrowedBy: stated.nullable().default(null),
  authors: count,
  askingForProduct: count,
  budgets: z.array(z.looseObject({
    currency: text,
    authors: count,
    low: count,
    median: count,
    high: count,
    ceilings: count,
    marketMedian: count.nullable(),
  })),
  wouldPayMore: count,
  cheap: count,
  alsoWanted: z.array(
    z.looseObject({ type: z.enum(WANT_TYPES), value: text, authors: count, lift: count }),
  ),
  failures: z.array(z.looseObject({ problem: text, product: text.nullable(), authors: count })),
  unmet: z.looseObject({ authors: count, marketShare: count }),
  users: counted,
  brands: z.looseObject({ rejected: brands, owned: brands, considered: brands }),
  places: counted,
  covers: counted,
});

const evidence = z.array(z.looseObject({
  quote: text,
  permalink: text,
  upvotes: count,
  subreddit: text,
  postedAt: text.exactOptional(),
}));

const makers = z.looseObject({ makers: count, newest: text, evidence, postIds: z.array(text) });

const card: z.ZodType<Card> = z.looseObject({
  id: text,
  slug: text,
  title: text,
  category: text,
  score: count,
  freqScore: count,
  intensityScore: count,
  wtpScore: count,
  productAngle: text,
  summary: text,
  signalCount: count,
  distinctAuthors: count,
  authorsKnown: z.boolean(),
  firstSeen: text,
  lastSeen: text,
  evidence,
  evidenceIds: z.array(text),
  facts: facts.exactOptional(),
  makers: makers.nullable().exactOptional(),
  scoring: z.looseObject({
    version: text,
    components: parts,
    weights: parts,
    patterns: z.partialRecord(z.enum(PATTERNS), count),
  }),
  signals7d: count,
  signals28d: count,
  lastUpdated: text,
});

const cardText = z.looseObject({ title: text, summary: text, productAngle: text });

const words: z.ZodType<CardWords> = z.looseObject({
  facts,
  text: cardText.nullable(),
  drafted: cardText,
});

const review: z.ZodType<CardReview> = z.looseObject({
  key: text,
  listed: z.boolean(),
  shows: z.array(text),
});

/** A stored card; null for none, and for one that this version cannot read. */
export const readCard = (value: unknown): Card | null => card.safeParse(value).data ?? null;

/** A stored card's words; null for none, and for those that this version cannot read: they are written again. */
export const readWords = (value: unknown): CardWords | null => words.safeParse(value).data ?? null;

/** A stored card's review; null for none, and for one that this version cannot read: its quotes are reviewed again. */
export const readReview = (value: unknown): CardReview | null =>
  review.safeParse(value).data ?? null;
