/** How many rows there are, without reading them all. */
import type { Queryable } from "./sql.ts";

/** From here on the planner's estimate does, which costs nothing. */
const EXACT_UNDER = 100_000;

/** Rows of a table; exact below 100,000, the planner's estimate above. */
export async function countRows(sql: Queryable, table: "posts" | "signals"): Promise<number> {
  const [estimate] = await sql<{ n: number }[]>`
    select reltuples::bigint as n from pg_class where oid = ${table}::regclass`;
  if (estimate !== undefined && estimate.n > EXACT_UNDER) return estimate.n;
  const [row] = await sql<{ n: number }[]>`select count(*) as n from ${sql(table)}`;
  return row?.n ?? 0;
}
