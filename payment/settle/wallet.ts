/** The broadcasting wallet: fees within a cap, one nonce sequence, stuck transactions replaced. */
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Claim } from "../../db/ledger/mod.ts";
import type { Broadcast, WalletStore } from "../../db/ledger/wallet.ts";
import { isObject } from "../../core/json.ts";
import { ChainRefusal, ChainUnavailable, readQuantity, readUint256, type Rpc } from "../evm/rpc.ts";
import { readTransaction, type SignedTransaction, type TransactionSigner } from "../evm/signer.ts";

interface WalletOptions {
  readonly rpc: Rpc;
  readonly chainId: number;
  /** The token: the only contract this wallet ever calls. */
  readonly token: string;
  readonly signer: TransactionSigner;
  readonly store: WalletStore;
  readonly log: Log;
  /** Most wei per gas that is ever offered. */
  readonly maxFeeCap: bigint;
  /** For how many milliseconds a node has a transaction, unmined, before it counts as stuck. */
  readonly stuckMs: number;
}

type SendResult =
  | { readonly kind: "sent"; readonly hash: string }
  | { readonly kind: "lost" }
  | { readonly kind: "untried"; readonly why: string };

export interface Wallet {
  /** Gas for calling the token. @throws ChainRefusal with the reason of the revert. */
  estimate(data: string): Promise<bigint>;
  /** Signs, records and broadcasts a call of the token, as the settlement of a claim. */
  send(claim: Claim, data: string, gas: bigint, leaseMs: number): Promise<SendResult>;
  /** The hash of the transaction that settles a payment already, sent again; null for none. */
  resume(paymentId: number): Promise<string | null>;
  /** Rebroadcasts transactions the chain has lost, and replaces stuck ones. */
  maintain(): Promise<void>;
}

/** Makes the wallet of `signer`. */
export function createWallet(options: WalletOptions): Wallet {
  const { store } = options;
  const chain = createWalletChain(options);
  const sequence = createSequence(options);
  return {
    estimate: chain.estimate,
    send: async (claim, data, gas, leaseMs) => {
      let fee: Fees;
      let floor: number;
      try {
        fee = await chain.fees();
        floor = await chain.transactionCount("latest");
      } catch (error) {
        return { kind: "untried", why: messageOf(error) };
      }
      const signed = await sequence.append(claim, { data, gas, fee }, floor, leaseMs);
      if (signed === null) return { kind: "lost" };
      await chain.broadcast(signed.raw);
      return { kind: "sent", hash: signed.hash };
    },
    resume: async (paymentId) => {
      const earlier = await store.ofPayment(paymentId);
      if (earlier !== null) await chain.broadcast(earlier.raw);
      return earlier?.hash ?? null;
    },
    maintain: createPendingPass({ ...options, chain, sequence }),
  };
}

/** The most gas that one settlement may use, a contract wallet's signature check included. */
const GAS_CAP = 500_000n;
/** The gas limit in percent of the estimate: usage changes a little until the transaction is mined. */
const GAS_PERCENT = 130n;
/** The fee cap in multiples of the base fee, which may rise for some blocks before the transaction is mined. */
const BASE_FEE_TIMES = 2n;
/** The JSON-RPC error code of a reverted call. */
const REVERTED = 3;

interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface WalletChain {
  /** Number of the newest block. */
  head(): Promise<number>;
  /** The number of the wallet's transactions up to a block: the next nonce there. */
  transactionCount(block: string): Promise<number>;
  /** The fees to offer now. @throws ChainUnavailable where gas costs more than the cap. */
  fees(): Promise<Fees>;
  /** Gas for calling the token. @throws ChainRefusal with the reason of the revert. */
  estimate(data: string): Promise<bigint>;
  /** Sends a recorded transaction, which may be repeated: it is mined once. */
  broadcast(raw: string): Promise<BroadcastResult>;
}

type BroadcastResult =
  /** The node has it, or refuses it for its fee: what stays so is replaced. */
  | "taken"
  /** For what no fee changes, such as want of gas money. */
  | "refused"
  | "unreachable";

const TAKEN = /already known|already imported|known transaction|nonce too low/i;
const TOO_CHEAP = /underpriced|less than block base fee|fee ?too ?low|gas price below/i;

/** The chain as the wallet sees it. */
function createWalletChain(options: WalletOptions): WalletChain {
  const { rpc, maxFeeCap, signer: { address } } = options;
  return {
    head: async () => readQuantity(await rpc.call("eth_blockNumber", [])),
    transactionCount: async (block) =>
      readQuantity(await rpc.call("eth_getTransactionCount", [address, block])),
    fees: async () => {
      const block = await rpc.call("eth_getBlockByNumber", ["latest", false]);
      if (!isObject(block)) throw new ChainUnavailable("expected a block");
      const base = readUint256(block["baseFeePerGas"]);
      const tip = readUint256(await rpc.call("eth_maxPriorityFeePerGas", []));
      const wanted = base * BASE_FEE_TIMES + tip;
      const maxFeePerGas = wanted < maxFeeCap ? wanted : maxFeeCap;
      if (maxFeePerGas <= base) throw new ChainUnavailable("gas costs more than the cap");
      return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas };
    },
    estimate: async (data) => {
      const call = { from: address, to: options.token, data };
      const estimate = readUint256(await rpc.call("eth_estimateGas", [call]));
      const gas = estimate * GAS_PERCENT / 100n;
      if (gas > GAS_CAP) {
        throw new ChainRefusal("the transfer needs more gas than the cap", REVERTED);
      }
      return gas;
    },
    broadcast: async (raw) => {
      try {
        await rpc.call("eth_sendRawTransaction", [raw]);
      } catch (error) {
        const refusal = error instanceof ChainRefusal ? error.message : null;
        if (refusal !== null && TAKEN.test(refusal)) return "taken";
        options.log.warn("transaction not accepted; it will be sent again", { cause: error });
        if (refusal !== null && TOO_CHEAP.test(refusal)) return "taken";
        return error instanceof ChainUnavailable ? "unreachable" : "refused";
      }
      return "taken";
    },
  };
}

/** A call of the token, and what is offered for it. */
interface TokenCall {
  readonly data: string;
  readonly gas: bigint;
  readonly fee: Fees;
}

interface Sequence {
  /**
   * Signs with the next nonce and records, as the settlement of a claim: the transaction, or null
   * where the claim was lost. `floor` is the chain's own count.
   */
  append(
    claim: Claim,
    call: TokenCall,
    floor: number,
    leaseMs: number,
  ): Promise<SignedTransaction | null>;
  /** Signs with a used nonce and records the result in place of its transaction. */
  replace(nonce: number, call: TokenCall): Promise<SignedTransaction>;
}

/** The sequence that `store` keeps for all replicas. */
function createSequence({ chainId, token, signer, store }: WalletOptions): Sequence {
  let turn: Promise<unknown> = Promise.resolve();

  /** Serializes what changes the nonce sequence; calls to the chain stay outside. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const sign = (nonce: number, { data, gas, fee }: TokenCall): Promise<SignedTransaction> =>
    signer.sign({ chainId, nonce, to: token, data, gas, ...fee });

  return {
    append: (claim, call, floor, leaseMs) =>
      inTurn(async () => {
        for (;;) {
          const nonce = await store.nextNonce(floor);
          const signed = await sign(nonce, call);
          const entry = { nonce, ...signed, maxFee: call.fee.maxFeePerGas };
          const stored = await store.store(claim, entry, leaseMs);
          if (stored === "stored") return signed;
          if (stored === "lost") return null;
        }
      }),
    replace: async (nonce, call) => {
      const signed = await sign(nonce, call);
      const dearer = { ...signed, maxFee: call.fee.maxFeePerGas };
      await inTurn(() => store.replace(nonce, dearer));
      return signed;
    },
  };
}

/** Blocks after which a transaction counts as final. */
const BURIED_BLOCKS = 3;
/** A replacement must offer at least a tenth more; nodes differ in how much above that. */
const BUMP_PERCENT = 125n;

type PendingOptions = Pick<WalletOptions, "store" | "log" | "maxFeeCap" | "stuckMs"> & {
  readonly chain: WalletChain;
  readonly sequence: Sequence;
};

/** Creates a pass over all transactions that are not final, lowest nonce first. */
function createPendingPass(options: PendingOptions): () => Promise<void> {
  const { chain, store, stuckMs } = options;
  /** When a pass first found each of the last one's transactions taken, by hash. */
  let takenAt: ReadonlyMap<string, number> = new Map();
  return async () => {
    const pending = await store.pending();
    if (pending.length === 0) return;
    const head = await chain.head();
    const deep = `0x${Math.max(0, head - BURIED_BLOCKS).toString(16)}`;
    const mined = await chain.transactionCount("latest");
    const buried = await chain.transactionCount(deep);
    const stillTaken = new Map<string, number>();
    for (const transaction of pending) {
      const { chainNonce, hash, raw } = transaction;
      if (chainNonce < buried) {
        await store.buried(chainNonce);
        continue;
      }
      if (chainNonce < mined) continue;
      const now = performance.now();
      const since = takenAt.get(hash) ?? now;
      const isStuck = chainNonce === mined && takenAt.has(hash) && now - since >= stuckMs;
      const result = await (isStuck ? replaceStuck(options, transaction) : chain.broadcast(raw));
      // Each further call would wait for its deadline. The next pass goes on.
      if (result === "unreachable") return;
      if (result === "taken") stillTaken.set(hash, since);
    }
    takenAt = stillTaken;
  };
}

/** Replaces a stuck transaction at a higher fee, up to the cap. */
async function replaceStuck(
  { chain, sequence, log, maxFeeCap }: PendingOptions,
  stuck: Broadcast,
): Promise<BroadcastResult> {
  const { data = "0x", gas = GAS_CAP, tip = 0n } = await readTransaction(stuck.raw);
  const current = await chain.fees();
  // Nodes take a replacement where both rise.
  const raised = (offered: bigint, asked: bigint): bigint => {
    const bumped = offered * BUMP_PERCENT / 100n + 1n;
    return bumped > asked ? bumped : asked;
  };
  const maxFeePerGas = raised(stuck.maxFee, current.maxFeePerGas);
  if (maxFeePerGas > maxFeeCap) return await chain.broadcast(stuck.raw);
  const maxPriorityFeePerGas = raised(tip, current.maxPriorityFeePerGas);
  const fee = { maxFeePerGas, maxPriorityFeePerGas };
  const signed = await sequence.replace(stuck.chainNonce, { data, gas, fee });
  log.info("stuck transaction replaced", { nonce: stuck.chainNonce, hash: signed.hash });
  return await chain.broadcast(signed.raw);
}
