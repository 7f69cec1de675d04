/** Settles a claim whose answer is stored: the outcome is paid, refused, or unknown. */
import { sleep } from "../../core/deadline.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Claim, GivenClaim, Ledger, ResumedClaim, Settled } from "../../db/ledger/mod.ts";
import type { ChainReader } from "../evm/chain.ts";
import { failed, type Outcome } from "../protocol/outcome.ts";
import { REASON } from "../protocol/reasons.ts";
import type { PaymentOrder, SettlementResult, Settler } from "../protocol/settler.ts";
import type { ChainView } from "../verify/chain_view.ts";
import {
  type DecidedStanding,
  EXPIRY_MARGIN_SECONDS,
  isDecided,
  type Standing,
  standingOnChain,
} from "./standing.ts";

export interface Settlement {
  /** Settles a claim whose answer is stored. */
  settle(order: PaymentOrder, claim: GivenClaim, body: string): Promise<Outcome>;
  /** Continues a claim taken over from an owner that died or gave up. */
  resume(order: PaymentOrder, resumed: ResumedClaim): Promise<Outcome>;
  /** The outcome while it is unknown whether the payment settled. */
  pending(cause?: unknown): Outcome;
}

interface SettlementDeps {
  readonly ledger: Ledger;
  readonly settler: Settler;
  /** Null in mode `test`, where nothing is on chain. */
  readonly chain: ChainReader | null;
  readonly chainView: ChainView;
  readonly railKey: string;
  readonly leaseMs: number;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
}

/** The longest wait before a refused payment is checked again. */
const RECHECK_MAX_SECONDS = 86_400;
const RETRY_AFTER_SECONDS = 5;

const PENDING_MESSAGE = "The settlement of this payment is not confirmed yet. " +
  "Send the same payment again: it is never charged twice. Do not sign a new one.";

/** Creates the settlement of one rail. Its promises reject where the ledger does not answer. */
export function createSettlement(deps: SettlementDeps): Settlement {
  return {
    pending,
    settle: (order, claim, body) => settleClaim(deps, { order, claim, body }, false),
    resume: (order, resumed) => resumeClaim(deps, order, resumed),
  };
}

/** A claim that is being settled, with its answer; null where that was removed. */
interface SettlingClaim {
  readonly order: PaymentOrder;
  readonly claim: GivenClaim;
  readonly body: string | null;
}

async function resumeClaim(
  deps: SettlementDeps,
  order: PaymentOrder,
  { claim, state, body }: ResumedClaim,
): Promise<Outcome> {
  const settling: SettlingClaim = { order, claim, body };
  if (state === "answered") {
    const isOurs = deps.settler.recordsItself ||
      await deps.ledger.beginSettling(claim, deps.leaseMs);
    return isOurs ? await settleClaim(deps, settling, false) : pending();
  }
  // It may have been paid already: the chain is asked before anything is sent.
  const standing = await standingOfClaim(deps, settling);
  if (isDecided(standing)) return await endByProof(deps, settling, standing);
  // The answer was removed, and the payment has not settled: there is nothing to charge for.
  if (body === null) return await abandon(deps, claim, "the answer was removed");
  // A refusal was believed before, and another is as good.
  return await settleClaim(deps, settling, state === "settling");
}

/**
 * Settles, and concludes. Where the claim was tried before, what an attempt without an answer sent may be on its way,
 * unseen by our node: then neither a refusal nor an attempt that sent nothing says that nothing was charged.
 */
async function settleClaim(
  deps: SettlementDeps,
  settling: SettlingClaim,
  triedBefore: boolean,
): Promise<Outcome> {
  const { order, claim } = settling;
  const result = await deps.settler.settle(order, claim);
  if (result.kind === "settled") return await endPaid(deps, settling, result.transaction);
  if (triedBefore) return await conclude(deps, settling, { kind: "unknown", why: whyOf(result) });
  if (result.kind !== "untried") return await conclude(deps, settling, result);
  await deps.ledger.abandon(claim);
  const message = "The payment cannot be settled now; nothing was charged.";
  return failed(new ServiceError("overloaded", message, { cause: new Error(result.why) }));
}

type Unsettled = Exclude<SettlementResult, { kind: "settled" }>;

const whyOf = (result: Unsettled): string => result.kind === "refused" ? result.reason : result.why;

/** Decides a result other than success by the chain's proof. */
async function conclude(
  deps: SettlementDeps,
  settling: SettlingClaim,
  result: Exclude<Unsettled, { kind: "untried" }>,
): Promise<Outcome> {
  const standing = await standingOfClaim(deps, settling);
  if (isDecided(standing)) return await endByProof(deps, settling, standing);
  if (result.kind === "refused" && standing.kind === "unused" && await isFinal(deps, result)) {
    const reason = await deps.chainView.explain(settling.order, result.reason);
    return await refuse(deps, settling, reason, recheckSeconds(deps, settling.order));
  }
  return await abandon(deps, settling.claim, whyOf(result));
}

/** What the chain proves of a payment. */
function standingOfClaim(
  deps: SettlementDeps,
  { order: { payment: { authorization } }, claim: { id, sinceBlock } }: SettlingClaim,
): Promise<Standing> {
  const { from: payer, to: payTo, value: amount, nonce, validBefore } = authorization;
  return standingOnChain(deps, id, { payer, payTo, amount, nonce, sinceBlock, validBefore });
}

/**
 * Whether a refusal of a payment that our node shows as unused says that nothing was charged. A settler may know of a
 * use that our node has not seen yet, and a transaction that it gave up may still be mined.
 */
async function isFinal(
  { chain, log }: SettlementDeps,
  { reason, transaction }: Extract<SettlementResult, { kind: "refused" }>,
): Promise<boolean> {
  if (transaction === undefined) return reason !== REASON.nonceUsed;
  try {
    return await chain?.hasReverted(transaction) === true;
  } catch (cause) {
    log.warn("the chain does not say whether a transaction failed", { transaction, cause });
    return false;
  }
}

/** Ends a settlement that the chain has proven. */
const endByProof = (
  deps: SettlementDeps,
  settling: SettlingClaim,
  standing: DecidedStanding,
): Promise<Outcome> =>
  standing.kind === "paid"
    ? endPaid(deps, settling, standing.transaction)
    : refuse(deps, settling, standing.reason, null);

async function endPaid(
  deps: SettlementDeps,
  { order, claim, body }: SettlingClaim,
  transaction: string,
): Promise<Outcome> {
  const { ledger, log, railKey } = deps;
  const settledAt = await recordSettlement(deps, { ...claim, transaction });
  if (claim.refusals > 0) {
    const payer = order.payment.authorization.from.slice(2);
    await ledger.forgive(railKey, payer).catch((cause) =>
      log.warn("cool-down of a payer not reset", { cause })
    );
  }
  return body === null
    ? { kind: "removed", transaction, settledAt }
    : { kind: "delivered", body, transaction, settledAt, repeated: false };
}

/** Refuses; `recheck` is after how many seconds the payment is looked at once more, null for never. */
async function refuse(
  { ledger }: SettlementDeps,
  { claim }: SettlingClaim,
  reason: string,
  recheck: number | null,
): Promise<Outcome> {
  const isOurs = await ledger.refuse(claim, { reason, recheckSeconds: recheck, penalty: true });
  // The new owner of the claim may be charging for it now: asking for another payment could charge twice.
  if (!isOurs) return pending(new Error("the claim was taken over"));
  return { kind: "refused", reason, settlement: true };
}

/** Until an authorization that was refused has run out, a day at the most; null without a chain to ask. */
function recheckSeconds(
  { chain, nowSeconds }: SettlementDeps,
  { payment: { authorization } }: PaymentOrder,
): number | null {
  if (chain === null) return null;
  const left = Number(authorization.validBefore) - nowSeconds();
  return Math.min(RECHECK_MAX_SECONDS, Math.max(0, left) + EXPIRY_MARGIN_SECONDS);
}

/** Leaves a claim of unknown outcome to reconciliation, and to the buyer who sends the payment again. */
async function abandon(
  { ledger, log }: SettlementDeps,
  claim: Claim,
  why: string,
): Promise<Outcome> {
  await ledger.abandon(claim).catch((cause) => log.warn("claim not abandoned", { cause }));
  return pending(new Error(why));
}

function pending(cause?: unknown): Outcome {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS, cause };
  return failed(new ServiceError("settlement_pending", PENDING_MESSAGE, details));
}

/** Waits before each attempt to record a settlement; a restarting database is back within their sum. */
const RECORD_AFTER_MS = [0, 100, 400, 1_500, 3_000];
/** No attempt begins after this: the buyer waits for all of them. */
const RECORD_BUDGET_MS = 8_000;

/**
 * Records a settlement, and returns its time, or null where the database did not take it. Never throws: the money
 * has moved and the answer is stored, so the answer is delivered either way, and reconciliation records the
 * settlement later.
 */
async function recordSettlement(
  { ledger, log }: { readonly ledger: Ledger; readonly log: Log },
  settled: Settled,
): Promise<Date | null> {
  const giveUp = performance.now() + RECORD_BUDGET_MS;
  for (const waitMs of RECORD_AFTER_MS) {
    if (performance.now() > giveUp) return null;
    if (waitMs > 0) await sleep(waitMs);
    try {
      return await ledger.settle(settled);
    } catch (cause) {
      log.error("settled payment not recorded yet", { transaction: settled.transaction, cause });
    }
  }
  return null;
}
