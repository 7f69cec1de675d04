/**
 * The contracts that payments call, by their ABI: the token (ERC-20 and EIP-3009), and wallets that check
 * signatures (ERC-1271). viem takes 80 ms to load, so `chain.ts` imports this module, and `proof.ts`, when
 * it is first asked.
 */
import { decodeEventLog, encodeEventTopics, encodeFunctionData, parseAbi } from "viem/utils";
import type { Authorization } from "./authorization.ts";
import { asHex } from "./hex.ts";
import { ChainUnavailable, type LogEntry } from "./rpc.ts";

const TOKEN = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
]);
const WALLET = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);

const EVENTS: ReadonlySet<string> = new Set(
  (["Transfer", "AuthorizationUsed", "AuthorizationCanceled"] as const).flatMap((eventName) =>
    encodeEventTopics({ abi: TOKEN, eventName })[0] ?? []
  ),
);

/** What ERC-1271 answers for a good signature: the selector of the function itself. */
export const VALID_SIGNATURE = "0x1626ba7e";

export const balanceOf = (account: string): string =>
  encodeFunctionData({ abi: TOKEN, functionName: "balanceOf", args: [asHex(account)] });

export const authorizationState = (payer: string, nonce: string): string =>
  encodeFunctionData({
    abi: TOKEN,
    functionName: "authorizationState",
    args: [asHex(payer), asHex(nonce)],
  });

export const isValidSignature = (digest: string, signature: string): string =>
  encodeFunctionData({
    abi: WALLET,
    functionName: "isValidSignature",
    args: [asHex(digest), asHex(signature)],
  });

/**
 * EIP-3009's transfer: with v, r and s where the signature has 65 bytes, with the bytes of a contract
 * wallet's signature otherwise.
 */
export function transferWithAuthorization(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  signature: string,
): string {
  const transfer = [asHex(from), asHex(to), value, validAfter, validBefore, asHex(nonce)] as const;
  const isAccount = signature.length === 132;
  const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
  const v = Number(`0x${signature.slice(130)}`);
  return encodeFunctionData({
    abi: TOKEN,
    functionName: "transferWithAuthorization",
    args: isAccount ? [...transfer, v, `0x${r}`, `0x${s}`] : [...transfer, asHex(signature)],
  });
}

/** What `eth_getLogs` looks for: the use or the cancellation of one authorization. */
export function authorizationTopics(payer: string, nonce: string): readonly unknown[] {
  const args = { authorizer: asHex(payer), nonce: asHex(nonce) };
  const used = encodeEventTopics({ abi: TOKEN, eventName: "AuthorizationUsed", args });
  const [canceled] = encodeEventTopics({ abi: TOKEN, eventName: "AuthorizationCanceled" });
  const [event, ...rest] = used;
  return [[event, canceled], ...rest];
}

/** Addresses are in lower case. */
export interface TransferEvent {
  readonly name: "Transfer";
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

interface AuthorizationEvent {
  readonly name: "AuthorizationUsed" | "AuthorizationCanceled";
  readonly payer: string;
  readonly nonce: string;
}

export type TokenEvent = TransferEvent | AuthorizationEvent;

/**
 * The event that a log of the token records; null for an event of another name.
 * @throws ChainUnavailable for one that lacks what its name promises.
 */
export function readTokenEvent({ topics, data }: LogEntry): TokenEvent | null {
  const [name, ...indexed] = topics.map(asHex);
  if (name === undefined || !EVENTS.has(name)) return null;
  try {
    const { eventName, args } = decodeEventLog({
      abi: TOKEN,
      topics: [name, ...indexed],
      data: asHex(data),
    });
    if (eventName === "Transfer") {
      const { from, to, value } = args;
      return { name: eventName, from: from.toLowerCase(), to: to.toLowerCase(), value };
    }
    return { name: eventName, payer: args.authorizer.toLowerCase(), nonce: args.nonce };
  } catch (cause) {
    throw new ChainUnavailable("expected the arguments of an event", { cause });
  }
}
