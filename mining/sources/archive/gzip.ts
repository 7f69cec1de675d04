/** Gzip, one member or several, over node:zlib (its streams go on after the first member). */
import { createGunzip } from "node:zlib";
import { messageOf } from "../../../core/errors.ts";
import { BrokenData } from "./broken.ts";

const OUTPUT_BYTES = 128 * 1024;

function broken(error: unknown): BrokenData {
  const message = messageOf(error);
  // The first header was looked at before: this is what stands in the place of another.
  if (/incorrect header check/i.test(message)) return new BrokenData("trailing", message, error);
  return /unexpected end|buffer error/i.test(message)
    ? new BrokenData("truncated", "unexpected end", error)
    : new BrokenData("corrupt", "its check failed", error);
}

/** Chunks, each byte alone from the one with this index on. */
async function* inBytes(
  chunks: AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<Uint8Array> {
  let index = 0;
  for await (const chunk of chunks) {
    if (index++ < from) yield chunk;
    else for (let at = 0; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

/** Decompresses what `open` gives; what follows the last member comes after all that is in them. */
export async function* gunzip(
  open: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let begun = 0;
  let made = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of open()) {
      begun++;
      yield chunk;
    }
  }
  try {
    for await (const chunk of unpack(counted())) {
      made += chunk.length;
      yield chunk;
    }
    return;
  } catch (error) {
    if (!(error instanceof BrokenData) || error.kind !== "trailing") throw error;
  }
  // node:zlib drops what it made of the chunk that it fails in: it is made again, byte by byte.
  for await (const chunk of unpack(inBytes(open(), begun - 1))) {
    if (chunk.length > made) yield chunk.subarray(made);
    made = Math.max(0, made - chunk.length);
  }
}

/**
 * Decompresses; each chunk taken is asked for before the next is made, so that a small file that
 * unpacks to much is not held in memory.
 */
async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
