/** The record of mining runs: what each read, made and failed at. */
import type { Queryable } from "./sql.ts";

export type RunKind = "demo" | "import" | "mine";

export interface MiningRun {
  readonly id: number;
  readonly kind: RunKind;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly stats: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

export async function beginRun(sql: Queryable, kind: RunKind, now: Date): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into mining_runs (kind, started_at) values (${kind}, ${now}) returning id`;
  return row?.id ?? 0;
}

export async function endRun(
  sql: Queryable,
  id: number,
  end: {
    readonly now: Date;
    readonly stats: Readonly<Record<string, unknown>>;
    readonly error: string | null;
  },
): Promise<void> {
  await sql`update mining_runs set finished_at = ${end.now}, stats = ${
    sql.json(end.stats as never)
  }, error = ${end.error} where id = ${id}`;
}

/** The newest runs first. */
export async function recentRuns(sql: Queryable, limit: number): Promise<MiningRun[]> {
  return await sql<MiningRun[]>`
    select id, kind, started_at as "startedAt", finished_at as "finishedAt", stats, error
    from mining_runs order by id desc limit ${limit}`;
}
