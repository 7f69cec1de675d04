/** The settler of a payment mode: it moves the money of a claimed payment, or says why not. */
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
  /**
   * Refused by the settler; the chain's proof decides. `transaction` is the one that is said to
   * have failed: until the chain shows so, the outcome is unknown.
   */
  | { readonly kind: "refused"; readonly reason: string; readonly transaction?: string }
  /** Unknown: it may have been paid. */
  | { readonly kind: "unknown"; readonly why: string }
  /** Not attempted: nothing was sent that could move money. */
  | { readonly kind: "untried"; readonly why: string };

export interface Settler {
  readonly mode: PaymentMode;
  /**
   * True where `settle` itself moves the claim from answered to settling, in one statement with the transaction it
   * is about to send; otherwise the claim is settling before `settle` is called.
   */
  readonly recordsItself: boolean;
  /** Longest that `settle` takes, in milliseconds. */
  readonly settleBudgetMs: number;
  /**
   * Checks the configuration against facilitator or chain. Rejects with OperatorError for one that can never work;
   * where they are unreachable, `ready` is false until they are back.
   */
  start(): Promise<void>;
  ready(): boolean;
  /**
   * Whether the payment would settle now: the reason why not, or null.
   * @throws Error where that cannot be determined.
   */
  verify(order: PaymentOrder): Promise<string | null>;
  /** Never throws. May be called again for the same payment, which is then not paid twice. */
  settle(order: PaymentOrder, claim: Claim): Promise<SettlementResult>;
  /** Rechecks an upstream that is down, and pending transactions; called every few seconds. @throws what fails. */
  maintain(): Promise<void>;
}
