/**
 * Who may do something alone: a row with an owner, an end and a fencing token. Not an advisory lock:
 * connection poolers and Postgres look-alikes break those.
 */
import { randomInt } from "node:crypto";
import type { Fragment } from "postgres";
import type { Queryable, Tx } from "./sql.ts";

/** The tables of leases, with the column that says what each row is of. */
const KEY_COLUMN = { leases: "name", verdict_leases: "key" } as const;

/** What is leased: a row of one of the tables, whether it is there yet or not. */
export interface Leasable {
  readonly table: keyof typeof KEY_COLUMN;
  readonly key: string | Uint8Array;
}

export interface Lease extends Leasable {
  readonly owner: string;
  /**
   * Drawn each time that the lease is taken: work under another one is refused. Random, and not a number that
   * grows: rows of leases that ended may be deleted, and a count would begin again.
   */
  readonly fencingToken: number;
}

/** As many as `randomInt` can draw from. */
const TOKENS = 2 ** 48 - 1;

const isOf = (sql: Queryable, { table, key }: Leasable): Fragment =>
  sql`${sql(KEY_COLUMN[table])} = ${key}`;

/** Of a query on a lease's table: that it is still held as it was taken, and was not given back. */
export const isHeld = (sql: Queryable, lease: Lease): Fragment =>
  sql`${isOf(sql, lease)} and owner = ${lease.owner} and fence = ${lease.fencingToken}
    and expires_at > '-infinity'`;

/** Takes a lease that is free or ended; null where somebody holds it. */
export async function takeLease(
  sql: Queryable,
  what: Leasable,
  owner: string,
  now: Date,
  seconds: number,
): Promise<Lease | null> {
  const { table, key } = what;
  const lease = { table, key, owner, fencingToken: randomInt(TOKENS) };
  const until = new Date(now.getTime() + seconds * 1000);
  const keyColumn = sql(KEY_COLUMN[table]);
  // What the last holder said of its failure ends with its lease.
  const forgetting = table === "verdict_leases" ? sql`, failure = null` : sql``;
  const taken = await sql`
    insert into ${sql(table)} as l (${keyColumn}, owner, fence, expires_at)
    values (${key}, ${owner}, ${lease.fencingToken}, ${until})
    on conflict (${keyColumn}) do update set owner = excluded.owner, fence = excluded.fence,
      expires_at = excluded.expires_at ${forgetting}
    where l.expires_at <= ${now}`;
  return taken.count === 1 ? lease : null;
}

/** Extends a lease inside the work's own transaction; false when it was lost to another. */
export async function holdLease(
  sql: Queryable,
  lease: Lease,
  now: Date,
  seconds: number,
): Promise<boolean> {
  const until = new Date(now.getTime() + seconds * 1000);
  const result = await sql`
    update ${sql(lease.table)} set expires_at = ${until} where ${isHeld(sql, lease)}`;
  return result.count === 1;
}

/** Locks the row of what is leased: waits for the transaction of who holds it, and keeps the next waiting until `tx` ends. */
export async function lockLease(tx: Tx, what: Leasable): Promise<void> {
  await tx`select from ${tx(what.table)} where ${isOf(tx, what)} for update`;
}

/** Who holds a lease at `now`; null where it is free. */
export async function leaseHolder(
  sql: Queryable,
  what: Leasable,
  now: Date,
): Promise<Lease | null> {
  const [row] = await sql<Pick<Lease, "owner" | "fencingToken">[]>`
    select owner, fence as "fencingToken" from ${sql(what.table)}
    where ${isOf(sql, what)} and expires_at > ${now}`;
  return row === undefined ? null : { ...what, ...row };
}

/** Gives a lease back at once. The row stays, so that it can be locked. */
export async function dropLease(sql: Queryable, lease: Lease): Promise<void> {
  await sql`update ${sql(lease.table)} set expires_at = '-infinity' where ${isHeld(sql, lease)}`;
}

/** Ends the leases of all runs, whoever holds them: what goes on under one changes nothing from then on. */
export async function endLeases(tx: Tx): Promise<void> {
  await tx`update leases set fence = ${randomInt(TOKENS)}, expires_at = '-infinity'`;
}
