/** What a payment is bound to: one request, and the exact authorization that was signed for it. */
import { createHash } from "node:crypto";
import type { PaidRequest } from "./types.ts";

/** How a payment came: what was paid on one is never good on the other. */
export type PaymentProtocol = "x402" | "mpp";
/** Parameters in the order of their names. */
const sorted = (query: URLSearchParams): [string, string][] =>
  [...query].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/**
 * Hex of the hash of method, path, parameters in order of their names, body, and digest; of a contract
 * wallet's payment also the bytes of the signature, so that what the ledger holds under it proves that
 * the wallet took just these.
 */
export function fingerprint(
  request: PaidRequest,
  digest: Uint8Array,
  contractSignature: string | null,
  wire: PaymentProtocol,
): string {
  const bound: unknown[] = [request.method, request.path, sorted(request.query)];
  if (contractSignature !== null) bound.push(contractSignature);
  if (wire !== "x402") bound.push(wire);
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

/** JSON with its keys in order; undefined for what is no JSON. */
function canonicalJson(body: Uint8Array): string | undefined {
  try {
    return JSON.stringify(withOrderedKeys(JSON.parse(new TextDecoder().decode(body))));
  } catch {
    return undefined;
  }
}

/**
 * What a payer buys, as 32 hex digits: a hash of rail, payer, method, path and input. Whatever the payer
 * signs for it, however its JSON is laid out, over HTTP or MCP, is for the same purchase.
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
