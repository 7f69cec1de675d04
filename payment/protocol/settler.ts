/** What a settlement back end does: it moves the money of one claimed payment, or says why not. */
import type { Claim } from "../../db/ledger/mod.ts";
import type { PaymentRequired } from "./payment_required.ts";
import type { PaymentPayload } from "./payment_payload.ts";
import type { PaymentMode } from "./types.ts";

/** A payment to be verified or settled. */
export interface PaymentOrder {
  readonly payment: PaymentPayload;
  readonly paymentRequired: PaymentRequired;
}

export type SettlementResult =
  | { readonly kind: "settled"; readonly transaction: string }
  /** The back end says no; the chain has the last word. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Nobody knows yet: it may have been paid. */
  | { readonly kind: "unknown"; readonly why: string }
  /** Not tried: nothing was sent that could move money. */
  | { readonly kind: "untried"; readonly why: string };

export interface Settler {
  readonly mode: PaymentMode;
  /**
   * True where `settle` itself moves the claim from answered to settling, together with what it is
   * about to send; the others are told to settle when the claim is settling already.
   */
  readonly recordsItself: boolean;
  /** Longest that `settle` takes, in milliseconds. */
  readonly settleBudgetMs: number;
  /**
   * Checks the configuration against the outside. Rejects with OperatorError for what will never
   * work; an outside that is merely away makes `ready` false until it is back.
   */
  start(): Promise<void>;
  ready(): boolean;
  /**
   * Whether the payment would settle now: the reason why not, or null.
   * @throws Error where that cannot be found out.
   */
  verify(order: PaymentOrder): Promise<string | null>;
  /** Never throws; may be called again for the same payment, and is never paid twice. */
  settle(order: PaymentOrder, claim: Claim): Promise<SettlementResult>;
  /** Looks after what is under way; called every few seconds. */
  maintain(): Promise<void>;
}
