/** The HTTP side of a paid route: from a request to the answer it may have. */
import { ServiceError } from "../../core/errors.ts";
import type { Challenge } from "../protocol/payment_required.ts";
import { checkWindow } from "../verify/checks.ts";
import { REASON } from "../protocol/reasons.ts";
import { fingerprint, purchaseKey } from "../protocol/fingerprint.ts";
import { readIdentifier } from "../protocol/payment_identifier.ts";
import {
  bareAnswer,
  challengeAnswer,
  errorAnswer,
  headOf,
  type Outcome,
  outcomeAnswer,
  type Reply,
  type ReplyContext,
} from "../protocol/outcome.ts";
import type { Mpp } from "../protocol/mpp.ts";
import type { Purchase, PurchaseDeps } from "./claim.ts";
import { purchase } from "./purchase.ts";
import { authorizationDigest } from "../evm/authorization.ts";
import {
  type PaidHandler,
  type PaidOffer,
  type PaidRequest,
  type PreparedCall,
} from "../protocol/types.ts";
import { createWires, type Presented, type PresentedPayment } from "../verify/wires.ts";

/** Answers one request of a paid route, whose body the caller has read within its bounds. Never throws. */
export type PaidRoute = (request: Request, reply: Reply) => Promise<Response>;

export interface PaidDeps extends PurchaseDeps {
  /** EIP-712 domain separator of the token. */
  readonly separator: Uint8Array;
  /** Purchases under way in this process, by authorization and request: the same one sent again joins. */
  readonly flights: Map<string, Promise<Outcome>>;
  /** The newest of them for each purchase: other authorizations of the payer's for it join as well. */
  readonly purchases: Map<string, Promise<Outcome>>;
  /** False once the service stops taking payments. */
  readonly open: () => boolean;
  /** False while the ledger cannot be written to. */
  readonly ledgerIsAvailable: () => boolean;
  /** The second wire; null where it is off. */
  readonly mpp: Mpp | null;
}

const removed = (message: string): ServiceError => new ServiceError("answer_removed", message);
const refusal = (reason: string): Outcome => ({ kind: "refused", reason, settlement: false });

/** Whether the client wants no answer that was bought before (RFC 9111, `no-cache`). */
const asksAnew = (cacheControl: string | null): boolean =>
  cacheControl !== null && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(cacheControl);

/**
 * Whether how a purchase ended is the answer to the payer's other authorizations for it too: not where it
 * was one authorization that was wrong.
 */
function isForAll(outcome: Outcome): boolean {
  if (outcome.kind === "refused") return outcome.reason === REASON.funds;
  if (outcome.kind !== "failed") return true;
  return !(outcome.error instanceof ServiceError && outcome.error.code === "payment_conflict");
}

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

/** Makes the route of an offer. */
export function createPaidRoute(
  deps: PaidDeps,
  offer: PaidOffer,
  challenge: Challenge,
  handler: PaidHandler,
): PaidRoute {
  const wires = createWires(deps, offer, challenge);
  const closed = (): ServiceError => {
    const message = "Payments cannot be taken now; nothing was charged.";
    return new ServiceError("overloaded", message, { retryAfterSeconds: 10 });
  };
  const unready = (): ServiceError | null => deps.open() && deps.backend.ready() ? null : closed();

  /** Begins a purchase, which goes on whether or not its client waits for it. */
  const start = (key: string, sale: Purchase): Promise<Outcome> => {
    const run = purchase(deps, sale).finally(() => {
      deps.flights.delete(key);
      if (sale.purchase !== null && deps.purchases.get(sale.purchase) === run) {
        deps.purchases.delete(sale.purchase);
      }
    });
    deps.flights.set(key, run);
    if (sale.purchase !== null && sale.barrier === null) deps.purchases.set(sale.purchase, run);
    return run;
  };

  /** Checks a payment as far as that is possible without the ledger, then buys. */
  const buy = async (
    request: PaidRequest,
    call: PreparedCall,
    { payment, wire }: PresentedPayment,
    doubt: () => void,
  ): Promise<Outcome> => {
    const identifier = readIdentifier(payment.extensions);
    if (!identifier.ok) {
      const message = "payment-identifier: 16 to 128 letters, digits, hyphens and underscores.";
      const param = "payment-identifier";
      return { kind: "failed", error: new ServiceError("invalid_parameter", message, { param }) };
    }
    const barred = unready();
    const late = checkWindow(payment, deps.nowSeconds(), offer.computeBudgetMs);
    const digest = authorizationDigest(deps.separator, payment.authorization);
    const order = { payment, challenge };
    const signed = await deps.payers.checkSignature(order, digest, doubt);
    if (signed.kind === "forged") return refusal(late ?? signed.reason);

    // What was bought before is given again even while nothing new can be sold.
    let barrier: Outcome | null = barred === null ? null : { kind: "failed", error: barred };
    if (barrier === null && late !== null) barrier = refusal(late);
    let stranger: Outcome | null = null;
    if (signed.kind === "disowned") stranger = barrier = refusal(late ?? signed.reason);
    if (signed.kind === "unasked") {
      barrier = { kind: "failed", error: signed.error };
      stranger = deps.settlement.pending(signed.error);
    }
    if (barrier === null && call.available !== undefined) {
      try {
        await call.available();
      } catch (error) {
        barrier = { kind: "failed", error };
      }
    }
    const isAccount = signed.kind === "account";
    const bound = fingerprint(request, digest, isAccount ? null : payment.signature, wire);
    const key = `${payment.authorization.nonce}/${bound}/${identifier.id ?? ""}`;
    const bought = stranger === null
      ? purchaseKey(deps.rail.key, payment.authorization.from, request)
      : null;
    const anew = asksAnew(request.header("cache-control"));
    const joins = barrier === null && !anew;
    for (;;) {
      const flight = deps.flights.get(key);
      if (flight !== undefined) return await flight;
      const running = joins && bought !== null ? deps.purchases.get(bought) : undefined;
      if (running === undefined) break;
      const shared = await running;
      if (isForAll(shared)) return shared;
    }
    const outcome = await start(key, {
      ...{ offer, order, call, fingerprint: bound, barrier, stranger, anew },
      // Too late for a purchase: it may find its own, and no other.
      purchase: late === null ? bought : null,
      named: identifier.id,
    });
    if (signed.kind === "contract" && outcome.kind === "delivered") {
      deps.payers.paid(payment.authorization.from);
    }
    return outcome;
  };

  const answer = async (raw: Request, reply: Reply): Promise<Response> => {
    const isHead = raw.method === "HEAD";
    const chosen: Presented = isHead ? { kind: "none" } : wires.read(raw.headers);
    const url = new URL(raw.url);
    const body = raw.body === null ? EMPTY : new Uint8Array(await raw.arrayBuffer());
    const request = readRequest(raw, url, body);
    const context: ReplyContext = {
      reply,
      rail: deps.rail,
      challenge,
      search: url.search,
      fresh: () => wires.fresh(body),
    };
    if (isHead) return await headOf(await unpaid(request, context));
    if (chosen.kind === "none") return await unpaid(request, context);
    if (chosen.kind === "malformed") return challengeAnswer(context, "mpp", REASON.payload);
    if (reply.unread !== undefined) return errorAnswer(reply, reply.unread);
    let call: PreparedCall;
    try {
      call = await handler.prepare(request);
    } catch (error) {
      return errorAnswer(reply, error);
    }
    if (chosen.kind === "conflict") return challengeAnswer(context, "x402", REASON.payload);
    const brought = wires.match(chosen, request);
    if (typeof brought === "string") return challengeAnswer(context, "x402", brought);
    const { payment, wire, legacy, wrong } = brought;
    const outcome = wrong ?? await buy(request, call, brought, () => reply.doubt?.());
    const receipts = wire === "mpp" && deps.mpp !== null && "transaction" in outcome
      ? await deps.mpp.receipt(payment.authorization.from, outcome)
      : null;
    return outcomeAnswer(context, { payment, wire, legacy, receipts }, outcome, removed);
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

  /** The challenge, whatever the input; an error only where nothing can be sold here now. */
  const unpaid = async (request: PaidRequest, context: ReplyContext): Promise<Response> => {
    const { reply } = context;
    const barred = deps.ledgerIsAvailable() ? unready() : closed();
    if (barred !== null) return errorAnswer(reply, barred);
    await handler.ready?.();
    return bareAnswer(context, await refusalOf(request, reply));
  };

  return async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      return errorAnswer(reply, error);
    }
  };
}
