/**
 * The ledger of payments. Every transition names the id, the fencing number and the state it starts
 * from: an owner that lost its claim changes nothing.
 */
import { createGroup } from "../group.ts";
import { writeAnswers, writeClaims, writeSettled } from "./batches.ts";
import {
  type Claim,
  type ClaimResult,
  FLIGHT_LIMITS,
  type FlightLimits,
  type Held,
  type Settled,
  type StoredAnswer,
  type StoredState,
} from "./types.ts";
import type { Database, ShortStatement, Sql } from "../sql.ts";

export type * from "./types.ts";

/** Statements of one kind start this far apart when calls are many; a lone call waits for nothing. */
const GROUP = { limit: 200, spacingMs: 4 };
/** The first pause after a refused settlement, in milliseconds; it doubles with each in a row. */
const COOL_MS = 250;
const MAX_DOUBLINGS = 13;

/** Moves resolve to false where the claim was lost to another owner. */
export interface Ledger {
  claim(claim: Claim): Promise<ClaimResult>;
  /** claimed → answered or settling, where it is still held and what it quotes still stands. */
  storeAnswer(answer: StoredAnswer): Promise<StoredState>;
  /** answered → settling. */
  beginSettling(held: Held, leaseMs: number): Promise<boolean>;
  /** answered or settling → settled: when, or null where the claim was lost. */
  settle(settled: Settled): Promise<Date | null>;
  /**
   * answered or settling → refused, to be looked at again after `recheckSeconds` where it may pay yet.
   * `penalty` lengthens the payer's pause.
   */
  refuse(
    held: Held,
    refusal: { reason: string; recheckSeconds: number | null; penalty: boolean },
  ): Promise<boolean>;
  /** claimed or answered → released: the authorization is free for any request. */
  release(held: Held): Promise<boolean>;
  /** Gives a settlement up: one of unknown outcome for others to resolve, one not begun for a retry. */
  abandon(held: Held): Promise<boolean>;
  /** Lengthens the leases of claims that are worked on. */
  renew(held: readonly Held[], leaseMs: number): Promise<void>;
  /** Ends a payer's row of refusals. */
  forgive(rail: string, payer: string): Promise<void>;
}

const seconds = (value: number): string => String(Math.round(value * 1000) / 1000);

/** What a claim that may only join what is known hears where nothing is. */
const UNKNOWN: ClaimResult = {
  outcome: "unknown",
  id: null,
  fence: null,
  state: null,
  tx: null,
  body: null,
  hasAnswer: false,
  named: null,
  sinceBlock: null,
  settledSeconds: null,
  waitSeconds: null,
  held: "0",
  refusals: 0,
  signed: null,
};

/**
 * Whether the ledger has heard of an authorization, or of another one for the same purchase: read only, so
 * that keys made up leave no trace.
 */
async function isKnown(brief: ShortStatement, claim: Claim): Promise<boolean> {
  const { rail, payer, nonce } = claim;
  const purchase = claim.anew ? null : claim.purchase;
  const rows = await brief((sql) =>
    sql`
    select id from payments
    where rail = ${rail} and payer = decode(${payer}, 'hex') and nonce = decode(${nonce}, 'hex')
    union all
    select id from payments
    where purchase = decode(${purchase}, 'hex') and rail = ${rail}
      and payer = decode(${payer}, 'hex')
    limit 1`
  );
  return rows.length > 0;
}

/** Opens the ledger of a database; each transition is durable when its promise resolves. */
export function openLedger(
  database: Pick<Database, "short" | "durable">,
  limits: FlightLimits = FLIGHT_LIMITS,
): Ledger {
  const { short: brief } = database;
  const durable = <I, O>(write: (items: readonly I[]) => Promise<readonly O[]>) =>
    createGroup<I, O>(GROUP, async (items) => {
      const results = await write(items);
      await database.durable();
      return results;
    });
  const claims = durable(writeClaims(brief, limits));
  const answers = durable(writeAnswers(brief));
  const settlements = durable(writeSettled(brief));
  const one = async (
    statement: (sql: Sql) => PromiseLike<readonly unknown[]>,
  ): Promise<boolean> => {
    const { length } = await brief(statement);
    await database.durable();
    return length > 0;
  };
  return {
    claim: async (claim) =>
      claim.knownOnly && !(await isKnown(brief, claim)) ? UNKNOWN : await claims.add(claim),
    storeAnswer: (answer) => answers.add(answer),
    settle: (settled) => settlements.add(settled),
    beginSettling: ({ id, fence }, leaseMs) =>
      one((sql) =>
        sql`
        update payments set state = 'settling', check_at = clock_timestamp(),
          lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
        where id = ${id} and fence = ${fence} and state = 'answered' returning id`
      ),
    refuse: ({ id, fence }, { reason, recheckSeconds, penalty }) =>
      one((sql) =>
        sql`
        with moved as (
          update payments set state = 'refused', reason = ${reason}, tx = null,
            signature = null, valid_after = null,
            lease_until = clock_timestamp(),
            check_at = clock_timestamp() +
              ${
          recheckSeconds === null ? null : seconds(recheckSeconds)
        }::float8 * interval '1 second'
          where id = ${id} and fence = ${fence} and state in ('answered', 'settling')
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
        select id from moved`
      ),
    release: ({ id, fence }) =>
      one((sql) =>
        sql`
        with moved as (
          update payments set state = 'released', payment_id = null, check_at = null,
            signature = null, valid_after = null, lease_until = clock_timestamp()
          where id = ${id} and fence = ${fence} and state in ('claimed', 'answered')
          returning id
        ), dropped as (
          delete from payment_answers where payment_id in (select id from moved)
        )
        select id from moved`
      ),
    abandon: ({ id, fence }) =>
      one((sql) =>
        sql`
        update payments set lease_until = clock_timestamp(), checks = checks + 1,
          check_at = clock_timestamp() + least(power(2, checks), 3600) * interval '5 seconds'
        where id = ${id} and fence = ${fence} and state in ('answered', 'settling')
        returning id`
      ),
    renew: async (held, leaseMs) => {
      await brief((sql) =>
        sql`
        update payments p set
          lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
        from json_to_recordset(${JSON.stringify(held)}::text::json) as i(id bigint, fence integer)
        where p.id = i.id and p.fence = i.fence and p.state in ('claimed', 'answered', 'settling')`
      );
    },
    forgive: async (rail, payer) => {
      await brief((sql) =>
        sql`
        update payment_payers set refusals = 0, cool_until = null
        where rail = ${rail} and payer = decode(${payer}, 'hex') and refusals > 0`
      );
    },
  };
}
