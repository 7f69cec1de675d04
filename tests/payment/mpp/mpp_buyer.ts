/** Answers challenges of MPP by hand, rightly and wrongly; the stock client does it in mpp_client_test.ts. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { keccak256, stringToHex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Hex } from "../../doubles/chain.ts";
import { sign, type SignedPayment, type Terms } from "../support/buyer.ts";
import type { Route, Shop } from "../support/shop.ts";

/** The parameters of a challenge, as they are in `WWW-Authenticate`. */
export type Challenge = Readonly<Record<string, string>> & {
  readonly id: string;
  readonly realm: string;
  readonly request: string;
  readonly expires: string;
  readonly opaque: string;
};

/** The challenge of a response. */
export function challengeOf(response: Response): Challenge {
  const header = response.headers.get("WWW-Authenticate") ?? "";
  const found = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  if (!header.startsWith("Payment ")) throw new Error(`no challenge: ${response.status} ${header}`);
  return Object.fromEntries(found);
}

/** What a challenge asks for. */
export function requestOf(challenge: Challenge): {
  readonly amount: string;
  readonly currency: Hex;
  readonly recipient: Hex;
  readonly methodDetails: {
    readonly chainId: number;
    readonly credentialTypes: readonly string[];
    readonly decimals: number;
  };
} {
  return JSON.parse(Buffer.from(challenge.request, "base64url").toString());
}

export const hashOf = ({ id, realm }: Pick<Challenge, "id" | "realm">): Hex =>
  keccak256(stringToHex(`${id}${realm}`));

/** The authorization that answers a challenge, or one that differs from it in these terms. */
export async function answerTo(
  challenge: Challenge,
  account: PrivateKeyAccount,
  terms: Partial<Terms> = {},
): Promise<SignedPayment> {
  const { amount, recipient } = requestOf(challenge);
  return await sign(account, {
    payTo: recipient,
    amount: Number(amount),
    nonce: hashOf(challenge),
    validAfter: 0,
    validBefore: Date.parse(challenge.expires) / 1000,
    ...terms,
  });
}

/** A credential, with whatever should be different. */
export function credentialOf(
  challenge: Readonly<Record<string, unknown>>,
  { authorization, signature }: SignedPayment,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    challenge,
    payload: { type: "authorization", ...authorization, signature },
    source: `did:pkh:eip155:8453:${authorization.from}`,
    ...more,
  };
}

export const authorizationHeader = (credential: unknown): Record<string, string> => ({
  Authorization: `Payment ${Buffer.from(JSON.stringify(credential)).toString("base64url")}`,
});

/** The header that pays for what was challenged. */
export async function payMpp(
  challenge: Challenge,
  account: PrivateKeyAccount,
): Promise<Record<string, string>> {
  return authorizationHeader(credentialOf(challenge, await answerTo(challenge, account)));
}

/** What a `Payment-Receipt` says. */
export const receiptOf = (response: Response): Record<string, string> =>
  JSON.parse(
    Buffer.from(response.headers.get("Payment-Receipt") ?? "e30", "base64url").toString(),
  );

/** A fresh challenge, as `query` gets it. */
export async function ask(shop: Shop, route: Route = "number", query = "?n=1"): Promise<Challenge> {
  const response = await shop.get(route, query);
  const body = await response.json();
  assertEquals([response.status, body.error], [402, "payment_required"]);
  return challengeOf(response);
}

/** A refusal of this wire: the reason, with a fresh challenge and the problem's details. */
export async function refusal(response: Response): Promise<string> {
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  assertNotEquals(challengeOf(response).id, "");
  assert(!response.headers.has("payment-receipt"));
  const { type, title, status, detail, message, charged, error, accepts } = await response.json();
  assertEquals([response.status, status, charged], [402, 402, false]);
  assertMatch(type, /^https:\/\/paymentauth\.org\/problems\/[a-z-]+$/);
  assertEquals([typeof title, detail, accepts.length], ["string", message, 1]);
  return error;
}
