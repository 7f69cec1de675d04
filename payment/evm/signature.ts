/**
 * Recovers the signer of a digest on secp256k1, by libauth's WebAssembly, which is five times faster than viem.
 * As strict as the token contract: 65 bytes, v of 27 or 28, s in the lower half of the group's order.
 */
// By its path: the package as a whole starts five other WebAssembly modules, which takes 100 ms more.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { fromHex, keccak, toHex } from "./hex.ts";
import type { Authorization } from "./authorization.ts";

/** Compiled in parallel with the rest of the start; the first signature awaits it. */
const curve = instantiateSecp256k1();

/** Half of the group's order: a signature with a larger s is a malleated copy (EIP-2). */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/** What v says of the point: 27 or 28, in hex. */
const RECOVERY: ReadonlyMap<string, 0 | 1> = new Map([["1b", 0], ["1c", 1]]);

/** The suffix of an ERC-6492 signature, made by a wallet that is not deployed yet. */
const ERC6492_SUFFIX = "6492".repeat(16);

/**
 * The lower-case address whose key signed `digest`, or undefined where `signature` (lower-case hex) is
 * not one that the token contract would take from an ordinary account.
 */
export async function recoverSigner(
  digest: Uint8Array,
  signature: string,
): Promise<string | undefined> {
  if (signature.length !== 132) return undefined;
  const v = RECOVERY.get(signature.slice(130));
  if (v === undefined || signature.slice(66, 130) > HALF_ORDER) return undefined;
  const key = (await curve).recoverPublicKeyUncompressed(
    fromHex(signature.slice(0, 130)),
    v,
    digest,
  );
  return typeof key === "string" ? undefined : toHex(keccak(key.subarray(1)).subarray(12));
}

/** The factory of an ERC-6492 wrapped signature (its first word), or null where it is not wrapped. */
export function wrappedFactory(signature: string): string | null {
  if (!signature.endsWith(ERC6492_SUFFIX)) return null;
  return `0x${signature.slice(26, 66)}`;
}

/** The payer, or null for an ERC-6492 signature, whose address anyone can make up. */
export function provenPayer(
  { authorization, signature }: {
    readonly authorization: Authorization;
    readonly signature: string;
  },
): string | null {
  return wrappedFactory(signature) === null ? authorization.from : null;
}

/** The wallet's own signature within an ERC-6492 one (the bytes that its third word points to), or null. */
export function unwrapped(signature: string): string | null {
  const digits = signature.slice(2, -ERC6492_SUFFIX.length);
  const at = 2 * parseInt(digits.slice(128, 192), 16);
  const length = 2 * parseInt(digits.slice(at, at + 64), 16);
  const inner = digits.slice(at + 64, at + 64 + length);
  return inner.length > 0 && inner.length === length ? `0x${inner}` : null;
}
