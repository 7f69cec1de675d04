/** The requests and results of the payment ledger. */

/** Seconds for which a paid answer is delivered again, without and with a payment-identifier. */
export const REPEAT_SECONDS = 15 * 60;
export const IDENTIFIED_REPEAT_SECONDS = 24 * 60 * 60;

/** Decimals of a dollar in token units: USDC has six. */
export const TOKEN_DECIMALS = 6;
/** Token units in a dollar. */
export const DOLLAR_UNITS = 10 ** TOKEN_DECIMALS;

export interface ClaimRequest {
  readonly rail: string;
  /** Hex without `0x` in all four. */
  readonly payer: string;
  readonly nonce: string;
  readonly fingerprint: string;
  readonly payTo: string;
  /**
   * The purchase key, 16 bytes as hex, by which another authorization of the payer finds the purchase. Null where
   * the signature is not verified.
   */
  readonly purchaseKey: string | null;
  /** Whether a new purchase is asked for, whatever was bought before. */
  readonly forceNew: boolean;
  /** The buyer's payment-identifier. */
  readonly paymentIdentifier: string | null;
  readonly owner: string;
  readonly leaseMs: number;
  readonly route: string;
  /** Whether the compute costs money or time, and whether it is a long call. */
  readonly costs: boolean;
  readonly live: boolean;
  /** Token units. */
  readonly amount: number;
  /** Decimal seconds since 1970. */
  readonly validAfter: string;
  readonly validBefore: string;
  /** Hex without `0x`; kept until the outcome is known. */
  readonly signature: string;
  readonly sinceBlock: number | null;
  /** The payer's balance in token units, as decimal digits; null where it was not read. */
  readonly balance: string | null;
  /** The payer's units in flight just before the balance was read; null where it was not. */
  readonly inFlightBefore: string | null;
  /** Whether the balance must be known when the payer has other payments in flight. */
  readonly checkBalance: boolean;
  /** Only join, resume or repeat what is known: no new claim may be made. */
  readonly knownOnly: boolean;
  /** The answer, where it was computed before the claim, which then stores it. */
  readonly prepared: PreparedAnswer | null;
}

/** An answer, and the state of a payment whose answer it is. */
export interface PreparedAnswer {
  readonly to: "answered" | "settling";
  readonly body: string;
  readonly evidenceIds: readonly string[];
}

/** How many calls a payer may have in flight on all replicas together: all of them, and of two kinds. */
export type InFlightLimits = Readonly<
  Record<
    | "all"
    /** Those whose compute costs money or time. */
    | "costly"
    | "live",
    number
  >
>;

/** The defaults. */
export const IN_FLIGHT_LIMITS: InFlightLimits = { all: 64, costly: 8, live: 2 };

/** The outcome of a claim request; only `new` and `resume` give a claim. */
export type ClaimOutcome =
  /** Ours: the answer is to be computed. */
  | "new"
  /** Ours, taken over with a stored answer: it is to be settled. `signed` is its authorization where another. */
  | "resume"
  /** Another owner is working on the same call. */
  | "busy"
  /** Paid before: the stored answer is there, for as long as it is kept. */
  | "settled"
  /** The authorization belongs to another call. */
  | "other"
  /** `knownOnly` was set, and the ledger knows no such payment. */
  | "unknown"
  /** The payment-identifier belongs to another payment of this payer. */
  | "conflict"
  /** The payer has as many calls in flight as it may. */
  | "limited"
  /** The payer pauses after a refused settlement, for `waitSeconds`. */
  | "cooling"
  /** The payer has other payments in flight, and its balance must be known. */
  | "balance"
  /** The balance does not cover this payment beside those in flight (`inFlight`). */
  | "short"
  /** The answer that came with the claim quotes a removed post. */
  | "gone";

/** Another authorization of the payer's for the same purchase. */
export interface SignedAuthorization {
  /** Lower-case `0x` hex in all three. */
  readonly nonce: string;
  readonly payTo: string;
  readonly signature: string;
  /** Decimal digits in all three. */
  readonly amount: string;
  readonly validAfter: string;
  readonly validBefore: string;
}

export interface ClaimResult {
  readonly outcome: ClaimOutcome;
  readonly id: number | null;
  readonly fencingToken: number | null;
  readonly state: string | null;
  readonly transaction: string | null;
  readonly body: string | null;
  /** True with a null body: the answer was removed, not forgotten. */
  readonly hasAnswer: boolean;
  readonly paymentIdentifier: string | null;
  readonly sinceBlock: number | null;
  /** Seconds since it was settled. */
  readonly settledSeconds: number | null;
  /** Seconds until the payer may pay again. */
  readonly waitSeconds: number | null;
  /** Token units of the payer's other payments in flight, as decimal digits. */
  readonly inFlight: string;
  /** Refusals in a row that the payer has behind it. */
  readonly refusals: number;
  /** The authorization of a `resume` that is not the one that was sent. */
  readonly signed: SignedAuthorization | null;
}

/** A claim on a payment. Every transition checks its fencing token: an owner that lost it changes nothing. */
export interface Claim {
  readonly id: number;
  readonly fencingToken: number;
}

export interface StoredAnswer extends Claim, PreparedAnswer {
  readonly leaseMs: number;
}

/** `gone`: the answer quotes a removed post; `lost`: the claim is another owner's. */
export type StoredState = "stored" | "gone" | "lost";

export interface Settled extends Claim {
  readonly transaction: string;
}
