/** How a paid call ends, and the answers that say so. */
import { Buffer } from "node:buffer";
import type { ServiceError } from "../core/errors.ts";
import { ANSWER_HEADERS, type Challenge, CHALLENGE_HEADER, encodeHeader } from "./challenge.ts";
import { checksummed } from "./hex.ts";
import type { Payment } from "./payload.ts";
import type { Rail } from "./rail.ts";

export type Outcome =
  /** Paid: the stored bytes, and the transaction that paid. */
  | { readonly kind: "delivered"; readonly body: string; readonly transaction: string }
  /** Below the threshold: nothing was settled. */
  | { readonly kind: "free"; readonly body: string }
  /** Paid, and the answer has since been removed. */
  | { readonly kind: "removed"; readonly transaction: string }
  /** No valid payment for this request; `settled` where a settlement was tried and refused. */
  | { readonly kind: "refused"; readonly reason: string; readonly settlement: boolean }
  | { readonly kind: "failed"; readonly error: unknown };

/** What an answer needs of the surroundings it is made in. */
export interface Reply {
  /** Headers that every answer carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to a failure. */
  error(thrown: unknown): Response;
  /**
   * Called before others are asked about a signature that no ordinary account made: what it throws is the
   * answer.
   */
  doubt?(): void;
  /** Told who paid, and by which transaction, before a paid answer leaves. */
  sold?(sale: { readonly payer: string; readonly transaction: string }): void;
}

const REMOVED_MESSAGE =
  "The answer was paid for, and a post that it came from has since been removed at its source.";

function answer(
  reply: Reply,
  status: number,
  body: string | null,
  more: Readonly<Record<string, string>>,
): Response {
  const headers = { ...reply.headers, ...ANSWER_HEADERS, ...more };
  return new Response(body, { status, headers });
}

/** The 402 answer to a call without a payment. */
export function bareAnswer(reply: Reply, challenge: Challenge): Response {
  const response = challenge.bare();
  for (const name in reply.headers) response.headers.set(name, reply.headers[name] ?? "");
  return response;
}

/** The 402 answer to a payment; `more` holds the receipt where a settlement was tried. */
export function challengeAnswer(
  reply: Reply,
  challenge: Challenge,
  reason: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return answer(reply, 402, challenge.body(reason), {
    [CHALLENGE_HEADER]: challenge.header(reason),
    ...more,
  });
}

/** The same answer to HEAD: no body, and nothing ran. */
export function headAnswer(reply: Reply, challenge: Challenge, reason: string): Response {
  return answer(reply, 402, null, {
    [CHALLENGE_HEADER]: challenge.header(reason),
    "Content-Length": String(Buffer.byteLength(challenge.body(reason))),
  });
}

/** A failure after a payment came: never kept by anyone, with the receipt where there is one. */
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

/** The receipt headers of a settlement; clients of version 1 get the name of theirs as well. */
function receiptHeaders(
  rail: Rail,
  payment: Payment,
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

/** The answer to a paid call that has ended. */
export function outcomeAnswer(
  reply: Reply,
  rail: Rail,
  challenge: Challenge,
  paid: { readonly payment: Payment; readonly legacy: boolean },
  outcome: Outcome,
  removed: (message: string) => ServiceError,
): Response {
  const receipt = (settlement: { transaction: string } | { reason: string }) =>
    receiptHeaders(rail, paid.payment, paid.legacy, settlement);
  switch (outcome.kind) {
    case "delivered":
      reply.sold?.({
        payer: checksummed(paid.payment.authorization.from),
        transaction: outcome.transaction,
      });
      return answer(reply, 200, outcome.body, receipt(outcome));
    case "free":
      return answer(reply, 200, outcome.body, {});
    case "removed":
      return errorAnswer(reply, removed(REMOVED_MESSAGE), receipt(outcome));
    case "refused":
      return challengeAnswer(
        reply,
        challenge,
        outcome.reason,
        outcome.settlement ? receipt({ reason: outcome.reason }) : {},
      );
    case "failed":
      return errorAnswer(reply, outcome.error);
  }
}
