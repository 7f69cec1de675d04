/** What the ledger needs apart from calls: resolving, forgetting, counting. */
import { type Held, NAMED_REPEAT_SECONDS, REPEAT_SECONDS } from "./types.ts";
import type { Database, Queryable, ShortStatement, Sql } from "../sql.ts";

/** A payment whose outcome the chain must tell, taken by the caller. */
export interface DuePayment extends Held {
  readonly state: "settling" | "refused";
  /** Lower-case `0x` hex. */
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: number;
  /** Decimal seconds since 1970. */
  readonly validBefore: string;
  readonly sinceBlock: number | null;
}

/** A settled payment, as whoever settled it told of it. */
export interface ToldSettlement {
  readonly tx: string;
  /** Lower-case `0x` hex. */
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  /** Token units. */
  readonly amount: number;
}

export interface LedgerUpkeep {
  /** Takes payments that are due for a look at the chain, the longest waiting first. */
  takeDue(owner: string, limit: number, leaseMs: number): Promise<DuePayment[]>;
  /** refused → settled: the authorization was used after all. */
  settleRefused(held: Held, tx: string): Promise<boolean>;
  /** Puts the next look off, doubling the wait; null ends the looking at a refused one. */
  postpone(held: Held, seconds: number | null): Promise<void>;
  /** Ends the caller's hold of payments that it did not look at; they are due as they were. */
  giveBack(held: readonly Held[]): Promise<void>;
  /**
   * Releases what dead processes claimed, and forgets answers that nobody can ask for any more, or that
   * came from what was removed and were stored within the last `seconds`; null looks at all of them.
   * To be called every minute.
   */
  sweep(seconds: number | null): Promise<{ released: number; forgotten: number }>;
  /** The newest settled payments, but for those of the last minute, which a node may not know. */
  newestTold(limit: number): Promise<ToldSettlement[]>;
}

/** Opens the upkeep of one rail's payments. */
export function openUpkeep(
  database: Pick<Database, "short" | "durable">,
  rail: string,
): LedgerUpkeep {
  const { short: brief } = database;
  return {
    takeDue: async (owner, limit, leaseMs) => {
      const lease = `${leaseMs} milliseconds`;
      const rows = await brief((sql) =>
        sql<DuePayment[]>`
        update payments p set owner = ${owner}, fence = p.fence + 1,
          lease_until = clock_timestamp() + ${lease}::interval
        from (
          select id from payments
          where rail = ${rail} and lease_until <= clock_timestamp()
            and (state = 'settling' or (state = 'refused' and check_at is not null))
            and check_at <= clock_timestamp()
          order by check_at limit ${limit} for update skip locked
        ) due
        where p.id = due.id
        returning p.id, p.fence, p.state, '0x' || encode(p.payer, 'hex') as payer,
          '0x' || encode(p.nonce, 'hex') as nonce, '0x' || encode(p.pay_to, 'hex') as "payTo",
          p.amount, p.valid_before::text as "validBefore", p.seen_block as "sinceBlock"`
      );
      return [...rows];
    },
    settleRefused: async ({ id, fence }, tx) => {
      const rows = await brief((sql) =>
        sql`
        update payments set state = 'settled', tx = ${tx}, settled_at = clock_timestamp(),
          lease_until = clock_timestamp(), check_at = null, reason = null, signature = null,
          valid_after = null
        where id = ${id} and fence = ${fence} and state = 'refused' returning id`
      );
      await database.durable();
      return rows.length > 0;
    },
    postpone: async ({ id, fence }, seconds) => {
      await brief((sql) =>
        sql`
        update payments set lease_until = clock_timestamp(), checks = checks + 1,
          check_at = clock_timestamp() + ${seconds}::float8 * least(power(2, checks), 720)
            * interval '1 second'
        where id = ${id} and fence = ${fence}`
      );
    },
    giveBack: async (held) => {
      if (held.length === 0) return;
      await brief((sql) =>
        sql`
        update payments p set lease_until = clock_timestamp()
        from json_to_recordset(${JSON.stringify(held)}::text::json) as i(id bigint, fence integer)
        where p.id = i.id and p.fence = i.fence`
      );
    },
    sweep: (seconds) => sweep(brief, rail, seconds),
    newestTold: async (limit) => {
      const rows = await brief((sql) =>
        sql<ToldSettlement[]>`
        select tx, '0x' || encode(payer, 'hex') as payer, '0x' || encode(nonce, 'hex') as nonce,
          '0x' || encode(pay_to, 'hex') as "payTo", amount
        from payments
        where state = 'settled' and rail = ${rail}
          and settled_at < clock_timestamp() - interval '1 minute'
        order by id desc limit ${limit}`
      );
      return [...rows];
    },
  };
}

/** Rows that one statement of the sweep deletes at most: each is a short one. */
const BATCH = 10_000;

/** Repeats a statement that takes a batch until there is less than one left; gives the number of rows. */
async function drain(
  brief: ShortStatement,
  statement: (sql: Sql) => PromiseLike<{ count: number }>,
) {
  for (let total = 0;;) {
    const { count } = await brief(statement);
    total += count;
    if (count < BATCH) return total;
  }
}

/** An answer and a removal that were written in the same moment did not see each other. */
async function dropOutdated(brief: ShortStatement, seconds: number | null): Promise<void> {
  for (let after = 0;;) {
    const [row] = await brief((sql) =>
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

async function sweep(
  brief: ShortStatement,
  rail: string,
  seconds: number | null,
): Promise<{ released: number; forgotten: number }> {
  const released = await brief((sql) =>
    sql`
    update payments set state = 'released', payment_id = null, check_at = null, signature = null,
      valid_after = null
    where rail = ${rail} and state in ('claimed', 'answered')
      and lease_until < clock_timestamp() - interval '1 minute'`
  );
  await dropOutdated(brief, seconds);
  const forgotten = await drain(brief, (sql) =>
    sql`
    delete from payment_answers where payment_id in (
      select a.payment_id from payment_answers a join payments p on p.id = a.payment_id
      where a.stored_at < clock_timestamp() - ${REPEAT_SECONDS}::integer * interval '1 second'
        and (p.state in ('released', 'claimed') or (p.state = 'refused' and p.check_at is null)
          or (p.state = 'settled' and p.settled_at < clock_timestamp() - interval '1 second' *
            case when p.payment_id is null then ${REPEAT_SECONDS}::integer
              else ${NAMED_REPEAT_SECONDS}::integer end))
      order by a.payment_id limit ${BATCH})`);
  // What was never paid may be claimed anew: its row only tells what was refused, or when.
  await drain(brief, (sql) =>
    sql`
    delete from payments where id in (
      select p.id from payments p
      where p.state in ('released', 'refused') and p.check_at is null and p.rail = ${rail}
        and (p.valid_before < extract(epoch from clock_timestamp() - interval '1 day')
          or p.created_at < clock_timestamp() - interval '7 days')
        and not exists (select 1 from payment_broadcasts b where b.payment_id = p.id)
      limit ${BATCH})
      -- Once more for the row as it is when it goes: it may have been claimed meanwhile.
      and state in ('released', 'refused') and check_at is null`);
  // Keys cost nothing: payers that were not here for a day are forgotten, unless one is at work. A claim
  // is noted to within an hour.
  await drain(brief, (sql) =>
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
