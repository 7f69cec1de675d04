/** Admits calls to paid routes: their limits, their body, and what counts as a challenge or as a refused payment. */
import { ERRORS, ServiceError } from "../../core/errors.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { bringsPayment, type Payments, type Reply } from "../../payment/mod.ts";
import type { AnswerRequest } from "./request.ts";
import type { AppDeps } from "./deps.ts";
import { type Admission, admit } from "./admission.ts";
import { Window } from "./limits.ts";
import { handlerOf, offerOf, type PaidRoute } from "./paid_route.ts";
import { memoLast, sendError } from "./respond.ts";
import { timedHandler, timing } from "./timing.ts";

/** What paid routes read; a payment has 8 KB at most and a query 200 characters. */
const MAX_BODY_BYTES = 16 * 1024;

interface ReadRequest {
  readonly request: Request;
  /** Why the request is without its body. */
  readonly unread?: ServiceError;
}

/** The request with its body, or without one that is wrong: a call without a payment is challenged all the same. */
async function readWhole(admission: Admission, request: Request): Promise<ReadRequest> {
  try {
    return { request: await admission.whole(request, MAX_BODY_BYTES) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === "overloaded") throw error;
    const { url, method, headers } = request;
    return { request: new Request(url, { method, headers }), unread: error };
  }
}

/**
 * Makes the answers of paid routes behind their limits. A call without a payment counts as a challenge. One with a
 * payment counts only where nothing was charged for it, and apart, so that a flood of challenges never keeps a payer
 * of the same address out. Where the chain must be asked whether it is signed, it counts before as well, in a much
 * smaller window of its own, and no longer once it has settled.
 */
export function createPaidAdmission(
  admission: Admission,
  deps: Pick<AppDeps, "settings" | "catalogue" | "verdicts">,
  payments: Pick<Payments, "paid">,
): (route: PaidRoute) => AnswerRequest {
  const { limits: { challenges, signatures }, now } = admission;
  const uncharged = new Window(deps.settings.rateLimits.challenges);
  return (route) => {
    const handler = timedHandler(handlerOf(route, deps));
    const answerFrom = memoLast((catalogue: Catalogue) =>
      payments.paid(offerOf(route, catalogue), handler)
    );
    // A challenge that is too long is found at the start.
    answerFrom(deps.catalogue());
    return async (scope, c) => {
      const { request } = scope;
      const isPaid = bringsPayment(request.headers);
      const who = admission.client(c);
      if (isPaid) admit(scope, uncharged.look(who, now()));
      else if (c.env.counted !== true) admit(scope, challenges.take(who, now()));
      let counted = false;
      const reply: Reply = {
        headers: scope.headers,
        error: (error) => sendError(scope, error),
        statusOf: (code) => ERRORS[code].status,
        beforeChainLookup: () => {
          admit(scope, signatures.take(who, now()));
          counted = true;
        },
        onSettled: (charge) => scope.charge = { ...charge, usd: route.row.price },
      };
      const read = await readWhole(admission, request);
      const paidReply = read.unread === undefined ? reply : { ...reply, unread: read.unread };
      const response = await admission.work.hold(() =>
        timing(scope, () => answerFrom(deps.catalogue())(read.request, paidReply))
      );
      const isCharged = scope.charge?.repeated === false;
      if (isPaid && !isCharged && response.status < 500) uncharged.take(who, now());
      if (counted && isCharged) signatures.giveBack(who);
      return response;
    };
  };
}
