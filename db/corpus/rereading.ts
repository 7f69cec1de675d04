/** Stored posts that an earlier version read, and what this one reads in them. */
import { storedColumns, type StoredPost } from "./posts.ts";
import { type SignalRow, signalsJson } from "./signals.ts";
import type { Queryable } from "../sql.ts";

/** The version of signals of posts that hold no demand any more: they leave when the new catalogue stands. */
const NONE = "none";

/** Up to `limit` stored posts that other versions than those `standing` have read, by version and id. */
export async function readBefore(
  sql: Queryable,
  standing: readonly string[],
  limit: number,
): Promise<StoredPost[]> {
  const kept = [...standing, NONE];
  // The few versions that there are, each found by one look at the index, and the first posts of each.
  return await sql<StoredPost[]>`
    with recursive present as (
      select (select min(versions) from signals) as version
      union all
      select (select min(versions) from signals where versions > present.version)
      from present where present.version is not null
    )
    select ${storedColumns(sql)}
    from present cross join lateral (
      select post_id from signals where versions = present.version
      order by post_id limit ${limit}) s
    join posts p on p.id = s.post_id
    where present.version <> all(${kept})
    order by present.version, s.post_id limit ${limit}`;
}

/** Writes what is read in these posts now in place of what was; their former cards stay known. */
export async function rewriteSignals(
  sql: Queryable,
  signals: readonly SignalRow[],
): Promise<void> {
  if (signals.length === 0) return;
  await sql`
    update signals s set pattern = n.pattern, also = n.also, category = n.category,
      product = n.product, kind = n.kind, facts = n.facts, intensity = n.intensity, wtp = n.wtp,
      confidence = n.confidence, quote = n.quote, versions = n."readBy", reviewed_at = null,
      ruled_out = stems_apart(n."ruledOut", n.said), unsaid = stems_apart(n.unsaid, n.said)
    from jsonb_to_recordset(${signalsJson(sql, signals)}) as n (
      "postId" text, pattern text, also text, category text, product text, kind text, facts jsonb,
      intensity smallint, wtp smallint, confidence real, quote text, "readBy" text, "ruledOut" text[],
      unsaid text[], said text[])
    where s.post_id = n."postId"`;
}

/** Notes of posts that they hold no demand as this version reads them. */
export async function noteNoDemand(sql: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update signals set versions = ${NONE}, facts = '[]' where post_id = any(${[...ids]})`;
}

/** Up to `limit` posts that were found to hold no demand. */
export async function withoutDemand(sql: Queryable, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select post_id as id from signals where versions = ${NONE} order by post_id limit ${limit}`;
  return rows.map(({ id }) => id);
}
