/** A post whose text was changed at the source: what it says is judged anew, and old quotes leave. */
import {
  type Confirmation,
  deleteSignal,
  editPost,
  type StoredPost,
  touchOwners,
} from "../../db/corpus/removal.ts";
import { insertSignals } from "../../db/corpus/signals.ts";
import { stateWants, unstateWants } from "../../db/corpus/wants.ts";
import type { Tx } from "../../db/sql.ts";
import { judge, type JudgeContext, type Judged } from "../judge.ts";
import type { PostState } from "../sources/types.ts";
import { removePosts, removeQuotes } from "./delete_posts.ts";

export interface Edit {
  readonly post: Confirmation & { readonly title: string; readonly body: string };
  /** What the new text says of demand; null if nothing. */
  readonly judged: Judged | null;
  /** Whether every quote of the old text stands in the new one, as where something was added to it. */
  readonly quoteStands: boolean;
}

/** Judges the new text of a stored post; the author stays the hash that is kept. */
export function rejudge(
  stored: StoredPost,
  state: PostState & { readonly state: "present" },
  context: JudgeContext,
): Edit {
  const { title, body, upvotes, comments } = state;
  const { id, community, permalink, createdAt } = stored;
  const post = {
    id,
    community,
    title,
    body,
    author: null,
    createdAt,
    upvotes,
    comments,
    permalink,
  };
  const judged = spokenBy(stored.authorHash, judge(post, context));
  return {
    post: { id, title, body, upvotes, comments },
    judged,
    quoteStands: title === stored.title && body.includes(stored.body),
  };
}

/** A judgement made without the author's name, with the hash of it that is kept. */
export function spokenBy(authorHash: string | null, judged: Judged | null): Judged | null {
  if (judged === null || authorHash === null) return judged;
  const statements = judged.stated.statements.map((statement) => ({
    ...statement,
    author: authorHash,
  }));
  return {
    ...judged,
    signal: { ...judged.signal, authorKey: authorHash },
    stated: { ...judged.stated, statements },
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
  await replaceSignal(tx, judged, edit.quoteStands);
}

/** Puts another signal in the place of a post's; a quote that does not stand any more leaves what shows it. */
export async function replaceSignal(
  tx: Tx,
  { signal, stated }: Pick<Judged, "signal" | "stated">,
  quoteStands: boolean,
): Promise<void> {
  if (quoteStands) await touchOwners(tx, [signal.postId]);
  else await removeQuotes(tx, [signal.postId]);
  await unstateWants(tx, [signal.postId]);
  await deleteSignal(tx, signal.postId);
  await insertSignals(tx, [signal]);
  await stateWants(tx, stated.wants, stated.statements);
}
