/** What goes into a verdict and what comes out. */
import { z } from "zod";
import type { Parsed } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Clock } from "../core/clock.ts";
import type { MatchCandidate } from "../db/matching/searches.ts";
import type { MatchedRow } from "../db/matching/rows.ts";
import { type Catalogue, evidenceSchema } from "../mining/cards/types.ts";
import type { Database } from "../db/sql.ts";
import type { Judged } from "../mining/judge.ts";
import type { Post } from "../mining/types.ts";
import type { FindKinds } from "./query/head.ts";
import type { LanguageModel } from "../model/types.ts";

/** `cold` under 35, `warm` under 65, else `hot`: fewer than 3 people, fewer than 10, or more. */
export const TEMPERATURES = ["cold", "warm", "hot"] as const;

export type Temperature = (typeof TEMPERATURES)[number];

const relatedOpportunity = z.object({ slug: z.string(), title: z.string(), score: z.number() });

export type RelatedOpportunity = Parsed<typeof relatedOpportunity>;

const funnel = z.object({
  /** The product as the query was read; "" where it asks for none. */
  product: z.string(),
  askingForProduct: z.number(),
  /** Each thing asked of it, the weightiest first. */
  wants: z.array(z.object({ want: z.string(), count: z.number() })),
  statingAll: z.number(),
  /** Communities that the nearest of them wrote in. */
  communities: z.number(),
  /** ISO 8601: when the first and the last of those wrote; null if there is none. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** All demand signals that were looked through. */
  corpusSignals: z.number(),
});

/** How many want this kind of product, how many of them state each thing asked, and how many all of it. */
export type Funnel = Parsed<typeof funnel>;

/**
 * A verdict as it is kept. The order of the fields is that of answers, which the database does not keep. What was kept
 * by a version whose verdicts were of another form is none.
 */
export const verdictSchema = z.object({
  query: z.string(),
  /** 0-100, one decimal. */
  verdictScore: z.number(),
  demandTemperature: z.enum(TEMPERATURES),
  rationale: z.string(),
  funnel,
  /** At most five. */
  topEvidence: z.array(evidenceSchema.extend({ postedAt: z.string() }).strip()),
  /** At most five. */
  relatedOpportunities: z.array(relatedOpportunity),
  cache: z.enum(["hit", "miss"]),
  /** ISO 8601: when it was computed. */
  fetchedAt: z.string(),
  /** ISO 8601: from when to when the posts that matched were written, or where none did, those looked through. */
  dataFrom: z.string().nullable(),
  dataTo: z.string().nullable(),
  /** Posts whose text may show in it, quotes first; never served. */
  evidenceIds: z.array(z.string()),
});

/** The answer as it is kept and served; `charged` is added by whoever takes the money. */
export type Verdict = Parsed<typeof verdictSchema>;

/** One post that matched a query, with what its signal says. */
export interface Match extends Omit<MatchedRow, "checkedAt">, MatchCandidate {
  /** True where its source has not confirmed the post lately: it is counted, and its quote is not shown. */
  readonly withheld?: boolean;
}

/** A post read at request time, with what it says; `readLive` makes them. */
export interface LiveSignal extends Pick<Judged, "signal" | "stated"> {
  readonly post: Post;
}

/** A live search; every `Source` is one. Failures reject, and are never an empty result. */
export interface LiveSearch {
  /** @throws ServiceError where no search can be made here, whatever is asked. */
  available?(): Promise<void>;
  search(
    query: string,
    options: { readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly Post[]>;
}

export interface GaugeOptions {
  readonly database: Database;
  /** The current catalogue. */
  readonly catalogue: () => Catalogue;
  /** What words the verdicts: a language model, the built-in synthesis, or nothing, and then none is served. */
  readonly synthesis: LanguageModel | "extractive" | "none";
  readonly source: LiveSearch;
  /** Finds the product kinds that words name. */
  readonly findKinds: FindKinds;
  /** Classifies posts; those that carry no signal are left out. */
  readonly readLive: (posts: readonly Post[]) => Promise<readonly LiveSignal[]>;
  /** Whether posts of this community belong in the corpus. */
  readonly inRegistry: (community: string) => boolean;
  /** Takes posts of such communities that a live search found, for the corpus. */
  readonly storeLivePosts: (posts: readonly Post[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** The given number of random bytes, as hex. */
  readonly random: (bytes: number) => string;
  /** Quotes that the source has not confirmed since then are withheld; without a source none are. */
  readonly shownSince: () => Date | null;
  /** What a live verdict may take; 45 seconds unless a test says otherwise. */
  readonly liveBudgetMs?: number;
}
