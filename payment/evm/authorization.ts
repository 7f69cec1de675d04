/** An EIP-3009 authorization, and the EIP-712 digest of its TransferWithAuthorization that a payer signs. */
import { fromHex, keccak, toHex } from "./hex.ts";

const DOMAIN_TYPE =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TRANSFER_TYPE =
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter," +
  "uint256 validBefore,bytes32 nonce)";

export interface Authorization {
  /** Lower-case addresses. */
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** Seconds since 1970. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  /** 32 bytes as lower-case hex. */
  readonly nonce: string;
}

interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Lower-case token address. */
  readonly verifyingContract: string;
}

/** A number, or `0x` hex of at most 32 bytes, as 64 digits. */
const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");

const TRANSFER_HASH = toHex(keccak(TRANSFER_TYPE));

/** EIP-712's domain separator of a token. */
export function domainSeparator(domain: TokenDomain): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  const hashes = [DOMAIN_TYPE, name, version].map((value) => toHex(keccak(value)));
  const words = [...hashes, BigInt(chainId), verifyingContract].map(word);
  return keccak(fromHex(`0x${words.join("")}`));
}

/**
 * The 32 bytes that are signed: keccak256(0x1901, domain separator, hash of the message). viem's
 * `hashTypedData` takes 130 µs for any type of message; this takes a quarter of that for the one there is.
 */
export function authorizationDigest(separator: Uint8Array, message: Authorization): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = message;
  const words = [TRANSFER_HASH, from, to, value, validAfter, validBefore, nonce].map(word);
  const signed = new Uint8Array(66);
  signed.set([0x19, 0x01]);
  signed.set(separator, 2);
  signed.set(keccak(fromHex(`0x${words.join("")}`)), 34);
  return keccak(signed);
}
