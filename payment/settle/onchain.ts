/** The back end that settles by itself: our wallet sends the buyer's authorization to the token. */
import { sleep } from "../../core/deadline.ts";
import { messageOf, OperatorError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Held } from "../../db/ledger/mod.ts";
import type { Backend, Order, SettlementResult } from "../protocol/settler.ts";
import { type Chain, requireNetwork } from "../evm/chain.ts";
import { isObject, type JsonObject } from "../evm/bounded_json.ts";
import type { Network } from "../evm/networks.ts";
import { createPresence, type Presence } from "./upstream_health.ts";
import { REASON, type Reason } from "../protocol/reasons.ts";
import { ChainRefusal, ChainUnavailable, readLogs, type Rpc } from "../evm/rpc.ts";
import { provenPayer } from "../evm/signature.ts";
import type { Wallet } from "./wallet.ts";

export interface ReceiptTiming {
  /** How long a settlement waits for its receipt. */
  readonly receiptMs: number;
  readonly pollMs: number;
}

export const RECEIPT_TIMING: ReceiptTiming = { receiptMs: 25_000, pollMs: 400 };

export interface OnchainOptions {
  readonly rpc: Rpc;
  readonly chain: Chain;
  readonly network: Network;
  readonly wallet: Wallet;
  readonly log: Log;
  readonly leaseMs: number;
  readonly timing: ReceiptTiming;
}

/** The protocol's word for what a token said when it reverted. */
function revertReason(message: string): Reason {
  if (/used or canceled|already used|authorization is used/i.test(message)) return REASON.nonceUsed;
  if (/expired/i.test(message)) return REASON.validBefore;
  if (/not yet valid/i.test(message)) return REASON.validAfter;
  if (/exceeds balance|insufficient balance/i.test(message)) return REASON.funds;
  if (/signature/i.test(message)) return REASON.signature;
  return REASON.failed;
}

/** Makes the back end over a wallet of our own; it sells while the chain is there. */
export function createOnchain(options: OnchainOptions): Backend {
  const { chain, wallet, log } = options;
  const probe = (): Promise<void> => requireNetwork(chain, options.network);
  const presence = createPresence({ log, name: "chain", probe });
  const parts: SettleParts = { ...options, presence };
  return {
    mode: "onchain",
    recordsItself: true,
    // Twice: an earlier transaction is waited for before another is sent.
    settleBudgetMs: 2 * options.timing.receiptMs,
    start: async () => {
      try {
        await presence.look();
      } catch (error) {
        if (error instanceof OperatorError) throw error;
        log.warn("chain unreachable, paid routes answer 503 until it is back", { cause: error });
      }
    },
    ready: presence.here,
    verify: async (order) => {
      const { authorization, signature } = order.payment;
      const trial = chain.simulate(authorization, signature);
      const reverted = await heard(presence, order, trial);
      return reverted === null ? null : revertReason(reverted);
    },
    settle: async (order, held) => {
      try {
        return await settle(parts, order, held);
      } catch (error) {
        log.error("settlement failed", { cause: error });
        return { kind: "unknown", why: messageOf(error) };
      }
    },
    tend: async () => {
      if (!presence.here()) {
        await presence.look();
        log.info("chain reachable");
      }
      await wallet.tend();
    },
  };
}

/** Asks the chain about a payment: tells whether it is there at all. */
async function heard<T>(presence: Presence, { payment }: Order, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    presence.answered();
    return result;
  } catch (error) {
    if (error instanceof ChainUnavailable) presence.failed(provenPayer(payment), error);
    else presence.answered();
    throw error;
  }
}

type SettleParts =
  & Pick<OnchainOptions, "rpc" | "chain" | "wallet" | "leaseMs" | "timing">
  & { readonly presence: Presence };

/** Waits for the transaction that was sent before, where there is one; sends one where none can have paid. */
async function settle(parts: SettleParts, order: Order, held: Held): Promise<SettlementResult> {
  const { chain, wallet, presence } = parts;
  const earlier = await wallet.resume(held.id);
  if (earlier !== null) {
    const outcome = await awaitReceipt(parts, earlier, order);
    // A transaction that reverted paid nothing: the gas estimate below says whether another could.
    if (outcome.kind !== "refused") return outcome;
  }
  const { authorization, signature } = order.payment;
  const data = await chain.transferCalldata(authorization, signature);
  let gas: bigint;
  try {
    gas = await heard(presence, order, wallet.estimate(data));
  } catch (error) {
    if (error instanceof ChainRefusal) {
      return { kind: "refused", reason: revertReason(error.message) };
    }
    return { kind: "untried", why: messageOf(error) };
  }
  const sent = await wallet.send(held, data, gas, parts.leaseMs);
  if (sent.kind === "untried") return sent;
  if (sent.kind === "lost") return { kind: "unknown", why: "the claim was taken over" };
  return await awaitReceipt(parts, sent.hash, order);
}

/**
 * The outcome of an order that the transaction `hash` is to settle; unknown where it is not mined in time.
 * Rejects for what is not the chain being away.
 */
async function awaitReceipt(
  { rpc, chain, presence, timing }: SettleParts,
  hash: string,
  order: Order,
): Promise<SettlementResult> {
  const deadline = performance.now() + timing.receiptMs;
  for (;;) {
    try {
      // A poll that fails tells little of the chain: the next is moments away.
      const found = await rpc.call("eth_getTransactionReceipt", [hash]);
      const result = isObject(found) ? await outcomeOf(found, hash, chain, order) : null;
      presence.answered();
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
    if (performance.now() >= deadline) return { kind: "unknown", why: "not mined yet" };
    await sleep(timing.pollMs);
  }
}

/** The outcome that a receipt tells: a transaction that went through may still have paid another. */
async function outcomeOf(
  receipt: JsonObject,
  hash: string,
  chain: Chain,
  order: Order,
): Promise<SettlementResult> {
  const { from, to, value, nonce } = order.payment.authorization;
  const claimed = { payer: from, nonce, payTo: to, amount: value, sinceBlock: null };
  if (receipt["status"] !== "0x1") return { kind: "refused", reason: REASON.reverted };
  return await chain.usePaid(readLogs(receipt["logs"]), claimed)
    ? { kind: "settled", transaction: hash }
    : { kind: "refused", reason: REASON.mismatch };
}
