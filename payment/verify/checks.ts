/** Checks of a payment against a route's payment requirements, cheapest first. */
import { readAddress } from "../evm/hex.ts";
import { MAX_TIMEOUT_SECONDS, type PaymentRequired } from "../protocol/payment_required.ts";
import type { PaymentPayload } from "../protocol/payment_payload.ts";
import { PAYLOAD_FAULTS, type PayloadFault } from "../protocol/payload_faults.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Rail } from "../protocol/rail.ts";
import { REASON, type Reason } from "../protocol/reasons.ts";

/** Seconds that a settlement may take, beyond the compute's budget. */
const SETTLEMENT_SECONDS = 30;
/**
 * How far ahead an authorization may end. Until its end it could still be used, so that a
 * settlement of unknown outcome stays open: this bounds how long.
 */
const MAX_AHEAD_SECONDS = 86_400;

function sameAddress(value: unknown, key: string): boolean {
  return typeof value === "string" && readAddress(value) === key;
}

/** What a version 2 payment says it accepted must be what this route offers. */
function checkAccepted(
  accepted: JsonObject,
  paymentRequired: PaymentRequired,
  rail: Rail,
): PayloadFault | null {
  const ours = paymentRequired.requirements;
  if (accepted["asset"] !== ours.asset && !sameAddress(accepted["asset"], rail.assetKey)) {
    return PAYLOAD_FAULTS.acceptedAsset;
  }
  if (accepted["payTo"] !== ours.payTo && !sameAddress(accepted["payTo"], rail.payToKey)) {
    return PAYLOAD_FAULTS.acceptedPayTo;
  }
  if (accepted["amount"] !== ours.amount) return PAYLOAD_FAULTS.acceptedAmount;
  const isOurTime = accepted["maxTimeoutSeconds"] === MAX_TIMEOUT_SECONDS;
  return isOurTime ? null : PAYLOAD_FAULTS.acceptedTimeout;
}

const sorted = (query: URLSearchParams): string => {
  const copy = new URLSearchParams(query);
  copy.sort();
  return copy.toString();
};

/**
 * A payment that names a resource must name this one. Query parameters may be left out; where they are given
 * they must be the request's.
 */
function checkResource(
  url: string | null,
  paymentRequired: PaymentRequired,
  query: URLSearchParams,
): PayloadFault | null {
  const own = paymentRequired.resource.url;
  if (url === null || url === own) return null;
  if (!URL.canParse(url)) return PAYLOAD_FAULTS.resourceHost;
  const { origin, pathname, search, searchParams } = new URL(url);
  if (!own.startsWith(`${origin}/`)) return PAYLOAD_FAULTS.resourceHost;
  if (origin + pathname !== own) return PAYLOAD_FAULTS.resourcePath;
  const isSame = search === "" || sorted(searchParams) === sorted(query);
  return isSame ? null : PAYLOAD_FAULTS.resourceQuery;
}

/** All checks that need neither clock nor cryptography; null when the payment passes. */
export function checkTerms(
  payment: PaymentPayload,
  paymentRequired: PaymentRequired,
  rail: Rail,
  query: URLSearchParams,
): Reason | PayloadFault | null {
  if (payment.scheme !== "exact") return REASON.scheme;
  const { id, legacyName } = rail.network;
  const isNetwork = payment.network === id ||
    (payment.version === 1 && payment.network === legacyName);
  if (!isNetwork) return REASON.network;
  if (payment.accepted !== null) {
    const wrong = checkAccepted(payment.accepted, paymentRequired, rail);
    if (wrong !== null) return wrong;
  }
  const { to, value } = payment.authorization;
  if (to !== rail.payToKey) return REASON.recipient;
  if (value !== BigInt(paymentRequired.amount)) return REASON.value;
  return checkResource(payment.resourceUrl, paymentRequired, query);
}

/**
 * Whether the authorization holds now, and long enough, and not too long: the contract takes it
 * while `validAfter < block time < validBefore`. `nowSeconds` is whole seconds since 1970.
 */
export function checkWindow(
  payment: PaymentPayload,
  nowSeconds: number,
  computeBudgetMs: number,
): PayloadFault | null {
  const { validAfter, validBefore } = payment.authorization;
  if (validAfter >= BigInt(nowSeconds)) return PAYLOAD_FAULTS.notYetValid;
  if (validBefore <= BigInt(nowSeconds)) return PAYLOAD_FAULTS.expired;
  const needed = BigInt(nowSeconds + Math.ceil(computeBudgetMs / 1000) + SETTLEMENT_SECONDS);
  if (validBefore < needed) return PAYLOAD_FAULTS.earlyEnd;
  return validBefore > BigInt(nowSeconds + MAX_AHEAD_SECONDS) ? PAYLOAD_FAULTS.distantEnd : null;
}
