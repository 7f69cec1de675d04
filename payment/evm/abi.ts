/** The little of Ethereum's call encoding that payments need: selectors, topics and 32-byte words. */
import { toHex } from "./hex.ts";
import { keccak } from "./keccak.ts";

const hashes = new Map<string, string>();

/** keccak-256 of a signature such as `Transfer(address,address,uint256)`, as `0x` hex. */
export function topic(signature: string): string {
  const known = hashes.get(signature);
  if (known !== undefined) return known;
  const hash = toHex(keccak(new TextEncoder().encode(signature)));
  hashes.set(signature, hash);
  return hash;
}

/** The first four bytes of that hash. */
export function selector(signature: string): string {
  return topic(signature).slice(0, 10);
}

/** A number, or `0x` hex of at most 32 bytes, as a left-padded word of 64 digits. */
export function word(value: bigint | string): string {
  const digits = typeof value === "bigint" ? value.toString(16) : value.slice(2);
  return digits.padStart(64, "0");
}

/** Calldata of a function and its words. */
export function encodeCall(signature: string, words: readonly string[]): string {
  return selector(signature) + words.join("");
}
