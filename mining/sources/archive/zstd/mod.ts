/**
 * Zstandard (RFC 8878) as archives of posts use it: several frames, skippable frames, checksums,
 * windows up to 2 GiB. Written for them: of the ready-made decoders, one stops after the first
 * frame, and one moves its whole window at each block and refuses a window of 2 GiB.
 */
import { BrokenData, corrupt } from "../broken.ts";
import { Input } from "./input.ts";
import { Literals } from "./literals.ts";
import { Sequences } from "./sequences.ts";
import { MAX_BLOCK, SlidingWindow } from "./window.ts";
import { Xxh64 } from "./xxhash.ts";

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** What `zstd --long=31`, its furthest, declares. */
const MAX_WINDOW = 2 ** 31;

interface FrameHeader {
  readonly window: number;
  /** Unpacked size, where the header says it. */
  readonly content: number | null;
  readonly checksum: boolean;
}

/** Reads a frame header after its magic number (RFC 8878, 3.1.1.1). */
async function readHeader(input: Input): Promise<FrameHeader> {
  const flags = input.bits.view.getUint8(await input.take(1));
  const single = (flags & 32) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
  const contentBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6]!;
  let at = await input.take((single ? 0 : 1) + dictionaryBytes + contentBytes);
  const { view } = input.bits;
  if ((flags & 8) !== 0) throw corrupt("a reserved bit is set");
  let window = 0;
  if (!single) {
    const descriptor = view.getUint8(at++);
    const base = 2 ** (10 + (descriptor >> 3));
    window = base + (base / 8) * (descriptor & 7);
  }
  for (let i = 0; i < dictionaryBytes; i++) {
    if (view.getUint8(at++) !== 0) throw new BrokenData("unsupported", "it needs a dictionary");
  }
  let content: number | null = null;
  if (contentBytes === 1) content = view.getUint8(at);
  else if (contentBytes === 2) content = view.getUint16(at, true) + 256;
  else if (contentBytes === 4) content = view.getUint32(at, true);
  else if (contentBytes === 8) content = Number(view.getBigUint64(at, true));
  if (single) window = content ?? 0;
  if (window > MAX_WINDOW) {
    throw new BrokenData("unsupported", `its window is ${Math.ceil(window / 1_048_576)} MiB`);
  }
  return { window, content, checksum: (flags & 4) !== 0 };
}

/** What the blocks of a frame share. Kept over frames, so that small frames cost little. */
class Decoder {
  readonly window = new SlidingWindow();
  readonly #literals = new Literals();
  readonly #sequences = new Sequences();
  readonly #hash = new Xxh64();

  /** Unpacks one frame, after its magic number; a chunk is valid until the next is asked for. */
  async *frame(input: Input): AsyncGenerator<Uint8Array> {
    const { window } = this;
    const header = await readHeader(input);
    window.begin(header.window, header.content);
    this.#literals.reset();
    this.#sequences.reset();
    this.#hash.reset();
    for (let last = false; !last;) {
      const at = await input.take(3);
      const head = input.bits.view.getUint32(at, true) & 0xffffff;
      last = (head & 1) === 1;
      const block = await this.#block(input, (head >> 1) & 3, head >>> 3);
      if (header.content !== null && window.total > header.content) {
        throw corrupt("a frame is longer than it says");
      }
      if (header.checksum) this.#hash.update(block);
      if (block.length > 0) yield block;
    }
    if (header.content !== null && window.total !== header.content) {
      throw corrupt("a frame is shorter than it says");
    }
    if (header.checksum) {
      const at = await input.take(4);
      if (input.bits.view.getUint32(at, true) !== this.#hash.digest32()) {
        throw corrupt("its check failed");
      }
    }
  }

  async #block(input: Input, kind: number, size: number): Promise<Uint8Array> {
    const { window } = this;
    if (kind === 3 || size > Math.min(MAX_BLOCK, window.size)) {
      throw corrupt("a block's sizes do not fit");
    }
    const at = await input.take(kind === 1 ? 1 : size);
    const { bits } = input;
    window.reserve();
    const start = window.position;
    if (kind === 2) {
      try {
        const sequences = this.#literals.read(bits, at, at + size);
        if (sequences >= at + size) throw corrupt("a block is cut off");
        this.#sequences.run(bits, sequences, at + size, this.#literals, window);
      } catch (error) {
        // A read outside the buffers: only data that is not what it says gets there.
        throw error instanceof RangeError ? corrupt("a block's sizes do not fit") : error;
      }
    } else {
      if (kind === 0) window.bytes.set(bits.bytes.subarray(at, at + size), start);
      else window.bytes.fill(bits.bytes[at]!, start, start + size);
      window.position += size;
      window.total += size;
    }
    return window.bytes.subarray(start, window.position);
  }
}

/**
 * Unpacks all frames, block by block; a chunk is valid until the next is asked for. Memory: what the content
 * fills of the largest window, and 2 MiB.
 * @throws BrokenData
 */
export async function* unzstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new Input(source);
  const decoder = new Decoder();
  try {
    while (await input.more()) {
      const magic = input.bits.view.getUint32(await input.take(4), true);
      if (magic === FRAME_MAGIC) {
        yield* decoder.frame(input);
      } else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
        await input.skip(input.bits.view.getUint32(await input.take(4), true));
      } else {
        throw corrupt("something else follows it");
      }
    }
  } finally {
    await input.close();
  }
}
