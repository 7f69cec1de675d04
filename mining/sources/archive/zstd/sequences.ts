/** The sequences section of a block, and its execution (RFC 8878, 3.1.1.3.2 and 3.1.1.4). */
import { corrupt } from "../broken.ts";
import {
  backwardStart,
  type Bits,
  buildFse,
  constantFse,
  type FseTable,
  readFse,
} from "./entropy.ts";
import type { Literals } from "./literals.ts";
import { MAX_BLOCK, type SlidingWindow } from "./window.ts";

/** Extra bits of a code, and the value at which its range starts. */
interface Code {
  readonly widths: Uint8Array;
  readonly bases: Uint32Array;
}

function code(first: number, widths: readonly number[]): Code {
  let base = first;
  const bases = widths.map((width) => {
    const own = base;
    base += 2 ** width;
    return own;
  });
  return { widths: Uint8Array.from(widths), bases: Uint32Array.from(bases) };
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const LITERAL = code(0, [
  ...zeros(16),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
]);
const MATCH = code(3, [
  ...zeros(32),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
]);

interface Kind {
  readonly maxLog: number;
  readonly maxSymbol: number;
  readonly preset: FseTable;
}

/** Literal lengths, offsets, match lengths, in the order their tables are sent. */
const KINDS: readonly [Kind, Kind, Kind] = [
  {
    maxLog: 9,
    maxSymbol: 35,
    // deno-fmt-ignore
    preset: buildFse([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3,
      2, 1, 1, 1, 1, 1, -1, -1, -1, -1], 6),
  },
  {
    maxLog: 8,
    maxSymbol: 31,
    // deno-fmt-ignore
    preset: buildFse([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      -1, -1, -1, -1, -1], 5),
  },
  {
    maxLog: 9,
    maxSymbol: 52,
    // deno-fmt-ignore
    preset: buildFse([1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], 6),
  },
];

/** The `width` bits, at most 25, that begin at a bit. */
function bitsAt(view: DataView, position: number, width: number): number {
  return (view.getUint32(position >> 3, true) >>> (position & 7)) & ((1 << width) - 1);
}

/** Copies within the window, byte by byte where source and target overlap. */
function copyMatch(window: SlidingWindow, offset: number, length: number): void {
  const { bytes, lap } = window;
  let to = window.position;
  let from = to - offset;
  window.position = to + length;
  if (from < 0) {
    from += lap;
    for (let i = 0; i < length; i++) {
      bytes[to++] = bytes[from++]!;
      if (from === lap) from = 0;
    }
  } else if (length > 64 && offset >= length) {
    bytes.copyWithin(to, from, from + length);
  } else {
    for (let i = 0; i < length; i++) bytes[to++] = bytes[from++]!;
  }
}

/** A frame's tables and last offsets, which its blocks hand on. */
export class Sequences {
  #tables: (FseTable | null)[] = [null, null, null];
  #recent = [1, 4, 8];

  /** Starts a frame. */
  reset(): void {
    this.#tables = [null, null, null];
    this.#recent = [1, 4, 8];
  }

  /** Decodes the section from byte `start` to `end` and writes the block to the window. */
  run(bits: Bits, start: number, end: number, literals: Literals, window: SlidingWindow): void {
    const { view } = bits;
    let at = start;
    let count = view.getUint8(at++);
    if (count === 255) {
      count = view.getUint16(at, true) + 0x7f00;
      at += 2;
    } else if (count > 127) {
      count = ((count - 128) << 8) | view.getUint8(at++);
    }
    if (count === 0) {
      if (at !== end) throw corrupt("a block has bytes left over");
      window.bytes.set(literals.bytes.subarray(0, literals.length), window.position);
      window.position += literals.length;
      window.total += literals.length;
      return;
    }
    const modes = view.getUint8(at++);
    if ((modes & 3) !== 0) throw corrupt("a reserved bit is set");
    KINDS.forEach((kind, i) => {
      const mode = (modes >> (6 - 2 * i)) & 3;
      if (mode === 0) this.#tables[i] = kind.preset;
      else if (mode === 1) this.#tables[i] = constantFse(view.getUint8(at++), kind.maxSymbol);
      else if (mode === 2) {
        const read = readFse(bits, at, { log: kind.maxLog, symbol: kind.maxSymbol, end });
        this.#tables[i] = read.table;
        at = read.end;
      }
    });
    this.#execute(bits, at, end, count, literals, window);
  }

  #execute(
    bits: Bits,
    start: number,
    end: number,
    count: number,
    literals: Literals,
    window: SlidingWindow,
  ): void {
    const { view } = bits;
    const [literalTable, offsetTable, matchTable] = this.#tables;
    if (!literalTable || !offsetTable || !matchTable) {
      throw corrupt("a block refers to a table never sent");
    }
    let position = backwardStart(bits, start, end);
    let literalState = bitsAt(view, position -= literalTable.log, literalTable.log);
    let offsetState = bitsAt(view, position -= offsetTable.log, offsetTable.log);
    let matchState = bitsAt(view, position -= matchTable.log, matchTable.log);
    const { bytes } = window;
    const text = literals.bytes;
    const blockStart = window.position;
    const blockEnd = blockStart + Math.min(MAX_BLOCK, window.size);
    let used = 0;
    for (let left = count; left > 0; left--) {
      const literalEntry = literalTable.entries[literalState]!;
      const offsetEntry = offsetTable.entries[offsetState]!;
      const matchEntry = matchTable.entries[matchState]!;
      const offsetWidth = offsetEntry & 255;
      position -= offsetWidth;
      const offsetBits = offsetWidth > 25
        ? bitsAt(view, position + 16, offsetWidth - 16) * 65_536 + bitsAt(view, position, 16)
        : bitsAt(view, position, offsetWidth);
      const matchWidth = MATCH.widths[matchEntry & 255]!;
      const matchLength = MATCH.bases[matchEntry & 255]! +
        bitsAt(view, position -= matchWidth, matchWidth);
      const width = LITERAL.widths[literalEntry & 255]!;
      const length = LITERAL.bases[literalEntry & 255]! + bitsAt(view, position -= width, width);
      if (left > 1) {
        const forLiteral = (literalEntry >>> 8) & 255;
        literalState = (literalEntry >>> 16) + bitsAt(view, position -= forLiteral, forLiteral);
        const forMatch = (matchEntry >>> 8) & 255;
        matchState = (matchEntry >>> 16) + bitsAt(view, position -= forMatch, forMatch);
        const forOffset = (offsetEntry >>> 8) & 255;
        offsetState = (offsetEntry >>> 16) + bitsAt(view, position -= forOffset, forOffset);
      }
      const offset = this.#offset(2 ** offsetWidth + offsetBits, length === 0);
      let to = window.position;
      if (used + length > literals.length || to + length + matchLength > blockEnd) {
        throw corrupt("a block's sizes do not fit");
      }
      if (length > 64) bytes.set(text.subarray(used, used + length), to);
      else for (let i = 0; i < length; i++) bytes[to + i] = text[used + i]!;
      used += length;
      to += length;
      window.position = to;
      if (offset > window.size || offset > window.total + (to - blockStart)) {
        throw corrupt("a match reaches back too far");
      }
      copyMatch(window, offset, matchLength);
    }
    if (position !== start * 8) throw corrupt("a sequence stream does not end where it should");
    const rest = literals.length - used;
    if (window.position + rest > blockEnd) throw corrupt("a block's sizes do not fit");
    window.bytes.set(literals.bytes.subarray(used, literals.length), window.position);
    window.position += rest;
    window.total += window.position - blockStart;
  }

  /** The offset a value stands for: one of the last three, or a new one (RFC 8878, 3.1.1.5). */
  #offset(value: number, noLiterals: boolean): number {
    const recent = this.#recent;
    if (value > 3) {
      recent[2] = recent[1]!;
      recent[1] = recent[0]!;
      return recent[0] = value - 3;
    }
    const index = value - 1 + (noLiterals ? 1 : 0);
    if (index === 0) return recent[0]!;
    const offset = index === 3 ? recent[0]! - 1 : recent[index]!;
    if (offset < 1) throw corrupt("a match reaches back too far");
    if (index > 1) recent[2] = recent[1]!;
    recent[1] = recent[0]!;
    return recent[0] = offset;
  }
}
