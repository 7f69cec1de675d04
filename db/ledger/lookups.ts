/** What is asked of stored payments, for operators, metrics and receipts: reads alone. */
import type { Database, Queryable } from "../sql.ts";
import { MAX_REQUESTS } from "./requests.ts";
import { DOLLAR_UNITS, type PaymentState } from "./types.ts";

export interface OpenPaymentCounts {
  /** Taken to settlement, outcome not known yet. */
  readonly settling: number;
  /** Computations under way. */
  readonly computing: number;
  /** When the oldest of the settling ones was claimed. */
  readonly oldest: Date | null;
  /** Outcome not known on other rails, which nobody asks about while they are not configured. */
  readonly elsewhere: number;
}

/** Payments without an outcome on a rail (`PaymentStatus.rail`), and how many there are on others. */
export async function countOpenPayments(sql: Queryable, rail: string): Promise<OpenPaymentCounts> {
  const [row] = await sql<OpenPaymentCounts[]>`
    select count(*) filter (where state = 'settling' and rail = ${rail}) as settling,
      count(*) filter (where state <> 'settling' and rail = ${rail}
        and lease_until > clock_timestamp()) as computing,
      min(created_at) filter (where state = 'settling' and rail = ${rail}) as oldest,
      count(*) filter (where state = 'settling' and rail <> ${rail}) as elsewhere
    from payments where state in ('claimed', 'answered', 'settling')`;
  return row ?? { settling: 0, computing: 0, oldest: null, elsewhere: 0 };
}

interface UnresolvedPayment {
  readonly id: number;
  readonly rail: string;
  readonly route: string;
  /** US dollars. */
  readonly dollars: number;
  readonly createdAt: Date;
  readonly checks: number;
  readonly checkAt: Date | null;
  readonly transaction: string | null;
}

/** Payments taken to settlement whose outcome is not known, the oldest first. */
export async function unresolvedPayments(
  sql: Queryable,
  limit: number,
): Promise<UnresolvedPayment[]> {
  const rows = await sql<(Omit<UnresolvedPayment, "dollars"> & { units: number })[]>`
    select id, rail, route, amount as units, created_at as "createdAt", checks,
      check_at as "checkAt", tx as transaction
    from payments where state = 'settling' order by created_at limit ${limit}`;
  return rows.map(({ units, ...row }) => ({ ...row, dollars: units / DOLLAR_UNITS }));
}

interface DayCount {
  /** UTC day, `2026-01-31`. */
  readonly day: string;
  readonly name: string;
  readonly count: number;
}

/** Payments by day of claim and what became of them, oldest day first. */
export async function paymentsByDay(sql: Queryable, since: Date): Promise<DayCount[]> {
  return await sql<DayCount[]>`
    select (created_at at time zone 'utc')::date::text as day, state as name, count(*) as count
    from payments where created_at >= ${since} group by 1, 2 order by 1, 2`;
}

interface Revenue {
  readonly day: string;
  readonly route: string;
  readonly payments: number;
  /** US dollars. */
  readonly dollars: number;
}

/** What was settled, by UTC day and route; payments of mode test are on rails of their own. */
export async function revenueSince(
  sql: Queryable,
  since: Date,
  rail: "live" | "test",
): Promise<Revenue[]> {
  const rows = await sql<{ day: string; route: string; payments: number; units: number }[]>`
    select (settled_at at time zone 'utc')::date::text as day, route, count(*) as payments,
      sum(amount)::bigint as units
    from payments
    where state = 'settled' and settled_at >= ${since} and (rail like 'test%') = ${rail === "test"}
    group by 1, 2 order by 1, 2`;
  return rows.map(({ units, ...row }) => ({ ...row, dollars: units / DOLLAR_UNITS }));
}

export interface PaymentRow {
  readonly id: number;
  readonly state: PaymentState;
  readonly rail: string;
  readonly route: string;
  /** Token units. */
  readonly units: number;
  /** `0x` hex in both. */
  readonly payer: string;
  readonly payTo: string;
  readonly transaction: string | null;
  /** Why it was refused. */
  readonly reason: string | null;
  /** The buyer's payment-identifier. */
  readonly paymentIdentifier: string | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
  readonly checks: number;
  readonly checkAt: Date | null;
}

/**
 * How payments are looked up: by any of id, payer, transaction, request and payment-identifier that is given (not
 * null), or all of them where none is.
 */
export interface PaymentQuery {
  readonly id: number | null;
  /** `0x` and 40 hexadecimal digits. */
  readonly payer: string | null;
  readonly transaction: string | null;
  readonly requestId: string | null;
  readonly paymentIdentifier: string | null;
  /** The state they are in besides; null for any. */
  readonly state: PaymentState | null;
}

/** Payments, the newest first. Signatures, nonces and fingerprints stay where they are. */
export async function findPayments(
  sql: Queryable,
  query: PaymentQuery,
  limit: number,
): Promise<PaymentRow[]> {
  const { id, payer, transaction, requestId, paymentIdentifier, state } = query;
  const isAny = [id, payer, transaction, requestId, paymentIdentifier].every((known) =>
    known === null
  );
  // Indexes begin with the rail: a payer is looked up on each there is.
  const known = isAny ? sql`` : sql`
      and id in (
        select id from payments where id = ${id}
        union all select id from payments
        where payer = decode(${payer?.slice(2).toLowerCase() ?? null}, 'hex') and rail = any(array(
          with recursive rails as (
            select min(rail) as rail from payments
            union all
            select (select min(p.rail) from payments p where p.rail > rails.rail) from rails
            where rails.rail is not null
          ) select rail from rails))
        union all select id from payments where tx = ${transaction?.toLowerCase() ?? null}
        union all select p.id from payment_requests r join payments p using (tx)
        where r.request_id = ${requestId}
        union all select id from payments where payment_id = ${paymentIdentifier})`;
  return await sql<PaymentRow[]>`
    select id, state, rail, route, amount as units, '0x' || encode(payer, 'hex') as payer,
      '0x' || encode(pay_to, 'hex') as "payTo", tx as transaction, reason, payment_id as "paymentIdentifier",
      created_at as "createdAt", settled_at as "settledAt", checks, check_at as "checkAt"
    from payments
    where (${state}::text is null or state = ${state}) ${known}
    order by created_at desc, id desc limit ${limit}`;
}

export interface PaymentAnswer {
  /** The answer while it is kept; null once it is forgotten, or was removed with a post that it quotes. */
  readonly body: string | null;
  readonly storedAt: Date | null;
  readonly requests: readonly { readonly requestId: string; readonly answeredAt: Date }[];
}

/** What was answered for a payment, and to which requests. */
export async function paymentAnswer(
  sql: Queryable,
  { id, transaction }: Pick<PaymentRow, "id" | "transaction">,
): Promise<PaymentAnswer> {
  const [answer] = await sql<{ body: string | null; storedAt: Date }[]>`
    select body, stored_at as "storedAt" from payment_answers where payment_id = ${id}`;
  const requests = transaction === null ? [] : await sql<{ requestId: string; answeredAt: Date }[]>`
    select request_id as "requestId", answered_at as "answeredAt" from payment_requests
    where tx = ${transaction} order by answered_at limit ${MAX_REQUESTS}`;
  return { body: answer?.body ?? null, storedAt: answer?.storedAt ?? null, requests };
}

/** When a payment was settled by this transaction; null where the ledger does not say so yet. */
export async function settlementTime(
  { short }: Pick<Database, "short">,
  rail: string,
  payer: string,
  transaction: string,
): Promise<Date | null> {
  const [row] = await short((sql) =>
    sql<{ at: Date }[]>`
    select settled_at as at from payments
    where rail = ${rail} and payer = decode(${payer.slice(2)}, 'hex') and tx = ${transaction}
      and settled_at is not null`
  );
  return row?.at ?? null;
}
