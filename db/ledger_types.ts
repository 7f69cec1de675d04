/** What goes into the ledger of payments and comes out of it. */

export interface Claim {
  readonly rail: string;
  /** Hex without `0x` in all four. */
  readonly payer: string;
  readonly nonce: string;
  readonly fingerprint: string;
  readonly payTo: string;
  /** The buyer's payment-identifier. */
  readonly named: string | null;
  readonly owner: string;
  readonly leaseMs: number;
  readonly route: string;
  readonly live: boolean;
  /** Token units. */
  readonly amount: number;
  /** Decimal seconds since 1970. */
  readonly validBefore: string;
  readonly sinceBlock: number | null;
  /** Token units the payer holds, as decimal digits; null when not asked. */
  readonly balance: string | null;
  /** What was held just before the balance was read; null when it was not. */
  readonly heldBefore: string | null;
  /** Whether the balance must be known when the payer has other payments in flight. */
  readonly checkBalance: boolean;
  /** Only join, resume or repeat what is known: the authorization is too old for a new claim. */
  readonly knownOnly: boolean;
}

/** What became of a claim; only `new` and `resume` are held. */
export type ClaimOutcome =
  /** Ours: the answer is to be computed. */
  | "new"
  /** Ours, taken over with an answer that is stored: it is to be settled. */
  | "resume"
  /** Somebody else is at work on the same call. */
  | "busy"
  /** Paid before: the stored answer is there, for as long as it is kept. */
  | "settled"
  /** The authorization belongs to another call. */
  | "other"
  /** `knownOnly`, and nothing is known that could be joined. */
  | "unknown"
  /** The payment-identifier belongs to another payment of this payer. */
  | "conflict"
  /** The payer has as many calls in flight as it may. */
  | "limited"
  /** The payer pauses after a refused settlement, for `waitSeconds`. */
  | "cooling"
  /** The payer has other payments in flight, and its balance must be known. */
  | "balance"
  /** The balance does not cover this payment beside those in flight (`held`). */
  | "short";

export interface ClaimResult {
  readonly outcome: ClaimOutcome;
  readonly id: number | null;
  readonly fence: number | null;
  readonly state: string | null;
  readonly tx: string | null;
  readonly body: string | null;
  /** True with a null body: the answer was removed, not forgotten. */
  readonly hasAnswer: boolean;
  readonly named: string | null;
  readonly sinceBlock: number | null;
  /** Seconds since it was settled. */
  readonly settledSeconds: number | null;
  /** Seconds until the payer may pay again. */
  readonly waitSeconds: number | null;
  /** Token units of the payer's other payments in flight, as decimal digits. */
  readonly held: string;
  /** Refusals in a row that the payer has behind it. */
  readonly refusals: number;
}

/** A claim that is held: proof of the right to move it. */
export interface Held {
  readonly id: number;
  readonly fence: number;
}

export interface StoredAnswer extends Held {
  readonly to: "answered" | "settling";
  readonly body: string;
  readonly evidenceIds: readonly string[];
  readonly leaseMs: number;
}

/** `gone`: it quotes a post that was removed; `lost`: the claim is another owner's. */
export type StoredState = "stored" | "gone" | "lost";

export interface Settled extends Held {
  readonly tx: string;
}
