/** The three statements of each paid call: one writes for as many calls as came together. */
import {
  type ClaimRequest,
  type ClaimResult,
  type GivenClaim,
  IDENTIFIED_REPEAT_SECONDS,
  type InFlightLimits,
  REPEAT_SECONDS,
  type Settled,
  type SignedAuthorization,
  type StoredAnswer,
  type StoredState,
} from "./types.ts";
import { isDeadlock, type ShortStatement } from "../sql.ts";

/** A row of claim_purchase: which columns it fills depends on its outcome. */
interface ClaimRow {
  readonly outcome: ClaimResult["outcome"];
  readonly id: number | null;
  readonly fencingToken: number | null;
  readonly state: string | null;
  readonly transaction: string | null;
  readonly body: string | null;
  readonly hasAnswer: boolean | null;
  readonly paymentIdentifier: string | null;
  readonly sinceBlock: number | null;
  readonly settledSeconds: number | null;
  readonly waitSeconds: number | null;
  readonly inFlight: string;
  readonly refusals: number;
  readonly signed: SignedAuthorization | null;
}

/** The result that a row tells. @throws Error where it gives a claim and does not say which. */
export function readClaim(row: ClaimRow): ClaimResult {
  const { outcome } = row;
  const isKnown = row.id !== null;
  switch (outcome) {
    case "new":
      return { outcome, isKnown, claim: givenClaim(row) };
    case "resume": {
      const { body, signed } = row;
      const state = row.state === "answered" || row.state === "refused" ? row.state : "settling";
      return { outcome, isKnown, claim: givenClaim(row), state, body, signed };
    }
    case "settled":
      return {
        outcome,
        isKnown,
        transaction: row.transaction ?? "",
        settledSeconds: row.settledSeconds ?? Infinity,
        answer: row.hasAnswer ? { body: row.body } : null,
        paymentIdentifier: row.paymentIdentifier,
      };
    case "cooling":
      return { outcome, isKnown, waitSeconds: row.waitSeconds ?? 1 };
    case "balance":
    case "short":
      return { outcome, isKnown, inFlight: row.inFlight };
    default:
      return { outcome, isKnown };
  }
}

function givenClaim({ outcome, id, fencingToken, sinceBlock, refusals }: ClaimRow): GivenClaim {
  if (id === null || fencingToken === null) {
    throw new Error(`the ledger answered ${outcome} without a claim`);
  }
  return { id, fencingToken, sinceBlock, refusals };
}

/** Claims, as claim_purchase in the migrations tells; one row for each, in order. */
export function writeClaims(short: ShortStatement, limits: InFlightLimits) {
  return async (claims: readonly ClaimRequest[]): Promise<ClaimRow[]> => {
    const input = JSON.stringify(claims.map((claim, ord) => ({
      ord,
      rail: claim.rail,
      payer: claim.payer,
      nonce: claim.nonce,
      fingerprint: claim.fingerprint,
      purchase: claim.purchaseKey,
      anew: claim.forceNew,
      named: claim.paymentIdentifier,
      owner: claim.owner,
      lease_ms: claim.leaseMs,
      route: claim.route,
      costs: claim.compute !== "memory",
      live: claim.compute === "live",
      amount: claim.amount,
      pay_to: claim.payTo,
      valid_after: claim.validAfter,
      valid_before: claim.validBefore,
      signature: claim.signature,
      since_block: claim.sinceBlock,
      balance: claim.balance,
      held_before: claim.inFlightBefore,
      check_balance: claim.checkBalance,
      known_only: claim.knownOnly,
      to: claim.prepared?.to ?? "claimed",
      body: claim.prepared?.body,
      evidence_ids: claim.prepared?.evidenceIds,
    })));
    const { all, costly, live } = limits;
    const rows = await retried(() =>
      short((sql) =>
        sql<(ClaimRow & { ord: number })[]>`
        select ord, outcome, id, fence as "fencingToken", state, tx as transaction, body,
          has_answer as "hasAnswer", named as "paymentIdentifier",
          since_block as "sinceBlock", settled_seconds as "settledSeconds",
          wait_seconds as "waitSeconds", held as "inFlight", refusals, signed
        from claim_purchase(${input}::text::json, ${all}, ${costly}, ${live},
          ${REPEAT_SECONDS}, ${IDENTIFIED_REPEAT_SECONDS})`
      )
    );
    const results: ClaimRow[] = [];
    for (const { ord, ...row } of rows) results[ord] = row;
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

/**
 * claimed → answered or settling, with the answer. One that quotes a post which was removed meanwhile is
 * not stored, and its claim stays as it is: cards in memory are a moment behind the database.
 */
export function writeAnswers(short: ShortStatement) {
  return async (answers: readonly StoredAnswer[]): Promise<StoredState[]> => {
    const input = JSON.stringify(answers.map((answer) => ({
      id: answer.id,
      fence: answer.fencingToken,
      to: answer.to,
      lease_ms: answer.leaseMs,
      body: answer.body,
      evidence_ids: answer.evidenceIds,
    })));
    const rows = await retried(() =>
      short((sql) =>
        sql<{ id: number; state: StoredState }[]>`
        with input as (
          select * from json_to_recordset(${input}::text::json)
            as x(id bigint, fence integer, "to" text, lease_ms integer, body text, evidence_ids text[])
        ), gone as (
          select i.id from input i where exists (
            select from seen_posts s where s.id = any(i.evidence_ids) and s.forgotten)
        ), held as (
          select p.id from payments p join input i using (id)
          where p.fence = i.fence and p.state = 'claimed'
            and not exists (select from gone where gone.id = i.id)
          order by p.id for no key update of p
        ), moved as (
          update payments p set state = i."to",
            lease_until = clock_timestamp() + i.lease_ms * interval '1 millisecond',
            check_at = clock_timestamp()
          from input i join held using (id) where p.id = i.id
          returning p.id
        ), stored as (
          insert into payment_answers (payment_id, body, evidence_ids, stored_at)
          select i.id, i.body, i.evidence_ids, clock_timestamp()
          from input i join moved using (id)
          on conflict (payment_id) do update set body = excluded.body,
            evidence_ids = excluded.evidence_ids, stored_at = excluded.stored_at
        )
        select id, 'stored' as state from moved union all select id, 'gone' from gone`
      )
    );
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return answers.map(({ id }) => states.get(id) ?? "lost");
  };
}

/** answered or settling → settled: when each was, or null where it was not held any more. */
export function writeSettled(short: ShortStatement) {
  return async (settled: readonly Settled[]): Promise<(Date | null)[]> => {
    const input = JSON.stringify(
      settled.map(({ id, fencingToken, transaction }) => ({
        id,
        fence: fencingToken,
        transaction,
      })),
    );
    const rows = await retried(() =>
      short((sql) =>
        sql<{ id: number; at: Date }[]>`
        update payments p set state = 'settled', tx = held.transaction, settled_at = clock_timestamp(),
          lease_until = clock_timestamp(), check_at = null, reason = null, signature = null,
          valid_after = null
        from (
          select p.id, i.transaction from payments p
            join json_to_recordset(${input}::text::json)
              as i(id bigint, fence integer, transaction text) using (id)
          where p.fence = i.fence and p.state in ('answered', 'settling')
          order by p.id for no key update of p
        ) held
        where p.id = held.id
        returning p.id, p.settled_at as at`
      )
    );
    const times = new Map(rows.map(({ id, at }) => [id, at]));
    return settled.map(({ id }) => times.get(id) ?? null);
  };
}
