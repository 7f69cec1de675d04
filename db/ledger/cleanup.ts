/** Ledger cleanup: claims of dead processes, expired answers and authorizations, absent payers. */
import type { Database, Queryable, ShortStatement, Sql } from "../sql.ts";
import { IDENTIFIED_REPEAT_SECONDS, REPEAT_SECONDS } from "./types.ts";

/** Rows that one statement deletes at most: each is a short one. */
const BATCH = 10_000;

/** Repeats a statement that takes a batch until there is less than one left; gives the number of rows. */
async function drain(
  short: ShortStatement,
  statement: (sql: Sql) => PromiseLike<{ count: number }>,
) {
  for (let total = 0;;) {
    const { count } = await short(statement);
    total += count;
    if (count < BATCH) return total;
  }
}

/** Drops answers that were stored while a post they quote was being removed. */
async function dropOutdated(short: ShortStatement, seconds: number | null): Promise<void> {
  for (let after = 0;;) {
    const [row] = await short((sql) =>
      sql<{ last: number | null }[]>`
      with looked as (
        select payment_id from payment_answers
        where payment_id > ${after} and (${seconds}::float8 is null
          or stored_at > clock_timestamp() - ${seconds}::float8 * interval '1 second')
        order by payment_id limit ${BATCH}
      ), dropped as (
        update payment_answers a set body = null, evidence_ids = '{}'
        from looked where a.payment_id = looked.payment_id and a.body is not null and exists (
          select from seen_posts s where s.id = any(a.evidence_ids) and s.forgotten)
      )
      select max(payment_id) as last from looked`
    );
    if (row === undefined || row.last === null) return;
    after = row.last;
  }
}

/**
 * Releases what dead processes claimed, and forgets answers that nobody can ask for any more, or that
 * came from what was removed and were stored within the last `seconds`; null looks at all of them.
 * To be called every minute.
 */
export async function cleanUpLedger(
  { short }: Pick<Database, "short">,
  rail: string,
  seconds: number | null,
): Promise<{ released: number; forgotten: number }> {
  const released = await short((sql) =>
    sql`
    update payments set state = 'released', payment_id = null, check_at = null, signature = null,
      valid_after = null
    where id in (
      select id from payments
      where rail = ${rail} and state in ('claimed', 'answered')
        and lease_until < clock_timestamp() - interval '1 minute'
      for no key update skip locked)`
  );
  await dropOutdated(short, seconds);
  const forgotten = await drain(short, (sql) =>
    sql`
    delete from payment_answers where payment_id in (
      select a.payment_id from payment_answers a join payments p on p.id = a.payment_id
      where a.stored_at < clock_timestamp() - ${REPEAT_SECONDS}::integer * interval '1 second'
        and (p.state in ('released', 'claimed') or (p.state = 'refused' and p.check_at is null)
          or (p.state = 'settled' and p.settled_at < clock_timestamp() - interval '1 second' *
            case when p.payment_id is null then ${REPEAT_SECONDS}::integer
              else ${IDENTIFIED_REPEAT_SECONDS}::integer end))
      order by a.payment_id limit ${BATCH})`);
  // An unpaid authorization may be claimed again: its row only records a refusal.
  await drain(short, (sql) =>
    sql`
    delete from payments where id in (
      select p.id from payments p
      where p.state in ('released', 'refused') and p.check_at is null and p.rail = ${rail}
        and (p.valid_before < extract(epoch from clock_timestamp() - interval '1 day')
          or p.created_at < clock_timestamp() - interval '7 days')
        and not exists (select 1 from payment_broadcasts b where b.payment_id = p.id)
      limit ${BATCH} for update of p skip locked)`);
  // Payer rows are deleted after a day without calls, since anyone can make up addresses. Claim times are
  // accurate to an hour.
  await drain(short, (sql) =>
    sql`
    delete from payment_payers where ctid in (
      select q.ctid from payment_payers q
      where q.rail = ${rail} and q.claimed_at < now() - interval '25 hours'
        and (q.cool_until is null or q.cool_until < clock_timestamp() - interval '1 day')
        and not exists (select 1 from payments p where p.rail = q.rail and p.payer = q.payer
          and p.state in ('claimed', 'answered', 'settling'))
      limit ${BATCH} for update of q skip locked)`);
  return { released: released.count, forgotten };
}

/**
 * Drops the stored answers that quote any of these posts, or list any of these cards; their receipts
 * stay. For the job that removes what was removed at the source. Gives the number of answers dropped.
 */
export async function dropAnswersQuoting(
  sql: Queryable,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const dropped = await sql`
    update payment_answers set body = null, evidence_ids = '{}'
    where evidence_ids && ${[...ids]}::text[] and body is not null`;
  return dropped.count;
}

/** Well above what a removal's transaction and the statement that stores an answer take together. */
const MARGIN_SECONDS = 120;

/**
 * The ledger cleanup, to be called periodically. It covers the answers stored since the last successful one began,
 * and all of them the first time. `ticks` is a monotonic clock in milliseconds.
 */
export function createLedgerCleanup(
  cleanUp: (seconds: number | null) => Promise<unknown>,
  ticks: () => number,
): () => Promise<void> {
  let last: number | null = null;
  return async () => {
    const now = ticks();
    await cleanUp(last === null ? null : (now - last) / 1000 + MARGIN_SECONDS);
    last = now;
  };
}
