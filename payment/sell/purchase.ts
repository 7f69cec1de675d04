/** One paid call, from the claim on its authorization to its outcome. */
import { sleep } from "../../core/deadline.ts";
import { isCircumstance, ServiceError } from "../../core/errors.ts";
import type { GivenClaim, SettledPurchase } from "../../db/ledger/mod.ts";
import { IDENTIFIED_REPEAT_SECONDS, REPEAT_SECONDS } from "../../db/ledger/types.ts";
import { type ClaimedPurchase, claimPurchase, earlierOrder } from "./claim.ts";
import { compute, type MadeAnswer } from "./compute.ts";
import type { SellingParts } from "./parts.ts";
import type { Purchase } from "./types.ts";
import { failed, type Outcome, refused } from "../protocol/outcome.ts";
import { REASON } from "../protocol/reasons.ts";

const POLL_FIRST_MS = 40;
const POLL_MAX_MS = 500;
/** A payer with too many calls in flight waits this long for one to end, looking again this often. */
const QUEUE_MS = 2_000;
const QUEUE_LOOK_MS = 250;
/** Seconds of its window that an authorization must have left when settlement begins: time to be mined. */
const LANDING_SECONDS = 3;
/** Within this time after a removal, answers are made without the removed post. */
const OUTDATED_SECONDS = 5;

/** Sells one answer. Never throws: whatever happens is an outcome. */
export async function runPurchase(parts: SellingParts, purchase: Purchase): Promise<Outcome> {
  try {
    return await carryOut(parts, purchase);
  } catch (error) {
    if (error instanceof ServiceError) return failed(error);
    return parts.settlement.pending(interruption(parts, error));
  } finally {
    parts.queue.left(purchase.order.payment.authorization.from);
  }
}

/**
 * Logs what interrupted a purchase, and gives it as a cause; undefined while the ledger is away: each paid call
 * then ends so, and that it is away was logged when it began.
 */
function interruption(
  parts: Pick<SellingParts, "ledgerIsAvailable" | "log">,
  cause: unknown,
): unknown {
  if (!parts.ledgerIsAvailable() && isCircumstance(cause)) return undefined;
  parts.log.error("purchase interrupted", { cause });
  return cause;
}

const UNCLAIMED = "The ledger of payments does not answer, and this call charged nothing. " +
  "Send the same payment again in a moment; there is no need to sign a new one.";
const UNCLAIMED_SECONDS = 5;

/**
 * The error of a claim that failed: without a claim nothing is charged, and what is stored of one that no answer
 * came to is settled for nobody but the buyer who sends the payment again. A payment that this process has seen in
 * the ledger may have been charged before: its outcome is open.
 */
function unclaimed(parts: SellingParts, { order }: Purchase, error: unknown): unknown {
  const isKnown = parts.known.has(order.payment.authorization.nonce);
  if (isKnown || error instanceof ServiceError) return error;
  return new ServiceError("overloaded", UNCLAIMED, {
    retryAfterSeconds: UNCLAIMED_SECONDS,
    cause: interruption(parts, error),
  });
}

async function carryOut(parts: SellingParts, given: Purchase): Promise<Outcome> {
  const { offer, order } = given;
  const patience = offer.computeBudgetMs + parts.settler.settleBudgetMs + parts.leases.ms;
  const { purchase, made } = await prepared(parts, given);
  const began = performance.now();
  let wait = POLL_FIRST_MS;
  for (;;) {
    const claimed = await claimPurchase(parts, purchase, made).catch((error) => {
      throw unclaimed(parts, purchase, error);
    });
    if (claimed.isKnown) parts.known.add(order.payment.authorization.nonce);
    const waited = performance.now() - began;
    if (claimed.outcome === "busy") {
      // Another replica is working on it.
      if (waited > patience) return parts.settlement.pending();
      await sleep(wait);
      wait = Math.min(wait * 2, POLL_MAX_MS);
      continue;
    }
    if (claimed.outcome === "limited" && waited < QUEUE_MS) {
      const turn = parts.queue.wait(order.payment.authorization.from, QUEUE_LOOK_MS);
      if (turn !== null) {
        await turn;
        continue;
      }
    }
    const outcome = await act(parts, purchase, claimed, made);
    // The earlier authorization for this purchase can no longer pay: this one is claimed next.
    const makesWay = claimed.outcome === "resume" && claimed.signed !== null &&
      outcome.kind === "refused";
    if (!makesWay || waited > patience) return outcome;
  }
}

/**
 * Computes the answer of a route that only reads memory before the claim, which then stores it: that saves a
 * round trip to the database. Where that fails, no new claim is made.
 */
async function prepared(
  parts: Pick<SellingParts, "settler">,
  purchase: Purchase,
): Promise<{ readonly purchase: Purchase; readonly made: MadeAnswer | null }> {
  const { offer, newClaimBlock } = purchase;
  if (offer.compute !== "memory" || newClaimBlock !== null) return { purchase, made: null };
  try {
    const made = await compute(purchase.call, offer, parts.settler.mode === "test");
    if (made.charge) return { purchase, made };
    return {
      purchase: { ...purchase, newClaimBlock: { kind: "free", body: made.body } },
      made: null,
    };
  } catch (error) {
    return { purchase: { ...purchase, newClaimBlock: failed(error) }, made: null };
  }
}

function act(
  parts: SellingParts,
  purchase: Purchase,
  claimed: Exclude<ClaimedPurchase, { readonly outcome: "busy" }>,
  made: MadeAnswer | null,
): Promise<Outcome> | Outcome {
  switch (claimed.outcome) {
    case "new": {
      const { claim } = claimed;
      return parts.leases.during(
        claim,
        () =>
          made === null
            ? produce(parts, purchase, claim)
            : parts.settlement.settle(purchase.order, claim, made.body),
      );
    }
    case "resume": {
      const order = claimed.signed === null
        ? purchase.order
        : earlierOrder(purchase.order, claimed.signed);
      return parts.leases.during(claimed.claim, () => parts.settlement.resume(order, claimed));
    }
    case "settled":
      return repeat(purchase, claimed);
    case "other":
      return purchase.unverifiedOutcome ?? refused(REASON.nonceUsed);
    case "unknown":
      // `knownOnly` is set only where `newClaimBlock` is.
      return purchase.newClaimBlock ?? failed(new Error("the ledger refused to make a new claim"));
    case "conflict":
      return purchase.unverifiedOutcome ?? failed(
        new ServiceError(
          "payment_conflict",
          "This payment identifier belongs to another payment; choose a new one.",
        ),
      );
    case "limited":
      return failed(
        new ServiceError("rate_limited", "Too many calls of this payer are in flight.", {
          retryAfterSeconds: 1,
        }),
      );
    case "cooling":
      return failed(
        new ServiceError("rate_limited", "A settlement of this payer was refused a moment ago.", {
          retryAfterSeconds: claimed.waitSeconds,
        }),
      );
    case "short":
      return refused(REASON.funds);
    case "gone":
      return failed(outdated());
  }
}

/** A payment that was settled before: its answer again, for as long as the ledger keeps it. */
function repeat(purchase: Purchase, settled: SettledPurchase): Outcome {
  const { transaction, settledSeconds, answer, paymentIdentifier } = settled;
  const isBuyer = paymentIdentifier !== null && paymentIdentifier === purchase.paymentIdentifier;
  const window = isBuyer ? IDENTIFIED_REPEAT_SECONDS : REPEAT_SECONDS;
  if (settledSeconds > window || answer === null) return refused(REASON.nonceUsed);
  return answer.body === null
    ? { kind: "removed", transaction, settledAt: null }
    : { kind: "delivered", body: answer.body, transaction, settledAt: null, repeated: true };
}

function outdated(): ServiceError {
  const message = "A post that this answer quotes was removed a moment ago; nothing was charged. " +
    "Send the same payment again.";
  return new ServiceError("overloaded", message, { retryAfterSeconds: OUTDATED_SECONDS });
}

/** Computes the answer of a fresh claim and has it settled. */
async function produce(
  parts: SellingParts,
  purchase: Purchase,
  claim: GivenClaim,
): Promise<Outcome> {
  const { settler, ledger, settlement } = parts;
  const { offer, order } = purchase;
  const release = async (outcome: Outcome): Promise<Outcome> => {
    // If this fails, the lease expires, which releases the claim as well.
    const isOurs = await ledger.release(claim).catch((cause) => {
      parts.log.warn("claim not released", { cause });
      return true;
    });
    // The new owner of the claim may be charging for it now.
    return isOurs ? outcome : settlement.pending();
  };
  let reason: string | null;
  try {
    reason = await settler.verify(order);
  } catch (cause) {
    const message = "The payment cannot be verified now; nothing was charged.";
    return await release(failed(new ServiceError("overloaded", message, { cause })));
  }
  if (reason !== null) {
    return await release(refused(await parts.chainView.explain(order, reason)));
  }
  let made;
  try {
    made = await compute(purchase.call, offer, settler.mode === "test");
  } catch (error) {
    return await release(failed(error));
  }
  if (!made.charge) return await release({ kind: "free", body: made.body });
  if (order.payment.authorization.validBefore <= BigInt(parts.nowSeconds() + LANDING_SECONDS)) {
    return await release(refused(REASON.validBefore));
  }
  const stored = await ledger.storeAnswer({
    ...claim,
    to: settler.recordsItself ? "answered" : "settling",
    body: made.body,
    evidenceIds: made.evidenceIds,
    leaseMs: parts.leases.ms,
  });
  // The claim was taken over after our lease expired: the new owner answers when the buyer asks again.
  if (stored === "lost") return settlement.pending();
  if (stored === "gone") return await release(failed(outdated()));
  return await settlement.settle(order, claim, made.body);
}
