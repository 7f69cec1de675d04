/** The tools of an instance over HTTP: one message a request, as its /mcp takes them. */
import { z } from "zod";
import { messageOf, OperatorError } from "../../core/errors.ts";
import { ExchangeError, exchangeJson, type JsonAnswer } from "../../core/http.ts";

/** A verdict with a live search takes 45 seconds, and settling some more. */
const TIMEOUT_MS = 120_000;
/** Far more than the longest answer, a page of 50 cards. */
const MAX_MB = 8;

const reply = z.looseObject({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/**
 * The address of an instance as hosts give it, without a trailing slash and its /mcp.
 * @throws OperatorError where it is no address of the web.
 */
export function instanceAddress(given: string): string {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    throw new OperatorError(`${given}: should be the http address of an instance`);
  }
  const url = new URL(given);
  url.pathname = url.pathname.replace(/\/+(?:mcp\/?)?$/, "");
  url.search = "";
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

/** Sends a message to `address` alone, wherever that redirects: it may carry a payment. */
async function post(address: string, message: object): Promise<JsonAnswer> {
  try {
    return await exchangeJson({
      fetch,
      url: address,
      method: "POST",
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify(message),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_MB * 1024 * 1024,
    });
  } catch (error) {
    if (error instanceof ExchangeError && error.kind === "too_large") {
      throw new Error(`${address} answers with more than ${MAX_MB} MB`);
    }
    throw new Error(`${address} does not answer (${messageOf(error)})`);
  }
}

/** Says where the instance at `url` redirects, and to give that address where it is another instance's. */
function redirected(url: string, target: URL): string {
  const instance = /^https?:$/.test(target.protocol) ? instanceAddress(target.href) : url;
  return instance === url
    ? `${url}/mcp redirects to ${target.href}, and a payment is sent to no other address`
    : `${url}/mcp redirects to ${instance}: give that address`;
}

/**
 * Asks the instance at `url` by one JSON-RPC message, and gives its `result`.
 * @throws Error in one sentence for any other answer, a redirect included: it may hold a payment,
 * which goes nowhere else.
 */
export async function askUpstream(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const address = `${url}/mcp`;
  const { status, headers, body } = await post(address, { jsonrpc: "2.0", id: 1, method, params });
  const location = headers.get("location") ?? "";
  if (status >= 300 && status < 400 && URL.canParse(location, address)) {
    throw new Error(redirected(url, new URL(location, address)));
  }
  const read = reply.safeParse(body);
  if (read.success && read.data.result !== undefined) return read.data.result;
  throw new Error(
    read.data?.error?.message ?? `${address} speaks no MCP: is it the right address?`,
  );
}
