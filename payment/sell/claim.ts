/**
 * The claim of a purchase in the ledger: the SQL function `claim_purchase` (db/schema.sql), which
 * db/ledger/batches.ts calls. It recognises a repeated purchase, by the authorization and the
 * request's fingerprint, or, where it was signed anew, by `purchaseKey`, and gives its answer back.
 * Calls of this process that are still under way are joined before that, in in_flight.ts. Both
 * hashes are made in protocol/fingerprint.ts.
 */
import { sleep } from "../../core/deadline.ts";
import type { ClaimResult, SignedAuthorization } from "../../db/ledger/mod.ts";
import { checksummed } from "../evm/hex.ts";
import type { PaymentOrder } from "../protocol/settler.ts";
import type { MadeAnswer } from "./compute.ts";
import type { SellingParts } from "./parts.ts";
import type { Purchase } from "./types.ts";

/** How often the balance is read again before a payment is refused for insufficient funds. */
const FUNDS_TRIES = 5;
const FUNDS_WAIT_MS = 300;

/** The result of a claim for which the balance was read where the ledger asked for it. */
export type ClaimedPurchase = Exclude<ClaimResult, { readonly outcome: "balance" }>;

/** Claims a purchase, or finds it; reads the payer's balance where the ledger asks for it. */
export async function claimPurchase(
  parts: Pick<SellingParts, "ledger" | "rail" | "chainView" | "settler" | "owner" | "leases">,
  purchase: Purchase,
  made: MadeAnswer | null,
): Promise<ClaimedPurchase> {
  const { offer, order: { payment: { authorization, signature }, paymentRequired } } = purchase;
  const { chainView, rail } = parts;
  let balance = chainView.ampleBalance(authorization.from, paymentRequired.amount);
  let inFlightBefore: string | null = null;
  for (let tries = 1;; tries++) {
    const result = await parts.ledger.claim({
      rail: rail.key,
      payer: authorization.from.slice(2),
      nonce: authorization.nonce.slice(2),
      fingerprint: purchase.fingerprint,
      payTo: rail.payToKey.slice(2),
      purchaseKey: purchase.purchaseKey,
      forceNew: purchase.forceNew,
      paymentIdentifier: purchase.paymentIdentifier,
      owner: parts.owner,
      leaseMs: parts.leases.ms,
      route: `${offer.method} ${offer.path}`,
      compute: offer.compute,
      amount: paymentRequired.amount,
      validAfter: authorization.validAfter.toString(),
      validBefore: authorization.validBefore.toString(),
      signature: signature.slice(2),
      sinceBlock: await chainView.recentBlock(),
      balance,
      inFlightBefore,
      checkBalance: chainView.hasBalances(),
      knownOnly: purchase.newClaimBlock !== null,
      prepared: made === null ? null : {
        to: parts.settler.recordsItself ? "answered" : "settling",
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

/**
 * The order of an earlier authorization of the payer for the same purchase, which the ledger has. It asks for what
 * was signed: price and payee may be others by now, and a facilitator compares the two.
 */
export function earlierOrder(
  { payment, paymentRequired }: PaymentOrder,
  signed: SignedAuthorization,
): PaymentOrder {
  const { authorization: { from }, scheme, network } = payment;
  const { amount } = signed;
  const payTo = checksummed(signed.payTo);
  return {
    paymentRequired: {
      ...paymentRequired,
      amount: Number(amount),
      requirements: { ...paymentRequired.requirements, amount, payTo },
    },
    payment: {
      version: 2,
      scheme,
      network,
      accepted: null,
      authorization: {
        from,
        to: signed.payTo,
        value: BigInt(amount),
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
