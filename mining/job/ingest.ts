/** Posts in, signals stored: one batch, one transaction, nothing twice. */
import { inSlices } from "../../core/slices.ts";
import { insertPosts, markSeen, seenIds } from "../../db/corpus/posts.ts";
import { insertSignals } from "../../db/corpus/signals.ts";
import { insertShowings } from "../../db/corpus/showings.ts";
import type { Database, Tx } from "../../db/sql.ts";
import { stateWants } from "../../db/corpus/wants.ts";
import { isKept, type JudgeContext, type PostFindings, readPost } from "../judge.ts";
import { takeTurn } from "../session.ts";
import type { Post } from "../types.ts";

export interface IngestResult {
  /** Posts that nobody had read before. */
  readonly fresh: number;
  readonly duplicates: number;
  readonly signals: number;
}

/** What posts say of demand, in their order, without those that say nothing. */
export type Judging = (posts: readonly Post[]) => Promise<PostFindings[]>;

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

/** Judges those of a batch that nobody has read. */
export async function judgeBatch(
  { sql }: Database,
  posts: readonly Post[],
  judging: Judging,
): Promise<JudgedBatch> {
  const distinct = firstOfEach(posts);
  const seen = await seenIds(sql, distinct.map(({ id }) => id));
  const fresh = distinct.filter(({ id }) => !seen.has(id));
  return {
    posts: posts.length,
    fresh: fresh.map(({ id }) => id),
    read: await judging(fresh),
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

/**
 * Reads a batch of posts into the corpus, see `judgeBatch` and `storeBatch`. Reading posts again changes nothing.
 * Where the signal aborts before anything is stored it rejects with its reason.
 */
export async function ingest(
  database: Database,
  posts: readonly Post[],
  context: JudgeContext,
  day: string,
  within: (tx: Tx, result: IngestResult) => Promise<void>,
  signal?: AbortSignal,
): Promise<IngestResult> {
  const judging: Judging = async (fresh) =>
    (await inSlices(fresh, (post) => readPost(post, context), signal)).filter(isKept);
  const judged = await judgeBatch(database, posts, judging);
  return await storeBatch(database, judged, day, within);
}
