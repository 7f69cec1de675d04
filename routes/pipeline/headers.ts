/** Headers that all answers share: what browsers of other origins may read, and what none may do. */
import type { AppSettings } from "./deps.ts";

/** Headers of ours that scripts of other origins may read. */
const EXPOSED = [
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
  "WWW-Authenticate",
  "Payment-Receipt",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "ETag",
  "X-Request-Id",
  "Mcp-Session-Id",
].join(", ");

/** Headers that they may send. */
const ACCEPTED = [
  "Content-Type",
  "Accept",
  "Cache-Control",
  "If-None-Match",
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "Authorization",
  "Accept-Payment",
  "Access-Control-Expose-Headers",
  "traceparent",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "Last-Event-ID",
].join(", ");

/**
 * The headers of every answer. They are few because each costs: ten of them take a third of what
 * answering takes. Names are lower case, as they are on the wire.
 */
export function baseHeaders(settings: AppSettings): Readonly<Record<string, string>> {
  return {
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
    ...(settings.baseUrl.startsWith("https:")
      ? { "strict-transport-security": "max-age=31536000" }
      : {}),
  };
}

/** Headers for browsers of another origin. */
export const EXPOSE_HEADERS = { "access-control-expose-headers": EXPOSED };

/** What answers an OPTIONS request, preflights of browsers included. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": ACCEPTED,
    "access-control-max-age": "86400",
    "cache-control": "public, max-age=86400",
  };
}
