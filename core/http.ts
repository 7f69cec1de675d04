/** HTTP to the outside: one request, its answer within a deadline and a size, and no redirects. */
import { coarseDeadline } from "./deadline.ts";
import { withoutAddress } from "./errors.ts";
import { parsedJson } from "./json.ts";

class TooLongError extends Error {}

/** Of an error's body only its reason matters. */
const MAX_ERROR_BYTES = 65_536;

/** The same answer; reading its body fails after `maxBytes`, counted after decompression. */
export function bounded(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let read = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read += chunk.byteLength;
        if (read > maxBytes) controller.error(new TooLongError(`more than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** The body as text (UTF-8). @throws TooLongError for more than `maxBytes` after decompression. */
async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const announced = Number(response.headers.get("content-length") ?? "-1");
  // The length is that of the packed bytes, where they are packed.
  const isPlain = !response.headers.has("content-encoding");
  if (isPlain && announced >= 0 && announced <= maxBytes) return await response.text();
  return await bounded(response, maxBytes).text();
}

type ExchangeFailure =
  /** The answer's body exceeds its bound. */
  | "too_large"
  /** An answer of another form than agreed; thrown by who reads it. */
  | "malformed"
  /** No whole answer within the deadline. */
  | "timeout"
  /** No connection, or one that broke off. */
  | "unavailable";

/** How an exchange failed. The message names no more of the address than its origin. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly isCircumstance = true;
  constructor(readonly kind: ExchangeFailure, message: string) {
    super(message);
  }
}

/** One request to another machine, and the bounds of its answer. */
export interface Exchange {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly url: string;
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * True where a request that is sent twice does harm. Deno's fetch sends one again by itself when
   * a kept connection is cut, unless its body is a stream.
   */
  readonly sendOnce?: boolean;
  /** From sending to the last byte. */
  readonly timeoutMs: number;
  /** Of the answer's body, after decompression. */
  readonly maxBytes: number;
  /** Ends the exchange with its own reason. */
  readonly signal?: AbortSignal;
}

/** An answer whose body was read within the bounds. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body; empty where that of an error is long or cannot be read: its status says enough. */
  readonly text: string;
}

/**
 * Sends one request.
 * @throws ExchangeError for everything but an HTTP answer; the reason of `signal` once it aborts.
 */
export async function exchange(request: Exchange): Promise<HttpAnswer> {
  const { url, method, headers = {}, body, sendOnce, timeoutMs, maxBytes, signal } = request;
  signal?.throwIfAborted();
  // A controller of its own, since AbortSignal.any would tie every call to a signal that may live
  // as long as the process.
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal?.addEventListener("abort", stop, { once: true });
  const cancel = coarseDeadline(timeoutMs, stop);
  try {
    const response = await request.fetch(url, {
      method,
      redirect: "manual",
      signal: controller.signal,
      headers,
      ...(body === undefined ? {} : { body: sendOnce ? new Blob([body]).stream() : body }),
    });
    const text = response.ok
      ? await boundedText(response, maxBytes)
      : await boundedText(response, Math.min(maxBytes, MAX_ERROR_BYTES)).catch(() => "");
    signal?.throwIfAborted();
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof TooLongError) {
      throw new ExchangeError("too_large", `the answer is longer than ${maxBytes} bytes`);
    }
    if (controller.signal.aborted) {
      throw new ExchangeError("timeout", `no answer in ${timeoutMs} ms`);
    }
    throw new ExchangeError("unavailable", withoutAddress(error, url));
  } finally {
    cancel();
    signal?.removeEventListener("abort", stop);
  }
}

/** An answer whose body is JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown;
}

/** Sends and reads JSON. @throws ExchangeError for everything but an HTTP answer. */
export async function exchangeJson(request: Exchange): Promise<JsonAnswer> {
  const { status, headers, text } = await exchange({
    ...request,
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...request.headers,
    },
  });
  return { status, headers, body: parsedJson(text) };
}
