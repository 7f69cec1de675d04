/** An EIP-3009 authorization, and the EIP-712 digest of its TransferWithAuthorization that a payer signs. */
import { fromHex } from "./hex.ts";
import { keccak } from "./keccak.ts";

const text = new TextEncoder();

const DOMAIN_TYPE = keccak(text.encode(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
));
const TRANSFER_TYPE = keccak(text.encode(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter," +
    "uint256 validBefore,bytes32 nonce)",
));

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
