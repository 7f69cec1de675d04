/** Posts that a live search found, taken into the corpus. */
import { type Clock, dayOf } from "../../core/clock.ts";
import type { Database } from "../../db/sql.ts";
import type { Registry } from "../communities/registry.ts";
import type { Post } from "../types.ts";
import { ingest } from "./ingest.ts";

interface LivePostsContext {
  readonly registry: Registry;
  /** Hex; the key of the authors' hashes. */
  readonly authorHashKey: string;
}

/**
 * Stores posts that the source showed just now, beside whoever mines: without its lease, since a batch
 * stores nothing twice and makes no cards. The next run makes them.
 */
export async function storeLivePosts(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  posts: readonly Post[],
  { registry, authorHashKey }: LivePostsContext,
): Promise<void> {
  const now = clock.now();
  await ingest(database, posts, {
    context: { registry, origin: "live", checkedAt: now.toISOString() },
    authorHashKey,
    day: dayOf(now),
    within: () => Promise.resolve(),
  });
}
