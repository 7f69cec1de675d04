/** How far each archive was read, so that an interrupted import goes on where it stopped. */
import type { Queryable } from "../sql.ts";

export interface ImportProgress {
  readonly linesDone: number;
  readonly posts: number;
  readonly signals: number;
  readonly duplicates: number;
  /** All that was left out. */
  readonly skipped: number;
  /** Of those, the ones of communities not followed; null where an earlier version began the import. */
  readonly unfollowed: number | null;
  readonly bad: number;
  readonly finishedAt: Date | null;
}

/** What was done of the file with this fingerprint, or null. */
export async function importProgress(
  sql: Queryable,
  fingerprint: string,
): Promise<ImportProgress | null> {
  const [row] = await sql<ImportProgress[]>`
    select lines_done as "linesDone", posts, signals, duplicates, skipped,
      not_followed as "unfollowed", bad, finished_at as "finishedAt" from imports where fingerprint = ${fingerprint}`;
  return row ?? null;
}

/** Records, in the batch's own transaction, how far the file was read. */
export async function saveImport(
  sql: Queryable,
  fingerprint: string,
  path: string,
  progress: ImportProgress,
): Promise<void> {
  const { linesDone, posts, signals, duplicates, skipped, unfollowed, bad, finishedAt } = progress;
  await sql`
    insert into imports (fingerprint, path, lines_done, posts, signals, duplicates, skipped,
      not_followed, bad, finished_at)
    values (${fingerprint}, ${path}, ${linesDone}, ${posts}, ${signals}, ${duplicates}, ${skipped},
      ${unfollowed}, ${bad}, ${finishedAt})
    on conflict (fingerprint) do update set lines_done = excluded.lines_done,
      posts = excluded.posts, signals = excluded.signals, duplicates = excluded.duplicates,
      skipped = excluded.skipped,
      not_followed = excluded.not_followed, bad = excluded.bad, finished_at = excluded.finished_at`;
}

/** Counts posts left out for their communities; the import's progress is saved before. */
export async function countNotFollowed(
  sql: Queryable,
  fingerprint: string,
  posts: ReadonlyMap<string, number>,
): Promise<void> {
  if (posts.size === 0) return;
  await sql`
    insert into import_communities as c (fingerprint, community, posts)
    select ${fingerprint}, community, posts
    from unnest(${[...posts.keys()]}::text[], ${[...posts.values()]}::bigint[])
      as n (community, posts)
    on conflict (fingerprint, community) do update set posts = c.posts + excluded.posts`;
}

/** Forgets what was counted of all communities but the `limit` with the most posts. */
export async function keepMostNotFollowed(
  sql: Queryable,
  fingerprint: string,
  limit: number,
): Promise<void> {
  await sql`
    delete from import_communities where fingerprint = ${fingerprint} and community in (
      select community from import_communities where fingerprint = ${fingerprint}
      order by posts desc, community collate "C" offset ${limit})`;
}

/** Posts that an import left out for their communities, of the `limit` with the most, these first. */
export async function mostNotFollowed(
  sql: Queryable,
  fingerprint: string,
  limit: number,
): Promise<Record<string, number>> {
  const rows = await sql<{ community: string; posts: number }[]>`
    select community, posts from import_communities where fingerprint = ${fingerprint}
    order by posts desc, community collate "C" limit ${limit}`;
  return Object.fromEntries(rows.map(({ community, posts }) => [community, posts]));
}

/** Forgets all progress: after the corpus was emptied every file is new again. */
export async function clearImports(sql: Queryable): Promise<void> {
  await sql`delete from imports`;
}
