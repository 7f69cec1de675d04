/** What became of a transaction of ours, by its receipt: waited for, and read for what it paid. */
import { sleep } from "../../core/deadline.ts";
import type { Order, SettlementResult } from "../protocol/settler.ts";
import { isObject } from "../evm/bounded_json.ts";
import type { Presence } from "./upstream_health.ts";
import { readLogs } from "../evm/values.ts";
import { usePaid } from "../evm/proof.ts";
import { REASON } from "../protocol/reasons.ts";
import { ChainUnavailable, type Rpc } from "../evm/rpc.ts";

export interface ReceiptTiming {
  /** How long a settlement waits for its receipt. */
  readonly receiptMs: number;
  readonly pollMs: number;
}

export const RECEIPT_TIMING: ReceiptTiming = { receiptMs: 25_000, pollMs: 400 };

export interface ReceiptOptions {
  readonly rpc: Rpc;
  /** Lower-case token address. */
  readonly token: string;
  readonly presence: Pick<Presence, "answered">;
  readonly timing: ReceiptTiming;
}

/** The outcome of an order that the transaction `hash` is to settle; unknown where it is not mined in time. */
export type AwaitReceipt = (hash: string, order: Order) => Promise<SettlementResult>;

/** Makes what waits for receipts. It rejects for what is not the chain being away. */
export function createReceipts({ rpc, token, presence, timing }: ReceiptOptions): AwaitReceipt {
  return async (hash, order) => {
    const deadline = performance.now() + timing.receiptMs;
    for (;;) {
      try {
        // A poll that fails tells little of the chain: the next is moments away.
        const found = await rpc.call("eth_getTransactionReceipt", [hash]);
        const result = isObject(found) ? outcomeOf(found, hash, token, order) : null;
        presence.answered();
        if (result !== null) return result;
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
      }
      if (performance.now() >= deadline) return { kind: "unknown", why: "not mined yet" };
      await sleep(timing.pollMs);
    }
  };
}

/** The outcome that a receipt tells: a transaction that went through may still have paid another. */
function outcomeOf(
  receipt: Readonly<Record<string, unknown>>,
  hash: string,
  token: string,
  order: Order,
): SettlementResult {
  const { from, to, value, nonce } = order.payment.authorization;
  const claimed = { payer: from, nonce, payTo: to, amount: value, sinceBlock: null };
  if (receipt["status"] !== "0x1") return { kind: "refused", reason: REASON.reverted };
  return usePaid(readLogs(receipt["logs"]), token, claimed)
    ? { kind: "settled", transaction: hash }
    : { kind: "refused", reason: REASON.mismatch };
}
