/** Checks a payment without the ledger, then makes the purchase, or joins it. */
import { ServiceError } from "../../core/errors.ts";
import { authorizationDigest } from "../evm/authorization.ts";
import { fingerprint, purchaseKey } from "../protocol/fingerprint.ts";
import { failed, type Outcome, refused } from "../protocol/outcome.ts";
import { readPaymentIdentifier } from "../protocol/payment_identifier.ts";
import type { PaymentRequired } from "../protocol/payment_required.ts";
import type { PaidHandler, PaidOffer, PaidRequest, PreparedCall } from "../protocol/types.ts";
import { checkWindow } from "../verify/checks.ts";
import type { PresentedPayment } from "../verify/payment_reader.ts";
import type { SignatureVerification } from "../verify/verify_signature.ts";
import type { SellingParts } from "./parts.ts";
import { runPurchase } from "./purchase.ts";
import type { Purchase } from "./types.ts";

/**
 * The outcome of a call with a payment that is meant for it. `beforeChainLookup` is called before the chain or the
 * facilitator is asked about the signature; if it throws, neither is asked, and the error is passed on.
 */
type Seller = (
  request: PaidRequest,
  call: PreparedCall,
  presented: PresentedPayment,
  beforeChainLookup: () => void,
) => Promise<Outcome>;

/** Whether the client asks for a new purchase (RFC 9111, `no-cache`). */
const asksForNew = (cacheControl: string | null): boolean =>
  cacheControl !== null && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(cacheControl);

/** The error of a call that would need a new claim while none is made. */
export function closed(): ServiceError {
  const message = "Payments cannot be taken now; nothing was charged.";
  return new ServiceError("overloaded", message, { retryAfterSeconds: 10 });
}

function wrongIdentifier(): ServiceError {
  const message = "payment-identifier: 16 to 128 letters, digits, hyphens and underscores.";
  return new ServiceError("invalid_parameter", message, { param: "payment-identifier" });
}

/** Creates the seller of an offer. */
export function createSeller(
  parts: SellingParts,
  offer: PaidOffer,
  paymentRequired: PaymentRequired,
  handler: PaidHandler,
): Seller {
  /**
   * The outcome of a payment for which a new claim would be needed, where none may be made; null where it may.
   * What was bought before is delivered again either way.
   */
  const newClaimBlockOf = async (
    call: PreparedCall,
    signed: Exclude<SignatureVerification, { kind: "invalid" }>,
    late: Outcome | null,
  ): Promise<Outcome | null> => {
    if (signed.kind === "rejected") return late ?? refused(signed.reason);
    if (signed.kind === "unverified") return failed(signed.error);
    if (!parts.isReady()) return failed(closed());
    // An answer that is made before the claim says itself why it cannot be.
    if (late !== null || offer.compute === "memory") return late;
    try {
      await handler.ready?.();
      await call.available?.();
      return null;
    } catch (error) {
      return failed(error);
    }
  };

  /** The outcome where the ledger knows the payment otherwise than with this signature for this call. */
  const unverifiedOutcomeOf = (
    signed: SignatureVerification,
    late: Outcome | null,
  ): Outcome | null => {
    if (signed.kind === "rejected") return late ?? refused(signed.reason);
    return signed.kind === "unverified" ? parts.settlement.pending(signed.error) : null;
  };

  return async (request, call, { payment, protocol }, beforeChainLookup) => {
    const { authorization: { from }, signature } = payment;
    const identifier = readPaymentIdentifier(payment.extensions);
    if (!identifier.ok) return failed(wrongIdentifier());
    const fault = checkWindow(payment, parts.nowSeconds(), offer.computeBudgetMs);
    const late = fault === null ? null : refused(fault);
    const digest = authorizationDigest(parts.separator, payment.authorization);
    const order = { payment, paymentRequired };
    const signed = await parts.signatures.verifySignature(order, digest, beforeChainLookup);
    if (signed.kind === "invalid") return late ?? refused(signed.reason);
    const boundSignature = signed.kind === "account" ? null : signature;
    const newClaimBlock = await newClaimBlockOf(call, signed, late);
    const unverifiedOutcome = unverifiedOutcomeOf(signed, late);
    // An authorization that is out of its window finds its own purchase alone.
    const findsOthers = late === null && unverifiedOutcome === null;
    const purchase: Purchase = {
      offer,
      order,
      call,
      fingerprint: fingerprint(request, digest, boundSignature, protocol),
      purchaseKey: findsOthers ? purchaseKey(parts.rail.key, from, request) : null,
      forceNew: asksForNew(request.header("cache-control")),
      paymentIdentifier: identifier.id,
      newClaimBlock,
      unverifiedOutcome,
    };
    return await parts.inFlight.joinOrStart(purchase, async () => {
      const outcome = await runPurchase(parts, purchase);
      if (signed.kind === "contract" && outcome.kind === "delivered") parts.signatures.paid(from);
      return outcome;
    });
  };
}
