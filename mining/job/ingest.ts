/** Posts in, signals stored: one batch, one transaction, nothing twice. */
import { inSlices } from "../judging/slices.ts";
import { insertPosts, markSeen, seenIds } from "../../db/corpus/posts.ts";
import { insertSignals } from "../../db/corpus/signals.ts";
import { insertShowings } from "../../db/corpus/showings.ts";
import type { Database, Tx } from "../../db/sql.ts";
import { stateWants } from "../../db/corpus/wants.ts";
import { pseudonymous } from "../authors.ts";
import { isKept, type JudgeContext, type PostFindings, readPost } from "../judge.ts";
import { takeTurn } from "../session.ts";
import type { Post, PseudonymousPost } from "../types.ts";

export interface IngestResult {
  /** Posts that nobody had read before. */
  readonly fresh: number;
  readonly duplicates: number;
  readonly signals: number;
}

/** What posts say of demand, in their order, without those that say nothing. */
export type Judging = (posts: readonly PseudonymousPost[]) => Promise<PostFindings[]>;

/** The first post of each id: a later one with other text is the same post again. */
function firstOfEach(posts: readonly Post[]): Post[] {
  return [...new Map(posts.toReversed().map((post) => [post.id, post])).values()].toReversed();
}

/** A batch of posts as they were judged, yet to be stored. */
export interface JudgedBatch {
  /** Posts of the batch, those read before included. */
  readonly posts: number;
  /** Ids that nobody had read when the batch was judged. */
  readonly fresh: readonly string[];
  /** Those of which anything is kept. */
  readonly read: readonly PostFindings[];
}

/** How posts of a source are judged. */
export interface JudgingOptions {
  /** Hex; authors' names are hashed with it before anything reads the posts. */
  readonly authorHashKey: string;
  readonly judging: Judging;
}

/** Judges those of a batch that nobody has read. */
export async function judgeBatch(
  { sql }: Database,
  posts: readonly Post[],
  { authorHashKey, judging }: JudgingOptions,
): Promise<JudgedBatch> {
  const distinct = firstOfEach(posts);
  const seen = await seenIds(sql, distinct.map(({ id }) => id));
  const fresh = distinct.filter(({ id }) => !seen.has(id));
  return {
    posts: posts.length,
    fresh: fresh.map(({ id }) => id),
    read: await judging(fresh.map((post) => pseudonymous(post, authorHashKey))),
  };
}

/**
 * Stores a batch. `day` is YYYY-MM-DD; `within` runs in the same transaction (progress, the proof that the lease is
 * still held). A post that was stored meanwhile stays as it is.
 */
export async function storeBatch(
  { sql }: Database,
  { posts, fresh, read }: JudgedBatch,
  day: string,
  within: (tx: Tx, result: IngestResult) => Promise<void>,
): Promise<IngestResult> {
  return await sql.begin(async (tx) => {
    // A live search stores what it found beside whoever mines.
    await takeTurn(tx);
    const marked = await markSeen(tx, fresh, day);
    const kept = read.flatMap(({ judged }) => judged ?? []).filter(({ post }) =>
      marked.has(post.id)
    );
    const shown = read.flatMap(({ shown }) => shown ?? []).filter(({ post }) =>
      marked.has(post.id)
    );
    await insertPosts(tx, [...kept, ...shown].map(({ post }) => post));
    await insertSignals(tx, kept.map(({ signal }) => signal));
    await stateWants(
      tx,
      kept.flatMap(({ stated }) => stated.wants),
      kept.flatMap(({ stated }) => stated.statements),
    );
    await insertShowings(tx, shown.map(({ showing }) => showing));
    const result = {
      fresh: marked.size,
      duplicates: posts - marked.size,
      signals: kept.length,
    };
    await within(tx, result);
    return result;
  });
}

/** How a batch is read into the corpus. */
interface IngestOptions {
  readonly context: JudgeContext;
  /** See `JudgingOptions`. */
  readonly authorHashKey: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** See `storeBatch`. */
  readonly within: (tx: Tx, result: IngestResult) => Promise<void>;
  /** Where it aborts before anything is stored, reading rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a batch of posts into the corpus, see `judgeBatch` and `storeBatch`. Reading posts again changes nothing. */
export async function ingest(
  database: Database,
  posts: readonly Post[],
  { context, authorHashKey, day, within, signal }: IngestOptions,
): Promise<IngestResult> {
  const judging: Judging = async (fresh) =>
    (await inSlices(fresh, (post) => readPost(post, context), signal)).filter(isKept);
  const judged = await judgeBatch(database, posts, { authorHashKey, judging });
  return await storeBatch(database, judged, day, within);
}
