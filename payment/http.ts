/** One bounded JSON exchange with the outside: a deadline, a size limit, no redirects. */

/** How an exchange failed. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

export interface Exchange {
  readonly fetch: typeof fetch;
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface ExchangeResult {
  readonly status: number;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown;
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const announced = Number(response.headers.get("content-length") ?? "-1");
  // The length is that of the packed bytes, where they are packed.
  const isPlain = !response.headers.has("content-encoding");
  if (isPlain && announced >= 0 && announced <= maxBytes) return await response.text();
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw new ExchangeError(`the answer is longer than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Sends and reads JSON. Throws ExchangeError for everything but an HTTP answer. */
export async function exchangeJson(exchange: Exchange): Promise<ExchangeResult> {
  const { url, method, headers, body, timeoutMs, maxBytes } = exchange;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  try {
    const response = await exchange.fetch(url, {
      method,
      redirect: "manual",
      signal: deadline.signal,
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await readBounded(response, maxBytes);
    return { status: response.status, body: parse(text) };
  } catch (error) {
    if (error instanceof ExchangeError) throw error;
    if (deadline.signal.aborted) throw new ExchangeError(`no answer in ${timeoutMs} ms`);
    throw new ExchangeError(reasonOf(error, url));
  } finally {
    clearTimeout(timer);
  }
}

/** What went wrong, from the innermost cause, without the address: keys are often a part of it. */
function reasonOf(error: unknown, url: string): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = inner instanceof Error ? inner.message : String(inner);
  const { origin } = new URL(url);
  return why.replaceAll(/https?:\/\/[^\s)]+/g, origin).replaceAll(url, origin);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
