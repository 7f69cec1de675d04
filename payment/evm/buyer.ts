/**
 * The buying side of x402 version 2, for hosts without a wallet of their own (`demand mcp`): reads a challenge
 * and signs for it. It pays in USDC of the networks that we know, and in nothing else a challenge may name.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { OperatorError } from "../../core/errors.ts";
import { asHex } from "./hex.ts";
import { findNetwork, type Network } from "./networks.ts";

const entry = z.looseObject({
  scheme: z.literal("exact"),
  network: z.string(),
  amount: z.string().regex(/^[1-9][0-9]{0,11}$/),
  asset: z.string(),
  payTo: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  maxTimeoutSeconds: z.number().min(1).max(3600),
});

const challenge = z.looseObject({
  x402Version: z.literal(2),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(z.unknown()),
});

/** What a call costs, and what is signed for it. */
interface Quote {
  /** Millionths of a dollar. */
  readonly amount: number;
  readonly network: Network;
  readonly accepted: z.infer<typeof entry>;
  readonly resource: { readonly url: string };
}

export interface Buyer {
  readonly address: string;
  /** The payment for a quote, valid from now on for as long as the quote asks. */
  pay(quote: Quote, nowSeconds: number): Promise<Record<string, unknown>>;
}

/** The first entry of a challenge that can be paid; null where the value is not a challenge or has no such entry. */
export function readQuote(value: unknown): Quote | null {
  const read = challenge.safeParse(value);
  if (!read.success) return null;
  const { accepts, resource } = read.data;
  for (const candidate of accepts) {
    const { success, data } = entry.safeParse(candidate);
    const network = success ? findNetwork(data.network) : undefined;
    if (!success || network?.usdc.toLowerCase() !== data.asset.toLowerCase()) continue;
    return { amount: Number(data.amount), network, accepted: data, resource };
  }
  return null;
}

/** Clocks differ: an authorization is good from a little earlier on. */
const EARLIER_SECONDS = 60;

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Makes the buyer of a private key. @throws OperatorError that does not repeat the key, if it is not one. */
export async function createBuyer(privateKey: string): Promise<Buyer> {
  const { privateKeyToAccount } = await import("viem/accounts");
  const account = (() => {
    try {
      if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) throw new Error("no key");
      return privateKeyToAccount(asHex(privateKey));
    } catch {
      throw new OperatorError("EVM_PRIVATE_KEY: should be 0x and 64 hexadecimal digits");
    }
  })();
  return {
    address: account.address,
    pay: async ({ network, accepted, resource }, nowSeconds) => {
      const authorization = {
        from: account.address,
        to: accepted.payTo,
        value: accepted.amount,
        validAfter: String(nowSeconds - EARLIER_SECONDS),
        validBefore: String(nowSeconds + accepted.maxTimeoutSeconds),
        nonce: `0x${randomBytes(32).toString("hex")}`,
      };
      const signature = await account.signTypedData({
        domain: {
          ...network.domain,
          chainId: network.chainId,
          verifyingContract: asHex(network.usdc),
        },
        types: TYPES,
        primaryType: "TransferWithAuthorization",
        message: {
          from: account.address,
          to: asHex(authorization.to),
          value: BigInt(authorization.value),
          validAfter: BigInt(authorization.validAfter),
          validBefore: BigInt(authorization.validBefore),
          nonce: asHex(authorization.nonce),
        },
      });
      return { x402Version: 2, resource, accepted, payload: { signature, authorization } };
    },
  };
}
