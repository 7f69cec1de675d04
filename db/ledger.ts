/**
 * The ledger of payments. Every transition names the id, the fencing number and the state it starts
 * from: an owner that lost its claim changes nothing.
 */
import type { Brief } from "./brief.ts";
import { createGroup } from "./group.ts";
import type { Claim, ClaimResult, Held, Settled, StoredAnswer } from "./ledger_types.ts";
import { type Database, isDeadlock, type Sql } from "./sql.ts";

export type {
  Claim,
  ClaimOutcome,
  ClaimResult,
  Held,
  Settled,
  StoredAnswer,
} from "./ledger_types.ts";

/** Calls a payer may have in flight on all replicas together, and how many of them long ones. */
export const MAX_FLIGHTS = 8;
export const MAX_LIVE_FLIGHTS = 2;

/** Statements of one kind start this far apart when calls are many; a lone call waits for nothing. */
const GROUP = { limit: 200, spacingMs: 4 };
/** The first pause after a refused settlement, in milliseconds; it doubles with each in a row. */
const COOL_MS = 250;
const MAX_DOUBLINGS = 13;

/** Moves resolve to false where the claim was lost to another owner. */
export interface Ledger {
  claim(claim: Claim): Promise<ClaimResult>;
  /** claimed → answered or settling. */
  storeAnswer(answer: StoredAnswer): Promise<boolean>;
  /** answered → settling. */
  beginSettling(held: Held, leaseMs: number): Promise<boolean>;
  /** answered or settling → settled. */
  settle(settled: Settled): Promise<boolean>;
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

function writeClaims(brief: Brief) {
  return async (claims: readonly Claim[]): Promise<ClaimResult[]> => {
    const input = JSON.stringify(claims.map((claim, ord) => ({
      ord,
      rail: claim.rail,
      payer: claim.payer,
      nonce: claim.nonce,
      fingerprint: claim.fingerprint,
      named: claim.named,
      owner: claim.owner,
      lease_ms: claim.leaseMs,
      route: claim.route,
      live: claim.live,
      amount: claim.amount,
      pay_to: claim.payTo,
      valid_before: claim.validBefore,
      since_block: claim.sinceBlock,
      balance: claim.balance,
      held_before: claim.heldBefore,
      check_balance: claim.checkBalance,
      known_only: claim.knownOnly,
    })));
    const rows = await retried(() =>
      brief((sql) =>
        sql<(ClaimResult & { ord: number })[]>`
        select * from payment_claim(${input}::text::jsonb, ${MAX_FLIGHTS}, ${MAX_LIVE_FLIGHTS})`
      )
    );
    const results: ClaimResult[] = [];
    for (const { ord, ...result } of rows) results[ord] = result;
    return results;
  };
}

/** Runs a statement again that lost to another in a deadlock: it changed nothing. */
function retried<T>(statement: () => Promise<T>): Promise<T> {
  return statement().catch((error) => {
    if (!isDeadlock(error)) throw error;
    return statement();
  });
}

function writeAnswers(brief: Brief) {
  return async (answers: readonly StoredAnswer[]): Promise<boolean[]> => {
    const input = JSON.stringify(answers.map((answer) => ({
      id: answer.id,
      fence: answer.fence,
      to: answer.to,
      lease_ms: answer.leaseMs,
      body: answer.body,
      evidence_ids: answer.evidenceIds,
    })));
    const rows = await retried(() =>
      brief((sql) =>
        sql<{ id: number }[]>`
        with input as (
          select * from json_to_recordset(${input}::text::json)
            as x(id bigint, fence integer, "to" text, lease_ms integer, body text, evidence_ids text[])
        ), moved as (
          update payments p set state = i."to",
            lease_until = clock_timestamp() + i.lease_ms * interval '1 millisecond',
            check_at = clock_timestamp()
          from input i where p.id = i.id and p.fence = i.fence and p.state = 'claimed'
          returning p.id
        ), stored as (
          insert into payment_answers (payment_id, body, evidence_ids, stored_at)
          select i.id, i.body, i.evidence_ids, clock_timestamp()
          from input i join moved using (id)
          on conflict (payment_id) do update set body = excluded.body,
            evidence_ids = excluded.evidence_ids, stored_at = excluded.stored_at
        )
        select id from moved`
      )
    );
    return membership(answers, rows);
  };
}

function writeSettled(brief: Brief) {
  return async (settled: readonly Settled[]): Promise<boolean[]> => {
    const input = JSON.stringify(settled.map(({ id, fence, tx }) => ({ id, fence, tx })));
    const rows = await retried(() =>
      brief((sql) =>
        sql<{ id: number }[]>`
        update payments p set state = 'settled', tx = i.tx, settled_at = clock_timestamp(),
          lease_until = clock_timestamp(), check_at = null, reason = null
        from json_to_recordset(${input}::text::json) as i(id bigint, fence integer, tx text)
        where p.id = i.id and p.fence = i.fence and p.state in ('answered', 'settling')
        returning p.id`
      )
    );
    return membership(settled, rows);
  };
}

function membership(items: readonly Held[], rows: readonly { id: number }[]): boolean[] {
  const moved = new Set(rows.map(({ id }) => id));
  return items.map(({ id }) => moved.has(id));
}

/** Opens the ledger of a database; each transition is durable when its promise resolves. */
export function openLedger(database: Pick<Database, "brief" | "durable">): Ledger {
  const { brief } = database;
  const durable = <I, O>(write: (items: readonly I[]) => Promise<readonly O[]>) =>
    createGroup<I, O>(GROUP, async (items) => {
      const results = await write(items);
      await database.durable();
      return results;
    });
  const claims = durable(writeClaims(brief));
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
    claim: (claim) => claims.add(claim),
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
            lease_until = clock_timestamp()
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
