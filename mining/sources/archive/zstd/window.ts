/** What a frame has unpacked so far, as far back as its matches may reach. */
import { BrokenData } from "../broken.ts";

/** Largest block of the format, unpacked. */
export const MAX_BLOCK = 128 * 1024;
const FIRST_BYTES = 1024 * 1024;

/**
 * A ring whose laps break between blocks only, so that a block lies in one piece. It grows with the
 * content up to the frame's window: a window of 2 GiB over a small content takes little memory.
 */
export class Window {
  bytes: Uint8Array = new Uint8Array(0);
  /** Where the next byte goes. */
  position = 0;
  /** Length of the lap before this one; 0 in the first. */
  lap = 0;
  /** Bytes unpacked in this frame. */
  total = 0;
  /** How far back a match may reach. */
  size = 0;
  #needed = 0;

  /** Starts a frame; `content` is its unpacked size where its header says it. */
  begin(size: number, content: number | null): void {
    this.size = size;
    this.#needed = Math.min(size, content ?? size) + 2 * MAX_BLOCK;
    this.position = this.lap = this.total = 0;
  }

  /** Makes room for one block at `position`. */
  reserve(): void {
    if (this.position + MAX_BLOCK <= this.bytes.length) return;
    if (this.bytes.length >= this.#needed) {
      this.lap = this.position;
      this.position = 0;
      return;
    }
    const grown = Math.max(FIRST_BYTES, 2 * this.bytes.length, this.position + MAX_BLOCK);
    let bytes: Uint8Array;
    try {
      bytes = new Uint8Array(Math.min(grown, Math.max(this.#needed, this.position + MAX_BLOCK)));
    } catch (error) {
      const mib = Math.ceil(this.#needed / 1_048_576);
      throw new BrokenData("unsupported", `its window needs ${mib} MiB of memory`, error);
    }
    bytes.set(this.bytes.subarray(0, this.position));
    this.bytes = bytes;
  }
}
