/** A post whose text was changed at the source: what it says is judged anew, and old quotes leave. */
import { touchOpportunities } from "../../db/opportunities.ts";
import {
  type Confirmation,
  deleteSignal,
  editPost,
  type StoredPost,
  touchOwners,
} from "../../db/removal.ts";
import { insertSignals } from "../../db/signals.ts";
import type { Tx } from "../../db/sql.ts";
import { judge, type JudgeContext, type Judged } from "../judge.ts";
import type { PostState } from "../sources/types.ts";
import { removePosts, withdrawQuotes } from "./withdraw.ts";

export interface Edit {
  readonly post: Confirmation & { readonly title: string; readonly body: string };
  /** What the new text says of demand; null if nothing. */
  readonly judged: Judged | null;
  /** Whether the quote that was shown still stands in the new text, and stays the one that is shown. */
  readonly quoteStands: boolean;
}

/** Judges the new text of a stored post; the author stays the hash that is kept. */
export function rejudge(
  stored: StoredPost,
  state: PostState & { readonly state: "present" },
  context: JudgeContext,
): Edit {
  const { title, body, upvotes, comments } = state;
  const { id, community, permalink, createdAt, authorHash } = stored;
  const made = judge(
    { id, community, title, body, author: null, createdAt, upvotes, comments, permalink },
    context,
  );
  const judged = made === null || authorHash === null
    ? made
    : { ...made, signal: { ...made.signal, voice: authorHash } };
  return {
    post: { id, title, body, upvotes, comments },
    judged,
    quoteStands: judged !== null && judged.signal.quote === stored.quote,
  };
}

/** Stores an edited post: its text, and the signal that the new text carries, if it does. */
export async function applyEdit(tx: Tx, edit: Edit, now: Date): Promise<void> {
  const { post, judged } = edit;
  if (judged === null) {
    // No tombstone: the post stands, it only says nothing of demand any more.
    await removePosts(tx, [post.id], null);
    return;
  }
  if (!await editPost(tx, post, now)) return;
  if (edit.quoteStands) await touchOwners(tx, [post.id]);
  else await withdrawQuotes(tx, [post.id]);
  await deleteSignal(tx, post.id);
  await touchOpportunities(tx, new Map([[judged.signal.opportunityId, judged.key]]));
  await insertSignals(tx, [judged.signal]);
}
