/** How far each archive was read, so that an interrupted import goes on where it stopped. */
import type { Queryable } from "../sql.ts";

export interface ImportCounts {
  readonly posts: number;
  readonly signals: number;
  readonly duplicates: number;
  readonly skipped: number;
  readonly bad: number;
}

export interface ImportProgress extends ImportCounts {
  readonly linesDone: number;
  readonly finishedAt: Date | null;
}

/** What was done of the file with this fingerprint, or null. */
export async function importProgress(
  sql: Queryable,
  fingerprint: string,
): Promise<ImportProgress | null> {
  const [row] = await sql<ImportProgress[]>`
    select lines_done as "linesDone", posts, signals, duplicates, skipped, bad,
      finished_at as "finishedAt" from imports where fingerprint = ${fingerprint}`;
  return row ?? null;
}

/** Records, in the batch's own transaction, how far the file was read. */
export async function saveImport(
  sql: Queryable,
  fingerprint: string,
  path: string,
  progress: ImportProgress,
): Promise<void> {
  const { linesDone, posts, signals, duplicates, skipped, bad, finishedAt } = progress;
  await sql`
    insert into imports (fingerprint, path, lines_done, posts, signals, duplicates, skipped, bad,
      finished_at)
    values (${fingerprint}, ${path}, ${linesDone}, ${posts}, ${signals}, ${duplicates}, ${skipped},
      ${bad}, ${finishedAt})
    on conflict (fingerprint) do update set lines_done = excluded.lines_done,
      posts = excluded.posts, signals = excluded.signals, duplicates = excluded.duplicates,
      skipped = excluded.skipped, bad = excluded.bad, finished_at = excluded.finished_at`;
}

/** Forgets all progress: after the corpus was emptied every file is new again. */
export async function clearImports(sql: Queryable): Promise<void> {
  await sql`delete from imports`;
}
