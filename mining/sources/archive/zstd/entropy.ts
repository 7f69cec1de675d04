/** The two entropy coders of Zstandard, as decoding tables (RFC 8878, section 4). */
import { corrupt } from "../broken.ts";

/** Bytes with room for reads of four bytes at any of them. */
export interface Bits {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/**
 * A finite-state table. An entry packs the next state's base (bits 16 up), the number of bits to
 * add to it (bits 8-15) and the symbol (bits 0-7).
 */
export interface FseTable {
  readonly log: number;
  readonly entries: Uint32Array;
}

/** A prefix-code table, indexed by the next `bits` bits: code length (bits 8 up) and symbol. */
export interface HuffmanTable {
  readonly bits: number;
  readonly entries: Uint16Array;
}

const MAX_HUFFMAN_BITS = 11;
const MAX_WEIGHT_LOG = 6;

/** Where a stream that is read backwards begins: the bit under its highest set bit. */
export function backwardStart(bits: Bits, start: number, end: number): number {
  const last = end > start ? bits.view.getUint8(end - 1) : 0;
  if (last === 0) throw corrupt("a bit stream has no end mark");
  return (end - 1) * 8 + 31 - Math.clz32(last);
}

/** The table for symbol counts; -1 stands for "less than one" (RFC 8878, 4.1.1). */
export function buildFse(counts: readonly number[], log: number): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  counts.forEach((count, symbol) => {
    if (count === -1) symbols[--high] = symbol;
    next[symbol] = Math.abs(count);
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; i++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1); while (position >= high);
    }
  });
  if (position !== 0) throw corrupt("a table of symbol counts does not add up");
  const entries = new Uint32Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state]!;
    const value = next[symbol]!;
    next[symbol] = value + 1;
    const width = log - (31 - Math.clz32(value));
    entries[state] = (((value << width) - size) << 16) | (width << 8) | symbol;
  }
  return { log, entries };
}

/** A table that always gives the same symbol and takes no bits. */
export function constantFse(symbol: number, maxSymbol: number): FseTable {
  if (symbol > maxSymbol) throw corrupt("a symbol is out of range");
  return { log: 0, entries: new Uint32Array([symbol]) };
}

/** Reads a table's description that begins at byte `start`; `end` is the byte after it. */
export function readFse(
  { view }: Bits,
  start: number,
  limit: { readonly log: number; readonly symbol: number; readonly end: number },
): { table: FseTable; end: number } {
  const log = (view.getUint8(start) & 15) + 5;
  if (log > limit.log) throw corrupt("a table is too large");
  let bit = start * 8 + 4;
  const peek = (width: number) =>
    (view.getUint32(bit >> 3, true) >>> (bit & 7)) & ((1 << width) - 1);
  const counts: number[] = [];
  let remaining = 1 << log;
  while (remaining > 0 && counts.length <= limit.symbol && bit <= limit.end * 8) {
    const width = 32 - Math.clz32(remaining + 1);
    const low = (1 << (width - 1)) - 1;
    const spare = (1 << width) - 2 - remaining;
    let value = peek(width);
    if ((value & low) < spare) {
      value &= low;
      bit += width - 1;
    } else {
      if (value > low) value -= spare;
      bit += width;
    }
    const count = value - 1;
    remaining -= Math.abs(count);
    counts.push(count);
    for (let more = count === 0; more;) {
      const zeros = peek(2);
      bit += 2;
      for (let i = 0; i < zeros; i++) counts.push(0);
      more = zeros === 3 && counts.length <= limit.symbol;
    }
  }
  const end = (bit + 7) >> 3;
  if (remaining !== 0 || counts.length > limit.symbol + 1 || end > limit.end) {
    throw corrupt("a table of symbol counts does not add up");
  }
  return { table: buildFse(counts, log), end };
}

/** The weights of a Huffman table that are themselves compressed: two states, read in turn. */
function readWeights(bits: Bits, start: number, end: number): number[] {
  const limit = { log: MAX_WEIGHT_LOG, symbol: 255, end };
  const { table, end: dataStart } = readFse(bits, start, limit);
  let position = backwardStart(bits, dataStart, end);
  const weights: number[] = [];
  const states = [0, 0];
  const widths = [table.log, table.log];
  for (let turn = 0; weights.length <= 255; turn ^= 1) {
    const width = widths[turn]!;
    position -= width;
    if (position < dataStart * 8) return weights;
    const word = bits.view.getUint32(position >> 3, true) >>> (position & 7);
    const entry = table.entries[states[turn]! + (word & ((1 << width) - 1))]!;
    weights.push(entry & 255);
    states[turn] = entry >>> 16;
    widths[turn] = (entry >>> 8) & 255;
  }
  throw corrupt("a prefix code has too many symbols");
}

/** Reads a Huffman table's description at byte `start` (RFC 8878, 4.2.1). */
export function readHuffman(
  bits: Bits,
  start: number,
  limit: number,
): { table: HuffmanTable; end: number } {
  const head = bits.view.getUint8(start);
  let end = start + 1;
  let weights: number[] = [];
  if (head < 128) {
    end += head;
    if (end > limit) throw corrupt("a prefix code is cut off");
    weights = readWeights(bits, start + 1, end);
  } else {
    const count = head - 127;
    end += (count + 1) >> 1;
    if (end > limit) throw corrupt("a prefix code is cut off");
    for (let i = 0; i < count; i++) {
      const byte = bits.view.getUint8(start + 1 + (i >> 1));
      weights.push(i & 1 ? byte & 15 : byte >> 4);
    }
  }
  return { table: buildHuffman(weights), end };
}

function buildHuffman(weights: number[]): HuffmanTable {
  const sum = weights.reduce((total, weight) => total + (weight ? 2 ** (weight - 1) : 0), 0);
  if (sum === 0 || sum >= 1 << MAX_HUFFMAN_BITS) throw corrupt("a prefix code does not add up");
  const width = 32 - Math.clz32(sum);
  const rest = (1 << width) - sum;
  if ((rest & (rest - 1)) !== 0) throw corrupt("a prefix code does not add up");
  // The last symbol's weight is what is missing to a power of two.
  const all = [...weights, 32 - Math.clz32(rest)];
  const entries = new Uint16Array(1 << width);
  let at = 0;
  for (let weight = 1; weight <= width; weight++) {
    const entry = (width + 1 - weight) << 8;
    all.forEach((own, symbol) => {
      if (own !== weight) return;
      entries.fill(entry | symbol, at, at + (1 << (weight - 1)));
      at += 1 << (weight - 1);
    });
  }
  return { bits: width, entries };
}

/** Decodes `count` symbols of one backward stream into `out` from `at` (RFC 8878, 4.2.2). */
export function decodeHuffman(
  bits: Bits,
  stream: { readonly start: number; readonly end: number },
  { bits: width, entries }: HuffmanTable,
  out: Uint8Array,
  at: number,
  count: number,
): void {
  const { view } = bits;
  const mask = (1 << width) - 1;
  const stop = at + count;
  let position = backwardStart(bits, stream.start, stream.end);
  // Two codes of at most 11 bits to a load. Bits below the stream's start belong to no code.
  for (; at < stop - 1; at += 2) {
    const low = position - 22;
    const word = view.getUint32(low >> 3, true) >>> (low & 7);
    const one = entries[(word >>> (22 - width)) & mask]!;
    const two = entries[(word >>> (22 - width - (one >> 8))) & mask]!;
    out[at] = one;
    out[at + 1] = two;
    position -= (one >> 8) + (two >> 8);
    if (position < 0) break;
  }
  if (at < stop && position >= width) {
    const low = position - width;
    const one = entries[(view.getUint32(low >> 3, true) >>> (low & 7)) & mask]!;
    out[at] = one;
    position -= one >> 8;
  }
  if (position !== stream.start * 8) throw corrupt("a literal stream does not end where it should");
}
