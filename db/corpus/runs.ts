/** The record of mining runs: what each read, made and failed at. */
import { DAY_MS } from "../../core/clock.ts";
import { json, type Queryable } from "../sql.ts";

const RUN_KINDS = ["demo", "import", "mine", "model", "reread"] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** How long runs are remembered. */
const KEPT_DAYS = 90;

export interface MiningRun {
  readonly id: number;
  readonly kind: RunKind;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly stats: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

const columns = (sql: Queryable) =>
  sql`id, kind, started_at as "startedAt", finished_at as "finishedAt", stats, error`;

/** Records that a run began; gives its id. */
export async function beginRun(sql: Queryable, kind: RunKind, now: Date): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into mining_runs (kind, started_at) values (${kind}, ${now}) returning id`;
  return row?.id ?? 0;
}

/** Records how a run ended; without an error it succeeded. */
export async function endRun(
  sql: Queryable,
  id: number,
  end: {
    readonly now: Date;
    /** Null keeps those recorded last. */
    readonly stats: Readonly<Record<string, unknown>> | null;
    readonly error: string | null;
  },
): Promise<void> {
  const stats = end.stats === null ? null : json(sql, end.stats);
  await sql`update mining_runs set finished_at = ${end.now},
    stats = coalesce(${stats}::jsonb, stats), error = ${end.error} where id = ${id}`;
}

/** Records how far a run is: should its process die, this is what is known of it. */
export async function noteRun(
  sql: Queryable,
  id: number,
  stats: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`update mining_runs set stats = ${json(sql, stats)} where id = ${id}`;
}

/** Ends the records of runs whose process died, and drops old ones; for whoever holds the lease. */
export async function closeAbandoned(sql: Queryable, now: Date): Promise<void> {
  await sql`update mining_runs set finished_at = ${now}, error = 'the process died'
    where finished_at is null`;
  const oldest = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await sql`delete from mining_runs where started_at < ${oldest}`;
}

/** The newest run of a kind, or the newest before run `before`; null for none. */
export async function lastRun(
  sql: Queryable,
  kind: RunKind,
  before: number | null = null,
): Promise<MiningRun | null> {
  const [row] = await sql<MiningRun[]>`
    select ${columns(sql)}
    from mining_runs where kind = ${kind} and (${before}::bigint is null or id < ${before})
    order by id desc limit 1`;
  return row ?? null;
}

/** The newest runs first. */
export async function recentRuns(sql: Queryable, limit: number): Promise<MiningRun[]> {
  return await sql<MiningRun[]>`
    select ${columns(sql)}
    from mining_runs order by id desc limit ${limit}`;
}

/**
 * The two newest runs of each kind, the newest first: the last, and the last that ended, since only one is under way
 * at a time.
 */
export async function newestOfEachKind(sql: Queryable): Promise<MiningRun[]> {
  return await sql<MiningRun[]>`
    select ${columns(sql)}
    from unnest(${[...RUN_KINDS]}::text[]) as of (name), lateral (
      select * from mining_runs where kind = of.name order by id desc limit 2) runs
    order by id desc`;
}

/** The runs that began since then, oldest first. */
export async function runsSince(sql: Queryable, since: Date): Promise<MiningRun[]> {
  return await sql<MiningRun[]>`
    select ${columns(sql)}
    from mining_runs where started_at >= ${since} order by id`;
}
