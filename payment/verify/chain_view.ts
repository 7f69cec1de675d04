/** What a claim asks the chain: balances and the newest block, with as few calls as possible. */
import { singleFlight } from "../../core/once.ts";
import { createRecentMap } from "../../core/recent.ts";
import type { ChainReader } from "../evm/chain.ts";
import { REASON } from "../protocol/reasons.ts";
import type { PaymentOrder } from "../protocol/settler.ts";

export interface ChainView {
  /** False while balances cannot be read; payments in flight are then not checked against them. */
  hasBalances(): boolean;
  /** Token units as decimal digits, read after this call began; null where the chain does not answer. */
  balance(payer: string): Promise<string | null>;
  /**
   * A recent balance, where it covers several times what a payer may have in flight, so that it need not be read
   * for every call. Null otherwise.
   */
  ampleBalance(payer: string, amount: number): string | null;
  /** Makes a settler's reason for a refusal precise: `insufficient_funds` where the balance is too low. */
  explain(order: PaymentOrder, reason: string): Promise<string>;
  /**
   * The number of a recent block: at most a minute old where the chain answers, else the last one
   * known; null where there is none.
   */
  recentBlock(): Promise<number | null>;
}

interface ChainViewOptions {
  /** Null in mode `test`, where nothing is on chain: balances and blocks are then not read. */
  readonly chain: ChainReader | null;
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
  /** Calls that a payer may have in flight. */
  readonly maxInFlight: number;
}

const BLOCK_MS = 4_000;
/** A block older than this is not relied on: what was used since may be anyone's to present. */
const STALE_MS = 60_000;
/** How long an ample balance is relied on. */
const AMPLE_MS = 3_000;
/** Payers whose balances are remembered at the least. */
const RECENT = 5_000;
/** An ample balance covers this many times the price of all calls a payer may have in flight. */
const AMPLE_TIMES = 3;
/** After a failed call, optional lookups are skipped for this long. */
const PAUSE_MS = 10_000;

/** Creates the view; nothing is read until it is asked for. */
export function createChainView({ chain, ticks, maxInFlight }: ChainViewOptions): ChainView {
  const recent = createRecentMap<{ readonly units: bigint; readonly until: number }>(RECENT);
  let pausedUntil = -Infinity;
  let block: number | null = null;
  let blockAt = -Infinity;
  let blockUntil = -Infinity;
  let reading = Promise.resolve();

  const readBalance = singleFlight(async (payer: string): Promise<string | null> => {
    if (chain === null || ticks() < pausedUntil) return null;
    try {
      const units = await chain.balance(payer);
      recent.set(payer, { units, until: ticks() + AMPLE_MS });
      return units.toString();
    } catch {
      pausedUntil = ticks() + PAUSE_MS;
      return null;
    }
  });
  return {
    hasBalances: () => chain !== null && ticks() >= pausedUntil,
    balance: readBalance,
    ampleBalance: (payer, amount) => {
      const known = recent.get(payer);
      const isAmple = known !== undefined && known.until > ticks() &&
        known.units >= BigInt(amount) * BigInt(maxInFlight * AMPLE_TIMES);
      return isAmple ? known.units.toString() : null;
    },
    explain: async ({ payment: { authorization } }, reason) => {
      if (/insufficient/.test(reason)) return REASON.funds;
      if (chain === null || !/failed|reverted/.test(reason)) return reason;
      try {
        const balance = await chain.balance(authorization.from);
        return balance < authorization.value ? REASON.funds : reason;
      } catch {
        return reason;
      }
    },
    recentBlock: async () => {
      const now = ticks();
      if (chain !== null && now >= blockUntil && now >= pausedUntil) {
        blockUntil = now + BLOCK_MS;
        reading = chain.blockNumber().then(
          (number) => {
            block = number;
            blockAt = now;
          },
          () => void (pausedUntil = ticks() + PAUSE_MS),
        );
      }
      if (now - blockAt > STALE_MS) await reading;
      return block;
    },
  };
}
