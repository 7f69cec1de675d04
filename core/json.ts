/** JSON from outside: an exchange of it over HTTP with a deadline, a size limit and no redirects, and its values. */
import { withoutAddress } from "./errors.ts";
import { coarseDeadline } from "./deadline.ts";
import { boundedText } from "./bounded_body.ts";

export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value that was parsed from JSON is an object, and neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How an exchange failed. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly isCircumstance = true;
}

export interface Exchange {
  readonly fetch: typeof fetch;
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * True where a request that is sent twice does harm. Deno's fetch sends one again by itself when a kept connection
   * is cut, unless its body is a stream.
   */
  readonly sendOnce?: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface ExchangeResult {
  readonly status: number;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown;
}

/** Sends and reads JSON. @throws ExchangeError for everything but an HTTP answer. */
export async function exchangeJson(exchange: Exchange): Promise<ExchangeResult> {
  const { url, method, headers, body, sendOnce, timeoutMs, maxBytes } = exchange;
  const deadline = new AbortController();
  const cancel = coarseDeadline(timeoutMs, () => deadline.abort());
  try {
    const response = await exchange.fetch(url, {
      method,
      redirect: "manual",
      signal: deadline.signal,
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: sendOnce ? new Blob([body]).stream() : body }),
    });
    const text = await boundedText(response, maxBytes);
    if (text === null) throw new ExchangeError(`the answer is longer than ${maxBytes} bytes`);
    return { status: response.status, body: parse(text) };
  } catch (error) {
    if (error instanceof ExchangeError) throw error;
    if (deadline.signal.aborted) throw new ExchangeError(`no answer in ${timeoutMs} ms`);
    throw new ExchangeError(withoutAddress(error, url));
  } finally {
    cancel();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
