/** What the operator's page, the metrics and the doctor read: counts over what is stored. */
import { dayOf } from "../core/clock.ts";
import { DOLLAR_UNITS } from "./ledger/types.ts";
import type { Queryable } from "./sql.ts";

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

export interface UnresolvedPayment {
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

export interface DayCount {
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

export interface Revenue {
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

export interface SignalCount {
  /** Monday of the week, UTC. */
  readonly week: string;
  readonly pattern: string;
  readonly category: string;
  readonly count: number;
}

/** Signals by week, pattern and category, from the whole week on that `since` lies in. */
export async function signalsByWeek(sql: Queryable, since: Date): Promise<SignalCount[]> {
  return await sql<SignalCount[]>`
    select (date_trunc('week', created_at at time zone 'utc'))::date::text as week, pattern, category,
      count(*) as count
    from signals
    where created_at >= date_trunc('week', ${since}::timestamptz at time zone 'utc') at time zone 'utc'
    group by 1, 2, 3 order by 1, 2, 3`;
}

export interface CommunityFreshness {
  readonly community: string;
  readonly posts: number;
  readonly newest: Date;
}

/** The newest kept post of each community, the most silent first. */
export async function communityFreshness(
  sql: Queryable,
  since: Date,
): Promise<CommunityFreshness[]> {
  return await sql<CommunityFreshness[]>`
    select community, count(*) as posts, max(created_at) as newest
    from posts where created_at >= ${since} group by community order by newest, community collate "C"`;
}

export interface ModelSpend {
  readonly day: string;
  readonly calls: number;
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** What the model cost, by UTC day; the newest day holds what is set aside for calls under way. */
export async function modelSpendSince(sql: Queryable, since: Date): Promise<ModelSpend[]> {
  return await sql<ModelSpend[]>`
    select day::text, calls, usd, tokens_in as "tokensIn", tokens_out as "tokensOut"
    from model_spend where day >= ${dayOf(since)}::date order by day`;
}
