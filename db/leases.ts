/**
 * Who may do something alone: a row with an owner, an end and a fencing token. Not an advisory lock:
 * connection poolers and Postgres look-alikes break those.
 */
import type { Queryable, Tx } from "./sql.ts";

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Grows with every change of hands: work under an older number is refused. */
  readonly fencingToken: number;
}

/** Takes a lease that is free, expired or already ours; null where somebody else holds it. */
export async function takeLease(
  sql: Queryable,
  name: string,
  owner: string,
  now: Date,
  seconds: number,
): Promise<Lease | null> {
  const until = new Date(now.getTime() + seconds * 1000);
  const [row] = await sql<{ fencingToken: number }[]>`
    insert into leases as l (name, owner, fence, expires_at) values (${name}, ${owner}, 1, ${until})
    on conflict (name) do update set owner = excluded.owner, expires_at = excluded.expires_at,
      fence = l.fence + (l.owner <> excluded.owner)::int
    where l.owner = excluded.owner or l.expires_at < ${now}
    returning fence as "fencingToken"`;
  return row === undefined ? null : { name, owner, fencingToken: row.fencingToken };
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
    update leases set expires_at = ${until}
    where name = ${lease.name} and owner = ${lease.owner} and fence = ${lease.fencingToken}`;
  return result.count === 1;
}

/** Locks a lease's row: waits for the transaction of who holds it, and keeps the next waiting until `tx` ends. */
export async function lockLease(tx: Tx, name: string): Promise<void> {
  await tx`select from leases where name = ${name} for update`;
}

/** Who holds a lease at `now`; null where it is free. */
export async function leaseHolder(sql: Queryable, name: string, now: Date): Promise<Lease | null> {
  const [row] = await sql<Lease[]>`
    select name, owner, fence as "fencingToken" from leases where name = ${name} and expires_at >= ${now}`;
  return row ?? null;
}

/** Gives a lease back at once. */
export async function dropLease(sql: Queryable, lease: Lease): Promise<void> {
  await sql`update leases set expires_at = '-infinity'
    where name = ${lease.name} and owner = ${lease.owner} and fence = ${lease.fencingToken}`;
}
