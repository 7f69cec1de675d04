/** What a request brings to pay with, on either wire, and whether it is for the call that it came with. */
import type { Challenge } from "../protocol/payment_required.ts";
import { checkTerms } from "./checks.ts";
import type { Wire } from "../protocol/fingerprint.ts";
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
  decodePayment,
  type HeaderChoice,
  type Payment,
} from "../protocol/payment_payload.ts";
import type { Rail } from "../protocol/terms.ts";
import { REASON } from "../protocol/reasons.ts";
import type { PaidOffer, PaidRequest } from "../protocol/types.ts";

/** What a request brought, its payload of the first wire not decoded yet. */
export type Presented =
  | HeaderChoice
  /** Nothing that could be a payment of the second wire, or payments of both. */
  | { readonly kind: "malformed" }
  | { readonly kind: "mpp"; readonly credential: MppCredential };

/** A payment that is well formed. */
export interface PresentedPayment {
  readonly payment: Payment;
  readonly wire: Wire;
  /** Whether the client is of version 1 of x402. */
  readonly legacy: boolean;
  /** How the call ends where the payment is not for it; null where it fits. */
  readonly wrong: Outcome | null;
}

export interface Wires {
  /** The headers of a 402 that hold a fresh challenge of the second wire; none where it is off. */
  fresh(body: Uint8Array): Readonly<Record<string, string>>;
  read(headers: Headers): Presented;
  /** The payment, or the reason why there is none. Needs neither clock nor cryptography of the chain's. */
  match(
    presented: Extract<Presented, { readonly kind: "one" | "mpp" }>,
    request: PaidRequest,
  ): PresentedPayment | string;
}

export interface WiresDeps {
  readonly rail: Rail;
  /** The second wire; null where it is off. */
  readonly mpp: Mpp | null;
  readonly settlement: { pending(): Outcome };
}

const refusal = (reason: string): Outcome => ({ kind: "refused", reason, settlement: false });

/** Makes the wires of one route. */
export function createWires(deps: WiresDeps, offer: PaidOffer, challenge: Challenge): Wires {
  const { mpp, rail } = deps;
  const target = (body: Uint8Array): MppTarget => ({
    method: offer.method,
    path: offer.path,
    body,
  });

  const checkX402 = (payment: Payment, { query }: PaidRequest): Outcome | null => {
    const wrong = checkTerms(payment, challenge, rail, query) ??
      (mpp?.asksFor(payment.authorization.nonce) ? REASON.otherWire : null);
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
    fresh: (body) => {
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
        return { payment: credential.payment, wire: "mpp", legacy: false, wrong };
      }
      const decoded = decodePayment(presented.value);
      if (!decoded.ok) return decoded.reason;
      const { payment } = decoded;
      const legacy = presented.legacy || payment.version === 1;
      return { payment, wire: "x402", legacy, wrong: checkX402(payment, request) };
    },
  };
}
