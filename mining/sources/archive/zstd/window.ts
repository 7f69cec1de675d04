/** What a frame has unpacked so far, as far back as its matches may reach. */
import { BrokenData } from "../broken.ts";

/** Largest block of the format, unpacked. */
export const MAX_BLOCK = 128 * 1024;

const FIRST_BYTES = 1024 * 1024;

/**
 * A ring whose laps break between blocks only, so that a block lies in one piece. It grows with the
 * content, up to the frame's window: a window of 2 GiB over a small content takes little.
 */
export class SlidingWindow {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Where the next byte goes. */
  position = 0;
  /** Length of the lap before this one; 0 in the first. */
  lap = 0;
  /** Bytes unpacked in this frame. */
  total = 0;
  /** How far back a match may reach. */
  size = 0;
  #needed = 0;

  /**
   * Starts a frame; `content` is its unpacked size where its header says it. A lap ends less than
   * a block before the end of the ring, so the two blocks of room keep what is being written over
   * out of every match's reach.
   */
  begin(size: number, content: number | null): void {
    this.size = size;
    this.position = this.lap = this.total = 0;
    this.#needed = Math.min(size, content ?? size) + 2 * MAX_BLOCK;
  }

  /** Makes room for one block at `position`. */
  reserve(): void {
    if (this.position + MAX_BLOCK <= this.bytes.length) return;
    if (this.bytes.length < this.#needed) {
      this.#grow(Math.min(this.#needed, Math.max(FIRST_BYTES, 2 * this.bytes.length)));
      if (this.position + MAX_BLOCK <= this.bytes.length) return;
    }
    this.lap = this.position;
    this.position = 0;
  }

  /** A longer ring, with what is in this one. */
  #grow(length: number): void {
    const old = this.bytes;
    try {
      this.bytes = new Uint8Array(length);
    } catch (error) {
      const mib = Math.ceil(length / 1_048_576);
      throw new BrokenData("unsupported", `its window needs ${mib} MiB of memory`, error);
    }
    this.bytes.set(old.subarray(0, this.position));
    // Lets go of the old memory at once; the collector would take its time.
    old.buffer.transfer(0);
  }
}
