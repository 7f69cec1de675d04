/** What the model has cost, by UTC day, all replicas together. */
import { dayOf } from "../../core/clock.ts";
import type { Queryable } from "../sql.ts";

interface Usage {
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/**
 * Sets `usd` aside for a call that begins now; false where the day's budget would be exceeded, and
 * nothing is set aside. One statement: replicas that ask at once never overspend together.
 */
export async function reserveSpend(
  sql: Queryable,
  now: Date,
  usd: number,
  budgetUsd: number | null,
): Promise<boolean> {
  const limit = budgetUsd ?? Infinity;
  if (usd > limit) return false;
  const result = await sql`
    insert into model_spend as m (day, usd, calls) values (${dayOf(now)}::date, ${usd}, 1)
    on conflict (day) do update set usd = m.usd + excluded.usd, calls = m.calls + 1
    where m.usd + excluded.usd <= ${limit}::float8`;
  return result.count === 1;
}

/** Replaces a reservation by what the call really cost. `reservedAt` names the day. */
export async function settleSpend(
  sql: Queryable,
  reservedAt: Date,
  reservedUsd: number,
  used: Usage,
): Promise<void> {
  await sql`
    update model_spend set usd = greatest(0, usd + ${used.usd - reservedUsd}::float8),
      tokens_in = tokens_in + ${used.tokensIn}, tokens_out = tokens_out + ${used.tokensOut}
    where day = ${dayOf(reservedAt)}::date`;
}

interface ModelSpend {
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
