/** What payments read from the chain: balances, contract wallets, simulated transfers, and proofs of payment. */
import { OperatorError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import { isObject } from "../../core/json.ts";
import type { Network } from "./networks.ts";
import type { Authorization } from "./authorization.ts";
import type { ExpectedTransfer, ExpectedUse, Proof } from "./proof.ts";
import {
  ChainRefusal,
  type LogEntry,
  readData,
  readQuantity,
  readUint256,
  type Rpc,
} from "./rpc.ts";

export interface ChainReader {
  chainId(): Promise<number>;
  blockNumber(): Promise<number>;
  /** Token units an address holds. */
  balance(payer: string): Promise<bigint>;
  hasCode(address: string): Promise<boolean>;
  /** Whether the contract at `wallet` accepts the signature (ERC-1271). */
  isContractSignature(wallet: string, digest: string, signature: string): Promise<boolean>;
  /** Simulates the transfer: the reason why it would revert, or null where it would succeed. */
  simulate(authorization: Authorization, signature: string): Promise<string | null>;
  /** The calldata of the transfer that an authorization allows. */
  transferCalldata(authorization: Authorization, signature: string): Promise<string>;
  /** Proves that an authorization paid us, is unused, or can no longer pay us. @throws ChainUnavailable */
  prove(expected: ExpectedUse): Promise<Proof>;
  /**
   * Whether a transaction paid what was expected; null where the node keeps no receipt of it, and the
   * authorization is used. @throws ChainUnavailable
   */
  transactionPaid(transaction: string, expected: ExpectedTransfer): Promise<boolean | null>;
  /** Whether a transaction is on the chain and failed. @throws ChainUnavailable */
  hasReverted(transaction: string): Promise<boolean>;
  /** Whether the logs of a transaction show the transfer. */
  showsTransfer(logs: readonly LogEntry[], expected: ExpectedTransfer): Promise<boolean>;
}

/** Both modules load viem, which takes 80 ms: they are imported by the first call that needs them. */
const load = once(async () => {
  const [contracts, proof] = await Promise.all([import("./contracts.ts"), import("./proof.ts")]);
  return { ...contracts, ...proof };
});

/** Reads about one token (lower-case address) on the chain behind `rpc`. */
export function createChainReader(rpc: Rpc, token: string): ChainReader {
  const read = (to: string, data: string): Promise<unknown> =>
    rpc.call("eth_call", [{ to, data }, "latest"]);
  const transferCalldata = async (authorization: Authorization, signature: string) =>
    (await load()).transferWithAuthorization(authorization, signature);
  return {
    chainId: async () => readQuantity(await rpc.call("eth_chainId", [])),
    blockNumber: async () => readQuantity(await rpc.call("eth_blockNumber", [])),
    balance: async (payer) => readUint256(await read(token, (await load()).balanceOf(payer))),
    hasCode: async (address) =>
      readData(await rpc.call("eth_getCode", [address, "latest"])) !== "0x",
    isContractSignature: async (wallet, digest, signature) => {
      const { isValidSignature, VALID_SIGNATURE } = await load();
      try {
        const answer = await read(wallet, isValidSignature(digest, signature));
        return readData(answer).startsWith(VALID_SIGNATURE);
      } catch (error) {
        if (error instanceof ChainRefusal) return false;
        throw error;
      }
    },
    transferCalldata,
    simulate: async (authorization, signature) => {
      try {
        await read(token, await transferCalldata(authorization, signature));
        return null;
      } catch (error) {
        if (error instanceof ChainRefusal) return error.message;
        throw error;
      }
    },
    prove: async (expected) => (await load()).prove(rpc, token, expected),
    transactionPaid: async (transaction, expected) =>
      (await load()).transactionPaid(rpc, token, transaction, expected),
    hasReverted: async (transaction) => {
      const receipt = await rpc.call("eth_getTransactionReceipt", [transaction]);
      return isObject(receipt) && receipt["status"] === "0x0";
    },
    showsTransfer: async (logs, expected) => (await load()).showsTransfer(logs, token, expected),
  };
}

/** Checks that RPC_URL is on the configured network. @throws OperatorError where it is not. */
export async function requireNetwork(
  chain: Pick<ChainReader, "chainId">,
  network: Network,
): Promise<void> {
  const id = await chain.chainId();
  if (id === network.chainId) return;
  throw new OperatorError(`RPC_URL is on chain ${id}, X402_NETWORK is ${network.id}`);
}

export interface NetworkCheck {
  /** Does `requireNetwork` until it has succeeded once. @throws what that does. */
  check(): Promise<void>;
  /** Whether it has said that it is on another. */
  isWrong(): boolean;
}

/** Creates the check of the chain behind RPC_URL. */
export function createNetworkCheck(chain: ChainReader, network: Network): NetworkCheck {
  /** Null until it has said so. */
  let isOurs: boolean | null = null;
  return {
    check: async () => {
      if (isOurs === true) return;
      try {
        await requireNetwork(chain, network);
        isOurs = true;
      } catch (cause) {
        if (cause instanceof OperatorError) isOurs = false;
        throw cause;
      }
    },
    isWrong: () => isOurs === false,
  };
}
