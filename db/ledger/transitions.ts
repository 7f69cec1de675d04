/** The transitions of one payment, and what is written about one payer: statements that change what they name. */
import type { Sql } from "../sql.ts";
import type { Claim, Refusal } from "./types.ts";

/** A statement that returns the rows it changed. */
export type Transition = (sql: Sql) => PromiseLike<readonly unknown[]>;

/** The first pause after a refused settlement, in milliseconds; it doubles with each in a row. */
const COOL_MS = 250;
const MAX_DOUBLINGS = 13;

const seconds = (value: number): string => String(Math.round(value * 1000) / 1000);

/** answered → settling. */
export const beginSettling = ({ id, fencingToken }: Claim, leaseMs: number): Transition => (sql) =>
  sql`
    update payments set state = 'settling', check_at = clock_timestamp(),
      lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
    where id = ${id} and fence = ${fencingToken} and state = 'answered' returning id`;

/** answered or settling → refused. */
export function refuse(
  { id, fencingToken }: Claim,
  { reason, recheckSeconds, penalty }: Refusal,
): Transition {
  const recheck = recheckSeconds === null ? null : seconds(recheckSeconds);
  return (sql) =>
    sql`
    with locked as (
      -- The payer before the payment, as claims lock them.
      select from payment_payers p join payments using (rail, payer)
      where id = ${id} and ${penalty} for update of p
    ), moved as (
      update payments set state = 'refused', reason = ${reason}, tx = null,
        signature = null, valid_after = null, lease_until = clock_timestamp(),
        check_at = clock_timestamp() + ${recheck}::float8 * interval '1 second'
      where id = ${id} and fence = ${fencingToken} and state in ('answered', 'settling')
        and (select count(*) from locked) is not null
      returning id, rail, payer
    ), paused as (
      insert into payment_payers as p (rail, payer, refusals, cool_until)
      select rail, payer, 1, clock_timestamp() + ${COOL_MS}::integer * interval '1 millisecond'
      from moved where ${penalty}
      on conflict (rail, payer) do update set
        refusals = least(p.refusals + 1, ${MAX_DOUBLINGS}::integer),
        cool_until = clock_timestamp()
          + ${COOL_MS}::integer * power(2, p.refusals) * interval '1 millisecond'
    )
    select id from moved`;
}

/** claimed or answered → released. */
export const release = ({ id, fencingToken }: Claim): Transition => (sql) =>
  sql`
  with moved as (
    update payments set state = 'released', payment_id = null, check_at = null,
      signature = null, valid_after = null, lease_until = clock_timestamp()
    where id = ${id} and fence = ${fencingToken} and state in ('claimed', 'answered')
    returning id
  ), dropped as (
    delete from payment_answers where payment_id in (select id from moved)
  )
  select id from moved`;

/** Ends the lease, and says when the outcome is looked for next. */
export const abandon = ({ id, fencingToken }: Claim): Transition => (sql) =>
  sql`
  update payments set lease_until = clock_timestamp(), checks = checks + 1,
    check_at = clock_timestamp() + least(power(2, least(checks, 10)), 12) * interval '5 seconds'
  where id = ${id} and fence = ${fencingToken} and state in ('answered', 'settling')
  returning id`;

/** Lengthens the leases of claims that are worked on. */
export const renew = (claims: readonly Claim[], leaseMs: number): Transition => (sql) =>
  sql`
  update payments p set
    lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
  from (
    select p.id from payments p join json_to_recordset(${JSON.stringify(claims)}::text::json)
      as i(id bigint, "fencingToken" integer) using (id)
    where p.fence = i."fencingToken" and p.state in ('claimed', 'answered', 'settling')
    order by p.id for no key update of p
  ) held
  where p.id = held.id`;

/** Resets a payer's count of refusals. */
export const forgive = (rail: string, payer: string): Transition => (sql) =>
  sql`
  update payment_payers set refusals = 0, cool_until = null
  where rail = ${rail} and payer = decode(${payer}, 'hex') and refusals > 0`;
