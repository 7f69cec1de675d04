/**
 * How far each community was read, how new its posts are, which are closed to us, and when the source as a whole is
 * tried again.
 */
import type { Queryable } from "../sql.ts";

export interface CommunityState {
  /** Everything older is known; null before the first complete reading. */
  readonly readTo: Date | null;
  readonly readAt: Date | null;
  readonly triedAt: Date | null;
  readonly missedAt: Date | null;
  /** Why the source does not show it, and when it is asked for again. */
  readonly closedReason: string | null;
  readonly retryAt: Date | null;
}

/** What is known of the communities, by name in lower case; those never asked for are missing. */
export async function communityStates(sql: Queryable): Promise<Map<string, CommunityState>> {
  const rows = await sql<(CommunityState & { name: string })[]>`
    select name, read_to as "readTo", read_at as "readAt", tried_at as "triedAt",
      missed_at as "missedAt", closed_reason as "closedReason", retry_at as "retryAt"
    from communities`;
  return new Map(rows.map(({ name, ...state }) => [name, state]));
}

interface CommunityReading {
  readonly community: string;
  /** The newest post's creation time; null where there was none. */
  readonly readTo: Date | null;
  readonly now: Date;
  /** Whether posts since the reading before were out of the source's reach. */
  readonly missed: boolean;
}

/** Records a complete reading: the mark moves forward, and the community is open. */
export async function saveReading(
  sql: Queryable,
  { community, readTo, now, missed }: CommunityReading,
): Promise<void> {
  const missedAt = missed ? now : null;
  await sql`
    insert into communities as c (name, read_to, read_at, tried_at, missed_at)
    values (${community.toLowerCase()}, ${readTo}, ${now}, ${now}, ${missedAt})
    on conflict (name) do update set read_to = greatest(c.read_to, excluded.read_to),
      read_at = excluded.read_at, tried_at = excluded.tried_at,
      missed_at = coalesce(excluded.missed_at, c.missed_at), closed_reason = null, retry_at = null`;
}

/** Records a reading that failed; with a reason the community counts as closed until `retryAt`. */
export async function saveFailedReading(
  sql: Queryable,
  community: string,
  now: Date,
  closed: { readonly reason: string; readonly retryAt: Date } | null,
): Promise<void> {
  await sql`
    insert into communities as c (name, tried_at, closed_reason, retry_at)
    values (${community.toLowerCase()}, ${now}, ${closed?.reason ?? null}, ${
    closed?.retryAt ?? null
  })
    on conflict (name) do update set tried_at = excluded.tried_at,
      closed_reason = excluded.closed_reason, retry_at = excluded.retry_at`;
}

interface SourcePause {
  /** Runs in a row that the source broke. */
  readonly failures: number;
  readonly retryAt: Date;
  readonly reason: string;
}

/** Why and until when the source is left alone, or null. */
export async function sourcePause(sql: Queryable, source: string): Promise<SourcePause | null> {
  const [row] = await sql<SourcePause[]>`
    select failures, retry_at as "retryAt", reason from source_pauses where source = ${source}`;
  return row ?? null;
}

/** Leaves the source alone for a while, or, with null, ends that. */
export async function setSourcePause(
  sql: Queryable,
  source: string,
  pause: SourcePause | null,
): Promise<void> {
  if (pause === null) {
    await sql`delete from source_pauses where source = ${source}`;
    return;
  }
  const { failures, retryAt, reason } = pause;
  await sql`
    insert into source_pauses (source, failures, retry_at, reason)
    values (${source}, ${failures}, ${retryAt}, ${reason})
    on conflict (source) do update set failures = excluded.failures,
      retry_at = excluded.retry_at, reason = excluded.reason`;
}

interface CommunityFreshness {
  readonly community: string;
  readonly posts: number;
  readonly newest: Date;
}

/** The newest kept post of each community, the most silent first. */
export async function communityFreshness(
  sql: Queryable,
  since: Date,
): Promise<CommunityFreshness[]> {
  return await sql<CommunityFreshness[]>`
    select community, count(*) as posts, max(created_at) as newest
    from posts where created_at >= ${since} group by community order by newest, community collate "C"`;
}
