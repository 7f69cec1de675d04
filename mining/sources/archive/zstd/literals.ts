/** The literals section of a block (RFC 8878, 3.1.1.3.1). */
import { corrupt } from "../broken.ts";
import { type Bits, decodeHuffman, type HuffmanTable, readHuffman } from "./entropy.ts";
import { MAX_BLOCK } from "./window.ts";

/** A frame's literals: the bytes of the current block, and the prefix code kept for the next. */
export class Literals {
  readonly bytes = new Uint8Array(MAX_BLOCK);
  /** Literals of the current block. */
  length = 0;
  #table: HuffmanTable | null = null;

  /** Starts a frame: no code is known. */
  reset(): void {
    this.#table = null;
  }

  /** Decodes the section at byte `start` of a block that ends at `limit`; the byte after it. */
  read(bits: Bits, start: number, limit: number): number {
    const { view, bytes } = bits;
    const first = view.getUint8(start);
    const kind = first & 3;
    const format = (first >> 2) & 3;
    if (kind >= 2) return this.#compressed(bits, start, limit, kind === 3, format);

    const header = format === 1 ? 2 : format === 3 ? 3 : 1;
    const word = view.getUint32(start, true);
    this.length = header === 1 ? first >> 3 : (word & (header === 2 ? 0xffff : 0xffffff)) >>> 4;
    const data = start + header;
    const end = data + (kind === 0 ? this.length : 1);
    if (this.length > MAX_BLOCK || end > limit) throw corrupt("a block's sizes do not fit");
    if (kind === 0) this.bytes.set(bytes.subarray(data, end));
    else this.bytes.fill(view.getUint8(data), 0, this.length);
    return end;
  }

  #compressed(bits: Bits, start: number, limit: number, reuse: boolean, format: number): number {
    const { view } = bits;
    const word = view.getUint32(start, true);
    const width = format < 2 ? 10 : format === 2 ? 14 : 18;
    const mask = (1 << width) - 1;
    this.length = (word >>> 4) & mask;
    const header = format < 2 ? 3 : format + 2;
    const packed = format === 3
      ? (word >>> 22) | (view.getUint8(start + 4) << 10)
      : (word >>> (4 + width)) & mask;
    let data = start + header;
    const end = data + packed;
    if (this.length > MAX_BLOCK || end > limit) throw corrupt("a block's sizes do not fit");
    if (!reuse) {
      const read = readHuffman(bits, data, end);
      this.#table = read.table;
      data = read.end;
    }
    const table = this.#table;
    if (table === null) throw corrupt("a block refers to a code never sent");
    if (format === 0) {
      decodeHuffman(bits, { start: data, end }, table, this.bytes, 0, this.length);
    } else {
      this.#fourStreams(bits, data, end, table);
    }
    return end;
  }

  #fourStreams(bits: Bits, start: number, end: number, table: HuffmanTable): void {
    const quarter = (this.length + 3) >> 2;
    if (start + 6 > end || 3 * quarter > this.length) throw corrupt("a block's sizes do not fit");
    let from = start + 6;
    for (let i = 0; i < 4; i++) {
      const to = i === 3 ? end : from + bits.view.getUint16(start + 2 * i, true);
      if (to > end) throw corrupt("a block's sizes do not fit");
      const count = i === 3 ? this.length - 3 * quarter : quarter;
      decodeHuffman(bits, { start: from, end: to }, table, this.bytes, i * quarter, count);
      from = to;
    }
  }
}
