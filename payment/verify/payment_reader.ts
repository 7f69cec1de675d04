/** What a request brings to pay with, on either wire, and whether it is for the call that it came with. */
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
import type { Outcome } from "../protocol/outcome.ts";
import {
  choosePaymentHeader,
  decodePaymentPayload,
  type HeaderChoice,
  type PaymentPayload,
} from "../protocol/payment_payload.ts";
import type { Rail } from "../protocol/terms.ts";
import { REASON } from "../protocol/reasons.ts";
import type { PaidOffer, PaidRequest } from "../protocol/types.ts";

/** What a request brought, its payload of the first wire not decoded yet. */
export type PresentedHeaders =
  | HeaderChoice
  /** Nothing that could be a payment of the second wire, or payments of both. */
  | { readonly kind: "malformed" }
  | { readonly kind: "mpp"; readonly credential: MppCredential };

/** A payment that is well formed. */
export interface PresentedPayment {
  readonly payment: PaymentPayload;
  readonly protocol: PaymentProtocol;
  /** Whether the client is of version 1 of x402. */
  readonly legacy: boolean;
  /** How the call ends where the payment is not for it; null where it fits. */
  readonly refusal: Outcome | null;
}

export interface PaymentReader {
  /** The headers of a 402 that hold a fresh challenge of the second wire; none where it is off. */
  mppChallenge(body: Uint8Array): Readonly<Record<string, string>>;
  read(headers: Headers): PresentedHeaders;
  /** The payment, or the reason why there is none. Needs neither clock nor cryptography of the chain's. */
  match(
    presented: Extract<PresentedHeaders, { readonly kind: "one" | "mpp" }>,
    request: PaidRequest,
  ): PresentedPayment | string;
}

export interface PaymentReaderDeps {
  readonly rail: Rail;
  /** The second wire; null where it is off. */
  readonly mpp: Mpp | null;
  readonly settlement: { pending(): Outcome };
}

const refusal = (reason: string): Outcome => ({ kind: "refused", reason, settlement: false });

/** Makes the wires of one route. */
export function createPaymentReader(
  deps: PaymentReaderDeps,
  offer: PaidOffer,
  challenge: PaymentRequired,
): PaymentReader {
  const { mpp, rail } = deps;
  const target = (body: Uint8Array): MppTarget => ({
    method: offer.method,
    path: offer.path,
    body,
  });

  const checkX402 = (payment: PaymentPayload, { query }: PaidRequest): Outcome | null => {
    const wrong = checkTerms(payment, challenge, rail, query) ??
      (mpp?.hasIssued(payment.authorization.nonce) ? REASON.otherWire : null);
    return wrong === null ? null : refusal(wrong);
  };

  const checkMpp = (credential: MppCredential, { body }: PaidRequest): Outcome | null => {
    const issuer = mpp?.issuer(challenge.amount) ?? null;
    // Whether it was charged before, nobody can say without the key of its challenge.
    if (issuer === null) return deps.settlement.pending();
    const wrong = checkCredential(credential, issuer, target(body), challenge, rail);
    return wrong === null ? null : refusal(wrong);
  };

  /** Gives the challenges of the second wire; null until their key is there. */
  let issue: ((body: Uint8Array) => string) | null = null;

  return {
    mppChallenge: (body) => {
      issue ??= mpp?.issuer(challenge.amount)?.issuing(offer) ?? null;
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
      if (credential.kind === "several" || chosen.kind !== "none") return { kind: "malformed" };
      const decoded = decodeCredential(credential.value, rail);
      return decoded === undefined ? { kind: "malformed" } : { kind: "mpp", credential: decoded };
    },
    match: (presented, request) => {
      if (presented.kind === "mpp") {
        const { credential } = presented;
        const wrong = checkMpp(credential, request);
        return { payment: credential.payment, protocol: "mpp", legacy: false, refusal: wrong };
      }
      const decoded = decodePaymentPayload(presented.value);
      if (!decoded.ok) return decoded.reason;
      const { payment } = decoded;
      const legacy = presented.legacy || payment.version === 1;
      return { payment, protocol: "x402", legacy, refusal: checkX402(payment, request) };
    },
  };
}
