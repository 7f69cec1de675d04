/** What a paid call brings to the ledger, and its claim there. */
import { sleep } from "../../core/deadline.ts";
import type { Log } from "../../core/log.ts";
import type { ClaimResult, Ledger, SignedAuthorization } from "../../db/ledger/mod.ts";
import type { Backend, Order } from "../protocol/settler.ts";
import type { Made } from "./compute.ts";
import type { Leases } from "./leases.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { PayerQueue } from "./payer_queue.ts";
import type { Payers } from "../verify/payers.ts";
import type { Rail } from "../protocol/terms.ts";
import type { Settlement } from "../settle/settlement.ts";
import type { PaidOffer, PreparedCall } from "../protocol/types.ts";

export interface Purchase {
  readonly offer: PaidOffer;
  readonly order: Order;
  readonly call: PreparedCall;
  readonly fingerprint: string;
  /**
   * What is bought and by whom, which other authorizations of the payer's find it by; null where nobody can
   * say that the payer signed this one.
   */
  readonly purchase: string | null;
  /** The buyer asks for a new purchase, whatever it bought before. */
  readonly anew: boolean;
  /** The buyer's name for the payment, or null. */
  readonly named: string | null;
  /** Why no new claim may be made (too old, nothing to compute); known ones go on all the same. */
  readonly barrier: Outcome | null;
  /**
   * What is said where the ledger knows the authorization by other bytes of a signature or for another
   * call, while the signature is nobody's word; null where the payer is known to have signed.
   */
  readonly stranger: Outcome | null;
}

export interface PurchaseDeps {
  readonly ledger: Ledger;
  readonly backend: Backend;
  readonly rail: Rail;
  readonly payers: Payers;
  readonly settlement: Settlement;
  readonly owner: string;
  readonly leases: Leases;
  readonly queue: PayerQueue;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
}

/** Balances are looked at again this often before a payment is refused for want of funds. */
const FUNDS_TRIES = 5;
const FUNDS_WAIT_MS = 300;

/** Claims a purchase, or finds it; looks the payer's balance up where that matters. */
export async function claimPurchase(
  deps: PurchaseDeps,
  sale: Purchase,
  made: Made | null,
): Promise<ClaimResult> {
  const { offer, order: { payment: { authorization, signature }, challenge } } = sale;
  const { payers, rail } = deps;
  let balance = payers.ampleBalance(authorization.from, challenge.amount);
  let heldBefore: string | null = null;
  for (let tries = 1;; tries++) {
    const result = await deps.ledger.claim({
      rail: rail.key,
      payer: authorization.from.slice(2),
      nonce: authorization.nonce.slice(2),
      fingerprint: sale.fingerprint,
      payTo: rail.payToKey.slice(2),
      purchase: sale.purchase,
      anew: sale.anew,
      named: sale.named,
      owner: deps.owner,
      leaseMs: deps.leases.ms,
      route: `${offer.method} ${offer.path}`,
      costs: offer.computeCosts,
      live: offer.live ?? false,
      amount: challenge.amount,
      validAfter: authorization.validAfter.toString(),
      validBefore: authorization.validBefore.toString(),
      signature: signature.slice(2),
      sinceBlock: payers.recentBlock(),
      balance,
      heldBefore,
      checkBalance: payers.hasBalances(),
      knownOnly: sale.barrier !== null,
      prepared: made === null ? null : {
        to: deps.backend.recordsItself ? "answered" : "settling",
        body: made.body,
        evidenceIds: made.evidenceIds,
      },
    });
    if (result.outcome !== "balance" && result.outcome !== "short") return result;
    if (result.outcome === "short") {
      // A payment that has landed is held until its row says so: look again before refusing.
      const hopeless = balance !== null && BigInt(balance) < BigInt(challenge.amount);
      if (hopeless || tries > FUNDS_TRIES) return result;
      await sleep(FUNDS_WAIT_MS);
    }
    heldBefore = result.held;
    balance = await payers.balance(authorization.from);
  }
}

/** The order of the same purchase that the ledger holds another authorization of the payer's for. */
export function earlierOrder({ payment, challenge }: Order, signed: SignedAuthorization): Order {
  const { authorization: { from }, scheme, network } = payment;
  return {
    challenge,
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
