/** The settler of mode `facilitator`: /verify, /settle and /supported over HTTP. */
import { sleep } from "../../core/deadline.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { PaymentOrder, SettlementResult, Settler } from "../protocol/settler.ts";
import type { Authorize } from "./facilitator_auth.ts";
import { ExchangeError } from "../../core/http.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { createUpstreamHealth, type UpstreamHealth } from "./upstream_health.ts";
import { REASON } from "../protocol/reasons.ts";
import type { Network } from "../evm/networks.ts";
import { provenPayer } from "../evm/signature.ts";
import { askFacilitator, checkSupported, type FacilitatorAccess } from "./supported.ts";

interface FacilitatorOptions {
  readonly url: string;
  readonly network: Network;
  readonly authorize: Authorize;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly timing?: Partial<FacilitatorTiming>;
}

export interface FacilitatorTiming {
  readonly verifyMs: number;
  readonly settleMs: number;
  /** For all attempts at one settlement together. */
  readonly settleBudgetMs: number;
  /** Before the second attempt; doubles from there. */
  readonly retryMs: number;
}

const TIMING: FacilitatorTiming = {
  verifyMs: 5_000,
  settleMs: 15_000,
  settleBudgetMs: 20_000,
  retryMs: 300,
};
/** Attempts where the answer is unusable; a pending settlement is retried until the budget ends. */
const ATTEMPTS = 2;
/** An attempt that took this share of its deadline is not repeated: the buyer would wait as long again. */
const HUNG_SHARE = 0.9;

const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;
/** The shape of a protocol reason; anything else that a facilitator says is not passed on. */
const REASON_WORD = /^[\w.-]{1,80}$/;
/**
 * Reasons that are decided before anything is sent to a chain, so that nothing can have been
 * charged: those of the protocol's verification, of the official facilitator's, and of Coinbase's.
 * After any other the payment may be on its way. A nonce that was used is none of them: it may be
 * this very payment that used it.
 */
const REFUSALS = new Set([
  "insufficient_funds",
  "invalid_scheme",
  "unsupported_scheme",
  "invalid_network",
  "invalid_x402_version",
  "invalid_payload",
  "invalid_payment_requirements",
  "unsupported_payload_type",
  "asset_not_deployed_contract",
  "eip6492_factory_not_allowed",
  ...[
    "scheme",
    "network_mismatch",
    "missing_eip712_domain",
    "recipient_mismatch",
    "signature",
    "failed_to_parse_signature",
    "authorization_value",
    "token_name_mismatch",
    "token_version_mismatch",
    "eip3009_not_supported",
    "insufficient_balance",
    "transaction_simulation_failed",
    "payload_recipient_mismatch",
    "payload_signature",
    "payload_signature_address",
    "payload_undeployed_smart_wallet",
    "payload_authorization_value",
    "payload_authorization_value_mismatch",
    "payload_authorization_value_too_low",
    "payload_authorization_valid_after",
    "payload_authorization_valid_before",
    "payload_authorization_typed_data_message",
    "payload_authorization_from_address_kyt",
    "payload_authorization_to_address_kyt",
  ].map((fault) => `invalid_exact_evm_${fault}`),
]);

/** What a facilitator is sent: the payment as it came, with our own description of the resource. */
function facilitatorBody({ payment, paymentRequired }: PaymentOrder): string {
  const { authorization, signature, extensions } = payment;
  const { requirements, resource, extensions: { bazaar = null } } = paymentRequired;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource,
      accepted: requirements,
      payload: {
        signature,
        authorization: {
          from,
          to,
          value: value.toString(),
          validAfter: validAfter.toString(),
          validBefore: validBefore.toString(),
          nonce,
        },
      },
      ...(extensions === null ? {} : { extensions: withOurs(extensions, bazaar) }),
    },
    paymentRequirements: requirements,
  });
}

/** The extensions that came with a payment, with our own description of the resource where they had one. */
const withOurs = (extensions: JsonObject, bazaar: unknown): JsonObject =>
  "bazaar" in extensions ? { ...extensions, bazaar } : extensions;

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/**
 * Reads an answer to /settle about a payer; `pending` means that the same request is to be
 * repeated.
 */
function readSettlement(
  { status, body }: Answer,
  { id, legacyName }: Network,
  from: string,
): SettlementResult | { readonly kind: "pending" } {
  const { network, payer, transaction } = body;
  if (body["success"] === true) {
    const isOurs = (network === id || network === legacyName) &&
      (!payer || String(payer).toLowerCase() === from);
    if (
      !isOurs || status >= 300 || typeof transaction !== "string" || !TRANSACTION.test(transaction)
    ) return { kind: "unknown", why: "a success that names no transaction of ours" };
    return { kind: "settled", transaction: transaction.toLowerCase() };
  }
  const { errorReason: reason } = body;
  if (reason === "settlement_pending") return { kind: "pending" };
  if (typeof reason === "string" && status < 500 && status !== 429) {
    if (typeof transaction === "string" && TRANSACTION.test(transaction)) {
      const word = REASON_WORD.test(reason) ? reason : REASON.unsettled;
      return { kind: "refused", reason: word, transaction };
    }
    if (REFUSALS.has(reason) && !transaction) return { kind: "refused", reason };
  }
  return { kind: "unknown", why: `HTTP ${status}: ${String(reason)}` };
}

/** Creates the settler. It is ready while the facilitator answers and supports the network. */
export function createFacilitatorSettler(options: FacilitatorOptions): Settler {
  const timing = { ...TIMING, ...options.timing };
  const base = options.url.replace(/\/+$/, "");
  const access = { base, authorize: options.authorize, fetch: options.fetch };
  const health = createUpstreamHealth({
    log: options.log,
    name: "facilitator",
    // Keys are often a part of the address.
    fields: { url: new URL(base).origin },
    probe: async () =>
      checkSupported(
        await askFacilitator(access, "GET", "/supported", timing.verifyMs),
        options.network.id,
      ),
  });
  const parts: FacilitatorParts = { network: options.network, access, health, timing };
  return {
    mode: "facilitator",
    recordsItself: false,
    settleBudgetMs: timing.settleBudgetMs + timing.settleMs,
    start: health.start,
    ready: health.isHealthy,
    verify: (order) => verify(parts, order),
    settle: (order) => settleWithRetries(parts, order),
    maintain: health.recheck,
  };
}

interface FacilitatorParts extends Pick<FacilitatorOptions, "network"> {
  readonly access: FacilitatorAccess;
  readonly health: UpstreamHealth;
  readonly timing: FacilitatorTiming;
}

/**
 * One exchange about a payment; its success or failure counts towards the facilitator's health.
 * @throws ExchangeError for an answer without a boolean `verdict` as well, whatever its status.
 */
async function post(
  { access, health }: FacilitatorParts,
  { payment }: PaymentOrder,
  asked: {
    readonly path: "/verify" | "/settle";
    readonly verdict: "isValid" | "success";
    readonly timeoutMs: number;
    readonly body: string;
  },
): Promise<Answer> {
  const { path, verdict, timeoutMs, body } = asked;
  try {
    const result = await askFacilitator(access, "POST", path, timeoutMs, body);
    if (!isObject(result.body) || typeof result.body[verdict] !== "boolean") {
      throw new ExchangeError("malformed", `HTTP ${result.status} without ${verdict}`);
    }
    health.succeeded();
    return { status: result.status, body: result.body };
  } catch (error) {
    health.failed(provenPayer(payment), error);
    throw error;
  }
}

/** Why the facilitator would refuse a payment, or null. */
async function verify(parts: FacilitatorParts, order: PaymentOrder): Promise<string | null> {
  const { body } = await post(parts, order, {
    path: "/verify",
    verdict: "isValid",
    timeoutMs: parts.timing.verifyMs,
    body: facilitatorBody(order),
  });
  if (body["isValid"]) return null;
  const reason = body["invalidReason"];
  return typeof reason === "string" && REASON_WORD.test(reason) ? reason : REASON.unsettled;
}

/** Repeats the same request while the settlement is pending, and once where it got no usable answer. */
async function settleWithRetries(
  parts: FacilitatorParts,
  order: PaymentOrder,
): Promise<SettlementResult> {
  const { timing } = parts;
  const body = facilitatorBody(order);
  const started = performance.now();
  let wait = timing.retryMs;
  for (let tries = 1;; tries++) {
    const result = await attempt(parts, order, body);
    // An attempt before may be on its way, by which this one is refused.
    if (result.kind === "refused" && tries > 1) return { kind: "unknown", why: result.reason };
    if (result.kind !== "pending" && result.kind !== "unknown") return result;
    const spent = performance.now() - started;
    const givesUp = result.kind === "unknown" &&
      (tries >= ATTEMPTS || spent >= timing.settleMs * HUNG_SHARE);
    if (givesUp || spent + wait >= timing.settleBudgetMs) {
      return result.kind === "unknown" ? result : { kind: "unknown", why: "still pending" };
    }
    await sleep(wait);
    wait *= 2;
  }
}

async function attempt(
  parts: FacilitatorParts,
  order: PaymentOrder,
  body: string,
): Promise<ReturnType<typeof readSettlement>> {
  const { network, timing: { settleMs: timeoutMs } } = parts;
  try {
    const asked = { path: "/settle", verdict: "success", timeoutMs, body } as const;
    return readSettlement(
      await post(parts, order, asked),
      network,
      order.payment.authorization.from,
    );
  } catch (error) {
    return { kind: "unknown", why: messageOf(error) };
  }
}
