/** Requests to a facilitator, and the check that it supports our network. */
import { OperatorError } from "../../core/errors.ts";
import type { Authorize } from "./facilitator_auth.ts";
import { ExchangeError, exchangeJson, type JsonAnswer } from "../../core/http.ts";
import { isObject } from "../../core/json.ts";

export interface FacilitatorAccess {
  /** Without a slash at its end. */
  readonly base: string;
  readonly authorize: Authorize;
  readonly fetch: typeof fetch;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/** One exchange with a facilitator, in one request alone where it may move money. @throws ExchangeError for everything but an HTTP answer. */
export async function askFacilitator(
  { base, authorize, fetch }: FacilitatorAccess,
  method: "GET" | "POST",
  path: string,
  timeoutMs: number,
  body?: string,
): Promise<JsonAnswer> {
  const url = new URL(base + path);
  return await exchangeJson({
    fetch,
    url: url.href,
    method,
    headers: authorize(method, url),
    ...(body === undefined ? {} : { body }),
    sendOnce: path === "/settle",
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  });
}

/**
 * Reads the answer to /supported.
 * @throws OperatorError where `network` is not among its kinds, and ExchangeError where the answer has another shape.
 */
export function checkSupported({ status, body }: JsonAnswer, network: string): void {
  if (status !== 200 || !isObject(body) || !Array.isArray(body["kinds"])) {
    throw new ExchangeError("malformed", `HTTP ${status} without a list of kinds`);
  }
  const fits = body["kinds"].some((kind: unknown) =>
    isObject(kind) && kind["scheme"] === "exact" && kind["network"] === network &&
    kind["x402Version"] === 2
  );
  if (fits) return;
  throw new OperatorError(
    `FACILITATOR_URL does not support scheme exact on ${network} (x402 version 2)`,
  );
}
