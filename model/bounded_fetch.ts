/** A fetch whose answers end: nobody can fill our memory. */

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Wraps `fetch` so that a body of more than `limit` bytes is an error. */
export function boundedFetch(fetch: Fetch, limit: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let read = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          read += chunk.byteLength;
          if (read > limit) controller.error(new Error(`the reply exceeds ${limit} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(bounded, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
