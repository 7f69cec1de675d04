/** Payments of unknown outcome: leased for reconciliation, resolved, postponed. */
import type { Database } from "../sql.ts";
import type { Claim, PaymentState } from "./types.ts";

/** A payment of unknown outcome, claimed by the caller. */
export interface DuePayment extends Claim {
  readonly state: Extract<PaymentState, "settling" | "refused">;
  /** Lower-case `0x` hex. */
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: number;
  /** Decimal seconds since 1970. */
  readonly validBefore: string;
  readonly sinceBlock: number | null;
}

/** A settled payment, as its settler reported it. */
export interface ReportedSettlement {
  readonly transaction: string;
  /** Lower-case `0x` hex. */
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  /** Token units. */
  readonly amount: number;
}

export interface ReconciliationStore {
  /** Claims payments that are due for reconciliation, the longest waiting first. */
  takeDue(owner: string, limit: number, leaseMs: number): Promise<DuePayment[]>;
  /** refused → settled: the authorization was used after all. */
  settleRefused(claim: Claim, transaction: string): Promise<boolean>;
  /** Postpones the next check, doubling the wait; null ends the checks of a refused payment. */
  postpone(claim: Claim, seconds: number | null): Promise<void>;
  /** Gives up claims on payments that were not checked; they stay due. */
  giveBack(claims: readonly Claim[]): Promise<void>;
  /** The newest settled payments, except those of the last minute, which a node may not have yet. */
  newestReported(limit: number): Promise<ReportedSettlement[]>;
}

/** Opens the payments of one rail for reconciliation. */
export function openReconciliation(
  database: Pick<Database, "short" | "durable">,
  rail: string,
): ReconciliationStore {
  const { short } = database;
  return {
    takeDue: async (owner, limit, leaseMs) => {
      const lease = `${leaseMs} milliseconds`;
      const rows = await short((sql) =>
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
        returning p.id, p.fence as "fencingToken", p.state, '0x' || encode(p.payer, 'hex') as payer,
          '0x' || encode(p.nonce, 'hex') as nonce, '0x' || encode(p.pay_to, 'hex') as "payTo",
          p.amount, p.valid_before::text as "validBefore", p.seen_block as "sinceBlock"`
      );
      return [...rows];
    },
    settleRefused: async ({ id, fencingToken }, transaction) => {
      const rows = await short((sql) =>
        sql`
        update payments set state = 'settled', tx = ${transaction}, settled_at = clock_timestamp(),
          lease_until = clock_timestamp(), check_at = null, reason = null, signature = null,
          valid_after = null
        where id = ${id} and fence = ${fencingToken} and state = 'refused' returning id`
      );
      await database.durable();
      return rows.length > 0;
    },
    postpone: async ({ id, fencingToken }, seconds) => {
      await short((sql) =>
        sql`
        update payments set lease_until = clock_timestamp(), checks = checks + 1,
          check_at = clock_timestamp() + ${seconds}::float8 * least(power(2, least(checks, 10)), 720)
            * interval '1 second'
        where id = ${id} and fence = ${fencingToken}`
      );
    },
    giveBack: async (claims) => {
      if (claims.length === 0) return;
      await short((sql) =>
        sql`
        update payments p set lease_until = clock_timestamp()
        from (
          select p.id from payments p join json_to_recordset(${JSON.stringify(claims)}::text::json)
            as i(id bigint, "fencingToken" integer) using (id)
          where p.fence = i."fencingToken" order by p.id for no key update of p
        ) held
        where p.id = held.id`
      );
    },
    newestReported: async (limit) => {
      const rows = await short((sql) =>
        sql<ReportedSettlement[]>`
        select tx as transaction, '0x' || encode(payer, 'hex') as payer,
          '0x' || encode(nonce, 'hex') as nonce, '0x' || encode(pay_to, 'hex') as "payTo", amount
        from payments
        where state = 'settled' and rail = ${rail}
          and settled_at < clock_timestamp() - interval '1 minute'
        order by id desc limit ${limit}`
      );
      return [...rows];
    },
  };
}
