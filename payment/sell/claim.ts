/**
 * What a paid call brings to the ledger, its claim there, the lease on that claim, and the queue of its payer.
 *
 * The claim itself is the SQL function `claim_purchase` (db/schema.sql), which db/ledger/batches.ts
 * calls. It recognises a repeated purchase, by the authorization and the request's fingerprint, or,
 * where it was signed anew, by `purchaseKey`, and gives its answer back. Calls of this process that
 * are still under way are joined before that, in in_flight.ts. Both hashes are made in
 * protocol/fingerprint.ts.
 */
import { sleep } from "../../core/deadline.ts";
import type { Log } from "../../core/log.ts";
import type { Claim, ClaimResult, Ledger, SignedAuthorization } from "../../db/ledger/mod.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { RecentSet } from "../protocol/recent_set.ts";
import type { PaymentOrder, Settler } from "../protocol/settler.ts";
import type { Rail } from "../protocol/terms.ts";
import type { PaidOffer, PreparedCall } from "../protocol/types.ts";
import type { Settlement } from "../settle/settlement.ts";
import type { ChainView } from "../verify/chain_view.ts";
import type { MadeAnswer } from "./compute.ts";

export interface Purchase {
  readonly offer: PaidOffer;
  readonly order: PaymentOrder;
  readonly call: PreparedCall;
  readonly fingerprint: string;
  /**
   * A hash of payer and request, by which other authorizations of the payer find the purchase; null where the
   * signature is not verified.
   */
  readonly purchaseKey: string | null;
  /** Whether the buyer asks for a new purchase, whatever it bought before. */
  readonly forceNew: boolean;
  /** The buyer's `payment-identifier`, or null. */
  readonly paymentIdentifier: string | null;
  /** The outcome where a new claim would be needed and none may be made; null where it may. */
  readonly newClaimBlock: Outcome | null;
  /**
   * The outcome where the signature could not be verified, and the ledger knows the authorization with another
   * signature or for another request; null where the signature is verified.
   */
  readonly unverifiedOutcome: Outcome | null;
}

export interface PurchaseDeps {
  readonly ledger: Ledger;
  /** False while the ledger cannot be written to. */
  readonly ledgerIsAvailable: () => boolean;
  /** Nonces of payments that this process found in the ledger, or claimed. */
  readonly known: RecentSet;
  readonly settler: Settler;
  readonly rail: Rail;
  readonly chainView: ChainView;
  readonly settlement: Settlement;
  readonly owner: string;
  readonly leases: Leases;
  readonly queue: PayerQueue;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
}

/** How often the balance is read again before a payment is refused for insufficient funds. */
const FUNDS_TRIES = 5;
const FUNDS_WAIT_MS = 300;

/** Claims a purchase, or finds it; reads the payer's balance where the ledger asks for it. */
export async function claimPurchase(
  deps: PurchaseDeps,
  sale: Purchase,
  made: MadeAnswer | null,
): Promise<ClaimResult> {
  const { offer, order: { payment: { authorization, signature }, paymentRequired } } = sale;
  const { chainView, rail } = deps;
  let balance = chainView.ampleBalance(authorization.from, paymentRequired.amount);
  let inFlightBefore: string | null = null;
  for (let tries = 1;; tries++) {
    const result = await deps.ledger.claim({
      rail: rail.key,
      payer: authorization.from.slice(2),
      nonce: authorization.nonce.slice(2),
      fingerprint: sale.fingerprint,
      payTo: rail.payToKey.slice(2),
      purchaseKey: sale.purchaseKey,
      forceNew: sale.forceNew,
      paymentIdentifier: sale.paymentIdentifier,
      owner: deps.owner,
      leaseMs: deps.leases.ms,
      route: `${offer.method} ${offer.path}`,
      costs: offer.computeCosts,
      live: offer.live ?? false,
      amount: paymentRequired.amount,
      validAfter: authorization.validAfter.toString(),
      validBefore: authorization.validBefore.toString(),
      signature: signature.slice(2),
      sinceBlock: await chainView.recentBlock(),
      balance,
      inFlightBefore,
      checkBalance: chainView.hasBalances(),
      knownOnly: sale.newClaimBlock !== null,
      prepared: made === null ? null : {
        to: deps.settler.recordsItself ? "answered" : "settling",
        body: made.body,
        evidenceIds: made.evidenceIds,
      },
    });
    if (result.outcome !== "balance" && result.outcome !== "short") return result;
    if (result.outcome === "short") {
      // A payment counts as in flight until its row is updated: check again before refusing.
      const hopeless = balance !== null && BigInt(balance) < BigInt(paymentRequired.amount);
      if (hopeless || tries > FUNDS_TRIES) return result;
      await sleep(FUNDS_WAIT_MS);
    }
    inFlightBefore = result.inFlight;
    balance = await chainView.balance(authorization.from);
  }
}

/** The order of an earlier authorization of the payer for the same purchase, which the ledger has. */
export function earlierOrder(
  { payment, paymentRequired }: PaymentOrder,
  signed: SignedAuthorization,
): PaymentOrder {
  const { authorization: { from }, scheme, network } = payment;
  return {
    paymentRequired,
    payment: {
      version: 2,
      scheme,
      network,
      accepted: null,
      authorization: {
        from,
        to: signed.payTo,
        value: BigInt(signed.amount),
        validAfter: BigInt(signed.validAfter),
        validBefore: BigInt(signed.validBefore),
        nonce: signed.nonce,
      },
      signature: signed.signature,
      resourceUrl: null,
      extensions: null,
    },
  };
}

export interface Leases {
  /** How long a lease holds without renewal, in milliseconds. */
  readonly ms: number;
  /** Keeps the lease of a claim until `work` has ended. */
  during<T>(claim: Claim, work: () => Promise<T>): Promise<T>;
  /** Renews all leases; to be called about three times in the length of a lease. */
  renew(): Promise<void>;
}

/** Leases of `ms` milliseconds on the claims that this process holds; `renewAll` writes them to the ledger. */
export function createLeases(
  ms: number,
  renewAll: (claim: readonly Claim[], ms: number) => Promise<void>,
  log: Log,
): Leases {
  const current = new Set<Claim>();
  return {
    ms,
    during: async (claim, work) => {
      current.add(claim);
      try {
        return await work();
      } finally {
        current.delete(claim);
      }
    },
    renew: async () => {
      if (current.size === 0) return;
      await renewAll([...current], ms).catch((cause) => log.warn("leases not renewed", { cause }));
    },
  };
}

/** Calls of one payer that wait at most; the next is refused at once. */
const MAX_WAITING = 64;

export interface PayerQueue {
  /**
   * Resolves when one of the payer's calls in this process has ended, or after `ms` milliseconds, in which
   * one may have ended elsewhere. Null where too many wait already.
   */
  wait(payer: string, ms: number): Promise<void> | null;
  /** Records that one of the payer's calls has ended: the call that waits longest continues. */
  left(payer: string): void;
}

/** Creates the queues, one for each payer with waiting calls. */
export function createPayerQueue(): PayerQueue {
  const queues = new Map<string, Set<() => void>>();
  return {
    wait: (payer, ms) => {
      const queue = queues.get(payer) ?? new Set();
      if (queue.size >= MAX_WAITING) return null;
      queues.set(payer, queue);
      const { promise, resolve } = Promise.withResolvers<void>();
      const goOn = (): void => {
        clearTimeout(timer);
        queue.delete(goOn);
        if (queue.size === 0) queues.delete(payer);
        resolve();
      };
      const timer = setTimeout(goOn, ms);
      queue.add(goOn);
      return promise;
    },
    left: (payer) => {
      const [first] = queues.get(payer) ?? [];
      first?.();
    },
  };
}
