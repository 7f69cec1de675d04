/** What a post is about, as averaged word vectors. */
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

/** Vectors a post is averaged into: its title, its body, and the sentences that ask for something. */
export const BLOCKS = 3;

/** Writes the three weighted averages (`BLOCKS * dims` values) into `out`. */
export function denseOf(
  words: ArrayLike<number>,
  titleWords: number,
  asked: ArrayLike<number>,
  table: WordTable,
  out: Float32Array,
): void {
  out.fill(0);
  const { dims } = table;
  for (let i = 0; i < words.length; i++) addWord(words[i]!, table, out, i < titleWords ? 0 : dims);
  for (let i = 0; i < asked.length; i++) addWord(asked[i]!, table, out, 2 * dims);
  for (let to = 0; to < out.length; to += dims) {
    let square = 0;
    for (let d = 0; d < dims; d++) square += out[to + d]! * out[to + d]!;
    const scale = square > 0 ? LENGTH / Math.sqrt(square) : 0;
    for (let d = 0; d < dims; d++) out[to + d]! *= scale;
  }
}

function addWord(
  word: number,
  { table, values, weights, dims }: WordTable,
  out: Float32Array,
  to: number,
): void {
  const row = table.row(word);
  if (row < 0) return;
  const weight = weights[row]!;
  for (let d = 0, from = row * dims; d < dims; d++) out[to + d]! += weight * values[from + d]!;
}
