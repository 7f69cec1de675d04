/**
 * Signs payments by hand, rightly and wrongly; the official client does it in
 * settle/facilitator_test.ts.
 */
import { Buffer } from "node:buffer";
import { getAddress, toHex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { CHAIN_ID, type Hex, USDC } from "../../doubles/chain.ts";

export interface Terms {
  readonly payTo: string;
  readonly amount: number;
  /** The signer of another account's payment, such as a contract wallet's owner. */
  readonly from?: Hex;
  readonly nonce?: Hex;
  readonly validAfter?: number;
  readonly validBefore?: number;
  readonly chainId?: number;
}

export interface SignedPayment {
  readonly signature: Hex;
  readonly authorization: {
    readonly from: string;
    readonly to: string;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: Hex;
  };
}

export const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

export const DOMAIN = {
  name: "USD Coin",
  version: "2",
  chainId: CHAIN_ID,
  verifyingContract: USDC,
} as const;

export const freshNonce = (): Hex => toHex(crypto.getRandomValues(new Uint8Array(32)));
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** An EIP-3009 authorization, good for five minutes unless the terms say otherwise. */
export async function sign(account: PrivateKeyAccount, terms: Terms): Promise<SignedPayment> {
  const message = {
    from: getAddress(terms.from ?? account.address),
    to: getAddress(terms.payTo),
    value: BigInt(terms.amount),
    validAfter: BigInt(terms.validAfter ?? nowSeconds() - 600),
    validBefore: BigInt(terms.validBefore ?? nowSeconds() + 300),
    nonce: terms.nonce ?? freshNonce(),
  };
  const signature = await account.signTypedData({
    domain: { ...DOMAIN, chainId: terms.chainId ?? CHAIN_ID },
    types: TRANSFER_TYPES,
    primaryType: "TransferWithAuthorization",
    message,
  });
  return {
    signature,
    authorization: {
      ...message,
      value: message.value.toString(),
      validAfter: message.validAfter.toString(),
      validBefore: message.validBefore.toString(),
    },
  };
}

export const encode = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64");

export function decode(header: string | null): Record<string, unknown> {
  return JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"));
}

/** A version 2 payload for these terms, with whatever should be different. */
export function payloadV2(
  signed: SignedPayment,
  terms: Terms,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    x402Version: 2,
    accepted: {
      scheme: "exact",
      network: "eip155:8453",
      amount: String(terms.amount),
      asset: USDC,
      payTo: getAddress(terms.payTo),
      maxTimeoutSeconds: 300,
      extra: { name: "USD Coin", version: "2" },
    },
    payload: signed,
    ...more,
  };
}

/** The header of a fresh version 2 payment. */
export async function payV2(
  account: PrivateKeyAccount,
  terms: Terms,
  more: Record<string, unknown> = {},
): Promise<Record<string, string>> {
  return { "PAYMENT-SIGNATURE": encode(payloadV2(await sign(account, terms), terms, more)) };
}

/** The header of a fresh version 1 payment. */
export async function payV1(
  account: PrivateKeyAccount,
  terms: Terms,
): Promise<Record<string, string>> {
  const payload = await sign(account, terms);
  return {
    "X-PAYMENT": encode({ x402Version: 1, scheme: "exact", network: "base", payload }),
  };
}
