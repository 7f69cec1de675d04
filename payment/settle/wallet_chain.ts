/** What the broadcasting wallet asks of the chain: its own count, fees and gas, and to take what was signed. */
import type { Log } from "../../core/log.ts";
import { isObject } from "../evm/bounded_json.ts";
import { readQuantity, readWord } from "../evm/rpc.ts";
import { ChainRefusal, ChainUnavailable, type Rpc } from "../evm/rpc.ts";

/** Most gas that one settlement may use: a contract wallet's signature check included. */
export const GAS_CAP = 500_000n;
/** Of an estimate, so much is offered: what is used changes a little until the transaction lands. */
const GAS_PERCENT = 130n;
/** Of the base fee, so many times are offered: it may rise for some blocks before the transaction lands. */
const BASE_FEE_TIMES = 2n;
/** The JSON-RPC code with which nodes tell of a call that reverted. */
const REVERTED = 3;

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface WalletChain {
  /** Number of the newest block. */
  head(): Promise<number>;
  /** Transactions of the wallet that a block and those before it hold: the nonce of the next. */
  transactionCount(block: string): Promise<number>;
  /** What to offer now. @throws ChainUnavailable where gas costs more than the cap. */
  fees(): Promise<Fees>;
  /** Gas for calling the token. @throws ChainRefusal with the reason of the revert. */
  estimate(data: string): Promise<bigint>;
  /**
   * A transaction that is stored may be sent any number of times: only its first landing counts.
   * False where the chain is away.
   */
  broadcast(raw: string): Promise<boolean>;
}

export interface WalletChainOptions {
  readonly rpc: Rpc;
  /** Of the wallet. */
  readonly address: string;
  readonly token: string;
  readonly maxFeeCap: bigint;
  readonly log: Log;
}

/** The chain behind `rpc` as the wallet at `address` sees it. */
export function createWalletChain(options: WalletChainOptions): WalletChain {
  const { rpc, address, maxFeeCap } = options;
  return {
    head: async () => readQuantity(await rpc.call("eth_blockNumber", [])),
    transactionCount: async (block) =>
      readQuantity(await rpc.call("eth_getTransactionCount", [address, block])),
    fees: async () => {
      const block = await rpc.call("eth_getBlockByNumber", ["latest", false]);
      if (!isObject(block)) throw new ChainUnavailable("expected a block");
      const base = readWord(block["baseFeePerGas"]);
      const tip = readWord(await rpc.call("eth_maxPriorityFeePerGas", []));
      const wanted = base * BASE_FEE_TIMES + tip;
      const maxFeePerGas = wanted < maxFeeCap ? wanted : maxFeeCap;
      if (maxFeePerGas <= base) throw new ChainUnavailable("gas costs more than the cap");
      return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas };
    },
    estimate: async (data) => {
      const call = { from: address, to: options.token, data };
      const estimate = readWord(await rpc.call("eth_estimateGas", [call]));
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
        if (
          error instanceof ChainRefusal &&
          /already known|already imported|nonce too low/i.test(error.message)
        ) return true;
        options.log.warn("transaction not taken, it will be sent again", { cause: error });
        return !(error instanceof ChainUnavailable);
      }
      return true;
    },
  };
}
