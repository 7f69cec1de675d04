/**
 * Decodes payment headers: bounded and validated in shape, not in meaning. Malformed input becomes a fault of
 * payload_faults.ts within microseconds.
 */
import { Buffer } from "node:buffer";
import type { Authorization } from "../evm/authorization.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { readAddress } from "../evm/hex.ts";
import { PAYLOAD_FAULTS, PayloadFault } from "./payload_faults.ts";
import { REASON, type Reason } from "./reasons.ts";

/** Longest decoded payment, in bytes. */
const MAX_PAYLOAD_BYTES = 8192;
/** The longest signature accepted: a contract wallet's may be long. */
const MAX_SIGNATURE_HEX = 4096;
const MAX_DEPTH = 32;
/** The largest number of 256 bits. */
const MAX_UINT256 = 2n ** 256n - 1n;

export interface PaymentPayload {
  readonly version: 1 | 2;
  readonly scheme: string;
  readonly network: string;
  /** Version 2 repeats the entry of `accepts` it pays; version 1 does not. */
  readonly accepted: JsonObject | null;
  readonly authorization: Authorization;
  /** Lower-case hex with `0x`. */
  readonly signature: string;
  readonly resourceUrl: string | null;
  readonly extensions: JsonObject | null;
}

type DecodedPayload =
  | { readonly ok: true; readonly payment: PaymentPayload }
  | { readonly ok: false; readonly wrong: Reason | PayloadFault };

const refuse = (wrong: Reason | PayloadFault): DecodedPayload => ({ ok: false, wrong });

const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/;
const NONCE = /^0x[0-9a-fA-F]{64}$/;
const ZERO_NONCE = `0x${"0".repeat(64)}`;
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;
/** Keys that pollute prototypes where objects are merged carelessly, by us or by a facilitator. */
const POISON = new Set(["__proto__", "constructor", "prototype"]);

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** False for polluting keys and excessive nesting. Allocates nothing, since every paid call runs it. */
function harmless(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) {
    return depth > 0 && value.every((inner) => isPlain(inner) || harmless(inner, depth - 1));
  }
  if (!isObject(value)) return true;
  if (depth === 0) return false;
  // What was parsed from JSON inherits nothing that is enumerable.
  for (const key in value) {
    if (POISON.has(key)) return false;
    const inner = value[key];
    if (!isPlain(inner) && !harmless(inner, depth - 1)) return false;
  }
  return true;
}

const isPlain = (value: unknown): boolean => typeof value !== "object";

/**
 * Whether a value of JSON nests no deeper than is read, and has no key that pollutes prototypes.
 */
export const isHarmless = (value: unknown): boolean => harmless(value, MAX_DEPTH);

function readUint(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !DECIMAL.test(value)) return undefined;
  const number = BigInt(value);
  return number <= MAX_UINT256 ? number : undefined;
}

const readParty = (value: unknown): string | undefined =>
  typeof value === "string" ? readAddress(value) : undefined;

/** An EIP-3009 authorization, or what is wrong with it. */
export function readAuthorization(value: unknown): Authorization | PayloadFault {
  if (!isObject(value)) return PAYLOAD_FAULTS.authorization;
  const { nonce } = value;
  const from = readParty(value["from"]);
  if (from === undefined) return PAYLOAD_FAULTS.from;
  const to = readParty(value["to"]);
  if (to === undefined) return PAYLOAD_FAULTS.to;
  const amount = readUint(value["value"]);
  if (amount === undefined) return PAYLOAD_FAULTS.value;
  const validAfter = readUint(value["validAfter"]);
  if (validAfter === undefined) return PAYLOAD_FAULTS.validAfter;
  const validBefore = readUint(value["validBefore"]);
  if (validBefore === undefined) return PAYLOAD_FAULTS.validBefore;
  if (typeof nonce !== "string" || !NONCE.test(nonce)) return PAYLOAD_FAULTS.nonce;
  if (nonce === ZERO_NONCE) return PAYLOAD_FAULTS.zeroNonce;
  return { from, to, value: amount, validAfter, validBefore, nonce: nonce.toLowerCase() };
}

/** A signature in lower-case hex with `0x`; undefined for anything malformed. */
export function readSignature(value: unknown): string | undefined {
  const isGood = typeof value === "string" && value.length <= MAX_SIGNATURE_HEX &&
    SIGNATURE.test(value);
  return isGood ? value.toLowerCase() : undefined;
}

const ALPHABETS = {
  base64: { form: /^[A-Za-z0-9+/]*={0,2}$/, fault: PAYLOAD_FAULTS.notBase64 },
  base64url: { form: /^[A-Za-z0-9_-]*$/, fault: PAYLOAD_FAULTS.notBase64url },
} as const;

/** The object that a header's value encodes, or why it encodes none. */
export function readEncoded(
  value: string,
  encoding: keyof typeof ALPHABETS,
): JsonObject | PayloadFault {
  if (value === "") return PAYLOAD_FAULTS.empty;
  if (value.length > Math.ceil(MAX_PAYLOAD_BYTES / 3) * 4) return PAYLOAD_FAULTS.tooLong;
  const { form, fault } = ALPHABETS[encoding];
  if (!form.test(value)) return fault;
  let decoded: unknown;
  try {
    decoded = JSON.parse(utf8.decode(Buffer.from(value, encoding)));
  } catch {
    return PAYLOAD_FAULTS.notJson;
  }
  if (!isObject(decoded)) return PAYLOAD_FAULTS.notObject;
  return isHarmless(decoded) ? decoded : PAYLOAD_FAULTS.harmful;
}

/** Base64url of JSON. */
export const encodeJson = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

/** The object that base64url encodes; undefined for anything else. */
export function decodeJson(value: string): JsonObject | undefined {
  const decoded = readEncoded(value, "base64url");
  return decoded instanceof PayloadFault ? undefined : decoded;
}

function readResource(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  if (!isObject(value)) return undefined;
  return typeof value["url"] === "string" ? value["url"] : undefined;
}

/**
 * Decodes the value of a payment header, of either version of the protocol: base64 of JSON.
 * Refusals: a fault for anything malformed, `invalid_x402_version` for another version.
 */
export function decodePaymentPayload(header: string): DecodedPayload {
  const root = readEncoded(header, "base64");
  if (root instanceof PayloadFault) return refuse(root);
  const version = root["x402Version"];
  if (version !== 1 && version !== 2) {
    return refuse(typeof version === "number" ? REASON.version : PAYLOAD_FAULTS.version);
  }
  const accepted = version === 2 ? root["accepted"] : null;
  if (accepted !== null && !isObject(accepted)) return refuse(PAYLOAD_FAULTS.accepted);
  const { scheme, network } = accepted ?? root;
  if (typeof scheme !== "string") return refuse(PAYLOAD_FAULTS.scheme);
  if (typeof network !== "string") return refuse(PAYLOAD_FAULTS.network);
  const inner = root["payload"];
  if (!isObject(inner)) return refuse(PAYLOAD_FAULTS.payload);
  const signature = readSignature(inner["signature"]);
  if (signature === undefined) return refuse(PAYLOAD_FAULTS.signature);
  const authorization = readAuthorization(inner["authorization"]);
  if (authorization instanceof PayloadFault) return refuse(authorization);
  const resourceUrl = readResource(root["resource"]);
  if (resourceUrl === undefined) return refuse(PAYLOAD_FAULTS.resource);
  const extensions = root["extensions"] ?? null;
  if (extensions !== null && !isObject(extensions)) return refuse(PAYLOAD_FAULTS.extensions);
  return {
    ok: true,
    payment: {
      version,
      scheme,
      network,
      accepted,
      authorization,
      signature,
      resourceUrl,
      extensions,
    },
  };
}

export type HeaderChoice =
  | { readonly kind: "none" }
  | { readonly kind: "conflict" }
  | { readonly kind: "one"; readonly value: string; readonly legacy: boolean };

/** Chooses the payment header; both may be sent only with the same value. */
export function choosePaymentHeader(current: string | null, legacy: string | null): HeaderChoice {
  if (current === null && legacy === null) return { kind: "none" };
  if (current !== null && legacy !== null && current !== legacy) return { kind: "conflict" };
  return { kind: "one", value: current ?? legacy ?? "", legacy: legacy !== null };
}
