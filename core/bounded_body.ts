/** Bodies from outside, read no further than a bound: nobody can fill our memory. */

class TooLongError extends Error {}

/** The same answer; reading its body fails once that has more than `maxBytes` after decompression. */
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

/** The body as text (UTF-8), or null where it has more than `maxBytes` after decompression: the rest is not read. */
export async function boundedText(response: Response, maxBytes: number): Promise<string | null> {
  const announced = Number(response.headers.get("content-length") ?? "-1");
  // The length is that of the packed bytes, where they are packed.
  const isPlain = !response.headers.has("content-encoding");
  if (isPlain && announced >= 0 && announced <= maxBytes) return await response.text();
  try {
    return await bounded(response, maxBytes).text();
  } catch (error) {
    if (error instanceof TooLongError) return null;
    throw error;
  }
}
