/** Chunks of any size, read as pieces that lie in one place. */
import { BrokenData } from "../broken.ts";
import type { Bits } from "./entropy.ts";

/** Room after the data, so that four bytes can be read at any of its bytes. */
const SLACK = 8;

/** Reads a source of chunks as if its bytes lay in a row, holding only what was asked for. */
export class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  #bytes = new Uint8Array(512 * 1024);
  #view = new DataView(this.#bytes.buffer);
  #start = 0;
  #end = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  get bits(): Bits {
    return { bytes: this.#bytes, view: this.#view };
  }

  /** Whether any byte is left. */
  async more(): Promise<boolean> {
    return await this.#fill(1);
  }

  /** Takes `length` bytes; the index of the first in `bits`, valid until the next call. */
  async take(length: number): Promise<number> {
    const at = await this.peek(length);
    this.#start += length;
    return at;
  }

  /** As `take`, and leaves the bytes to be taken. */
  async peek(length: number): Promise<number> {
    if (this.#end - this.#start < length && !await this.#fill(length)) throw cutShort();
    return this.#start;
  }

  /** Passes over bytes without holding them. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (!await this.#fill(1)) throw cutShort();
      const step = Math.min(left, this.#end - this.#start);
      this.#start += step;
      left -= step;
    }
  }

  /** Lets the source close what it holds. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(length: number): Promise<boolean> {
    while (this.#end - this.#start < length) {
      const { done, value } = await this.#source.next();
      if (done) return false;
      const kept = this.#end - this.#start;
      if (this.#end + value.length + SLACK > this.#bytes.length) {
        const needed = kept + value.length + SLACK;
        const bytes = needed > this.#bytes.length ? new Uint8Array(2 * needed) : this.#bytes;
        bytes.set(this.#bytes.subarray(this.#start, this.#end));
        if (bytes !== this.#bytes) {
          this.#bytes = bytes;
          this.#view = new DataView(bytes.buffer);
        }
        this.#start = 0;
        this.#end = kept;
      }
      this.#bytes.set(value, this.#end);
      this.#end += value.length;
    }
    return true;
  }
}

function cutShort(): BrokenData {
  return new BrokenData("truncated", "unexpected end");
}
