/** What a payment is bound to: one request, and the exact authorization that was signed for it. */
import { createHash } from "node:crypto";
import type { PaidRequest } from "./types.ts";

/** Hex of the hash of method, path, parameters in order of their names, body, and digest. */
export function fingerprint(request: PaidRequest, digest: Uint8Array): string {
  const parameters = [...request.query].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash("sha256")
    .update(JSON.stringify([request.method, request.path, parameters]))
    .update(digest)
    .update(request.body)
    .digest("hex");
}
