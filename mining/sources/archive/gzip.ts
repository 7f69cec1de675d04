/** Gzip, one member or several, over node:zlib (its streams go on after the first member). */
import { createGunzip } from "node:zlib";
import { messageOf } from "../../../core/errors.ts";
import { BrokenData } from "./broken.ts";

const OUTPUT_BYTES = 128 * 1024;

function broken(error: unknown): BrokenData {
  const message = messageOf(error);
  return /unexpected end|buffer error/i.test(message)
    ? new BrokenData("truncated", "unexpected end", error)
    : new BrokenData("corrupt", "its check failed", error);
}

/**
 * Decompresses; each chunk taken is asked for before the next is made, so that a small file that
 * unpacks to much is not held in memory.
 */
export async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: OUTPUT_BYTES });
  const ready: Uint8Array[] = [];
  let failure: unknown = null;
  let ended = false;
  let wake = (): void => {};
  stream.on("data", (chunk: Uint8Array) => {
    ready.push(chunk);
    stream.pause();
    wake();
  });
  stream.on("error", (error: unknown) => {
    failure ??= error;
    wake();
  });
  stream.on("end", () => {
    ended = true;
    wake();
  });
  /** Yields what is made until `done` says so; what was made before a failure comes first. */
  async function* drain(done: () => boolean): AsyncGenerator<Uint8Array> {
    while (true) {
      const chunk = ready.shift();
      if (chunk) {
        yield chunk;
        if (ready.length === 0 && failure === null) stream.resume();
      } else if (failure !== null) {
        throw broken(failure);
      } else if (done()) {
        return;
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  }
  try {
    for await (const raw of source) {
      let taken = false;
      stream.write(raw, () => {
        taken = true;
        wake();
      });
      yield* drain(() => taken);
    }
    stream.end();
    yield* drain(() => ended);
  } finally {
    stream.destroy();
  }
}
