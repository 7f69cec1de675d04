/** The purchases under way in this process: a call for one of them joins it. */
import { ServiceError } from "../../core/errors.ts";
import type { RecentSet } from "../../core/recent.ts";
import { failed, type Outcome } from "../protocol/outcome.ts";
import { REASON } from "../protocol/reasons.ts";
import type { Purchase } from "./types.ts";

export interface InFlightPurchases {
  /**
   * The outcome of the same purchase, where one is under way that answers this call too; else that of `run`, which
   * continues whether or not its caller waits.
   */
  joinOrStart(purchase: Purchase, run: () => Promise<Outcome>): Promise<Outcome>;
  /** How many are under way. */
  count(): number;
  /** Resolves when those that are under way now have ended. */
  ended(): Promise<unknown>;
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

interface InFlight {
  readonly outcome: Promise<Outcome>;
  joined: number;
}

/** Creates the set, which is empty. `known` has the nonces of payments that this process found in the ledger. */
export function createInFlightPurchases(known: RecentSet): InFlightPurchases {
  /** By authorization and request: a repeated request joins its purchase. */
  const byCall = new Map<string, InFlight>();
  /** The newest by purchase key: other authorizations of the payer for the same request join it as well. */
  const byPurchase = new Map<string, InFlight>();

  const start = (
    call: string,
    purchaseKey: string | null,
    run: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const outcome = run().finally(() => {
      byCall.delete(call);
      if (purchaseKey !== null && byPurchase.get(purchaseKey) === underWay) {
        byPurchase.delete(purchaseKey);
      }
    });
    const underWay = { outcome, joined: 0 };
    byCall.set(call, underWay);
    if (purchaseKey !== null) byPurchase.set(purchaseKey, underWay);
    return outcome;
  };

  return {
    joinOrStart: async (purchase, run) => {
      const { nonce } = purchase.order.payment.authorization;
      const call = `${nonce}/${purchase.fingerprint}/${purchase.paymentIdentifier ?? ""}`;
      const purchaseKey = purchase.newClaimBlock === null ? purchase.purchaseKey : null;
      for (;;) {
        const same = byCall.get(call);
        const other = purchaseKey === null || purchase.forceNew
          ? undefined
          : byPurchase.get(purchaseKey);
        const underWay = same ?? other;
        // Nothing is awaited before it is entered, or two calls could start the same purchase.
        if (underWay === undefined) return await start(call, purchaseKey, run);
        if (underWay.joined >= MAX_JOINERS) {
          return failed(new ServiceError("overloaded", CROWDED));
        }
        underWay.joined++;
        const outcome = await underWay.outcome;
        if (same !== undefined || isFor(outcome, known.has(nonce))) return repeatedOf(outcome);
      }
    },
    count: () => byCall.size,
    ended: () => Promise.allSettled([...byCall.values()].map(({ outcome }) => outcome)),
  };
}
