/** Reading a body before anything is done with it: so large at most, and within a deadline. */
import { ServiceError } from "../../core/errors.ts";

/** Longest a client may take to send a body; what it sends is a few kilobytes. */
const DEADLINE_MS = 10_000;

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", `The body may have at most ${maxBytes / 1024} KB.`);
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(maxBytes);
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (size + part.value.byteLength > maxBytes) throw tooLarge(maxBytes);
    body.set(part.value, size);
    size += part.value.byteLength;
  }
  return body.subarray(0, size);
}

/**
 * The same request with its body in memory.
 * @throws ServiceError `body_too_large`; `invalid_body` where it breaks off or does not arrive in time.
 */
export async function buffered(
  request: Request,
  maxBytes: number,
  deadlineMs = DEADLINE_MS,
): Promise<Request> {
  if (request.body === null) return request;
  const { method, url, headers } = request;
  if (Number(headers.get("content-length") ?? "0") > maxBytes) {
    await request.body.cancel();
    throw tooLarge(maxBytes);
  }
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => {});
  }, deadlineMs);
  try {
    const body = await collect(reader, maxBytes);
    if (late) throw new ServiceError("invalid_body", "The body did not arrive in time.");
    return new Request(url, { method, headers, body });
  } catch (cause) {
    void reader.cancel().catch(() => {});
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("invalid_body", "The body broke off.", { cause });
  } finally {
    clearTimeout(timer);
  }
}
