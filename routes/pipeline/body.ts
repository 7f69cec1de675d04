/** Reading a body before anything is done with it: so large at most, in so many pieces, and within a deadline. */
import { DeadlineError, withDeadline } from "../../core/deadline.ts";
import { ServiceError } from "../../core/errors.ts";

/** Longest a client may take to send a body; what it sends is a few kilobytes. */
const DEADLINE_MS = 10_000;
/**
 * A body comes in at most one piece for so many of the bytes that it may have. A chunk of a chunked body is a piece, and
 * reading pieces that are there already gives nobody else a turn of the thread.
 */
const PIECE_BYTES = 64;

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", `The body may have at most ${maxBytes / 1024} KB.`);
}

const invalid = (message: string, cause?: unknown): ServiceError =>
  new ServiceError("invalid_body", message, { cause });

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(maxBytes);
  const maxPieces = maxBytes / PIECE_BYTES;
  let size = 0;
  let pieces = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (size + part.value.byteLength > maxBytes) throw tooLarge(maxBytes);
    if (++pieces > maxPieces) throw invalid(`The body came in more than ${maxPieces} pieces.`);
    body.set(part.value, size);
    size += part.value.byteLength;
  }
  return body.subarray(0, size);
}

/**
 * The same request with its body in memory. What is left of one that is refused stays unread: Deno's server would
 * read a cancelled one, or one that nobody began to read, to its end, which may never come, and does not stop before.
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
  const reader = request.body.getReader();
  // The reader is kept: it is what tells the server that somebody began to read.
  if (Number(headers.get("content-length") ?? "0") > maxBytes) throw tooLarge(maxBytes);
  try {
    const body = await withDeadline(deadlineMs, null, () => collect(reader, maxBytes));
    return new Request(url, { method, headers, body });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if (cause instanceof DeadlineError) throw invalid("The body did not arrive in time.");
    throw invalid("The body broke off.", cause);
  } finally {
    // Ends a read that is under way after the deadline.
    reader.releaseLock();
  }
}
