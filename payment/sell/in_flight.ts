/** The purchases under way in this process: a call for one of them joins it. */
import { ServiceError } from "../../core/errors.ts";
import type { RecentSet } from "../../core/recent.ts";
import { failed, type Outcome } from "../protocol/outcome.ts";
import { REASON } from "../protocol/reasons.ts";
import type { Purchase } from "./claim.ts";

export interface InFlightPurchases {
  /**
   * The outcome of the same purchase, where one is under way that answers this call too; else that of `sell`, which
   * continues whether or not its caller waits.
   */
  joinOrStart(sale: Purchase, sell: () => Promise<Outcome>): Promise<Outcome>;
  /** How many are under way. */
  count(): number;
  /** Resolves when those that are under way now have ended. */
  landed(): Promise<unknown>;
}

/** Calls that wait for one purchase at most: each has one of the places for all callers, a thousand. */
const MAX_JOINERS = 99;

const CROWDED = "Too many calls wait for this purchase, and this one charged nothing. " +
  "Send the same payment again in a moment.";

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

/** The outcome of a purchase for a call that joined it. */
const repeatedOf = (outcome: Outcome): Outcome =>
  outcome.kind === "delivered" ? { ...outcome, repeated: true } : outcome;

interface Flight {
  readonly outcome: Promise<Outcome>;
  joined: number;
}

/** Creates the set, which is empty. `known` has the nonces of payments that this process found in the ledger. */
export function createInFlightPurchases(known: RecentSet): InFlightPurchases {
  /** By authorization and request: a repeated request joins its purchase. */
  const byCall = new Map<string, Flight>();
  /** The newest by purchase key: other authorizations of the payer for the same request join it as well. */
  const byPurchase = new Map<string, Flight>();

  const start = (
    call: string,
    purchaseKey: string | null,
    sell: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const outcome = sell().finally(() => {
      byCall.delete(call);
      if (purchaseKey !== null && byPurchase.get(purchaseKey) === flight) {
        byPurchase.delete(purchaseKey);
      }
    });
    const flight = { outcome, joined: 0 };
    byCall.set(call, flight);
    if (purchaseKey !== null) byPurchase.set(purchaseKey, flight);
    return outcome;
  };

  return {
    joinOrStart: async (sale, sell) => {
      const { nonce } = sale.order.payment.authorization;
      const call = `${nonce}/${sale.fingerprint}/${sale.paymentIdentifier ?? ""}`;
      const purchaseKey = sale.newClaimBlock === null ? sale.purchaseKey : null;
      for (;;) {
        const same = byCall.get(call);
        const other = purchaseKey === null || sale.forceNew
          ? undefined
          : byPurchase.get(purchaseKey);
        const flight = same ?? other;
        // Nothing is awaited before it is entered, or two calls could start the same purchase.
        if (flight === undefined) return await start(call, purchaseKey, sell);
        if (flight.joined >= MAX_JOINERS) {
          return failed(new ServiceError("overloaded", CROWDED));
        }
        flight.joined++;
        const outcome = await flight.outcome;
        if (same !== undefined || isFor(outcome, known.has(nonce))) return repeatedOf(outcome);
      }
    },
    count: () => byCall.size,
    landed: () => Promise.allSettled([...byCall.values()].map(({ outcome }) => outcome)),
  };
}
