/** Where posts come from: what the miner, the live search and the removal checks ask of a source. */
import type { Post } from "../types.ts";

/** Why a post that a source lists is not handed over. */
export const LEFT_OUT = ["removed", "adult", "pinned", "promoted", "unreadable"] as const;
export type LeftOut = (typeof LEFT_OUT)[number];
/** Why a submission is left out that can be read. */
export type MarkedOut = Exclude<LeftOut, "unreadable">;

/** One page of a community's new posts, newest first. */
export interface SourcePage {
  /** Posts not older than the mark; never the same id twice in one reading. */
  readonly posts: readonly Post[];
  /** How many listed posts were left out, by reason. */
  readonly leftOut: Readonly<Record<LeftOut, number>>;
  /**
   * Null while pages follow. The last page says why reading ended: the mark was met, the
   * community has no more posts, or the source lists no further back.
   */
  readonly end: null | "mark" | "exhausted" | "limit";
  /** True where the source's limit came before the mark: posts in between cannot be read. */
  readonly missed: boolean;
}

export interface SearchOptions {
  /** At most this many posts, 1-100. */
  readonly limit: number;
}

/**
 * Why a known post may no longer be shown: taken back by its author, taken down by others, marked
 * as adult since, or not known to the source (any more).
 */
export type RemovalReason = "deleted" | "removed" | "adult" | "absent";

/** What a source says today of a post that was read earlier. */
export type PostState =
  | {
    readonly state: "present";
    readonly upvotes: number;
    readonly comments: number;
    readonly title: string;
    readonly body: string;
    /**
     * The author's name is gone. With a body that was there and is empty now, the post was taken
     * back; only who stored the body can tell that from a post that never had one.
     */
    readonly nameless: boolean;
  }
  | { readonly state: "removed"; readonly reason: RemovalReason };

/**
 * A source of posts. Every failure is a `SourceError`; an aborted `signal` rejects with its own
 * reason. No outage is ever an empty result.
 */
export interface Source {
  /** The source's name in settings, logs and records. */
  readonly name: string;

  /**
   * The posts of a community that are not older than `mark` (null: as far back as the source lists),
   * newest first, page by page. A caller may commit each page, and moves its mark only after the
   * page whose `end` is not null. A reading ends by time and not at an id, since the post that
   * carried the id may have been removed meanwhile; so posts may be handed over again, and callers
   * store by id. Removed, adult, pinned and promoted posts are left out.
   */
  newPosts(community: string, mark: Date | null, signal: AbortSignal): AsyncIterable<SourcePage>;

  /**
   * Posts of any community that match `query` now, the most relevant first; removed, adult, pinned and promoted
   * ones are left out.
   */
  search(query: string, options: SearchOptions, signal: AbortSignal): Promise<Post[]>;

  /**
   * The present state of posts, keyed by the ids as given. An id that cannot be one of this
   * source's is left out of the answer; an id the source does not know is removed, `absent`.
   */
  lookup(ids: readonly string[], signal: AbortSignal): Promise<Map<string, PostState>>;
}
