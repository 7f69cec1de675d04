/** What goes into a verdict and what comes out. */
import type { Log } from "../core/log.ts";
import type { Clock } from "../core/clock.ts";
import type { MatchCandidate } from "../db/matching/searches.ts";
import type { MatchedRow } from "../db/matching/rows.ts";
import type { Catalogue, DataSpan } from "../mining/cards/types.ts";
import type { Database } from "../db/sql.ts";
import type { Judged } from "../mining/judge.ts";
import type { Post } from "../mining/types.ts";
import type { FindKinds } from "./query/head.ts";
import type { LanguageModel } from "../model/types.ts";

/** `cold` under 35, `warm` under 65, else `hot`: fewer than 3 people, fewer than 10, or more. */
export type Temperature = "cold" | "warm" | "hot";

interface VerdictEvidence {
  /** Verbatim substring of the post. */
  readonly quote: string;
  readonly permalink: string;
  readonly upvotes: number;
  readonly subreddit: string;
  /** ISO 8601. */
  readonly postedAt: string;
}

export interface RelatedOpportunity {
  readonly slug: string;
  readonly title: string;
  readonly score: number;
}

/** How many want this kind of product, how many of them state each thing asked, and how many all of it. */
export interface Funnel {
  /** The product as the query was read; "" where it asks for none. */
  readonly product: string;
  readonly askingForProduct: number;
  /** Each thing asked of it, the weightiest first. */
  readonly wants: readonly { readonly want: string; readonly count: number }[];
  readonly statingAll: number;
  /** Communities that the nearest of them wrote in. */
  readonly communities: number;
  /** ISO 8601: when the first and the last of those wrote; null if there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** All demand signals that were looked through. */
  readonly corpusSignals: number;
}

/**
 * The answer as it is kept and served; `charged` is added by whoever takes the money. Its span is of the
 * posts that matched, or where none did, of those that were looked through.
 */
export interface Verdict extends DataSpan {
  readonly query: string;
  /** 0-100, one decimal. */
  readonly verdictScore: number;
  readonly demandTemperature: Temperature;
  readonly rationale: string;
  readonly funnel: Funnel;
  /** At most five. */
  readonly topEvidence: readonly VerdictEvidence[];
  /** At most five. */
  readonly relatedOpportunities: readonly RelatedOpportunity[];
  readonly cache: "hit" | "miss";
  /** ISO 8601: when it was computed. */
  readonly fetchedAt: string;
  /** Posts whose text may show in it, quotes first; never served. */
  readonly evidenceIds: readonly string[];
}

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
