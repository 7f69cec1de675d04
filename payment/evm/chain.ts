/** What payments ask of the chain: balances, contract wallets, a trial run, and proofs. */
import { OperatorError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import type { Network } from "./networks.ts";
import type { Authorization } from "./authorization.ts";
import type { Claimed, Proof } from "./proof.ts";
import { ChainRefusal, type LogEntry, readQuantity, readText, readWord, type Rpc } from "./rpc.ts";

export interface Chain {
  chainId(): Promise<number>;
  blockNumber(): Promise<number>;
  /** Token units an address holds. */
  balance(payer: string): Promise<bigint>;
  hasCode(address: string): Promise<boolean>;
  /** ERC-1271: whether the contract at `wallet` takes the signature for its own. */
  isContractSignature(wallet: string, digest: string, signature: string): Promise<boolean>;
  /** Runs the transfer without sending it: why it would fail, or null when it would work. */
  simulate(authorization: Authorization, signature: string): Promise<string | null>;
  /** The calldata that has the token carry out an authorization. */
  transferCalldata(authorization: Authorization, signature: string): Promise<string>;
  /** Whether an authorization paid us, or cannot any more. @throws ChainUnavailable */
  prove(claimed: Claimed): Promise<Proof>;
  /**
   * Whether a transaction paid what was claimed; null where the node keeps no receipt of it, and the
   * authorization is used. @throws ChainUnavailable
   */
  paidBy(transaction: string, claimed: Claimed): Promise<boolean | null>;
  /** Whether the logs of a transaction show that it paid what was claimed. */
  usePaid(logs: readonly LogEntry[], claimed: Claimed): Promise<boolean>;
}

/** Both load viem, which a start need not wait for. */
const load = once(async () => {
  const [contracts, proof] = await Promise.all([import("./contracts.ts"), import("./proof.ts")]);
  return { ...contracts, ...proof };
});

/** Reads about one token (lower-case address) on the chain behind `rpc`. */
export function createChain(rpc: Rpc, token: string): Chain {
  const read = (to: string, data: string): Promise<unknown> =>
    rpc.call("eth_call", [{ to, data }, "latest"]);
  const transferCalldata = async (authorization: Authorization, signature: string) =>
    (await load()).transferWithAuthorization(authorization, signature);
  return {
    chainId: async () => readQuantity(await rpc.call("eth_chainId", [])),
    blockNumber: async () => readQuantity(await rpc.call("eth_blockNumber", [])),
    balance: async (payer) => readWord(await read(token, (await load()).balanceOf(payer))),
    hasCode: async (address) =>
      readText(await rpc.call("eth_getCode", [address, "latest"])) !== "0x",
    isContractSignature: async (wallet, digest, signature) => {
      const { isValidSignature, VALID_SIGNATURE } = await load();
      try {
        const answer = await read(wallet, isValidSignature(digest, signature));
        return readText(answer).startsWith(VALID_SIGNATURE);
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
    prove: async (claimed) => (await load()).prove(rpc, token, claimed),
    paidBy: async (transaction, claimed) => (await load()).paidBy(rpc, token, transaction, claimed),
    usePaid: async (logs, claimed) => (await load()).usePaid(logs, token, claimed),
  };
}

/** @throws OperatorError where the chain behind RPC_URL is another than the one that is sold on. */
export async function requireNetwork(
  chain: Pick<Chain, "chainId">,
  network: Network,
): Promise<void> {
  const id = await chain.chainId();
  if (id === network.chainId) return;
  throw new OperatorError(`RPC_URL is on chain ${id}, X402_NETWORK is ${network.id}`);
}
