/** Bodies from outside, read no further than a bound. */

/** The body as text (UTF-8), or null where it has more than `maxBytes` after decompression: the rest is not read. */
export async function boundedText(response: Response, maxBytes: number): Promise<string | null> {
  const announced = Number(response.headers.get("content-length") ?? "-1");
  // The length is that of the packed bytes, where they are packed.
  const isPlain = !response.headers.has("content-encoding");
  if (isPlain && announced >= 0 && announced <= maxBytes) return await response.text();
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join("") + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => {});
      return null;
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}
