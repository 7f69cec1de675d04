/** A card as the catalogue holds it: what routes serve, with times as ISO 8601 UTC strings with milliseconds. */
import type { CardFacts } from "../opportunities/facts.ts";
import type { Pattern } from "../types.ts";

/** A quote that a card shows. */
export interface Evidence {
  /** Verbatim substring of the stored post. */
  readonly quote: string;
  readonly permalink: string;
  readonly upvotes: number;
  readonly subreddit: string;
  /** When the post was written; absent in cards of earlier versions. */
  readonly postedAt?: string;
}

/** How a card's score came about; enough to recompute it. */
interface Scoring {
  readonly version: string;
  /** Components in [0.05, 1] and the exponents they enter the score with. */
  readonly components: {
    readonly frequency: number;
    readonly intensity: number;
    readonly wtp: number;
  };
  readonly weights: {
    readonly frequency: number;
    readonly intensity: number;
    readonly wtp: number;
  };
  /** Authors whose signals show each pattern, zeros left out. */
  readonly patterns: Readonly<Partial<Record<Pattern, number>>>;
}

/** Who built something that meets a card's want. */
export interface Makers {
  /** Distinct authors of the newest 50 stored posts that show it. */
  readonly makers: number;
  /** When the newest of them wrote. */
  readonly newest: string;
  readonly evidence: readonly Evidence[];
  /** Posts behind `evidence`, in its order; never served. */
  readonly postIds: readonly string[];
}

/** A card whole, with what is never served. */
export interface Card {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  /** Composite, 0-100, one decimal. */
  readonly score: number;
  readonly freqScore: number;
  readonly intensityScore: number;
  readonly wtpScore: number;
  readonly productAngle: string;
  readonly summary: string;
  readonly signalCount: number;
  readonly distinctAuthors: number;
  /** False where most of the newest posts name no author: there `distinctAuthors` counts texts. */
  readonly authorsKnown: boolean;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly evidence: readonly Evidence[];
  /** Posts behind `evidence`, in its order; never served. */
  readonly evidenceIds: readonly string[];
  /** Everything counted that the words are made of; absent in cards of earlier versions. */
  readonly facts?: CardFacts;
  /** Null where none is known; absent in cards of earlier versions. */
  readonly makers?: Makers | null;
  readonly scoring: Scoring;
  /** Signals in the last 7 days, and in the 28 days before them, by the corpus clock. */
  readonly signals7d: number;
  readonly signals28d: number;
  /** When membership, evidence or the whole-number score last changed. */
  readonly lastUpdated: string;
}

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
