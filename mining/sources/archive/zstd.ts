/** Zstandard over fzstd: several frames, skippable frames. */
import { Decompress } from "fzstd";
import { BrokenData } from "./broken.ts";

function broken(error: unknown): BrokenData {
  const message = error instanceof Error ? error.message : String(error);
  return /unexpected EOF/.test(message)
    ? new BrokenData("truncated", "unexpected end", error)
    : new BrokenData("corrupt", message, error);
}

/** Decompresses; what was made before a failure comes first. */
export async function* unzstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const stream = new Decompress((chunk) => ready.push(chunk));
  for await (const raw of source) {
    let failure: unknown = null;
    try {
      stream.push(raw.slice());
    } catch (error) {
      failure = error ?? new Error("unknown");
    }
    const made = ready;
    ready = [];
    yield* made;
    if (failure !== null) throw broken(failure);
  }
  try {
    stream.push(new Uint8Array(0), true);
  } catch (error) {
    throw broken(error);
  }
  yield* ready;
}
