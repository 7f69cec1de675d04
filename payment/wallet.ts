/** The broadcasting wallet: fees within a cap, one nonce sequence, stuck transactions replaced. */
import type { Log } from "../core/log.ts";
import type { Held } from "../db/ledger.ts";
import type { Broadcast, WalletStore } from "../db/wallet.ts";
import { isObject } from "./payload.ts";
import { readQuantity, readWord } from "./proof.ts";
import { ChainRefusal, ChainUnavailable, type Rpc } from "./rpc.ts";
import type { SignedTransaction, TransactionSigner } from "./signer.ts";

export interface WalletOptions {
  readonly rpc: Rpc;
  readonly chainId: number;
  /** The token: the only contract this wallet ever calls. */
  readonly token: string;
  readonly signer: TransactionSigner;
  readonly store: WalletStore;
  readonly log: Log;
  /** Most wei per gas that is ever offered. */
  readonly maxFeeCap: bigint;
  /** Age in milliseconds at which a transaction counts as stuck. */
  readonly stuckMs: number;
}

/** Most gas that one settlement may use: a contract wallet's signature check included. */
export const GAS_CAP = 500_000n;
/** Blocks after which a transaction is not looked after any more. */
const BURIED_BLOCKS = 3;
/** A replacement must offer at least a tenth more; nodes differ in how much above that. */
const BUMP_PERCENT = 125n;

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export type SendResult =
  | { readonly kind: "sent"; readonly hash: string }
  | { readonly kind: "lost" }
  | { readonly kind: "untried"; readonly why: string };

export interface Wallet {
  readonly address: string;
  /** Gas for calling the token. Throws ChainRefusal with the reason of the revert. */
  estimate(data: string): Promise<bigint>;
  /** Signs, records and broadcasts a call of the token, as the settlement of a held claim. */
  send(held: Held, data: string, gas: bigint, leaseMs: number): Promise<SendResult>;
  /** The hash of the transaction that settles a payment already, sent again; null for none. */
  resume(paymentId: number): Promise<string | null>;
  /** Sends again what the chain has lost, and replaces what is stuck. */
  tend(): Promise<void>;
}

export function createWallet(options: WalletOptions): Wallet {
  const { rpc, signer, store, log, maxFeeCap } = options;
  let turn: Promise<unknown> = Promise.resolve();

  /** One after the other: nonces leave this process in order. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const transactionCount = async (block: string): Promise<number> =>
    readQuantity(await rpc.call("eth_getTransactionCount", [signer.address, block]));

  const fees = async (): Promise<Fees> => {
    const block = await rpc.call("eth_getBlockByNumber", ["latest", false]);
    if (!isObject(block)) throw new ChainUnavailable("expected a block");
    const base = readWord(block["baseFeePerGas"]);
    const tip = readWord(await rpc.call("eth_maxPriorityFeePerGas", []));
    const wanted = base * 2n + tip;
    const maxFeePerGas = wanted < maxFeeCap ? wanted : maxFeeCap;
    if (maxFeePerGas <= base) throw new ChainUnavailable("gas costs more than the cap");
    return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas };
  };

  const draft = (nonce: number, data: string, gas: bigint, fee: Fees) =>
    signer.sign({ chainId: options.chainId, nonce, to: options.token, data, gas, ...fee });

  /** A transaction that is stored may be sent any number of times: only its first landing counts. */
  const broadcast = async (raw: string): Promise<void> => {
    try {
      await rpc.call("eth_sendRawTransaction", [raw]);
    } catch (error) {
      if (
        error instanceof ChainRefusal &&
        /already known|already imported|nonce too low/i.test(error.message)
      ) return;
      log.warn("transaction not taken, it will be sent again", { cause: error });
    }
  };

  const send = async (
    held: Held,
    data: string,
    gas: bigint,
    leaseMs: number,
  ): Promise<SendResult> => {
    let fee: Fees;
    let floor: number;
    try {
      fee = await fees();
      floor = await transactionCount("latest");
    } catch (error) {
      return { kind: "untried", why: error instanceof Error ? error.message : String(error) };
    }
    for (;;) {
      const nonce = await store.nextNonce(floor);
      const signed: SignedTransaction = await draft(nonce, data, gas, fee);
      const entry = { nonce, ...signed, maxFee: fee.maxFeePerGas };
      const stored = await store.store(held, entry, leaseMs);
      if (stored === null) return { kind: "lost" };
      if (!stored) continue;
      await broadcast(signed.raw);
      return { kind: "sent", hash: signed.hash };
    }
  };

  const replaceStuck = async (stuck: Broadcast): Promise<void> => {
    const { data, gas } = await stuckCall(stuck.raw);
    const current = await fees();
    const bumped = stuck.maxFee * BUMP_PERCENT / 100n + 1n;
    const maxFeePerGas = bumped > current.maxFeePerGas ? bumped : current.maxFeePerGas;
    if (maxFeePerGas > maxFeeCap) return await broadcast(stuck.raw);
    // The tip must rise by as much as the fee for a node to take the replacement.
    const signed = await draft(stuck.chainNonce, data, gas, {
      maxFeePerGas,
      maxPriorityFeePerGas: maxFeePerGas,
    });
    await store.replace(stuck.chainNonce, { ...signed, maxFee: maxFeePerGas });
    log.info("stuck transaction replaced", { nonce: stuck.chainNonce, hash: signed.hash });
    await broadcast(signed.raw);
  };

  const tend = async (): Promise<void> => {
    const pending = await store.pending();
    if (pending.length === 0) return;
    const head = readQuantity(await rpc.call("eth_blockNumber", []));
    const deep = `0x${Math.max(0, head - BURIED_BLOCKS).toString(16)}`;
    const [mined, buried] = [await transactionCount("latest"), await transactionCount(deep)];
    for (const transaction of pending) {
      if (transaction.chainNonce < buried) await store.buried(transaction.chainNonce);
      else if (transaction.chainNonce < mined) continue;
      else if (transaction.ageMs >= options.stuckMs && transaction.chainNonce === mined) {
        await replaceStuck(transaction);
      } else await broadcast(transaction.raw);
    }
  };

  return {
    address: signer.address,
    estimate: async (data) => {
      const call = { from: signer.address, to: options.token, data };
      const gas = readWord(await rpc.call("eth_estimateGas", [call])) * 13n / 10n;
      if (gas > GAS_CAP) throw new ChainRefusal("the transfer needs more gas than the cap", 3);
      return gas;
    },
    send: (held, data, gas, leaseMs) => inTurn(() => send(held, data, gas, leaseMs)),
    resume: async (paymentId) => {
      const earlier = await store.of(paymentId);
      if (earlier !== null) await broadcast(earlier.raw);
      return earlier?.hash ?? null;
    },
    tend: () => inTurn(tend),
  };
}

/** What a stored transaction calls. */
async function stuckCall(raw: string): Promise<{ data: string; gas: bigint }> {
  const { parseTransaction } = await import("viem");
  const { data, gas } = parseTransaction(raw as `0x${string}`);
  return { data: data ?? "0x", gas: gas ?? GAS_CAP };
}
