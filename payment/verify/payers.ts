/** What the chain says of payers, asked as rarely as will do: signatures, balances, the newest block. */
import { REASON } from "../protocol/reasons.ts";
import type { PaymentOrder } from "../protocol/settler.ts";
import {
  createSignatureVerifier,
  type SignatureCheck,
  type SignatureVerifierOptions,
} from "./verify_signature.ts";

export interface Payers {
  /** `doubt` is called before anything outside is asked; what it throws is thrown. */
  verifySignature(
    order: PaymentOrder,
    digest: Uint8Array,
    doubt: () => void,
  ): Promise<SignatureCheck>;
  /** A contract wallet paid: the chain goes on being asked about it, however many others are made up. */
  paid(payer: string): void;
  /** False while balances cannot be had; what is in flight is then not held against them. */
  hasBalances(): boolean;
  /** Token units as decimal digits, read after this call; null where the chain does not answer. */
  balance(payer: string): Promise<string | null>;
  /**
   * A balance read a moment ago, where it covers far more than a payer may have in flight: such a payer
   * need not be looked up for every call. Null otherwise.
   */
  ampleBalance(payer: string, amount: number): string | null;
  /** A back end's reason for a refusal in plainer words: `insufficient_funds` where that is it. */
  explain(order: PaymentOrder, reason: string): Promise<string>;
  /** A block number that was reached before now; null while none is known. */
  recentBlock(): number | null;
}

export interface PayersOptions extends SignatureVerifierOptions {
  /** Calls that a payer may have in flight. */
  readonly maxInFlight: number;
}

const BLOCK_MS = 4_000;
/** An ample balance is believed for this long. */
const AMPLE_MS = 3_000;
/** Payers whose balances are remembered. */
const RECENT_MAX = 10_000;
/** Times the price of all that a payer may have in flight. */
const AMPLE_TIMES = 3;
/** How long a chain that failed is left alone by what can do without it. */
const PAUSE_MS = 10_000;

/** Makes what is known of payers; without a chain, and in mode `test`, nothing is asked of their balances. */
export function createPayers(options: PayersOptions): Payers {
  const { settler, chain, ticks } = options;
  const verifier = createSignatureVerifier(options);
  const recent = new Map<string, { readonly units: bigint; readonly until: number }>();
  let pausedUntil = -Infinity;
  let block: number | null = null;
  let blockUntil = -Infinity;

  const live = settler.mode === "test" ? null : chain;
  const readBalance = createSingleFlight(async (payer: string): Promise<string | null> => {
    if (live === null || ticks() < pausedUntil) return null;
    try {
      const units = await live.balance(payer);
      if (recent.size >= RECENT_MAX) recent.clear();
      recent.set(payer, { units, until: ticks() + AMPLE_MS });
      return units.toString();
    } catch {
      pausedUntil = ticks() + PAUSE_MS;
      return null;
    }
  });
  return {
    verifySignature: verifier.verifySignature,
    paid: verifier.paid,
    hasBalances: () => live !== null && ticks() >= pausedUntil,
    balance: readBalance,
    ampleBalance: (payer, amount) => {
      const known = recent.get(payer);
      const isAmple = known !== undefined && known.until > ticks() &&
        known.units >= BigInt(amount) * BigInt(options.maxInFlight * AMPLE_TIMES);
      return isAmple ? known.units.toString() : null;
    },
    explain: async ({ payment: { authorization } }, reason) => {
      if (/insufficient/.test(reason)) return REASON.funds;
      if (live === null || !/failed|reverted/.test(reason)) return reason;
      try {
        const balance = await live.balance(authorization.from);
        return balance < authorization.value ? REASON.funds : reason;
      } catch {
        return reason;
      }
    },
    recentBlock: () => {
      if (live !== null && ticks() >= blockUntil && ticks() >= pausedUntil) {
        blockUntil = ticks() + BLOCK_MS;
        live.blockNumber().then(
          (number) => block = number,
          () => pausedUntil = ticks() + PAUSE_MS,
        );
      }
      return block;
    },
  };
}

export function createSingleFlight<T>(
  work: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const run = (key: string): Promise<T> => {
    const current = work(key).finally(() => running.delete(key));
    running.set(key, current);
    return current;
  };
  return (key) => {
    const current = running.get(key);
    if (current === undefined) return run(key);
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const after = current.then(() => {}, () => {}).then(() => {
      next.delete(key);
      return run(key);
    });
    next.set(key, after);
    return after;
  };
}
