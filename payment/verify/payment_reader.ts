/** Reads the payment of a request, by x402 or MPP, and checks that it is meant for that request. */
import type { PaymentRequired } from "../protocol/payment_required.ts";
import { checkTerms } from "./checks.ts";
import type { PaymentProtocol } from "../protocol/fingerprint.ts";
import type { Mpp } from "../protocol/mpp.ts";
import { MPP_CHALLENGE_HEADER, type MppTarget } from "../protocol/mpp_challenge.ts";
import {
  checkCredential,
  choosePaymentCredential,
  decodeCredential,
  type MppCredential,
} from "../protocol/mpp_credential.ts";
import { type Outcome, refused } from "../protocol/outcome.ts";
import {
  choosePaymentHeader,
  decodePaymentPayload,
  type HeaderChoice,
  type PaymentPayload,
} from "../protocol/payment_payload.ts";
import { PAYLOAD_FAULTS, PayloadFault } from "../protocol/payload_faults.ts";
import type { Rail } from "../protocol/rail.ts";
import { REASON, type Reason } from "../protocol/reasons.ts";
import type { PaidOffer, PaidRequest } from "../protocol/types.ts";

/** The payment headers of a request; an x402 payload is not decoded yet. */
export type PresentedHeaders =
  | HeaderChoice
  /** A malformed MPP credential, or payments by both protocols. */
  | { readonly kind: "malformed"; readonly fault: PayloadFault }
  | { readonly kind: "mpp"; readonly credential: MppCredential };

/** A well-formed payment. */
export interface PresentedPayment {
  readonly payment: PaymentPayload;
  readonly protocol: PaymentProtocol;
  /** Whether the client is of version 1 of x402. */
  readonly legacy: boolean;
  /** The outcome of the call where the payment is not meant for it; null where it is. */
  readonly refusal: Outcome | null;
}

interface PaymentReader {
  /** The header of a 402 with a fresh MPP challenge; empty where MPP is off. */
  mppChallenge(body: Uint8Array): Readonly<Record<string, string>>;
  read(headers: Headers): PresentedHeaders;
  /** The payment, or why it cannot be read. Checks neither the time window nor the signature. */
  match(
    presented: Extract<PresentedHeaders, { readonly kind: "one" | "mpp" }>,
    request: PaidRequest,
  ): PresentedPayment | Reason | PayloadFault;
}

interface PaymentReaderDeps {
  readonly rail: Rail;
  /** Null where MPP is off. */
  readonly mpp: Mpp | null;
  readonly settlement: { pending(): Outcome };
}

/** Creates the reader of one route's payments. */
export function createPaymentReader(
  deps: PaymentReaderDeps,
  offer: PaidOffer,
  paymentRequired: PaymentRequired,
): PaymentReader {
  const { mpp, rail } = deps;
  const target = (body: Uint8Array): MppTarget => ({
    method: offer.method,
    path: offer.path,
    body,
  });

  const checkX402 = (payment: PaymentPayload, { query }: PaidRequest): Outcome | null => {
    const wrong = checkTerms(payment, paymentRequired, rail, query) ??
      (mpp?.hasIssued(payment.authorization.nonce) ? REASON.otherWire : null);
    return wrong === null ? null : refused(wrong);
  };

  const checkMpp = (credential: MppCredential, { body }: PaidRequest): Outcome | null => {
    const issuer = mpp?.issuer(paymentRequired.amount) ?? null;
    // Without the key of its challenge it is unknown whether this payment was charged before.
    if (issuer === null) return deps.settlement.pending();
    const wrong = checkCredential(credential, issuer, target(body), paymentRequired, rail);
    return wrong === null ? null : refused(wrong);
  };

  /** Issues MPP challenges; null until their key is loaded. */
  let issue: ((body: Uint8Array) => string) | null = null;

  return {
    mppChallenge: (body) => {
      issue ??= mpp?.issuer(paymentRequired.amount)?.issuing(offer) ?? null;
      return issue === null ? {} : { [MPP_CHALLENGE_HEADER]: issue(body) };
    },
    read: (headers) => {
      const chosen = choosePaymentHeader(
        headers.get("PAYMENT-SIGNATURE"),
        headers.get("X-PAYMENT"),
      );
      if (mpp === null) return chosen;
      const credential = choosePaymentCredential(headers.get("Authorization"));
      if (credential.kind === "none") return chosen;
      const malformed = (fault: PayloadFault) => ({ kind: "malformed", fault }) as const;
      if (credential.kind === "several") return malformed(PAYLOAD_FAULTS.severalCredentials);
      if (chosen.kind !== "none") return malformed(PAYLOAD_FAULTS.twoProtocols);
      const decoded = decodeCredential(credential.value, rail);
      return decoded instanceof PayloadFault
        ? malformed(decoded)
        : { kind: "mpp", credential: decoded };
    },
    match: (presented, request) => {
      if (presented.kind === "mpp") {
        const { credential } = presented;
        const wrong = checkMpp(credential, request);
        return { payment: credential.payment, protocol: "mpp", legacy: false, refusal: wrong };
      }
      const decoded = decodePaymentPayload(presented.value);
      if (!decoded.ok) return decoded.wrong;
      const { payment } = decoded;
      const legacy = presented.legacy || payment.version === 1;
      return { payment, protocol: "x402", legacy, refusal: checkX402(payment, request) };
    },
  };
}
