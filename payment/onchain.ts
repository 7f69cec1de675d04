/** The back end that settles by itself: our wallet sends the buyer's authorization to the token. */
import { sleep } from "../core/deadline.ts";
import { OperatorError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Backend, Order, SettlementResult } from "./backend.ts";
import { type Chain, transferCalldata } from "./chain.ts";
import { REASON, type Reason } from "./reasons.ts";
import { isObject } from "./payload.ts";
import { createPresence } from "./presence.ts";
import { readLogs, usePaid } from "./proof.ts";
import { ChainRefusal, ChainUnavailable, type Rpc } from "./rpc.ts";
import { provenPayer } from "./signature.ts";
import type { Wallet } from "./wallet.ts";

export interface OnchainOptions {
  readonly rpc: Rpc;
  readonly chain: Chain;
  readonly chainId: number;
  /** Lower-case token address. */
  readonly token: string;
  readonly wallet: Wallet;
  readonly log: Log;
  readonly leaseMs: number;
  readonly timing: OnchainTiming;
}

export interface OnchainTiming {
  /** How long a settlement waits for its receipt. */
  readonly receiptMs: number;
  readonly pollMs: number;
}

export const ONCHAIN_TIMING: OnchainTiming = { receiptMs: 25_000, pollMs: 400 };

/** The protocol's word for what a token said when it reverted. */
export function revertReason(message: string): Reason {
  if (/used or canceled|already used|authorization is used/i.test(message)) return REASON.nonceUsed;
  if (/expired/i.test(message)) return REASON.validBefore;
  if (/not yet valid/i.test(message)) return REASON.validAfter;
  if (/exceeds balance|insufficient balance/i.test(message)) return REASON.funds;
  if (/signature/i.test(message)) return REASON.signature;
  return REASON.failed;
}

export function createOnchain(options: OnchainOptions): Backend {
  const { rpc, wallet, timing } = options;
  /** Twice: an earlier transaction is waited for before another is sent. */
  const settleBudgetMs = 2 * timing.receiptMs;

  const checkChain = async (): Promise<void> => {
    const id = await options.chain.chainId();
    if (id !== options.chainId) {
      throw new OperatorError(
        `RPC_URL is on chain ${id}, X402_NETWORK is on chain ${options.chainId}`,
      );
    }
  };
  const presence = createPresence({ log: options.log, name: "chain", probe: checkChain });

  /** Asks the chain about a payment: tells whether it is there at all. */
  const heard = async <T>({ payment }: Order, work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      presence.answered();
      return result;
    } catch (error) {
      if (error instanceof ChainUnavailable) presence.failed(provenPayer(payment), error);
      else presence.answered();
      throw error;
    }
  };

  /** The outcome that the receipt of `hash` tells, or null while there is none. */
  const receipt = async (hash: string, order: Order): Promise<SettlementResult | null> => {
    const found = await rpc.call("eth_getTransactionReceipt", [hash]);
    if (!isObject(found)) return null;
    const { from, to, value, nonce } = order.payment.authorization;
    const claimed = { payer: from, nonce, payTo: to, amount: value, sinceBlock: null };
    if (found["status"] !== "0x1") return { kind: "refused", reason: REASON.reverted };
    return usePaid(readLogs(found["logs"]), options.token, claimed)
      ? { kind: "settled", transaction: hash }
      : { kind: "refused", reason: REASON.mismatch };
  };

  const awaitReceipt = async (hash: string, order: Order): Promise<SettlementResult> => {
    const deadline = performance.now() + timing.receiptMs;
    for (;;) {
      try {
        // A poll that fails tells little of the chain: the next is moments away.
        const result = await receipt(hash, order);
        presence.answered();
        if (result !== null) return result;
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
      }
      if (performance.now() >= deadline) return { kind: "unknown", why: "not mined yet" };
      await sleep(timing.pollMs);
    }
  };

  const settle: Backend["settle"] = async (order, held) => {
    const earlier = await wallet.resume(held.id);
    if (earlier !== null) {
      const outcome = await awaitReceipt(earlier, order);
      // A transaction that reverted paid nothing: the trial run below says whether another could.
      if (outcome.kind !== "refused") return outcome;
    }
    const { authorization, signature } = order.payment;
    const data = transferCalldata(authorization, signature);
    let gas: bigint;
    try {
      gas = await heard(order, wallet.estimate(data));
    } catch (error) {
      if (error instanceof ChainRefusal) {
        return { kind: "refused", reason: revertReason(error.message) };
      }
      return { kind: "untried", why: error instanceof Error ? error.message : String(error) };
    }
    const sent = await wallet.send(held, data, gas, options.leaseMs);
    if (sent.kind === "untried") return sent;
    if (sent.kind === "lost") return { kind: "unknown", why: "the claim was taken over" };
    return await awaitReceipt(sent.hash, order);
  };

  return {
    mode: "onchain",
    recordsItself: true,
    settleBudgetMs,
    start: async () => {
      try {
        await presence.look();
      } catch (error) {
        if (error instanceof OperatorError) throw error;
        options.log.warn("chain unreachable, paid routes answer 503 until it is back", {
          cause: error,
        });
      }
    },
    ready: presence.here,
    verify: async (order) => {
      const { payment } = order;
      const trial = options.chain.simulate(payment.authorization, payment.signature);
      const reverted = await heard(order, trial);
      return reverted === null ? null : revertReason(reverted);
    },
    settle: async (order, held) => {
      try {
        return await settle(order, held);
      } catch (error) {
        options.log.error("settlement failed", { cause: error });
        return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
      }
    },
    tend: async () => {
      if (!presence.here()) {
        await presence.look();
        options.log.info("chain reachable");
      }
      await wallet.tend();
    },
  };
}
