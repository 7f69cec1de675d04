/**
 * Who signed an EIP-3009 authorization: the EIP-712 digest of TransferWithAuthorization, and recovery
 * on secp256k1 in WebAssembly. Stricter than most libraries, like the token contract itself: 65 bytes,
 * v of 27 or 28, s in the lower half.
 */
// By its path: the package as a whole starts five other WebAssembly modules, which takes 100 ms more.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { fromHex, toHex } from "./hex.ts";
import { keccak } from "./keccak.ts";
import type { Authorization, Payment } from "../protocol/payment_payload.ts";

const text = new TextEncoder();

/** Compiled beside the rest of the start; the first signature waits for it. */
const curve = instantiateSecp256k1();

const DOMAIN_TYPE = keccak(text.encode(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
));
const TRANSFER_TYPE = keccak(text.encode(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter," +
    "uint256 validBefore,bytes32 nonce)",
));
/** Half of the group's order: a signature with a larger s is a malleated copy (EIP-2). */
const HALF_ORDER = fromHex("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/** What ERC-6492 wraps the signature of a wallet in that is not deployed yet: it ends in this. */
const ERC6492_SUFFIX = "6492".repeat(16);

export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** Lower-case token address. */
  readonly verifyingContract: string;
}

function writeUint(target: Uint8Array, offset: number, value: bigint): void {
  let rest = value;
  for (let i = offset + 31; rest > 0n && i >= offset; i--) {
    target[i] = Number(rest & 255n);
    rest >>= 8n;
  }
}

function writeAddress(target: Uint8Array, offset: number, address: string): void {
  target.set(fromHex(address), offset + 12);
}

/** EIP-712's domain separator of a token. */
export function domainSeparator(domain: TokenDomain): Uint8Array {
  const data = new Uint8Array(160);
  data.set(DOMAIN_TYPE, 0);
  data.set(keccak(text.encode(domain.name)), 32);
  data.set(keccak(text.encode(domain.version)), 64);
  writeUint(data, 96, BigInt(domain.chainId));
  writeAddress(data, 128, domain.verifyingContract);
  return keccak(data);
}

/** The 32 bytes that are signed: keccak256(0x1901, domain separator, hash of the message). */
export function authorizationDigest(separator: Uint8Array, message: Authorization): Uint8Array {
  const data = new Uint8Array(224);
  data.set(TRANSFER_TYPE, 0);
  writeAddress(data, 32, message.from);
  writeAddress(data, 64, message.to);
  writeUint(data, 96, message.value);
  writeUint(data, 128, message.validAfter);
  writeUint(data, 160, message.validBefore);
  data.set(fromHex(message.nonce), 192);
  const signed = new Uint8Array(66);
  signed[0] = 0x19;
  signed[1] = 0x01;
  signed.set(separator, 2);
  signed.set(keccak(data), 34);
  return keccak(signed);
}

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
export function provenPayer({ authorization, signature }: Payment): string | null {
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
