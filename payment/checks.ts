/** The cheap checks of a payment against a route's challenge, in the order that fails cheapest. */
import { readAddress } from "./hex.ts";
import { type Challenge, MAX_TIMEOUT_SECONDS } from "./challenge.ts";
import type { JsonObject, Payment } from "./payload.ts";
import type { Rail } from "./rail.ts";

/** Seconds that a settlement may take, beyond the compute's budget. */
export const SETTLEMENT_SECONDS = 30;

/** The protocol's words for what is wrong with a payment. */
export const REASON = {
  payload: "invalid_payload",
  scheme: "unsupported_scheme",
  network: "invalid_network",
  requirements: "invalid_payment_requirements",
  recipient: "invalid_exact_evm_payload_recipient_mismatch",
  value: "invalid_exact_evm_payload_authorization_value_mismatch",
  validAfter: "invalid_exact_evm_payload_authorization_valid_after",
  validBefore: "invalid_exact_evm_payload_authorization_valid_before",
  signature: "invalid_exact_evm_payload_signature",
  nonceUsed: "invalid_exact_evm_nonce_already_used",
  factory: "eip6492_factory_not_allowed",
  funds: "insufficient_funds",
} as const;

function sameAddress(value: unknown, key: string): boolean {
  return typeof value === "string" && readAddress(value) === key;
}

/** What a version 2 payment says it accepted must be what this route offers. */
function checkAccepted(accepted: JsonObject, challenge: Challenge, rail: Rail): string | null {
  const ours = challenge.requirements;
  if (accepted["asset"] !== ours.asset && !sameAddress(accepted["asset"], rail.assetKey)) {
    return REASON.requirements;
  }
  if (accepted["payTo"] !== ours.payTo && !sameAddress(accepted["payTo"], rail.payToKey)) {
    return REASON.recipient;
  }
  if (accepted["amount"] !== ours.amount) return REASON.value;
  return accepted["maxTimeoutSeconds"] === MAX_TIMEOUT_SECONDS ? null : REASON.requirements;
}

/** A payment that names another resource of ours was made for that one. */
function checkResource(url: string | null, path: string): string | null {
  if (url === null) return null;
  if (!URL.canParse(url)) return REASON.payload;
  return new URL(url).pathname === path ? null : REASON.payload;
}

/** Everything about a payment that needs neither clock nor cryptography; null when it fits. */
export function checkTerms(
  payment: Payment,
  challenge: Challenge,
  rail: Rail,
  path: string,
): string | null {
  if (payment.scheme !== "exact") return REASON.scheme;
  const { id, legacyName } = rail.network;
  const isNetwork = payment.network === id ||
    (payment.version === 1 && payment.network === legacyName);
  if (!isNetwork) return REASON.network;
  if (payment.accepted !== null) {
    const wrong = checkAccepted(payment.accepted, challenge, rail);
    if (wrong !== null) return wrong;
  }
  const { to, value } = payment.authorization;
  if (to !== rail.payToKey) return REASON.recipient;
  if (value !== BigInt(challenge.amount)) return REASON.value;
  return checkResource(payment.resourceUrl, path);
}

/**
 * Whether the authorization holds now and long enough: the contract takes it while
 * `validAfter < block time < validBefore`. `nowSeconds` is whole seconds since 1970.
 */
export function checkWindow(
  payment: Payment,
  nowSeconds: number,
  computeBudgetMs: number,
): string | null {
  const { validAfter, validBefore } = payment.authorization;
  if (validAfter >= BigInt(nowSeconds)) return REASON.validAfter;
  const needed = BigInt(nowSeconds + Math.ceil(computeBudgetMs / 1000) + SETTLEMENT_SECONDS);
  return validBefore < needed ? REASON.validBefore : null;
}
