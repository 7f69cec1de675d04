/** The requests and results of the payment ledger. */

/** Seconds for which a paid answer is delivered again, without and with a payment-identifier. */
export const REPEAT_SECONDS = 15 * 60;
export const IDENTIFIED_REPEAT_SECONDS = 24 * 60 * 60;

/** Decimals of a dollar in token units: USDC has six. */
export const TOKEN_DECIMALS = 6;
/** Token units in a dollar. */
export const DOLLAR_UNITS = 10 ** TOKEN_DECIMALS;

/** The states of a payment, from its claim on; the last three are outcomes. */
export const PAYMENT_STATES = [
  "claimed",
  "answered",
  "settling",
  "settled",
  "refused",
  "released",
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** What computing an answer takes: `memory` is only read; `costly` costs money or time; `live` is costly, and slow. */
export type Compute = "memory" | "costly" | "live";

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
  readonly compute: Compute;
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
interface PreparedAnswer {
  readonly to: Extract<PaymentState, "answered" | "settling">;
  readonly body: string;
  readonly evidenceIds: readonly string[];
}

/** How many calls a payer may have in flight on all replicas together: all of them, and of two kinds. */
export type InFlightLimits = Readonly<
  Record<
    | "all"
    /** Those whose compute costs money or time, the live ones included. */
    | "costly"
    | "live",
    number
  >
>;

/** The defaults. */
export const IN_FLIGHT_LIMITS: InFlightLimits = { all: 64, costly: 8, live: 2 };

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

/** The result of a claim request; only `new` and `resume` give a claim. */
export type ClaimResult =
  & {
    /** Whether the ledger has this authorization, or what another one for the same purchase became. */
    readonly isKnown: boolean;
  }
  & (
    /** Ours: the answer is to be computed, or to be settled where it came with the request. */
    | { readonly outcome: "new"; readonly claim: GivenClaim }
    | ResumedClaim
    /** Another owner is working on the same call. */
    | { readonly outcome: "busy" }
    | SettledPurchase
    /** The authorization belongs to another call. */
    | { readonly outcome: "other" }
    /** `knownOnly` was set, and the ledger knows no such payment. */
    | { readonly outcome: "unknown" }
    /** The payment-identifier belongs to another payment of this payer. */
    | { readonly outcome: "conflict" }
    /** The payer has as many calls in flight as it may. */
    | { readonly outcome: "limited" }
    /** The payer pauses after a refused settlement, for so many seconds. */
    | { readonly outcome: "cooling"; readonly waitSeconds: number }
    /** The payer has other payments in flight, of so many token units as decimal digits: its balance must be known. */
    | { readonly outcome: "balance"; readonly inFlight: string }
    /** The balance does not cover this payment beside those in flight. */
    | { readonly outcome: "short"; readonly inFlight: string }
    /** The answer that came with the request quotes a removed post. */
    | { readonly outcome: "gone" }
  );

/** Ours, taken over with a stored answer: it is to be settled. */
export interface ResumedClaim {
  readonly outcome: "resume";
  readonly claim: GivenClaim;
  /** `settling`: a settlement may be on its way; `refused`: it was refused, and may be all the same. */
  readonly state: Extract<PaymentState, "answered" | "settling" | "refused">;
  /** The answer; null where it was removed. */
  readonly body: string | null;
  /** Its authorization, where that is not the one that was sent. */
  readonly signed: SignedAuthorization | null;
}

/** Paid before. */
export interface SettledPurchase {
  readonly outcome: "settled";
  readonly transaction: string;
  readonly settledSeconds: number;
  /** The stored answer, whose body is null where it was removed; null once it is forgotten. */
  readonly answer: { readonly body: string | null } | null;
  /** The payment-identifier that it was bought with. */
  readonly paymentIdentifier: string | null;
}

/** A claim on a payment. Every transition checks its fencing token: an owner that lost it changes nothing. */
export interface Claim {
  readonly id: number;
  readonly fencingToken: number;
}

/** A claim as it was given to its owner. */
export interface GivenClaim extends Claim {
  /** The newest block that was known when the authorization was first claimed. */
  readonly sinceBlock: number | null;
  /** Refusals in a row that the payer has behind it. */
  readonly refusals: number;
}

export interface StoredAnswer extends Claim, PreparedAnswer {
  readonly leaseMs: number;
}

/** `gone`: the answer quotes a removed post; `lost`: the claim is another owner's. */
export type StoredState = "stored" | "gone" | "lost";

export interface Settled extends Claim {
  readonly transaction: string;
}

export interface Refusal {
  readonly reason: string;
  /** After how many seconds the payment is looked at once more; null where it cannot pay any more. */
  readonly recheckSeconds: number | null;
  /** Whether the payer's pause is lengthened. */
  readonly penalty: boolean;
}
