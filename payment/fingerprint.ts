/** What a payment is bound to: one request, and the exact authorization that was signed for it. */
import { createHash } from "node:crypto";
import type { PaidRequest } from "./types.ts";

/** How a payment came: what was paid on one is never good on the other. */
export type Wire = "x402" | "mpp";

/**
 * Hex of the hash of method, path, parameters in order of their names, body, and digest; of a contract
 * wallet's payment also the bytes of the signature, so that what the ledger holds under it proves that
 * the wallet took just these.
 */
export function fingerprint(
  request: PaidRequest,
  digest: Uint8Array,
  contractSignature: string | null,
  wire: Wire,
): string {
  const parameters = [...request.query].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const bound = [request.method, request.path, parameters];
  if (contractSignature !== null) bound.push(contractSignature);
  if (wire !== "x402") bound.push(wire);
  return createHash("sha256")
    .update(JSON.stringify(bound))
    .update(digest)
    .update(request.body)
    .digest("hex");
}
