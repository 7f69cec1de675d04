/** Reading a body before anything is done with it: so large at most, in so many pieces, and within a deadline. */
import { DeadlineError, withDeadline } from "../../core/deadline.ts";
import { ServiceError } from "../../core/errors.ts";

/** Longest a client may take to send a body; what it sends is a few kilobytes. */
const DEADLINE_MS = 10_000;
/**
 * Pieces that a body comes in at most; a network cuts the largest into some fifty. Reading those that are there already
 * gives nobody else a turn of the thread.
 */
const MAX_PIECES = 256;

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", `The body may have at most ${maxBytes / 1024} KB.`);
}

const invalid = (message: string, cause?: unknown): ServiceError =>
  new ServiceError("invalid_body", message, { cause });

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(maxBytes);
  let size = 0;
  let pieces = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    signal.throwIfAborted();
    if (size + part.value.byteLength > maxBytes) throw tooLarge(maxBytes);
    if (++pieces > MAX_PIECES) throw invalid(`The body came in more than ${MAX_PIECES} pieces.`);
    body.set(part.value, size);
    size += part.value.byteLength;
  }
  return body.subarray(0, size);
}

/**
 * The same request with its body in memory. What is left of one that is refused stays unread: Deno's server would
 * read a cancelled one to its end, which may never come, before it does anything else.
 * @throws ServiceError `body_too_large`; `invalid_body` where it breaks off, comes in too many pieces, or does not
 * arrive in time.
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
  try {
    const body = await withDeadline(
      deadlineMs,
      null,
      (signal) => collect(reader, maxBytes, signal),
    );
    return new Request(url, { method, headers, body });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if (cause instanceof DeadlineError) throw invalid("The body did not arrive in time.");
    throw invalid("The body broke off.", cause);
  }
}
