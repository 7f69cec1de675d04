/** Hexadecimal text and bytes, keccak-256, and Ethereum's checksummed addresses (EIP-55). */
import { Buffer } from "node:buffer";
import { keccak256 } from "js-sha3";
import { remembered } from "../../core/recent.ts";

/** `0x` and two lower-case digits a byte. */
export const toHex = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  `0x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;

/** Hexadecimal text, with or without `0x`, as viem's type for it. */
export const asHex = (text: string): `0x${string}` => `0x${text.replace(/^0x/, "")}`;

/** The bytes of `0x` text. @throws Error for what is not hexadecimal. */
export function fromHex(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), "hex");
  // Buffer stops at the first character that is not a digit.
  if (2 * bytes.length !== text.length - 2) throw new Error("not hexadecimal");
  return bytes;
}

/**
 * Keccak-256 of bytes, or of a text's UTF-8. By js-sha3, whose rounds are unrolled: a third of the time that
 * @noble/hashes, viem's, takes. A paid call hashes six blocks.
 */
export const keccak = (message: string | Uint8Array): Uint8Array =>
  new Uint8Array(keccak256.arrayBuffer(message));

/** Checksummed addresses that are remembered at the least, since payers return. */
const CHECKSUMS = 10_000;

/** The EIP-55 form of a lower-case address; by hand since viem, which has it, takes 80 ms to load. */
export const checksummed = remembered(CHECKSUMS, (address: string): string => {
  const digits = address.slice(2);
  const hash = keccak(digits);
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const nibble = ((hash[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)) & 15;
    const character = digits.charAt(i);
    text += nibble >= 8 ? character.toUpperCase() : character;
  }
  return text;
});

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * The lower-case form of an address in lower case or with a valid checksum; undefined for anything else: a wrong
 * checksum is a typing error.
 */
export function readAddress(text: string): string | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const lower = text.toLowerCase();
  return text === lower || text === checksummed(lower) ? lower : undefined;
}

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
