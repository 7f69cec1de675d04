/** One community's new posts into the corpus, page by page, each page a transaction. */
import { dayOf } from "../../core/clock.ts";
import { type CommunityState, saveReading } from "../../db/corpus/communities.ts";
import type { Registry } from "../communities/registry.ts";
import type { Source, SourcePage } from "../sources/types.ts";
import { ingest, type IngestResult } from "./ingest.ts";
import { type MinerDeps, type MiningSession, withReconnect } from "../session.ts";

interface ReadDeps extends MinerDeps {
  readonly source: Source;
  readonly session: MiningSession;
  readonly registry: Registry;
  readonly authorHashKey: string;
  readonly signal: AbortSignal;
  /** Awaited before each page is stored. */
  readonly arrived: () => Promise<void>;
}

/** What reading adds up to. */
export interface ReadCounts {
  /** Pages read: about as many requests. */
  pages: number;
  /** Posts that nobody had read before. */
  posts: number;
  duplicates: number;
  /** Removed, adult, pinned and promoted posts, and such as could not be read. */
  leftOut: number;
  signals: number;
}

/**
 * Posts held back by moderators appear later at their old place: a reading goes a little further back
 * than the mark, and the first of every six hours goes back as far as six hours. What was read before is
 * known by its id.
 */
const OVERLAP_MS = 30 * 60_000;
const LONG_OVERLAP_MS = 6 * 3_600_000;

/** From when on a community is read; null: as far back as the source lists. */
function markOf(
  { readTo, readAt }: Pick<CommunityState, "readTo" | "readAt">,
  now: Date,
): Date | null {
  if (readTo === null) return null;
  const period = (time: Date | null): number =>
    Math.floor((time?.getTime() ?? 0) / LONG_OVERLAP_MS);
  const overlap = period(readAt) === period(now) ? OVERLAP_MS : LONG_OVERLAP_MS;
  return new Date(readTo.getTime() - overlap);
}

/**
 * Reads a community from its newest post back to what is known. The mark moves with the last page
 * alone, so that a reading that is cut off is done again.
 * @throws SourceError, LeaseLost
 */
export async function readCommunity(
  deps: ReadDeps,
  name: string,
  state: Pick<CommunityState, "readTo" | "readAt">,
  counts: ReadCounts,
): Promise<{ missed: boolean }> {
  const mark = markOf(state, deps.clock.now());
  let newest = 0;
  let missed = false;
  for await (const page of deps.source.newPosts(name, mark, deps.signal)) {
    newest = page.posts.reduce((max, { createdAt }) => Math.max(max, createdAt.getTime()), newest);
    missed ||= page.missed;
    const result = await commit(deps, name, page, newest === 0 ? null : new Date(newest));
    counts.pages++;
    counts.posts += result.fresh;
    counts.duplicates += result.duplicates;
    counts.signals += result.signals;
    counts.leftOut += Object.values(page.leftOut).reduce((sum, count) => sum + count, 0);
  }
  return { missed };
}

async function commit(
  deps: ReadDeps,
  community: string,
  page: SourcePage,
  readTo: Date | null,
): Promise<IngestResult> {
  const { database, clock, session, registry, authorHashKey } = deps;
  return await withReconnect(deps, async () => {
    await deps.arrived();
    const now = clock.now();
    return await ingest(database, page.posts, {
      context: { registry, origin: "live", checkedAt: now.toISOString() },
      authorHashKey,
      day: dayOf(now),
      within: async (tx) => {
        await session.assertLease(tx);
        if (page.end === null) return;
        await saveReading(tx, { community, readTo, now, missed: page.missed });
      },
    });
  });
}
