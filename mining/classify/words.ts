/** What a post is about, as two averaged word vectors: the title's and the body's. */
import type { HashTable } from "./table.ts";

export interface WordTable {
  readonly table: HashTable;
  /** Rows of `dims` values in -127..127. */
  readonly values: Int8Array;
  /** How much a word weighs in an average: the rarer the more. */
  readonly weights: Uint8Array;
  readonly dims: number;
}

/** Length the averaged vectors are scaled to, so that they weigh about as much as a handful of cues. */
const LENGTH = 3;

/** Writes the title's and the body's weighted averages (`2 * dims` values) into `out`. */
export function denseOf(
  words: ArrayLike<number>,
  titleWords: number,
  table: WordTable,
  out: Float32Array,
): void {
  out.fill(0);
  const { dims, values, weights } = table;
  for (let i = 0; i < words.length; i++) {
    const row = table.table.row(words[i]!);
    if (row < 0) continue;
    const weight = weights[row]!;
    const to = i < titleWords ? 0 : dims;
    for (let d = 0, from = row * dims; d < dims; d++) out[to + d]! += weight * values[from + d]!;
  }
  for (let to = 0; to < out.length; to += dims) {
    let square = 0;
    for (let d = 0; d < dims; d++) square += out[to + d]! * out[to + d]!;
    const scale = square > 0 ? LENGTH / Math.sqrt(square) : 0;
    for (let d = 0; d < dims; d++) out[to + d]! *= scale;
  }
}
