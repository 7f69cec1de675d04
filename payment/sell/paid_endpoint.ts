/** The HTTP side of a paid route: from a request to its response. */
import { ServiceError } from "../../core/errors.ts";
import type { PaymentRequired } from "../protocol/payment_required.ts";
import { PAYLOAD_FAULTS, PayloadFault } from "../protocol/payload_faults.ts";
import {
  errorAnswer,
  outcomeAnswer,
  refusedAnswer,
  type Reply,
  type ReplyContext,
  unpaidAnswer,
  withoutBody,
} from "../protocol/outcome.ts";
import type { PaidHandler, PaidOffer, PaidRequest, PreparedCall } from "../protocol/types.ts";
import { createPaymentReader, type PresentedHeaders } from "../verify/payment_reader.ts";
import type { SellingParts } from "./parts.ts";
import { closed, createSeller } from "./seller.ts";

/** Answers one request of a paid route, whose body the caller has read within its bounds. Never throws. */
export type PaidEndpoint = (request: Request, reply: Reply) => Promise<Response>;

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
  parts: SellingParts,
  offer: PaidOffer,
  paymentRequired: PaymentRequired,
  handler: PaidHandler,
): PaidEndpoint {
  const reader = createPaymentReader(parts, offer, paymentRequired);
  const sell = createSeller(parts, offer, paymentRequired, handler);

  const answer = async (raw: Request, reply: Reply): Promise<Response> => {
    const isHead = raw.method === "HEAD";
    const chosen: PresentedHeaders = isHead ? { kind: "none" } : reader.read(raw.headers);
    const url = new URL(raw.url);
    const body = raw.body === null ? EMPTY : new Uint8Array(await raw.arrayBuffer());
    const request = readRequest(raw, url, body);
    const context: ReplyContext = {
      reply,
      rail: parts.rail,
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
    const outcome = refusal ??
      await sell(request, call, brought, () => reply.beforeChainLookup?.());
    const receipts = protocol === "mpp" && parts.mpp !== null && "transaction" in outcome
      ? await parts.mpp.receipt(payment.authorization.from, outcome)
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
    if (!parts.isSelling()) return errorAnswer(reply, closed());
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
