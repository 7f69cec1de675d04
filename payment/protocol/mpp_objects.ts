/** What goes in the headers of MPP over HTTP, as the objects that other transports carry. */
import { Buffer } from "node:buffer";
import { withOrderedKeys } from "./fingerprint.ts";
import { MPP_CHALLENGE_HEADER } from "./mpp_challenge.ts";
import { MPP_RECEIPT_HEADER } from "./mpp.ts";
import { decodeJson } from "./payment_payload.ts";
import { isObject, type JsonObject } from "../evm/bounded_json.ts";

/** The challenge of a response, its request decoded; null where there is none. */
export function challengeObject(headers: Headers): JsonObject | null {
  const header = headers.get(MPP_CHALLENGE_HEADER);
  if (header === null) return null;
  const said: Record<string, unknown> = {};
  for (const [, name = "", value] of header.matchAll(/(\w+)="([^"]*)"/g)) said[name] = value;
  return { ...said, request: decodeJson(String(said["request"]), "base64url") ?? {} };
}

/** The receipt of a response; null where there is none. */
export function receiptObject(headers: Headers): JsonObject | null {
  return decodeJson(headers.get(MPP_RECEIPT_HEADER) ?? "", "base64url") ?? null;
}

/** The value of `Authorization` that a credential stands for, whatever it is. */
export function credentialHeader(credential: unknown): string {
  const challenge = isObject(credential) ? credential["challenge"] : undefined;
  const sent = isObject(credential) && isObject(challenge) && isObject(challenge["request"])
    ? { ...credential, challenge: { ...challenge, request: encoded(challenge["request"]) } }
    : credential;
  return `Payment ${encoded(sent)}`;
}

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(withOrderedKeys(value)) ?? "", "utf8").toString("base64url");
