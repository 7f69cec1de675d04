/** Headers that all answers share: what browsers of other origins may read, and what none may do. */
import type { AppSettings } from "./deps.ts";

/** Headers of ours that scripts of other origins may read. */
const EXPOSED = [
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
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
  "If-None-Match",
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "Access-Control-Expose-Headers",
  "traceparent",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "Last-Event-ID",
].join(", ");

/** The headers of every answer. Pages set their own Content-Security-Policy over this one. */
export function baseHeaders(settings: AppSettings): Readonly<Record<string, string>> {
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    ...(settings.baseUrl.startsWith("https:")
      ? { "Strict-Transport-Security": "max-age=31536000" }
      : {}),
  };
}

/** What answers an OPTIONS request, preflights of browsers included. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    Allow: allow,
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": ACCEPTED,
    "Access-Control-Max-Age": "86400",
    "Cache-Control": "public, max-age=86400",
  };
}
