/**
 * Decodes payment headers: bounded and validated in shape, not in meaning. Malformed input becomes a reason of the
 * protocol within microseconds.
 */
import { Buffer } from "node:buffer";
import type { Authorization } from "../evm/authorization.ts";
import { isObject, type JsonObject } from "../evm/bounded_json.ts";
import { readAddress } from "../evm/hex.ts";
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

export type DecodedPayload =
  | { readonly ok: true; readonly payment: PaymentPayload }
  | { readonly ok: false; readonly reason: Reason };

const refuse = (reason: Reason = REASON.payload): DecodedPayload => ({ ok: false, reason });

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
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

function readUint(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !DECIMAL.test(value)) return undefined;
  const number = BigInt(value);
  return number <= MAX_UINT256 ? number : undefined;
}

/** An EIP-3009 authorization; undefined for anything malformed. */
export function readAuthorization(value: unknown): Authorization | undefined {
  if (!isObject(value)) return undefined;
  const { from, to, nonce } = value;
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  if (typeof nonce !== "string" || !NONCE.test(nonce) || nonce === ZERO_NONCE) return undefined;
  const fromKey = readAddress(from);
  const toKey = readAddress(to);
  const amount = readUint(value["value"]);
  const validAfter = readUint(value["validAfter"]);
  const validBefore = readUint(value["validBefore"]);
  if (
    fromKey === undefined || toKey === undefined || amount === undefined ||
    validAfter === undefined || validBefore === undefined
  ) return undefined;
  return {
    from: fromKey,
    to: toKey,
    value: amount,
    validAfter,
    validBefore,
    nonce: nonce.toLowerCase(),
  };
}

/** A signature in lower-case hex with `0x`; undefined for anything malformed. */
export function readSignature(value: unknown): string | undefined {
  const isGood = typeof value === "string" && value.length <= MAX_SIGNATURE_HEX &&
    SIGNATURE.test(value);
  return isGood ? value.toLowerCase() : undefined;
}

/** The object that a header's value encodes, its alphabet checked before; undefined for anything else. */
export function decodeJson(
  value: string,
  encoding: "base64" | "base64url",
): JsonObject | undefined {
  if (value.length > Math.ceil(MAX_PAYLOAD_BYTES / 3) * 4) return undefined;
  try {
    const decoded: unknown = JSON.parse(utf8.decode(Buffer.from(value, encoding)));
    return isObject(decoded) && harmless(decoded, MAX_DEPTH) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function readResource(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  if (!isObject(value)) return undefined;
  return typeof value["url"] === "string" ? value["url"] : undefined;
}

/**
 * Decodes the value of a payment header, of either version of the protocol: base64 of JSON.
 * Refusals: `invalid_payload` for anything malformed, `invalid_x402_version` for another version.
 */
export function decodePaymentPayload(header: string): DecodedPayload {
  const root = BASE64.test(header) ? decodeJson(header, "base64") : undefined;
  if (root === undefined) return refuse();
  const version = root["x402Version"];
  if (version !== 1 && version !== 2) {
    return refuse(typeof version === "number" ? REASON.version : REASON.payload);
  }
  const accepted = version === 2 ? root["accepted"] : null;
  const terms = version === 2 ? accepted : root;
  if (!isObject(terms) || (accepted !== null && !isObject(accepted))) return refuse();
  const { scheme, network } = terms;
  if (typeof scheme !== "string" || typeof network !== "string") return refuse();
  const inner = root["payload"];
  if (!isObject(inner)) return refuse();
  const signature = readSignature(inner["signature"]);
  if (signature === undefined) return refuse();
  const authorization = readAuthorization(inner["authorization"]);
  const resourceUrl = readResource(root["resource"]);
  const extensions = root["extensions"] ?? null;
  if (authorization === undefined || resourceUrl === undefined) return refuse();
  if (extensions !== null && !isObject(extensions)) return refuse();
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
