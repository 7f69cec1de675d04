/** A post whose text was changed at the source: what it says is judged anew, and old quotes leave. */
import {
  type CheckedPost,
  type Confirmation,
  deleteSignals,
  editPost,
  touchOwners,
} from "../../db/corpus/removal.ts";
import { replaceShowings } from "../../db/corpus/showings.ts";
import { insertSignals } from "../../db/corpus/signals.ts";
import { stateWants, unstateWants } from "../../db/corpus/wants.ts";
import type { Tx } from "../../db/sql.ts";
import { type JudgeContext, type PostFindings, readPost } from "../judge.ts";
import type { PostState } from "../sources/types.ts";
import { removePosts, removeQuotes } from "./delete_posts.ts";

export interface Edit extends PostFindings {
  readonly post: Confirmation & { readonly title: string; readonly body: string };
  /** Whether every quote of the old text stands in the new one, as where something was added to it. */
  readonly quoteStands: boolean;
}

/** Reads the new text of a stored post. */
export function rejudge(
  stored: CheckedPost,
  state: PostState & { readonly state: "present" },
  context: JudgeContext,
): Edit {
  const { title, body, upvotes, comments } = state;
  return {
    ...readPost({ ...stored, title, body, upvotes, comments }, context),
    post: { id: stored.id, title, body, upvotes, comments },
    quoteStands: title === stored.title && body.includes(stored.body),
  };
}

/** Stores an edited post: its text, and what the new text says and shows, if it does. */
export async function applyEdit(tx: Tx, edit: Edit, now: Date): Promise<void> {
  const { post, judged, shown, quoteStands } = edit;
  const ids = [post.id];
  if (judged === null && shown === null) {
    // No tombstone: the post stands, it only says nothing that is kept any more.
    await removePosts(tx, ids, null);
    return;
  }
  if (!await editPost(tx, post, now)) return;
  if (judged !== null && quoteStands) await touchOwners(tx, ids);
  else await removeQuotes(tx, ids);
  await unstateWants(tx, ids);
  await deleteSignals(tx, ids);
  if (judged !== null) {
    await insertSignals(tx, [judged.signal]);
    await stateWants(tx, judged.stated.wants, judged.stated.statements);
  }
  await replaceShowings(tx, ids, shown === null ? [] : [shown.showing]);
}
