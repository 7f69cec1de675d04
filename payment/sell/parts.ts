/** What the purchases of all offers are made with. */
import type { Log } from "../../core/log.ts";
import type { RecentSet } from "../../core/recent.ts";
import type { Ledger } from "../../db/ledger/mod.ts";
import type { Mpp } from "../protocol/mpp.ts";
import type { Rail } from "../protocol/rail.ts";
import type { Settler } from "../protocol/settler.ts";
import type { Settlement } from "../settle/settlement.ts";
import type { ChainView } from "../verify/chain_view.ts";
import type { SignatureVerifier } from "../verify/verify_signature.ts";
import type { InFlightPurchases } from "./in_flight.ts";
import type { Leases } from "./leases.ts";
import type { PayerQueue } from "./payer_queue.ts";

export interface SellingParts {
  readonly rail: Rail;
  /** Null where MPP is off. */
  readonly mpp: Mpp | null;
  readonly signatures: SignatureVerifier;
  /** EIP-712 domain separator of the token. */
  readonly separator: Uint8Array;
  readonly chainView: ChainView;
  readonly ledger: Ledger;
  /** False while the ledger cannot be written to. */
  readonly ledgerIsAvailable: () => boolean;
  /** Nonces of payments that this process found in the ledger, or claimed. */
  readonly known: RecentSet;
  /** The name under which this process owns claims. */
  readonly owner: string;
  readonly leases: Leases;
  readonly queue: PayerQueue;
  readonly inFlight: InFlightPurchases;
  readonly settler: Settler;
  readonly settlement: Settlement;
  /** False while nothing can be settled, and once the service stops taking payments. */
  readonly isReady: () => boolean;
  /** Whether a call without a payment gets a 402; false while not ready or the ledger cannot be written to. */
  readonly isSelling: () => boolean;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
}
