/** Hexadecimal text and bytes, and Ethereum's checksummed addresses (EIP-55). */
import { keccak } from "./keccak.ts";

const DIGITS = "0123456789abcdef";
const PAIRS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15),
);

/** `0x` and two lower-case digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "0x";
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

/** Bytes of `0x` text whose digits were checked before; anything else gives garbage, not an error. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) >> 1);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = digit(text.charCodeAt(2 + 2 * i)) * 16 + digit(text.charCodeAt(3 + 2 * i));
  }
  return bytes;
}

function digit(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87;
}

/** Payers come back: the checksummed forms of addresses seen lately. */
const checksums = new Map<string, string>();
const CHECKSUMS_MAX = 20_000;

/** The EIP-55 form of a lower-case address. */
export function checksummed(address: string): string {
  const known = checksums.get(address);
  if (known !== undefined) return known;
  const digits = address.slice(2);
  const hash = keccak(new TextEncoder().encode(digits));
  let text = "0x";
  for (let i = 0; i < digits.length; i++) {
    const nibble = ((hash[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)) & 15;
    const character = digits.charAt(i);
    text += nibble >= 8 ? character.toUpperCase() : character;
  }
  if (checksums.size >= CHECKSUMS_MAX) checksums.clear();
  checksums.set(address, text);
  return text;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * The lower-case form of an address that is either all lower case or rightly checksummed;
 * undefined for anything else (a wrong case is a typing error that the checksum exists to catch).
 */
export function readAddress(text: string): string | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const lower = text.toLowerCase();
  return text === lower || text === checksummed(lower) ? lower : undefined;
}

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
