/** Reads a request's body within its bound. */
import { ServiceError } from "../core/errors.ts";

/** Longest body a paid route reads. */
export const MAX_BODY_BYTES = 16 * 1024;

const EMPTY = new Uint8Array();

function tooLarge(): ServiceError {
  return new ServiceError("body_too_large", "The body may have at most 16 KB.");
}

/** The bytes of the body. Throws ServiceError `body_too_large`, or `invalid_body` for a broken one. */
export async function readBody(request: Request): Promise<Uint8Array> {
  if (request.body === null) return EMPTY;
  if (Number(request.headers.get("content-length") ?? "0") > MAX_BODY_BYTES) {
    await request.body.cancel();
    throw tooLarge();
  }
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > MAX_BODY_BYTES) {
        await reader.cancel();
        throw tooLarge();
      }
      chunks.push(value);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("invalid_body", "The body ended before it was complete.", {
      cause: error,
    });
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}
