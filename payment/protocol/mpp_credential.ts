/**
 * Credentials in `Authorization: Payment`: bounded, decoded, validated, and checked against the challenge that they
 * answer.
 */
import type { PaymentRequired } from "./payment_required.ts";
import { readAddress } from "../evm/hex.ts";
import {
  challengeHash,
  type MppChallenge,
  type MppIssuer,
  type MppTarget,
} from "./mpp_challenge.ts";
import { PAYLOAD_FAULTS, PayloadFault } from "./payload_faults.ts";
import {
  type PaymentPayload,
  readAuthorization,
  readEncoded,
  readSignature,
} from "./payment_payload.ts";
import { isObject } from "../../core/json.ts";
import type { Rail } from "./rail.ts";
import { REASON, type Reason } from "./reasons.ts";

/** A well-formed credential: a challenge, and an authorization that may answer it. */
export interface MppCredential {
  readonly challenge: MppChallenge;
  readonly payment: PaymentPayload;
  /** The payer as the client states it, a `did:pkh`; null where it does not. */
  readonly source: string | null;
}

type CredentialChoice =
  | { readonly kind: "none" }
  /** Several credentials, which is ambiguous. */
  | { readonly kind: "several" }
  | { readonly kind: "one"; readonly value: string };

const SCHEME = /^payment(?:\s+|$)/i;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const ID = /^[A-Za-z0-9_-]{1,86}$/;
const DIGEST = /^sha-256=[A-Za-z0-9+/]{43}=$/;
const MAX_TEXT = 2_048;

/**
 * The credential of the scheme `Payment` in an `Authorization` header; those of other schemes are ignored.
 */
export function choosePaymentCredential(authorization: string | null): CredentialChoice {
  if (authorization === null) return { kind: "none" };
  const found = authorization.split(",").map((part) => part.trim()).filter((part) =>
    SCHEME.test(part)
  );
  if (found.length > 1) return { kind: "several" };
  const [one] = found;
  return one === undefined
    ? { kind: "none" }
    : { kind: "one", value: one.replace(SCHEME, "").trim() };
}

/** Whether a request carries a payment header of either protocol, well formed or not. */
export const bringsPayment = (headers: Headers): boolean =>
  headers.has("PAYMENT-SIGNATURE") || headers.has("X-PAYMENT") ||
  choosePaymentCredential(headers.get("Authorization")).kind !== "none";

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_TEXT;

function readChallenge(value: unknown): MppChallenge | undefined {
  if (!isObject(value)) return undefined;
  const { id, realm, method, intent, request, expires, opaque, digest = null } = value;
  if (!isText(id) || !ID.test(id) || !isText(realm) || !isText(method) || !isText(intent)) {
    return undefined;
  }
  if (!isText(request) || !BASE64URL.test(request)) return undefined;
  if (!isText(opaque) || !BASE64URL.test(opaque) || !isText(expires)) return undefined;
  if (digest !== null && (!isText(digest) || !DIGEST.test(digest))) return undefined;
  return { id, realm, method, intent, request, expires, digest, opaque };
}

/** Decodes a credential, or gives what is wrong with it. */
export function decodeCredential(value: string, rail: Rail): MppCredential | PayloadFault {
  const root = readEncoded(value, "base64url");
  if (root instanceof PayloadFault) return root;
  const { payload, source = null } = root;
  if (!isObject(payload)) return PAYLOAD_FAULTS.payload;
  const challenge = readChallenge(root["challenge"]);
  if (challenge === undefined) return PAYLOAD_FAULTS.challenge;
  if (payload["type"] !== "authorization") return PAYLOAD_FAULTS.type;
  const authorization = readAuthorization(payload);
  if (authorization instanceof PayloadFault) return authorization;
  const signature = readSignature(payload["signature"]);
  if (signature === undefined) return PAYLOAD_FAULTS.signature;
  if (source !== null && !isText(source)) return PAYLOAD_FAULTS.source;
  return {
    challenge,
    source,
    payment: {
      version: 2,
      scheme: "exact",
      network: rail.network.id,
      accepted: null,
      authorization,
      signature,
      resourceUrl: null,
      extensions: null,
    },
  };
}

function isSource(source: string, rail: Rail, payer: string): boolean {
  const prefix = `did:pkh:${rail.network.id}:`;
  return source.startsWith(prefix) && readAddress(source.slice(prefix.length)) === payer;
}

/** All checks of a credential that need neither clock nor signature; null where it is meant for the request. */
export function checkCredential(
  { challenge, payment: { authorization }, source }: MppCredential,
  issuer: MppIssuer,
  target: MppTarget,
  paymentRequired: PaymentRequired,
  rail: Rail,
): Reason | PayloadFault | null {
  if (!issuer.verify(challenge, target)) return REASON.challenge;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (to !== rail.payToKey) return REASON.recipient;
  if (value !== BigInt(paymentRequired.amount)) return REASON.value;
  const expires = BigInt(Date.parse(challenge.expires) / 1000);
  if (validAfter !== 0n || validBefore !== expires) return REASON.challengeWindow;
  if (nonce !== challengeHash(challenge)) return REASON.challengeHash;
  return source === null || isSource(source, rail, from) ? null : PAYLOAD_FAULTS.source;
}
