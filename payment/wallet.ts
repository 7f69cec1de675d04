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

  /** One after the other: what moves the sequence of nonces. The chain is asked outside of it. */
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

  /**
   * A transaction that is stored may be sent any number of times: only its first landing counts.
   * False where the chain is away.
   */
  const broadcast = async (raw: string): Promise<boolean> => {
    try {
      await rpc.call("eth_sendRawTransaction", [raw]);
    } catch (error) {
      if (
        error instanceof ChainRefusal &&
        /already known|already imported|nonce too low/i.test(error.message)
      ) return true;
      log.warn("transaction not taken, it will be sent again", { cause: error });
      return !(error instanceof ChainUnavailable);
    }
    return true;
  };

  /** Signs with the next nonce and records: the transaction, or null where the claim was lost. */
  const record = async (
    held: Held,
    call: { readonly data: string; readonly gas: bigint; readonly fee: Fees },
    floor: number,
    leaseMs: number,
  ): Promise<SignedTransaction | null> => {
    for (;;) {
      const nonce = await store.nextNonce(floor);
      const signed = await draft(nonce, call.data, call.gas, call.fee);
      const entry = { nonce, ...signed, maxFee: call.fee.maxFeePerGas };
      const stored = await store.store(held, entry, leaseMs);
      if (stored !== false) return stored === null ? null : signed;
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
    const signed = await inTurn(() => record(held, { data, gas, fee }, floor, leaseMs));
    if (signed === null) return { kind: "lost" };
    await broadcast(signed.raw);
    return { kind: "sent", hash: signed.hash };
  };

  const replaceStuck = async (stuck: Broadcast): Promise<boolean> => {
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
    const dearer = { ...signed, maxFee: maxFeePerGas };
    await inTurn(() => store.replace(stuck.chainNonce, dearer));
    log.info("stuck transaction replaced", { nonce: stuck.chainNonce, hash: signed.hash });
    return await broadcast(signed.raw);
  };

  const tend = async (): Promise<void> => {
    const pending = await store.pending();
    if (pending.length === 0) return;
    const head = readQuantity(await rpc.call("eth_blockNumber", []));
    const deep = `0x${Math.max(0, head - BURIED_BLOCKS).toString(16)}`;
    const [mined, buried] = [await transactionCount("latest"), await transactionCount(deep)];
    for (const transaction of pending) {
      const { chainNonce, raw } = transaction;
      if (chainNonce < buried) {
        await store.buried(chainNonce);
        continue;
      }
      if (chainNonce < mined) continue;
      const isStuck = transaction.ageMs >= options.stuckMs && chainNonce === mined;
      // Each of the others would wait for a deadline of its own; they are sent at the next pass.
      if (!(await (isStuck ? replaceStuck(transaction) : broadcast(raw)))) return;
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
    send,
    resume: async (paymentId) => {
      const earlier = await store.of(paymentId);
      if (earlier !== null) await broadcast(earlier.raw);
      return earlier?.hash ?? null;
    },
    tend,
  };
}

/** What a stored transaction calls. */
async function stuckCall(raw: string): Promise<{ data: string; gas: bigint }> {
  const { parseTransaction } = await import("viem");
  const { data, gas } = parseTransaction(raw as `0x${string}`);
  return { data: data ?? "0x", gas: gas ?? GAS_CAP };
}
