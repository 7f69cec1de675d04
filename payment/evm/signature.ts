/**
 * Who signed a digest: recovery on secp256k1 in WebAssembly. Stricter than most libraries, like the token contract itself: 65 bytes,
 * v of 27 or 28, s in the lower half.
 */
// By its path: the package as a whole starts five other WebAssembly modules, which takes 100 ms more.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { fromHex, toHex } from "./hex.ts";
import { keccak } from "./keccak.ts";
import type { Authorization } from "./authorization.ts";

/** Compiled beside the rest of the start; the first signature waits for it. */
const curve = instantiateSecp256k1();

/** Half of the group's order: a signature with a larger s is a malleated copy (EIP-2). */
const HALF_ORDER = fromHex("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/** What ERC-6492 wraps the signature of a wallet in that is not deployed yet: it ends in this. */
const ERC6492_SUFFIX = "6492".repeat(16);

/** Whether 32 big-endian bytes are in the lower half of the group's order. */
function isLow(s: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) {
    const difference = (s[i] ?? 0) - (HALF_ORDER[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/**
 * The lower-case address whose key signed `digest`, or undefined where `signature` (lower-case hex) is
 * not one that the token contract would take from an ordinary account.
 */
export async function recoverSigner(
  digest: Uint8Array,
  signature: string,
): Promise<string | undefined> {
  if (signature.length !== 132) return undefined;
  const bytes = fromHex(signature);
  const v = bytes[64];
  if (v !== 27 && v !== 28) return undefined;
  if (!isLow(bytes.subarray(32, 64))) return undefined;
  const compact = bytes.subarray(0, 64);
  const key = (await curve).recoverPublicKeyUncompressed(compact, v === 27 ? 0 : 1, digest);
  return typeof key === "string" ? undefined : toHex(keccak(key.subarray(1)).subarray(12));
}

/** The factory of an ERC-6492 wrapped signature (its first word), or null where it is not wrapped. */
export function wrappedFactory(signature: string): string | null {
  if (!signature.endsWith(ERC6492_SUFFIX)) return null;
  return `0x${signature.slice(26, 66)}`;
}

/** Who pays, or null where the wallet need not exist: such an address costs nothing to make up. */
export function provenPayer(
  { authorization, signature }: {
    readonly authorization: Authorization;
    readonly signature: string;
  },
): string | null {
  return wrappedFactory(signature) === null ? authorization.from : null;
}

/** What is wrapped: the wallet's own signature (the bytes that the third word points to), or null. */
export function unwrapped(signature: string): string | null {
  const digits = signature.slice(2, -ERC6492_SUFFIX.length);
  const at = 2 * parseInt(digits.slice(128, 192), 16);
  const length = 2 * parseInt(digits.slice(at, at + 64), 16);
  const inner = digits.slice(at + 64, at + 64 + length);
  return inner.length > 0 && inner.length === length ? `0x${inner}` : null;
}
