/** Forgetting by hand: what an operator was asked to remove leaves at once, mining or not. */
import { dayOf } from "../../core/clock.ts";
import { announceRemoval } from "../../db/corpus/corpus.ts";
import { refreshAndPublish } from "./finish.ts";
import { type MinerDeps, takeTurn, withReconnect } from "../session.ts";
import { removePosts } from "../removal/delete_posts.ts";
import { submissionId } from "../sources/submission.ts";

/** A permalink holds its post's id after this. */
const PERMALINK = /\/comments\/([^/?#]*)/;

/** The id in what a person copied: an id, a full name (`t3_...`) or a permalink; null for neither. */
export function postIdOf(text: string): string | null {
  const given = text.trim().toLowerCase();
  return submissionId(PERMALINK.exec(given)?.[1] ?? given);
}

/**
 * Removes posts as if they were gone at the source; gives how many were stored. All of them are kept
 * from coming back. Works beside a mining run: it needs no lease, and takes turns with its transactions.
 */
export async function forget(deps: MinerDeps, ids: readonly string[]): Promise<number> {
  const { database, clock } = deps;
  const removed = await withReconnect(deps, () =>
    database.sql.begin(async (tx) => {
      await takeTurn(tx);
      const removed = await removePosts(tx, ids, dayOf(clock.now()));
      // In the same transaction: whatever becomes of this process, nobody serves the quotes any more.
      if (removed > 0) await announceRemoval(tx);
      return removed;
    }));
  await refreshAndPublish(deps, { mined: false, always: true, within: takeTurn });
  await database.durable();
  return removed;
}
