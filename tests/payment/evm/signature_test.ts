import { assertEquals } from "@std/assert";
import { hashTypedData, hexToBytes, recoverAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { keccak, readAddress, toHex } from "../../../payment/evm/hex.ts";
import {
  type Authorization,
  authorizationDigest,
  domainSeparator,
} from "../../../payment/evm/authorization.ts";
import { recoverSigner, wrappedFactory } from "../../../payment/evm/signature.ts";
import type { Hex } from "../../doubles/chain.ts";
import { DOMAIN, TRANSFER_TYPES } from "../support/buyer.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const separator = domainSeparator({
  ...DOMAIN,
  verifyingContract: DOMAIN.verifyingContract.toLowerCase(),
});

/** A generator of numbers that is the same in every run. */
function numbers(seed: string): () => bigint {
  let state = keccak(new TextEncoder().encode(seed));
  return () => {
    state = keccak(state);
    return BigInt(toHex(state));
  };
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0");

/** What viem says, held to what the token contract takes: 65 bytes, v 27 or 28, low s. */
async function oracle(digest: Hex, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = parseInt(signature.slice(130), 16);
  if ((v !== 27 && v !== 28) || s > ORDER / 2n) return undefined;
  try {
    return (await recoverAddress({ hash: digest, signature })).toLowerCase();
  } catch {
    return undefined;
  }
}

/** The ways in which a signature is spoilt; the first leaves it as it is. */
const SPOILERS: readonly ((r: bigint, s: bigint, v: number, random: bigint) => string)[] = [
  (r, s, v) => word(r) + word(s) + v.toString(16),
  (r, s, v) => word(r) + word(s) + v.toString(16),
  (r, s, v) => word(r) + word(ORDER - s) + (55 - v).toString(16),
  (r, s, v) => word(r) + word(s) + `0${v - 27}`,
  (r, s, v) => word(r) + word(s) + (55 - v).toString(16),
  (r, s) => word(r) + word(s) + "1d",
  (r, s, v, random) => word(r ^ (1n << (random % 256n))) + word(s) + v.toString(16),
  (r, s, v, random) => word(r) + word(s ^ (1n << (random % 255n))) + v.toString(16),
  (r, s, v) => word(r) + word(s) + v.toString(16) + "00",
  (r, s, v) => word(r) + word(s).slice(2) + v.toString(16),
  (_r, s, v) => word(0n) + word(s) + v.toString(16),
  (r, _s, v) => word(r) + word(0n) + v.toString(16),
  (_r, s, v) => word(ORDER) + word(s) + v.toString(16),
  (_r, _s, v, random) => word(random) + word(random >> 1n) + v.toString(16),
];

Deno.test("recovered signers agree with viem on 1,000 random and hostile signatures", async () => {
  const next = numbers("signatures");
  let recovered = 0;
  for (let i = 0; i < 1000; i++) {
    const account = privateKeyToAccount(`0x${word(next() % (ORDER - 1n) + 1n)}`);
    const message = {
      from: account.address,
      to: `0x${word(next()).slice(24)}`,
      value: next() >> (next() % 256n),
      validAfter: next() >> 200n,
      validBefore: next() >> (next() % 256n),
      nonce: `0x${word(next())}`,
    } as const;
    const typed = {
      domain: DOMAIN,
      types: TRANSFER_TYPES,
      primaryType: "TransferWithAuthorization",
      message,
    } as const;
    const digest = hashTypedData(typed);
    const ours: Authorization = { ...message, from: message.from.toLowerCase() };
    assertEquals(toHex(authorizationDigest(separator, ours)), digest);
    const signed = await account.sign({ hash: digest });
    const r = BigInt(signed.slice(0, 66));
    const s = BigInt(`0x${signed.slice(66, 130)}`);
    const v = parseInt(signed.slice(130), 16);
    const spoil = SPOILERS[i % SPOILERS.length];
    const signature = `0x${spoil?.(r, s, v, next()) ?? ""}` as const;
    const expected = await oracle(digest, signature);
    assertEquals(
      await recoverSigner(hexToBytes(digest), signature),
      expected,
      `case ${i}: ${signature}`,
    );
    if (expected === ours.from) recovered++;
  }
  assertEquals(recovered, 144);
});

Deno.test("an ERC-6492 signature is known by its end, and names its factory", () => {
  const factory = "0x" + "ab".repeat(20);
  const inner = "00".repeat(12) + "ab".repeat(20) + "00".repeat(64);
  assertEquals(wrappedFactory(`0x${inner}${"6492".repeat(16)}`), factory);
  assertEquals(wrappedFactory(`0x${inner}`), null);
});

Deno.test("addresses are taken in lower case or with their checksum, and in no other case", () => {
  const address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
  const lower = address.toLowerCase();
  assertEquals(readAddress(address), lower);
  assertEquals(readAddress(lower), lower);
  assertEquals(readAddress(`0x${address.slice(2).toUpperCase()}`), undefined);
  assertEquals(readAddress(address.replace("fCD", "FCD")), undefined);
  assertEquals(readAddress(address.slice(0, -1)), undefined);
  assertEquals(readAddress(`${address}00`), undefined);
  assertEquals(readAddress(address.replace("0x", "0X")), undefined);
});
