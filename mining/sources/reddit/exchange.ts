/** One request and its answer, within a deadline and a size, without following redirects. */
import { boundedText } from "../../../core/bounded_body.ts";
import { withoutAddress } from "../../../core/errors.ts";
import { SourceError } from "../errors.ts";
import type { SiteFetch } from "./settings.ts";

export interface SiteAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text; of an error, what could be read of it. */
  readonly text: string;
}

export interface ExchangeBounds {
  /** From sending to the last byte, milliseconds. */
  readonly timeoutMs: number;
  /** Of a successful answer's body, after decompression. */
  readonly maxBytes: number;
}

/** Of an error's body only its reason matters. */
const ERROR_BODY_BYTES = 65_536;

/** An error keeps its status even where its body is cut off, over-long or mislabelled. */
async function readBody(response: Response, maxBytes: number): Promise<string> {
  const { status } = response;
  if (status !== 200) return await boundedText(response, ERROR_BODY_BYTES).catch(() => null) ?? "";
  const text = await boundedText(response, maxBytes);
  if (text !== null) return text;
  const message = `the site's answer is larger than ${maxBytes} bytes`;
  throw new SourceError("too_large", message, { status });
}

/**
 * Sends one request.
 * @throws SourceError `timeout`, `too_large`, or `unavailable` (network, or a body that breaks
 *   off); the reason of `signal` when that is aborted.
 */
export async function exchange(
  fetch: SiteFetch,
  url: string,
  init: RequestInit,
  bounds: ExchangeBounds,
  signal: AbortSignal,
): Promise<SiteAnswer> {
  signal.throwIfAborted();
  // A controller of its own, since AbortSignal.any would tie every call to a signal that may live
  // as long as the process.
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, bounds.timeoutMs);
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: controller.signal });
    const text = await readBody(response, bounds.maxBytes);
    signal.throwIfAborted();
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late) {
      throw new SourceError("timeout", `no whole answer within ${bounds.timeoutMs} ms`);
    }
    if (error instanceof SourceError) throw error;
    const why = withoutAddress(error, url);
    throw new SourceError("unavailable", `the site cannot be reached: ${why}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
