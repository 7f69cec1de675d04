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
  const { ledger, settler, chain, log } = deps;

  const pending = (cause?: unknown): Outcome =>
    failed(
      new ServiceError("settlement_pending", PENDING_MESSAGE, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      }),
    );

  /** What the chain proves of a payment. */
  const standingOfClaim = (
    { payment }: PaymentOrder,
    { id, sinceBlock }: GivenClaim,
  ): Promise<Standing> => {
    const { from: payer, to: payTo, value: amount, nonce, validBefore } = payment.authorization;
    return standingOnChain(deps, id, { payer, payTo, amount, nonce, sinceBlock, validBefore });
  };

  const abandon = async (claim: Claim, why: string): Promise<Outcome> => {
    await ledger.abandon(claim).catch((cause) => log.warn("claim not abandoned", { cause }));
    return pending(new Error(why));
  };

  const settled = async (
    claim: GivenClaim,
    order: PaymentOrder,
    transaction: string,
    body: string | null,
  ): Promise<Outcome> => {
    const settledAt = await recordSettlement(deps, { ...claim, transaction });
    if (claim.refusals > 0) {
      const payer = order.payment.authorization.from.slice(2);
      await ledger.forgive(deps.railKey, payer).catch((cause) =>
        log.warn("cool-down of a payer not reset", { cause })
      );
    }
    return body === null
      ? { kind: "removed", transaction, settledAt }
      : { kind: "delivered", body, transaction, settledAt, repeated: false };
  };

  const refuse = async (order: PaymentOrder, claim: Claim, reason: string, final: boolean) => {
    const left = Number(order.payment.authorization.validBefore) - deps.nowSeconds();
    const recheckSeconds = final || chain === null
      ? null
      : Math.min(RECHECK_MAX_SECONDS, Math.max(0, left) + EXPIRY_MARGIN_SECONDS);
    const isOurs = await ledger.refuse(claim, { reason, recheckSeconds, penalty: true });
    // The new owner of the claim may be charging for it now: asking for another payment could charge twice.
    if (!isOurs) return pending(new Error("the claim was taken over"));
    const outcome: Outcome = { kind: "refused", reason, settlement: true };
    return outcome;
  };

  /**
   * Whether a refusal of a payment that our node shows as unused says that nothing was charged. A
   * settler may know of a use that our node has not seen yet, and a transaction that it gave up may
   * still be mined.
   */
  const isFinal = async (
    { reason, transaction }: Extract<SettlementResult, { kind: "refused" }>,
  ): Promise<boolean> => {
    if (transaction === undefined) return reason !== REASON.nonceUsed;
    try {
      return await chain?.hasReverted(transaction) === true;
    } catch (cause) {
      log.warn("the chain does not say whether a transaction failed", { transaction, cause });
      return false;
    }
  };

  /** Ends a settlement that the chain has proven. */
  const decided = (
    order: PaymentOrder,
    claim: GivenClaim,
    body: string | null,
    standing: DecidedStanding,
  ): Promise<Outcome> =>
    standing.kind === "paid"
      ? settled(claim, order, standing.transaction, body)
      : refuse(order, claim, standing.reason, true);

  /** Decides a result other than success by the chain's proof. */
  const conclude = async (
    order: PaymentOrder,
    claim: GivenClaim,
    body: string | null,
    result: Exclude<SettlementResult, { kind: "settled" | "untried" }>,
  ): Promise<Outcome> => {
    const standing = await standingOfClaim(order, claim);
    if (isDecided(standing)) return await decided(order, claim, body, standing);
    if (result.kind === "refused" && standing.kind === "unused" && await isFinal(result)) {
      const reason = await deps.chainView.explain(order, result.reason);
      return await refuse(order, claim, reason, false);
    }
    return await abandon(claim, result.kind === "refused" ? result.reason : result.why);
  };

  /**
   * Settles, and concludes. Where the claim was tried before, what an attempt without an answer sent may be on its
   * way, unseen by our node: then neither a refusal nor an attempt that sent nothing says that nothing was charged.
   */
  const run = async (
    order: PaymentOrder,
    claim: GivenClaim,
    body: string | null,
    triedBefore = false,
  ): Promise<Outcome> => {
    const result = await settler.settle(order, claim);
    if (result.kind === "settled") {
      return await settled(claim, order, result.transaction, body);
    }
    if (triedBefore) {
      const why = result.kind === "refused" ? result.reason : result.why;
      return await conclude(order, claim, body, { kind: "unknown", why });
    }
    if (result.kind !== "untried") return await conclude(order, claim, body, result);
    await ledger.abandon(claim);
    const message = "The payment cannot be settled now; nothing was charged.";
    return failed(new ServiceError("overloaded", message, { cause: new Error(result.why) }));
  };

  const resume: Settlement["resume"] = async (order, { claim, state, body }) => {
    if (state === "answered") {
      if (!settler.recordsItself) {
        const begun = await ledger.beginSettling(
          claim,
          deps.leaseMs,
        );
        if (!begun) return pending();
      }
      return await run(order, claim, body);
    }
    // It may have been paid already: the chain is asked before anything is sent.
    const standing = await standingOfClaim(order, claim);
    if (isDecided(standing)) return await decided(order, claim, body, standing);
    // The answer was removed, and the payment has not settled: there is nothing to charge for.
    if (body === null) return await abandon(claim, "the answer was removed");
    // A refusal was believed before, and another is as good.
    return await run(order, claim, body, state === "settling");
  };

  return {
    pending,
    settle: (order, claim, body) => run(order, claim, body),
    resume,
  };
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
