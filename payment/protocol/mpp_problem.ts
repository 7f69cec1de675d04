/** Refusals as the second wire tells of them: problem details (RFC 9457). */
import { meaningOf, REASON, type Reason } from "./reasons.ts";

const TITLES = {
  "malformed-credential": "Malformed Credential",
  "invalid-challenge": "Invalid Challenge",
  "payment-expired": "Payment Expired",
  "payment-insufficient": "Payment Insufficient",
  "verification-failed": "Verification Failed",
} as const;

const TYPES = new Map<string, keyof typeof TITLES>(
  [
    [REASON.payload, "malformed-credential"],
    [REASON.challenge, "invalid-challenge"],
    [REASON.challengeHash, "invalid-challenge"],
    [REASON.challengeWindow, "invalid-challenge"],
    [REASON.nonceUsed, "invalid-challenge"],
    [REASON.validBefore, "payment-expired"],
    [REASON.funds, "payment-insufficient"],
  ] as const satisfies readonly (readonly [Reason, keyof typeof TITLES])[],
);

/** A refusal as problem details (RFC 9457), as this wire tells of it. */
export function problemDetails(reason: string): Readonly<Record<string, unknown>> {
  const type = TYPES.get(reason) ?? "verification-failed";
  return {
    type: `https://paymentauth.org/problems/${type}`,
    title: TITLES[type],
    status: 402,
    detail: meaningOf(reason),
  };
}
