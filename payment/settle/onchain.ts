/** The settler of mode `onchain`: our own wallet sends the buyer's authorization to the token contract. */
import { sleep } from "../../core/deadline.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Claim } from "../../db/ledger/mod.ts";
import type { PaymentOrder, SettlementResult, Settler } from "../protocol/settler.ts";
import { type ChainReader, requireNetwork } from "../evm/chain.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Network } from "../evm/networks.ts";
import { createUpstreamHealth, type UpstreamHealth } from "./upstream_health.ts";
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

interface OnchainOptions {
  readonly rpc: Rpc;
  readonly chain: ChainReader;
  readonly network: Network;
  readonly wallet: Wallet;
  readonly log: Log;
  readonly leaseMs: number;
  readonly timing: ReceiptTiming;
}

/** The protocol's reason for a token contract's revert message. */
function revertReason(message: string): Reason {
  if (/used or canceled|already used|authorization is used/i.test(message)) return REASON.nonceUsed;
  if (/expired/i.test(message)) return REASON.validBefore;
  if (/not yet valid/i.test(message)) return REASON.validAfter;
  if (/exceeds balance|insufficient balance/i.test(message)) return REASON.funds;
  if (/signature/i.test(message)) return REASON.signature;
  return REASON.failed;
}

/** Creates the settler. It is ready while the chain answers. */
export function createOnchainSettler(options: OnchainOptions): Settler {
  const { chain, wallet, log } = options;
  const probe = (): Promise<void> => requireNetwork(chain, options.network);
  const health = createUpstreamHealth({ log, name: "chain", probe });
  const parts: SettleParts = { ...options, health };
  return {
    mode: "onchain",
    recordsItself: true,
    // Twice: an earlier transaction is waited for before another is sent.
    settleBudgetMs: 2 * options.timing.receiptMs,
    start: health.start,
    ready: health.isHealthy,
    verify: async (order) => {
      const { authorization, signature } = order.payment;
      const trial = chain.simulate(authorization, signature);
      const reverted = await observed(health, order, trial);
      return reverted === null ? null : revertReason(reverted);
    },
    settle: async (order, claim) => {
      try {
        return await settle(parts, order, claim);
      } catch (error) {
        log.error("settlement failed", { cause: error });
        return { kind: "unknown", why: messageOf(error) };
      }
    },
    maintain: async () => {
      await health.recheck();
      await wallet.maintain();
    },
  };
}

/** Runs a chain call about a payment; its success or failure counts towards the chain's health. */
async function observed<T>(
  health: UpstreamHealth,
  { payment }: PaymentOrder,
  work: Promise<T>,
): Promise<T> {
  try {
    const result = await work;
    health.succeeded();
    return result;
  } catch (error) {
    if (error instanceof ChainUnavailable) health.failed(provenPayer(payment), error);
    else health.succeeded();
    throw error;
  }
}

type SettleParts =
  & Pick<OnchainOptions, "rpc" | "chain" | "wallet" | "leaseMs" | "timing">
  & { readonly health: UpstreamHealth };

/** Waits for an earlier transaction, where there is one; sends one where none can have paid. */
async function settle(
  parts: SettleParts,
  order: PaymentOrder,
  claim: Claim,
): Promise<SettlementResult> {
  const { chain, wallet, health } = parts;
  const earlier = await wallet.resume(claim.id);
  if (earlier !== null) {
    const outcome = await awaitReceipt(parts, earlier, order);
    // A transaction that reverted paid nothing: the gas estimate below says whether another could.
    if (outcome.kind !== "refused") return outcome;
  }
  const { authorization, signature } = order.payment;
  const data = await chain.transferCalldata(authorization, signature);
  let gas: bigint;
  try {
    gas = await observed(health, order, wallet.estimate(data));
  } catch (error) {
    if (error instanceof ChainRefusal) {
      return { kind: "refused", reason: revertReason(error.message) };
    }
    return { kind: "untried", why: messageOf(error) };
  }
  const sent = await wallet.send(claim, data, gas, parts.leaseMs);
  if (sent.kind === "untried") return sent;
  if (sent.kind === "lost") return { kind: "unknown", why: "the claim was taken over" };
  return await awaitReceipt(parts, sent.hash, order);
}

/**
 * Waits for the receipt of the transaction that settles an order; unknown where it is not mined in time.
 * Rejects for any error but an unreachable chain.
 */
async function awaitReceipt(
  { rpc, chain, health, timing }: SettleParts,
  hash: string,
  order: PaymentOrder,
): Promise<SettlementResult> {
  const deadline = performance.now() + timing.receiptMs;
  for (;;) {
    try {
      // A failed poll does not count against the chain's health: the next one follows in a moment.
      const found = await rpc.call("eth_getTransactionReceipt", [hash]);
      const result = isObject(found) ? await outcomeOf(found, hash, chain, order) : null;
      health.succeeded();
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
    if (performance.now() >= deadline) return { kind: "unknown", why: "not mined yet" };
    await sleep(timing.pollMs);
  }
}

/** Reads a receipt: a transaction that succeeded may still not have paid this order. */
async function outcomeOf(
  receipt: JsonObject,
  hash: string,
  chain: ChainReader,
  order: PaymentOrder,
): Promise<SettlementResult> {
  const { from, to, value, nonce } = order.payment.authorization;
  const expected = { payer: from, nonce, payTo: to, amount: value };
  if (receipt["status"] !== "0x1") return { kind: "refused", reason: REASON.reverted };
  return await chain.showsTransfer(readLogs(receipt["logs"]), expected)
    ? { kind: "settled", transaction: hash }
    : { kind: "refused", reason: REASON.mismatch };
}
