/** Binds a payment to one request and one authorization, and a purchase to its payer and request. */
import { createHash } from "node:crypto";
import type { PaidRequest } from "./types.ts";

/** The protocol of a payment; one made by either is not valid by the other. */
export type PaymentProtocol = "x402" | "mpp";
/** Parameters in the order of their names. */
const sorted = (query: URLSearchParams): [string, string][] =>
  [...query].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/**
 * Hex hash of method, path, query sorted by name, body and digest. For a contract wallet it includes the signature,
 * so that a fingerprint in the ledger proves that the wallet accepted this very signature.
 */
export function fingerprint(
  request: PaidRequest,
  digest: Uint8Array,
  contractSignature: string | null,
  protocol: PaymentProtocol,
): string {
  const bound: unknown[] = [request.method, request.path, sorted(request.query)];
  if (contractSignature !== null) bound.push(contractSignature);
  if (protocol !== "x402") bound.push(protocol);
  return createHash("sha256")
    .update(JSON.stringify(bound))
    .update(digest)
    .update(request.body)
    .digest("hex");
}

/** A value of JSON with the keys of its objects in order. */
export function withOrderedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOrderedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map((
      [key, inner],
    ) => [key, withOrderedKeys(inner)]),
  );
}

/** JSON with its keys in order; undefined where the text is not JSON. */
function canonicalJson(body: Uint8Array): string | undefined {
  try {
    return JSON.stringify(withOrderedKeys(JSON.parse(new TextDecoder().decode(body))));
  } catch {
    return undefined;
  }
}

/**
 * The key of a purchase, as 32 hex digits: a hash of rail, payer, method, path and input. It is the same for every
 * authorization of the payer, layout of the JSON, and transport (HTTP or MCP).
 */
export function purchaseKey(rail: string, payer: string, request: PaidRequest): string {
  const input = request.body.length === 0 ? "" : canonicalJson(request.body);
  const hash = createHash("sha256")
    .update(
      JSON.stringify([rail, payer, request.method, request.path, sorted(request.query), input]),
    );
  if (input === undefined) hash.update(request.body);
  return hash.digest("hex").slice(0, 32);
}
