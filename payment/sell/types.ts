/** What selling is about. */
import type { Outcome } from "../protocol/outcome.ts";
import type { PaymentOrder } from "../protocol/settler.ts";
import type { PaidOffer, PreparedCall } from "../protocol/types.ts";

/** One paid call, whose signature was looked at: what is claimed, computed and settled. */
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
