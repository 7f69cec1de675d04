/** Looks stored posts up at the source again: removed ones leave, edited ones are judged anew. */
import { dayOf } from "../../core/clock.ts";
import { countRows } from "../../db/count.ts";
import {
  type CheckedPost,
  type Confirmation,
  confirmPosts,
  duePosts,
  noteAbsent,
  storedPosts,
} from "../../db/corpus/removal.ts";
import { type MinerDeps, type MiningSession, withReconnect } from "../session.ts";
import type { JudgeContext } from "../judge.ts";
import type { PostState, Source } from "../sources/types.ts";
import { applyEdit, type Edit, rejudge } from "./edit.ts";
import {
  ABSENT_AFTER_MS,
  allowance,
  LOOKUP_BATCH,
  MANY_ABSENT_AFTER_MS,
  MAX_LOOKUPS,
  SERVED_AFTER_MS,
  STORED_AFTER_MS,
} from "./policy.ts";
import { removePosts } from "./delete_posts.ts";

interface CheckDeps extends MinerDeps {
  readonly source: Source;
  readonly context: JudgeContext;
  readonly signal: AbortSignal;
}

export interface Checked {
  /** Posts whose state the source gave. */
  checked: number;
  removed: number;
  edited: number;
}

/**
 * The posts to look up in this run, most urgent first: those behind served quotes that are due, other
 * due ones, then what is left of the run's requests for those unconfirmed the longest.
 */
export async function dueForCheck(
  { database: { sql }, clock }: MinerDeps,
  run: { readonly elapsedMs: number; readonly requests: number; readonly startedAt: Date },
): Promise<string[]> {
  const now = clock.now().getTime();
  const before = (ms: number): Date => new Date(now - ms);
  const ids = new Set<string>();
  const add = async (served: boolean, time: Date, limit: number): Promise<void> => {
    for (const id of await duePosts(sql, { served, before: time, limit })) ids.add(id);
  };
  const { stored, spare } = allowance(await countRows(sql, "posts"), run.elapsedMs, run.requests);
  await add(true, before(SERVED_AFTER_MS), MAX_LOOKUPS * LOOKUP_BATCH);
  await add(false, before(STORED_AFTER_MS), stored * LOOKUP_BATCH);
  const room = Math.min(MAX_LOOKUPS * LOOKUP_BATCH, Math.max(ids.size, spare * LOOKUP_BATCH));
  if (ids.size < room) await add(true, run.startedAt, room);
  if (ids.size < room) await add(false, run.startedAt, room);
  return [...ids].slice(0, room);
}

/** Looks up at most 100 posts and stores what came of it. @throws SourceError */
export async function checkPosts(
  deps: CheckDeps,
  session: MiningSession,
  ids: readonly string[],
  tally: Checked,
): Promise<void> {
  const states = await deps.source.lookup(ids, deps.signal);
  await withReconnect(deps, async () => {
    const now = deps.clock.now();
    const sorted = sort(await storedPosts(deps.database.sql, ids), states, now, deps.context);
    await deps.database.sql.begin(async (tx) => {
      await session.assertLease(tx);
      await confirmPosts(tx, sorted.confirmed, now);
      await noteAbsent(tx, sorted.absent, now);
      for (const edit of sorted.edited) await applyEdit(tx, edit, now);
      await removePosts(tx, sorted.removed, dayOf(now));
    });
    tally.checked += ids.length - sorted.absent.length;
    tally.removed += sorted.removed.length;
    tally.edited += sorted.edited.length;
  });
}

interface Sorted {
  readonly confirmed: readonly Confirmation[];
  readonly edited: readonly Edit[];
  readonly removed: readonly string[];
  /** Not known to the source, and not for long enough to be believed. */
  readonly absent: readonly string[];
}

function sort(
  posts: readonly CheckedPost[],
  states: ReadonlyMap<string, PostState>,
  now: Date,
  context: JudgeContext,
): Sorted {
  const confirmed: Confirmation[] = [];
  const edited: Edit[] = [];
  const removed: string[] = [];
  const missing: CheckedPost[] = [];
  for (const post of posts) {
    const state = states.get(post.id);
    if (state === undefined || (state.state === "removed" && state.reason === "absent")) {
      missing.push(post);
    } else if (state.state === "removed" || takenBack(post, state)) removed.push(post.id);
    else if (state.title === post.title && state.body === post.body) {
      confirmed.push({ id: post.id, upvotes: state.upvotes, comments: state.comments });
    } else edited.push(rejudge(post, state, context));
  }
  const wait = missing.length > posts.length / 2 && missing.length > 1
    ? MANY_ABSENT_AFTER_MS
    : ABSENT_AFTER_MS;
  const absent: string[] = [];
  for (const { id, absentAt } of missing) {
    const gone = absentAt !== null && now.getTime() - absentAt.getTime() >= wait;
    (gone ? removed : absent).push(id);
  }
  return { confirmed, edited, removed, absent };
}

/** A name that is gone is a closed account; a text that is gone with it is a post taken back. */
function takenBack(post: CheckedPost, state: PostState & { readonly state: "present" }): boolean {
  return state.nameless && state.body.trim() === "" && post.body.trim() !== "";
}
