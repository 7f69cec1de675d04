/** What can go wrong at the site, one answer at a time. */
import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";

export type Fault =
  /** Too many requests: with `Retry-After`, with a used-up period, or without a word. */
  | { readonly kind: "429"; readonly retryAfter?: number | string; readonly reset?: number }
  | { readonly kind: "401" }
  | { readonly kind: "403"; readonly reason?: string; readonly html?: boolean }
  | { readonly kind: "scope" }
  | { readonly kind: "404"; readonly reason?: string }
  | { readonly kind: "451" }
  | { readonly kind: "5xx"; readonly status?: number; readonly retryAfter?: number | string }
  /** Status 503, a gzip label, and not one byte of gzip. */
  | { readonly kind: "empty-gzip" }
  /** A page for people under status 200. */
  | { readonly kind: "html" }
  /** Valid up to where it stops, complete for HTTP. */
  | { readonly kind: "truncated" }
  /** The connection breaks in the middle of the body. */
  | { readonly kind: "cut" }
  /** The connection breaks before anything is said. */
  | { readonly kind: "reset" }
  /** Nothing is ever said. */
  | { readonly kind: "hang" }
  /** Headers and a few bytes, then nothing. */
  | { readonly kind: "stall" }
  /** More bytes than anybody wants. */
  | { readonly kind: "flood"; readonly bytes: number }
  | { readonly kind: "redirect"; readonly to: string }
  /** The true answer to the request without `after`: the listing begins again. */
  | { readonly kind: "restart" }
  /** The true page, but its `after` is this one. */
  | { readonly kind: "after"; readonly after: string | null }
  /** A body of the caller's choice under status 200. */
  | { readonly kind: "body"; readonly body: unknown };

const JSON_TYPE = "application/json; charset=UTF-8";
const PAGE = "<!doctype html>\n<html><head><title>Our CDN was unable to reach our servers</title>" +
  "</head><body><h1>all of our servers are busy right now</h1></body></html>";

export interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { "content-type": JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

/** The answer a fault gives by itself; null if it spoils the true answer or the connection. */
export function faultReply(fault: Fault): Reply | null {
  switch (fault.kind) {
    case "429": {
      const headers: Record<string, string> = {};
      if (fault.retryAfter !== undefined) headers["retry-after"] = String(fault.retryAfter);
      if (fault.reset !== undefined) {
        headers["x-ratelimit-remaining"] = "0.0";
        headers["x-ratelimit-reset"] = String(fault.reset);
      }
      return json(429, { message: "Too Many Requests", error: 429 }, headers);
    }
    case "401":
      return json(401, { message: "Unauthorized", error: 401 }, {
        "www-authenticate": 'Bearer realm="reddit", error="invalid_token"',
      });
    case "403":
      if (fault.html) return { status: 403, headers: { "content-type": "text/html" }, body: PAGE };
      return json(403, { reason: fault.reason, message: "Forbidden", error: 403 });
    case "scope":
      return json(403, { error: 403 }, {
        "www-authenticate": 'Bearer realm="reddit", error="insufficient_scope"',
      });
    case "404":
      return json(404, { reason: fault.reason, message: "Not Found", error: 404 });
    case "451":
      return { status: 451, headers: { "content-type": JSON_TYPE }, body: "" };
    case "5xx": {
      const wait: Record<string, string> = fault.retryAfter === undefined
        ? {}
        : { "retry-after": String(fault.retryAfter) };
      const headers = { "content-type": "text/html", ...wait };
      return { status: fault.status ?? 503, headers, body: PAGE };
    }
    case "empty-gzip":
      return {
        status: 503,
        headers: { "content-type": JSON_TYPE, "content-encoding": "gzip" },
        body: "",
      };
    case "html":
      return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: PAGE };
    case "redirect":
      return {
        status: 302,
        headers: { location: fault.to, "content-type": "text/html" },
        body: "",
      };
    case "body":
      return json(200, fault.body);
    default:
      return null;
  }
}

/** Plays the faults of the connection; false if `fault` is none of them. */
export function playConnection(fault: Fault, response: ServerResponse, body: string): boolean {
  const head = { "content-type": JSON_TYPE };
  switch (fault.kind) {
    case "truncated":
      response.writeHead(200, head).end(body.slice(0, Math.floor(body.length / 2)));
      return true;
    case "cut":
      response.writeHead(200, { ...head, "content-length": String(Buffer.byteLength(body) + 10) });
      response.write(body.slice(0, 20), () => response.destroy());
      return true;
    case "reset":
      response.destroy();
      return true;
    case "hang":
      return true;
    case "stall":
      response.writeHead(200, head).write(body.slice(0, 20));
      return true;
    case "flood": {
      const block = " ".repeat(65_536);
      response.writeHead(200, head);
      for (let sent = 0; sent < fault.bytes; sent += block.length) response.write(block);
      response.end(body);
      return true;
    }
    default:
      return false;
  }
}
