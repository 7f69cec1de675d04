/**
 * The ledger of payments. Every transition names the id, the fencing token and the state it starts
 * from: an owner that lost its claim changes nothing. What locks several rows locks payers before
 * payments, and payments by id, or skips those that are locked: so no two wait for each other.
 */
import { randomBytes } from "node:crypto";
import { createGroup } from "../group.ts";
import type { Database, ShortStatement, Sql } from "../sql.ts";
import { readClaim, writeAnswers, writeClaims, writeSettled } from "./batches.ts";
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  IN_FLIGHT_LIMITS,
  type InFlightLimits,
  type Settled,
  type StoredAnswer,
  type StoredState,
} from "./types.ts";

export type * from "./types.ts";

/** Statements of one kind start this far apart when calls are many; a lone call waits for nothing. */
const GROUP = { limit: 200, spacingMs: 4 };
/** The first pause after a refused settlement, in milliseconds; it doubles with each in a row. */
const COOL_MS = 250;
const MAX_DOUBLINGS = 13;

/** Moves resolve to false where the claim was lost to another owner. */
export interface Ledger {
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** claimed → answered or settling, where it is still held and what it quotes still stands. */
  storeAnswer(answer: StoredAnswer): Promise<StoredState>;
  /** answered → settling. */
  beginSettling(claim: Claim, leaseMs: number): Promise<boolean>;
  /** answered or settling → settled: when, or null where the claim was lost. */
  settle(settled: Settled): Promise<Date | null>;
  /**
   * answered or settling → refused, to be looked at again after `recheckSeconds` where it may pay yet.
   * `penalty` lengthens the payer's pause.
   */
  refuse(
    claim: Claim,
    refusal: { reason: string; recheckSeconds: number | null; penalty: boolean },
  ): Promise<boolean>;
  /** claimed or answered → released: the authorization is free for any request. */
  release(claim: Claim): Promise<boolean>;
  /** Gives a claim up: one of unknown outcome is left to reconciliation, one not begun to a retry. */
  abandon(claim: Claim): Promise<boolean>;
  /** Lengthens the leases of claims that are worked on. */
  renew(claims: readonly Claim[], leaseMs: number): Promise<void>;
  /** Resets a payer's count of refusals. */
  forgive(rail: string, payer: string): Promise<void>;
}

const seconds = (value: number): string => String(Math.round(value * 1000) / 1000);

/**
 * Whether the ledger has an authorization, or another one for the same purchase. Reads only, so that made-up keys
 * leave no rows.
 */
async function isKnown(short: ShortStatement, request: ClaimRequest): Promise<boolean> {
  const { rail, payer, nonce } = request;
  const purchase = request.forceNew ? null : request.purchaseKey;
  const rows = await short((sql) =>
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
  limits: InFlightLimits = IN_FLIGHT_LIMITS,
): Ledger {
  const { short } = database;
  const durable = <I, O>(write: (items: readonly I[]) => Promise<readonly O[]>) =>
    createGroup<I, O>(GROUP, async (items) => {
      const results = await write(items);
      await database.durable();
      return results;
    });
  const claims = durable(writeClaims(short, limits));
  const answers = durable(writeAnswers(short));
  const settlements = durable(writeSettled(short));
  const one = async (
    statement: (sql: Sql) => PromiseLike<readonly unknown[]>,
  ): Promise<boolean> => {
    const { length } = await short(statement);
    await database.durable();
    return length > 0;
  };
  return {
    claim: async (request) =>
      request.knownOnly && !(await isKnown(short, request))
        ? { outcome: "unknown", isKnown: false }
        : readClaim(await claims.add(request)),
    storeAnswer: (answer) => answers.add(answer),
    settle: (settled) => settlements.add(settled),
    beginSettling: ({ id, fencingToken }, leaseMs) =>
      one((sql) =>
        sql`
        update payments set state = 'settling', check_at = clock_timestamp(),
          lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
        where id = ${id} and fence = ${fencingToken} and state = 'answered' returning id`
      ),
    refuse: ({ id, fencingToken }, { reason, recheckSeconds, penalty }) =>
      one((sql) =>
        sql`
        with locked as (
          -- The payer before the payment, as claims lock them.
          select from payment_payers p join payments using (rail, payer)
          where id = ${id} and ${penalty} for update of p
        ), moved as (
          update payments set state = 'refused', reason = ${reason}, tx = null,
            signature = null, valid_after = null,
            lease_until = clock_timestamp(),
            check_at = clock_timestamp() +
              ${
          recheckSeconds === null ? null : seconds(recheckSeconds)
        }::float8 * interval '1 second'
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
        select id from moved`
      ),
    release: ({ id, fencingToken }) =>
      one((sql) =>
        sql`
        with moved as (
          update payments set state = 'released', payment_id = null, check_at = null,
            signature = null, valid_after = null, lease_until = clock_timestamp()
          where id = ${id} and fence = ${fencingToken} and state in ('claimed', 'answered')
          returning id
        ), dropped as (
          delete from payment_answers where payment_id in (select id from moved)
        )
        select id from moved`
      ),
    abandon: ({ id, fencingToken }) =>
      one((sql) =>
        sql`
        update payments set lease_until = clock_timestamp(), checks = checks + 1,
          check_at = clock_timestamp() + least(power(2, least(checks, 10)), 12) * interval '5 seconds'
        where id = ${id} and fence = ${fencingToken} and state in ('answered', 'settling')
        returning id`
      ),
    renew: async (claims, leaseMs) => {
      await short((sql) =>
        sql`
        update payments p set
          lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
        from (
          select p.id from payments p join json_to_recordset(${JSON.stringify(claims)}::text::json)
            as i(id bigint, "fencingToken" integer) using (id)
          where p.fence = i."fencingToken" and p.state in ('claimed', 'answered', 'settling')
          order by p.id for no key update of p
        ) held
        where p.id = held.id`
      );
    },
    forgive: async (rail, payer) => {
      await short((sql) =>
        sql`
        update payment_payers set refusals = 0, cool_until = null
        where rail = ${rail} and payer = decode(${payer}, 'hex') and refusals > 0`
      );
    },
  };
}

/** Base64 of this many bytes is stored in pages of its own, which a full disk has none of. */
const FILLER_BYTES = 48 * 1024;

/** Writes a row that takes new pages, to the disk. @throws the database's error where it cannot. */
export async function probeWrite(database: Pick<Database, "short" | "durable">): Promise<void> {
  const filler = randomBytes(FILLER_BYTES).toString("base64");
  await database.short((sql) =>
    sql`
    insert into ledger_probe (id, filler) values (1, ${filler})
    on conflict (id) do update set filler = excluded.filler`
  );
  await database.durable();
}
