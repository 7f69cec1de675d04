/**
 * A card as the catalogue holds it and the database keeps it: what routes serve, with times as ISO 8601 UTC strings with
 * milliseconds. Stored cards are JSON that another version of this program may have written. They are parsed once, where
 * they are read; fields that this version does not know are kept.
 */
import { z } from "zod";
import type { Parsed } from "../../core/json.ts";
import { cardFactsSchema } from "../opportunities/facts.ts";
import { PATTERNS } from "../types.ts";

export const evidenceSchema = z.looseObject({
  /** Verbatim substring of the stored post. */
  quote: z.string(),
  permalink: z.string(),
  upvotes: z.number(),
  subreddit: z.string(),
  /** When the post was written; absent in cards of earlier versions. */
  postedAt: z.string().exactOptional(),
});

/** A quote that a card shows. */
export type Evidence = Parsed<typeof evidenceSchema>;

const components = z.looseObject({
  frequency: z.number(),
  intensity: z.number(),
  wtp: z.number(),
});

/** How a card's score came about; enough to recompute it. */
const scoring = z.looseObject({
  version: z.string(),
  /** Components in [0.05, 1] and the exponents they enter the score with. */
  components,
  weights: components,
  /** Authors whose signals show each pattern, zeros left out. */
  patterns: z.partialRecord(z.enum(PATTERNS), z.number()),
});

const makers = z.looseObject({
  /** Distinct authors of the newest 50 stored posts that show it. */
  makers: z.number(),
  /** When the newest of them wrote. */
  newest: z.string(),
  evidence: z.array(evidenceSchema),
  /** Posts behind `evidence`, in its order; never served. */
  postIds: z.array(z.string()),
});

/** Who built something that meets a card's want. */
export type Makers = Parsed<typeof makers>;

const card = z.looseObject({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  category: z.string(),
  /** Composite, 0-100, one decimal. */
  score: z.number(),
  freqScore: z.number(),
  intensityScore: z.number(),
  wtpScore: z.number(),
  productAngle: z.string(),
  summary: z.string(),
  signalCount: z.number(),
  distinctAuthors: z.number(),
  /** False where most of the newest posts name no author: there `distinctAuthors` counts texts. */
  authorsKnown: z.boolean(),
  firstSeen: z.string(),
  lastSeen: z.string(),
  evidence: z.array(evidenceSchema),
  /** Posts behind `evidence`, in its order; never served. */
  evidenceIds: z.array(z.string()),
  /** Everything counted that the words are made of; absent in cards of earlier versions. */
  facts: cardFactsSchema.exactOptional(),
  /** Null where none is known; absent in cards of earlier versions. */
  makers: makers.nullable().exactOptional(),
  scoring,
  /** Signals in the last 7 days, and in the 28 days before them, by the corpus clock. */
  signals7d: z.number(),
  signals28d: z.number(),
  /** When membership, evidence or the whole-number score last changed. */
  lastUpdated: z.string(),
});

/** A card whole, with what is never served. */
export type Card = Parsed<typeof card>;

/** A stored card; null for none, and for one that this version cannot read. */
export const readCard = (value: unknown): Card | null => card.safeParse(value).data ?? null;

/** A category of the registry, with what is listed in it. */
export interface CategoryEntry {
  readonly slug: string;
  /** For people: "Headphones, speakers and audio gear". */
  readonly title: string;
  readonly opportunityCount: number;
  readonly topScore: number;
  readonly lastUpdated: string;
  /** When the newest post behind its cards was written; null where there is no card. */
  readonly newestPost: string | null;
}

/** The one fixed real card shown for free. */
interface SampleCard {
  readonly card: Card;
  readonly cardAsOf: string;
}

/** From when to when the posts behind an answer were written; null if there are none. */
export interface DataSpan {
  readonly dataFrom: string | null;
  readonly dataTo: string | null;
}

/** Everything the routes serve, read from the database in one go and swapped whole. */
export interface Catalogue extends DataSpan {
  /**
   * Grows with every run that changed something and every removal. Contents may differ under one:
   * quotes are withheld as time passes, and a run's cards are stored in many transactions.
   */
  readonly revision: number;
  /** When this data was built: the `fetchedAt` of what is served from it. */
  readonly builtAt: string;
  /** The corpus clock that ages are counted from. */
  readonly asOf: string;
  readonly lastMinedAt: string | null;
  readonly signalCount: number;
  /** True while no cards were made yet of what is there: until the first import or mining run ends. */
  readonly warming: boolean;
  /** True of the built-in corpus of invented posts. */
  readonly demonstration: boolean;
  /** Every category of the registry, in its order, empty ones with zeros. */
  readonly categories: readonly CategoryEntry[];
  /** Active cards, best score first, then by id. */
  readonly cards: readonly Card[];
  /** Active cards of a category in the same order; empty for an unknown one. */
  inCategory(slug: string): readonly Card[];
  /** An active card by id; ids of merged cards give the survivor. */
  byId(id: string): Card | undefined;
  /** An active card by slug; earlier slugs and those of merged cards keep resolving. */
  bySlug(slug: string): Card | undefined;
  readonly sample: SampleCard | null;
}
