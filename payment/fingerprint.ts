/** What a payment is bound to: one request, and the exact authorization that was signed for it. */
import { createHash } from "node:crypto";
import type { PaidRequest } from "./types.ts";

/**
 * Hex of the hash of method, path, parameters in order of their names, body, and digest; of a contract
 * wallet's payment also the bytes of the signature, so that what the ledger holds under it proves that
 * the wallet took just these.
 */
export function fingerprint(
  request: PaidRequest,
  digest: Uint8Array,
  contractSignature: string | null,
): string {
  const parameters = [...request.query].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const bound = [request.method, request.path, parameters];
  if (contractSignature !== null) bound.push(contractSignature);
  return createHash("sha256")
    .update(JSON.stringify(bound))
    .update(digest)
    .update(request.body)
    .digest("hex");
}
