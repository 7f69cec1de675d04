/** The outcomes of a paid call, and the HTTP answers to them. */
import { Buffer } from "node:buffer";
import { type ErrorCode, ServiceError } from "../../core/errors.ts";
import { checksummed } from "../evm/hex.ts";
import type { PaymentProtocol } from "./fingerprint.ts";
import { PayloadFault } from "./payload_faults.ts";
import type { PaymentPayload } from "./payment_payload.ts";
import {
  ANSWER_HEADERS,
  encodeHeader,
  PAYMENT_REQUIRED_HEADER,
  type PaymentRequired,
  type Problem,
} from "./payment_required.ts";
import { meaningOf, REASON, type Reason } from "./reasons.ts";
import type { Rail } from "./rail.ts";

/** The transaction that paid, and when it was recorded; null where the ledger is to be asked. */
export interface SettlementRecord {
  readonly transaction: string;
  readonly settledAt: Date | null;
}

export type Outcome =
  /** Paid: the stored bytes; `repeated` where this request is not the one that was charged. */
  | (
    & { readonly kind: "delivered"; readonly body: string; readonly repeated: boolean }
    & SettlementRecord
  )
  /** Below the threshold: nothing was settled. */
  | { readonly kind: "free"; readonly body: string }
  /** Paid, and the answer was removed since. */
  | ({ readonly kind: "removed" } & SettlementRecord)
  /** No valid payment for this request; `settlement` where one was tried and refused. */
  | {
    readonly kind: "refused";
    readonly reason: string;
    /** The field that is wrong, where that is known. */
    readonly fault?: PayloadFault;
    readonly settlement: boolean;
  }
  | { readonly kind: "failed"; readonly error: unknown };

/** The outcome of a payment that is not valid for its request; no settlement was tried. */
export const refused = (wrong: string | PayloadFault): Outcome =>
  wrong instanceof PayloadFault
    ? { kind: "refused", reason: wrong.reason, fault: wrong, settlement: false }
    : { kind: "refused", reason: wrong, settlement: false };

/** The outcome of a call that ended with an error. */
export const failed = (error: unknown): Outcome => ({ kind: "failed", error });

/** What was charged for an answer. */
export interface Charge {
  /** Address of the payer. */
  readonly payer: string;
  readonly transaction: string;
  /** Whether an earlier request was charged for this answer. */
  readonly repeated: boolean;
}

/** What the HTTP layer provides for answers. */
export interface Reply {
  /** Headers that every answer carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to a failure. */
  error(thrown: unknown): Response;
  /** The status that a failure of this code is answered with. */
  statusOf(code: ErrorCode): number;
  /** Why the body could not be read, where it could not; the request then comes without it. */
  readonly unread?: ServiceError;
  /**
   * Called before the chain or the facilitator verifies a signature; an error that it throws is the answer.
   */
  beforeChainLookup?(): void;
  /** Called before a paid answer is sent. */
  onSettled?(charge: Charge): void;
}

/** True of any payment that asks for the answer: the one that was charged for it, or another for the same request. */
const REMOVED_MESSAGE =
  "The answer was paid for once, by the transaction of the receipt; a payment other than that one was not charged. " +
  "A post that it came from has since been removed at its source. " +
  "The same request with Cache-Control: no-cache and a payment not charged yet buys the answer that is there now.";

function answer(
  reply: Reply,
  status: number,
  body: string | null,
  more: Readonly<Record<string, string>>,
): Response {
  const headers = { ...reply.headers, ...ANSWER_HEADERS, ...more };
  return new Response(body, { status, headers });
}

/** A failure as a 402 describes it, before anyone pays. */
function problemOf(reply: Reply, error: ServiceError): Problem {
  const { code, message, param, categories } = error;
  return {
    status: reply.statusOf(code),
    code,
    message,
    ...(param === undefined ? {} : { param }),
    ...(categories === undefined ? {} : { categories }),
  };
}

/** What the answers to one request are made with. */
export interface ReplyContext {
  readonly reply: Reply;
  readonly rail: Rail;
  readonly paymentRequired: PaymentRequired;
  /** The query string of the request, `?` included. */
  readonly search: string;
  /** The header with a fresh MPP challenge for this request; empty where MPP is off. */
  readonly mppChallenge: () => Readonly<Record<string, string>>;
}

/** The 402 answer to a call without a payment; `refusal` is why a payment for it would be refused. */
export function unpaidAnswer(
  { reply, paymentRequired, search, mppChallenge }: ReplyContext,
  refusal: ServiceError | null,
): Response {
  const problem = refusal === null ? undefined : problemOf(reply, refusal);
  const response = paymentRequired.bare(problem, search);
  const headers = { ...reply.headers, ...mppChallenge() };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The 402 answer to a payment; `more` holds the receipt where a settlement was tried. */
export function refusedAnswer(
  { reply, paymentRequired, search, mppChallenge }: ReplyContext,
  protocol: PaymentProtocol,
  wrong: string | PayloadFault,
  more: Readonly<Record<string, string>> = {},
): Response {
  const isMpp = protocol === "mpp";
  const fault = wrong instanceof PayloadFault ? wrong : null;
  const reason = typeof wrong === "string" ? wrong : wrong.reason;
  const message = fault?.message ?? meaningOf(reason);
  const param = fault?.param ?? null;
  return answer(
    reply,
    402,
    paymentRequired.body(reason, {
      message,
      ...(param === null ? {} : { param }),
      ...(isMpp ? problemDetails(reason, message) : {}),
    }),
    {
      [PAYMENT_REQUIRED_HEADER]: paymentRequired.header(reason, search),
      ...mppChallenge(),
      ...(isMpp ? { "Content-Type": "application/problem+json" } : {}),
      ...more,
    },
  );
}

/** The same answer without its body, for HEAD. */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const length = Buffer.byteLength(await response.text());
  // An error's answer is without a body already, and says how long that would be.
  if (length > 0) headers.set("Content-Length", String(length));
  return new Response(null, { status, headers });
}

/** The answer to a failure of a call with a payment: not to be cached, with the receipt where there is one. */
export function errorAnswer(
  reply: Reply,
  error: unknown,
  more: Readonly<Record<string, string>> = {},
): Response {
  const response = reply.error(error);
  response.headers.set("Cache-Control", "no-store");
  for (const [name, value] of Object.entries(more)) response.headers.set(name, value);
  return response;
}

/** The receipt headers of a settlement; version 1 clients also get theirs. */
function receiptHeaders(
  rail: Rail,
  payment: PaymentPayload,
  legacy: boolean,
  settlement: { readonly transaction: string } | { readonly reason: string },
): Record<string, string> {
  const payer = checksummed(payment.authorization.from);
  const receipt = "reason" in settlement
    ? { success: false, errorReason: settlement.reason, transaction: "" }
    : { success: true, transaction: settlement.transaction };
  const header = encodeHeader({ ...receipt, network: rail.network.id, payer });
  if (!legacy) return { "PAYMENT-RESPONSE": header };
  const network = payment.version === 1 ? rail.network.legacyName : rail.network.id;
  return {
    "PAYMENT-RESPONSE": header,
    "X-PAYMENT-RESPONSE": encodeHeader({ ...receipt, network, payer }),
  };
}

/** The payment of a request, and how it was presented. */
interface PresentedBy {
  readonly payment: PaymentPayload;
  readonly protocol: PaymentProtocol;
  /** Whether the client is of version 1. */
  readonly legacy: boolean;
  /** The MPP receipt, where the payment settled by MPP. */
  readonly receipts: Readonly<Record<string, string>> | null;
}

/** The caching of MPP answers. */
const PRIVATE = { "Cache-Control": "private, no-store" };

/** The answer to the outcome of a paid call. */
export function outcomeAnswer(
  context: ReplyContext,
  paid: PresentedBy,
  outcome: Outcome,
): Response {
  const { reply, rail } = context;
  const isMpp = paid.protocol === "mpp";
  const receipt = (settlement: { transaction: string } | { reason: string }) =>
    isMpp ? paid.receipts ?? {} : receiptHeaders(rail, paid.payment, paid.legacy, settlement);
  const cached = isMpp ? PRIVATE : {};
  switch (outcome.kind) {
    case "delivered":
      reply.onSettled?.({
        payer: checksummed(paid.payment.authorization.from),
        transaction: outcome.transaction,
        repeated: outcome.repeated,
      });
      return answer(reply, 200, outcome.body, { ...cached, ...receipt(outcome) });
    case "free":
      return answer(reply, 200, outcome.body, cached);
    case "removed":
      return errorAnswer(
        reply,
        new ServiceError("answer_removed", REMOVED_MESSAGE, { param: "Cache-Control" }),
        receipt(outcome),
      );
    case "refused":
      return refusedAnswer(
        context,
        paid.protocol,
        outcome.fault ?? outcome.reason,
        outcome.settlement ? receipt({ reason: outcome.reason }) : {},
      );
    case "failed":
      return errorAnswer(reply, outcome.error);
  }
}

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

/** A refusal as the problem details (RFC 9457) of MPP. */
function problemDetails(reason: string, detail: string): Readonly<Record<string, unknown>> {
  const type = TYPES.get(reason) ?? "verification-failed";
  return {
    type: `https://paymentauth.org/problems/${type}`,
    title: TITLES[type],
    status: 402,
    detail,
  };
}
