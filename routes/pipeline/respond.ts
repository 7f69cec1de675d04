/** Answers: bytes made once per catalogue, entity tags, and the headers that all answers share. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { once } from "../../core/once.ts";
import type { RouteCharge } from "./deps.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { type ErrorContext, renderError } from "./errors.ts";

export const JSON_TYPE = "application/json";

/** One request on its way through a route. */
export interface Scope extends ErrorContext {
  readonly request: Request;
  /** Headers that every answer to this request carries. */
  readonly headers: Record<string, string>;
  /** Set once a payment for this request was settled. */
  charge?: RouteCharge;
  /** Set once an error was answered. */
  code?: ErrorCode;
  /** Set once a paid answer was computed. */
  computeMs?: number;
}

/** A body made ahead of its requests. */
export interface PreparedBody {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  /** The body in gzip, made when the first client takes it; null where the body is too short to gain. */
  readonly gzip: (() => Uint8Array<ArrayBuffer>) | null;
}

/** Bytes of a body that is compressed, at least. */
const MIN_GZIP_BYTES = 1_024;

/** Makes a body ready to serve: its tag is a hash of its bytes. */
export function prepared(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): PreparedBody {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  // Only other origins need to know which headers they may read: baseHeaders.
  const kept = { "cache-control": cacheControl, etag, vary: "Origin, Accept-Encoding" };
  const gzip = Buffer.byteLength(body) < MIN_GZIP_BYTES
    ? null
    : once(() => new Uint8Array(gzipSync(body)));
  return { body, etag, gzip, headers: { "content-type": type, ...kept, ...more } };
}

/** Remembers what `make` made for the last key it was given. */
export function memoLast<K, T>(make: (key: K) => T): (key: K) => T {
  let last: { readonly key: K; readonly value: T } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}

/** The quality from 0 to 1 that a client gives each value it names in a header such as `Accept`. */
export function qualities(header: string): Map<string, number> {
  return new Map(
    header.split(",").map((part) => {
      const [value = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((word) => /^q=[01](\.\d*)?$/.test(word));
      return [value, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
}

/** Whether a client takes gzip; the search for the word spares most of them the reading of qualities. */
const takesGzip = (accept: string | null): boolean =>
  accept !== null && /gzip/i.test(accept) && (qualities(accept).get("gzip") ?? 0) > 0;

/** Whether `If-None-Match` names this tag; that of a compressed body is weak, ours or a proxy's. */
function matchesTag(header: string, etag: string): boolean {
  if (header === etag || header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Answers with a prepared body, in gzip to those who take it, or with 304 where the client holds it already. */
export function send(scope: Scope, ready: PreparedBody): Response {
  const { headers: asked, method } = scope.request;
  const gzip = takesGzip(asked.get("accept-encoding")) ? ready.gzip : null;
  // Deno reads pairs a fifth faster than an object's properties.
  const headers = Object.entries({
    ...scope.headers,
    ...ready.headers,
    ...(gzip === null ? {} : { etag: `W/${ready.etag}` }),
  });
  const known = asked.get("if-none-match");
  if (known !== null && matchesTag(known, ready.etag)) {
    return new Response(null, { status: 304, headers });
  }
  const body = gzip === null ? ready.body : gzip();
  if (gzip !== null) headers.push(["content-encoding", "gzip"]);
  if (method === "HEAD") {
    headers.push(["content-length", String(Buffer.byteLength(body))]);
    return new Response(null, { headers });
  }
  return new Response(body, { headers });
}

/** Answers with JSON that is not kept by anyone. */
export function sendJson(
  scope: Scope,
  status: number,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(body);
  const isHead = scope.request.method === "HEAD";
  const headers = {
    ...scope.headers,
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    // A runtime that gets no body says that it has none, which is not what GET has.
    ...(isHead ? { "content-length": String(Buffer.byteLength(text)) } : {}),
    ...more,
  };
  return new Response(isHead ? null : text, { status, headers });
}

/** Answers with an error. */
export function sendError(
  scope: Scope,
  thrown: unknown,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { status, body, headers } = renderError(scope, thrown);
  scope.code = body.error.code;
  return sendJson(scope, status, body, { ...headers, ...more });
}
