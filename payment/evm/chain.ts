/** What payments ask of the chain: balances, contract wallets, a trial run, and proofs. */
import { OperatorError } from "../../core/errors.ts";
import { encodeCall, selector, word } from "./abi.ts";
import type { Network } from "./networks.ts";
import type { Authorization } from "./authorization.ts";
import { readQuantity, readText, readWord } from "./values.ts";
import { type Claimed, type Proof, prove } from "./proof.ts";
import { ChainRefusal, type Rpc } from "./rpc.ts";

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
  prove(claimed: Claimed): Promise<Proof>;
}

const TRANSFER = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,";
const IS_VALID = "isValidSignature(bytes32,bytes)";

function padded(bytes: string): string {
  return bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
}

/**
 * The calldata of EIP-3009's transferWithAuthorization: with v, r and s where the signature has 65
 * bytes, with the bytes of a contract wallet's signature otherwise.
 */
export function transferCalldata(authorization: Authorization, signature: string): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const digits = signature.slice(2);
  const head = [from, to, value, validAfter, validBefore, nonce].map(word);
  if (digits.length === 130) {
    const [r, s, v] = [digits.slice(0, 64), digits.slice(64, 128), digits.slice(128)];
    return encodeCall(`${TRANSFER}uint8,bytes32,bytes32)`, [...head, word(`0x${v}`), r, s]);
  }
  const tail = [word(7n * 32n), word(BigInt(digits.length / 2)), padded(digits)];
  return encodeCall(`${TRANSFER}bytes)`, [...head, ...tail]);
}

/** Reads about one token (lower-case address) on the chain behind `rpc`. */
export function createChain(rpc: Rpc, token: string): Chain {
  const read = (to: string, data: string): Promise<unknown> =>
    rpc.call("eth_call", [{ to, data }, "latest"]);
  return {
    chainId: async () => readQuantity(await rpc.call("eth_chainId", [])),
    blockNumber: async () => readQuantity(await rpc.call("eth_blockNumber", [])),
    balance: async (payer) =>
      readWord(await read(token, encodeCall("balanceOf(address)", [word(payer)]))),
    hasCode: async (address) =>
      readText(await rpc.call("eth_getCode", [address, "latest"])) !== "0x",
    isContractSignature: async (wallet, digest, signature) => {
      const digits = signature.slice(2);
      const words = [digest.slice(2), word(64n), word(BigInt(digits.length / 2)), padded(digits)];
      try {
        return readText(await read(wallet, encodeCall(IS_VALID, words)))
          .startsWith(selector(IS_VALID));
      } catch (error) {
        if (error instanceof ChainRefusal) return false;
        throw error;
      }
    },
    simulate: async (authorization, signature) => {
      try {
        await read(token, transferCalldata(authorization, signature));
        return null;
      } catch (error) {
        if (error instanceof ChainRefusal) return error.message;
        throw error;
      }
    },
    prove: (claimed) => prove(rpc, token, claimed),
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
