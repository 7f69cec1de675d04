/** How a post leaves: its text, its signal, and everything that showed or counted it, in one transaction. */
import {
  addTombstones,
  deletePosts,
  deleteSignals,
  stripQuotes,
  touchOwners,
} from "../../db/corpus/removal.ts";
import { showingPosts } from "../../db/corpus/showings.ts";
import { dropVerdictsByPosts } from "../../db/corpus/verdicts.ts";
import { unstateWants } from "../../db/corpus/wants.ts";
import { dropAnswersQuoting } from "../../db/ledger/cleanup.ts";
import type { Tx } from "../../db/sql.ts";

/**
 * Takes the quotes of posts out of cards, the sample, kept verdicts and stored answers. The cards'
 * scores follow when they are remade: their wants are marked as changed.
 */
export async function removeQuotes(tx: Tx, ids: readonly string[]): Promise<void> {
  const owners = await touchOwners(tx, ids);
  await dropShown(tx, owners, ids);
}

/** Cards first: an answer that is made of them meanwhile is made of what is left. */
async function dropShown(
  tx: Tx,
  owners: readonly string[],
  ids: readonly string[],
): Promise<void> {
  const quoting = await stripQuotes(tx, ids);
  await dropVerdictsByPosts(tx, ids);
  // Lists are known by their cards, whose titles and summaries were made of the posts.
  await dropAnswersQuoting(tx, [...ids, ...owners, ...quoting]);
}

/**
 * Deletes posts and all that was made of them; gives how many were stored. With `tombstones` (the day,
 * YYYY-MM-DD) they never come back, stored or not; with null they may, once their ids are no longer
 * among those seen (90 days after they were read).
 */
export async function removePosts(
  tx: Tx,
  ids: readonly string[],
  tombstones: string | null,
): Promise<number> {
  if (ids.length === 0) return 0;
  // First, so that a post that is being stored this moment waits or is seen by the next statements.
  if (tombstones !== null) await addTombstones(tx, ids, tombstones);
  const owners = await touchOwners(tx, ids);
  await unstateWants(tx, ids);
  const removed = await deletePosts(tx, ids);
  await dropShown(tx, owners, ids);
  return removed;
}

/**
 * Takes back what posts say of demand, which hold none: without tombstones, since they stand. Those whose authors show
 * what they made are kept for that.
 */
export async function removeDemand(tx: Tx, ids: readonly string[]): Promise<void> {
  const shown = await showingPosts(tx, ids);
  await removePosts(tx, ids.filter((id) => !shown.has(id)), null);
  if (shown.size === 0) return;
  const kept = [...shown];
  await removeQuotes(tx, kept);
  await unstateWants(tx, kept);
  await deleteSignals(tx, kept);
}
