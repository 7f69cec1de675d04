/**
 * Verdicts kept for seven days, and who is computing one now. A lease (db/leases.ts) makes sure that one
 * replica computes an answer while the others wait for it.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { dropLease, isHeld, type Lease, takeLease } from "../leases.ts";
import { json, type Queryable, type Sql } from "../sql.ts";

const leaseFailure = z.object({
  code: z.string(),
  message: z.string(),
  // Rows of earlier versions have none.
  retryAfterSeconds: z.number().exactOptional(),
}).readonly();

/** Why the last attempt at an answer failed, for those who waited for it. */
export type LeaseFailure = z.infer<typeof leaseFailure>;

type LeaseState =
  | { readonly state: "taken"; readonly lease: Lease }
  | { readonly state: "busy" }
  | { readonly state: "failed"; readonly failure: LeaseFailure };

/** A key of any length as it is stored: its SHA-256. */
export function verdictKey(key: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(key).digest());
}

/**
 * The verdict kept under `key` that is still good at `now`, as `storeVerdict` was given it; null for none. One that
 * shows a post which its source did not confirm since `shownSince` is none; null, without a source, shows all.
 */
export async function readVerdict(
  sql: Queryable,
  key: Uint8Array,
  now: Date,
  shownSince: Date | null,
): Promise<unknown> {
  const [row] = await sql<{ verdict: unknown }[]>`
    select verdict from verdicts v where key = ${key} and expires_at > ${now}
      and (${shownSince}::timestamptz is null or not exists (
        select from posts p where p.id in (
          select jsonb_array_elements_text(v.verdict -> 'evidenceIds'))
        and (p.checked_at is null or p.checked_at < ${shownSince})))`;
  return row?.verdict ?? null;
}

/**
 * Takes the right to compute, if nobody has it. `failed`: somebody tried a moment ago and could not;
 * ask again once `failureSeconds` are over.
 */
export async function takeVerdictLease(
  sql: Queryable,
  key: Uint8Array,
  owner: string,
  now: Date,
  seconds: number,
): Promise<LeaseState> {
  const lease = await takeLease(sql, { table: "verdict_leases", key }, owner, now, seconds);
  if (lease !== null) return { state: "taken", lease };
  const [held] = await sql<{ failure: unknown }[]>`
    select failure from verdict_leases where key = ${key}`;
  // Another version's that cannot be read is waited out, like a computation.
  const { data: failure } = leaseFailure.safeParse(held?.failure);
  return failure === undefined ? { state: "busy" } : { state: "failed", failure };
}

/** Gives the lease back after a failure that waiters share until `until`. */
export async function failVerdictLease(
  sql: Queryable,
  lease: Lease,
  failure: LeaseFailure,
  until: Date,
): Promise<void> {
  await sql`update verdict_leases set failure = ${json(sql, failure)}, expires_at = ${until}
    where ${isHeld(sql, lease)}`;
}

/**
 * Keeps a verdict, which must survive JSON, and gives the lease back. `gone`: a post that counted in it was removed meanwhile,
 * so that it must be computed again; the lease stays. `lost`: the lease passed to somebody else.
 */
export async function storeVerdict(
  sql: Sql,
  lease: Lease,
  verdict: unknown,
  postIds: readonly string[],
  expiresAt: Date,
): Promise<"kept" | "gone" | "lost"> {
  return await sql.begin(async (tx) => {
    const held = await tx`
      select from verdict_leases where ${isHeld(tx, lease)} for update`;
    if (held.count === 0) return "lost";
    // The locks make a removal wait until this verdict is there to be dropped.
    const present = await tx`select from posts where id = any(${[...postIds]}) for key share`;
    if (present.count < new Set(postIds).size) return "gone";
    await tx`
      insert into verdicts (key, verdict, post_ids, expires_at)
      values (${lease.key}, ${json(tx, verdict)}, ${[...postIds]}, ${expiresAt})
      on conflict (key) do update set verdict = excluded.verdict, post_ids = excluded.post_ids,
        expires_at = excluded.expires_at`;
    // What it may show is looked up again for as long as it is kept.
    await tx`
      update posts set served = true where not served and id in (
        select jsonb_array_elements_text(verdict -> 'evidenceIds') from verdicts where key = ${lease.key})`;
    await dropLease(tx, lease);
    return "kept";
  });
}

/**
 * Drops every verdict that one of these posts counted in; gives their number. Removals call it in the
 * transaction that deletes the posts, after deleting them.
 */
export async function dropVerdictsByPosts(sql: Queryable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const result = await sql`delete from verdicts where post_ids && ${[...ids]}::text[]`;
  return result.count;
}

/** Drops every verdict that would be kept beyond `date`. */
export async function dropVerdictsBeyond(sql: Queryable, date: Date): Promise<void> {
  await sql`delete from verdicts where expires_at > ${date}`;
}

/** Drops every verdict; for a corpus that is replaced as a whole. */
export async function clearVerdicts(sql: Queryable): Promise<void> {
  await sql`delete from verdicts`;
}

/** Forgets verdicts and leases that ended before `now`. */
export async function pruneVerdicts(sql: Queryable, now: Date): Promise<number> {
  const result = await sql`delete from verdicts where expires_at <= ${now}`;
  await sql`delete from verdict_leases where expires_at <= ${now}`;
  return result.count;
}
