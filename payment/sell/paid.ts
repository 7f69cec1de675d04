/** The HTTP side of a paid route: from a request to its response. */
import { ServiceError } from "../../core/errors.ts";
import type { PaymentRequired } from "../protocol/payment_required.ts";
import { checkWindow } from "../verify/checks.ts";
import { REASON } from "../protocol/reasons.ts";
import { PAYLOAD_FAULTS, PayloadFault } from "../protocol/payload_faults.ts";
import { fingerprint, purchaseKey } from "../protocol/fingerprint.ts";
import { readPaymentIdentifier } from "../protocol/payment_identifier.ts";
import {
  errorAnswer,
  type Outcome,
  outcomeAnswer,
  refused,
  refusedAnswer,
  type Reply,
  type ReplyContext,
  unpaidAnswer,
  withoutBody,
} from "../protocol/outcome.ts";
import type { Mpp } from "../protocol/mpp.ts";
import type { Purchase, PurchaseDeps } from "./claim.ts";
import { purchase } from "./purchase.ts";
import { authorizationDigest } from "../evm/authorization.ts";
import type { PaidHandler, PaidOffer, PaidRequest, PreparedCall } from "../protocol/types.ts";
import {
  createPaymentReader,
  type PresentedHeaders,
  type PresentedPayment,
} from "../verify/payment_reader.ts";
import type { SignatureVerifier } from "../verify/verify_signature.ts";

/** Answers one request of a paid route, whose body the caller has read within its bounds. Never throws. */
export type PaidEndpoint = (request: Request, reply: Reply) => Promise<Response>;

export interface PaidEndpointDeps extends PurchaseDeps {
  readonly signatures: SignatureVerifier;
  /** EIP-712 domain separator of the token. */
  readonly separator: Uint8Array;
  /** Purchases under way in this process, by authorization and request: a repeated request joins its purchase. */
  readonly inFlight: Map<string, Promise<Outcome>>;
  /** The newest of them by purchase key: other authorizations of the payer for the same request join it as well. */
  readonly inFlightPurchases: Map<string, Promise<Outcome>>;
  /** False while nothing can be settled, and once the service stops taking payments. */
  readonly isReady: () => boolean;
  /** Whether a call without a payment gets a 402; false while not ready or the ledger cannot be written to. */
  readonly isSelling: () => boolean;
  /** Null where MPP is off. */
  readonly mpp: Mpp | null;
}

/** Whether the client asks for a new purchase (RFC 9111, `no-cache`). */
const asksForNew = (cacheControl: string | null): boolean =>
  cacheControl !== null && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(cacheControl);

/**
 * Whether the outcome of a purchase also answers another authorization of the payer for it: not where it was about
 * one authorization alone, nor a failure for one that the ledger knows, which may have been charged before.
 */
function isFor(outcome: Outcome, isKnown: boolean): boolean {
  if (outcome.kind === "refused") return outcome.reason === REASON.funds;
  if (outcome.kind !== "failed") return true;
  return !isKnown &&
    !(outcome.error instanceof ServiceError && outcome.error.code === "payment_conflict");
}

/** Calls that wait for one purchase at most: each has one of the places for all callers, a thousand. */
const MAX_JOINERS = 99;
const joiners = new WeakMap<Promise<Outcome>, number>();

const crowded = (): ServiceError =>
  new ServiceError(
    "overloaded",
    "Too many calls wait for this purchase, and this one charged nothing. " +
      "Send the same payment again in a moment.",
  );

/** The outcome of a purchase for a call that joined it. */
const repeatedOf = (outcome: Outcome): Outcome =>
  outcome.kind === "delivered" ? { ...outcome, repeated: true } : outcome;

const EMPTY = new Uint8Array();

function readRequest(request: Request, url: URL, body: Uint8Array): PaidRequest {
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    body,
    header: (name) => request.headers.get(name),
  };
}

/** Creates the endpoint of an offer. */
export function createPaidEndpoint(
  deps: PaidEndpointDeps,
  offer: PaidOffer,
  paymentRequired: PaymentRequired,
  handler: PaidHandler,
): PaidEndpoint {
  const reader = createPaymentReader(deps, offer, paymentRequired);
  const closed = (): ServiceError => {
    const message = "Payments cannot be taken now; nothing was charged.";
    return new ServiceError("overloaded", message, { retryAfterSeconds: 10 });
  };
  const unready = (): ServiceError | null => deps.isReady() ? null : closed();

  /** Begins a purchase, which continues whether or not its client waits. */
  const start = (key: string, sale: Purchase): Promise<Outcome> => {
    const run = purchase(deps, sale).finally(() => {
      deps.inFlight.delete(key);
      if (sale.purchaseKey !== null && deps.inFlightPurchases.get(sale.purchaseKey) === run) {
        deps.inFlightPurchases.delete(sale.purchaseKey);
      }
    });
    deps.inFlight.set(key, run);
    if (sale.purchaseKey !== null && sale.newClaimBlock === null) {
      deps.inFlightPurchases.set(sale.purchaseKey, run);
    }
    return run;
  };

  /** Checks a payment without the ledger, then makes the purchase. */
  const buy = async (
    request: PaidRequest,
    call: PreparedCall,
    { payment, protocol }: PresentedPayment,
    beforeChainLookup: () => void,
  ): Promise<Outcome> => {
    const identifier = readPaymentIdentifier(payment.extensions);
    if (!identifier.ok) {
      const message = "payment-identifier: 16 to 128 letters, digits, hyphens and underscores.";
      const param = "payment-identifier";
      return { kind: "failed", error: new ServiceError("invalid_parameter", message, { param }) };
    }
    const barred = unready();
    const late = checkWindow(payment, deps.nowSeconds(), offer.computeBudgetMs);
    const digest = authorizationDigest(deps.separator, payment.authorization);
    const order = { payment, paymentRequired };
    const signed = await deps.signatures.verifySignature(order, digest, beforeChainLookup);
    if (signed.kind === "invalid") return refused(late ?? signed.reason);

    // What was bought before is delivered again even while no new claim can be made.
    let newClaimBlock: Outcome | null = barred === null ? null : { kind: "failed", error: barred };
    if (newClaimBlock === null && late !== null) newClaimBlock = refused(late);
    let unverifiedOutcome: Outcome | null = null;
    if (signed.kind === "rejected") {
      unverifiedOutcome = newClaimBlock = refused(late ?? signed.reason);
    }
    if (signed.kind === "unverified") {
      newClaimBlock = { kind: "failed", error: signed.error };
      unverifiedOutcome = deps.settlement.pending(signed.error);
    }
    // An answer that is made before the claim says itself why it cannot be.
    if (newClaimBlock === null && offer.computeCosts) {
      try {
        await handler.ready?.();
        await call.available?.();
      } catch (error) {
        newClaimBlock = { kind: "failed", error };
      }
    }
    const isAccount = signed.kind === "account";
    const bound = fingerprint(request, digest, isAccount ? null : payment.signature, protocol);
    const key = `${payment.authorization.nonce}/${bound}/${identifier.id ?? ""}`;
    const bought = unverifiedOutcome === null
      ? purchaseKey(deps.rail.key, payment.authorization.from, request)
      : null;
    const forceNew = asksForNew(request.header("cache-control"));
    const joins = newClaimBlock === null && !forceNew;
    for (;;) {
      const same = deps.inFlight.get(key);
      const other = joins && bought !== null ? deps.inFlightPurchases.get(bought) : undefined;
      const run = same ?? other;
      if (run === undefined) break;
      const joined = joiners.get(run) ?? 0;
      if (joined >= MAX_JOINERS) return { kind: "failed", error: crowded() };
      joiners.set(run, joined + 1);
      const shared = await run;
      if (same !== undefined || isFor(shared, deps.known.has(payment.authorization.nonce))) {
        return repeatedOf(shared);
      }
    }
    const outcome = await start(key, {
      ...{ offer, order, call, fingerprint: bound, newClaimBlock, unverifiedOutcome, forceNew },
      // An authorization that is out of its window finds its own purchase alone.
      purchaseKey: late === null ? bought : null,
      paymentIdentifier: identifier.id,
    });
    if (signed.kind === "contract" && outcome.kind === "delivered") {
      deps.signatures.paid(payment.authorization.from);
    }
    return outcome;
  };

  const answer = async (raw: Request, reply: Reply): Promise<Response> => {
    const isHead = raw.method === "HEAD";
    const chosen: PresentedHeaders = isHead ? { kind: "none" } : reader.read(raw.headers);
    const url = new URL(raw.url);
    const body = raw.body === null ? EMPTY : new Uint8Array(await raw.arrayBuffer());
    const request = readRequest(raw, url, body);
    const context: ReplyContext = {
      reply,
      rail: deps.rail,
      paymentRequired,
      search: url.search,
      mppChallenge: () => reader.mppChallenge(body),
    };
    if (isHead) return await withoutBody(await unpaid(request, context));
    if (chosen.kind === "none") return await unpaid(request, context);
    if (chosen.kind === "malformed") return refusedAnswer(context, "mpp", chosen.fault);
    if (reply.unread !== undefined) return errorAnswer(reply, reply.unread);
    let call: PreparedCall;
    try {
      call = await handler.prepare(request);
    } catch (error) {
      return errorAnswer(reply, error);
    }
    if (chosen.kind === "conflict") {
      return refusedAnswer(context, "x402", PAYLOAD_FAULTS.twoHeaders);
    }
    const brought = reader.match(chosen, request);
    if (typeof brought === "string" || brought instanceof PayloadFault) {
      return refusedAnswer(context, "x402", brought);
    }
    const { payment, protocol, legacy, refusal } = brought;
    const outcome = refusal ?? await buy(request, call, brought, () => reply.beforeChainLookup?.());
    const receipts = protocol === "mpp" && deps.mpp !== null && "transaction" in outcome
      ? await deps.mpp.receipt(payment.authorization.from, outcome)
      : null;
    return outcomeAnswer(context, { payment, protocol, legacy, receipts }, outcome);
  };

  /** Why a payment for this request would be refused now, or null. */
  const refusalOf = async (request: PaidRequest, reply: Reply): Promise<ServiceError | null> => {
    if (reply.unread !== undefined) return reply.unread;
    try {
      const call = await handler.prepare(request);
      await call.available?.();
      return null;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };

  /** The 402, whatever the input; an error only where nothing can be sold here now. */
  const unpaid = async (request: PaidRequest, context: ReplyContext): Promise<Response> => {
    const { reply } = context;
    if (!deps.isSelling()) return errorAnswer(reply, closed());
    await handler.ready?.();
    return unpaidAnswer(context, await refusalOf(request, reply));
  };

  return async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      return errorAnswer(reply, error);
    }
  };
}
