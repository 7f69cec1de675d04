/** What a post is about, as averaged word vectors. */
import { int32s } from "../short_arrays.ts";
import type { HashTable } from "./table.ts";

/**
 * Vectors of words, learned from unlabelled posts; each word has `dims` of the `values` and one of
 * the `weights`.
 */
export interface WordTable {
  readonly table: HashTable;
  /** Rows of `dims` values in -127..127. */
  readonly values: Int8Array;
  /** How much a word weighs in an average: the rarer the more. */
  readonly weights: Uint8Array;
  readonly dims: number;
}

/** The words of a post, sentence by sentence. */
export interface WordsBySentence {
  /** Hashes of the words in reading order. */
  readonly words: ArrayLike<number>;
  /** Where each sentence's words end in `words`. */
  readonly ends: readonly number[];
  /** How many of the first sentences are the title's. */
  readonly titleCount: number;
  /** Whether a sentence asks for something, 1 or 0. */
  readonly asks: readonly number[];
}

/** Length the averaged vectors are scaled to, so that they weigh about as much as a handful of cues. */
const LENGTH = 3;

/** Vectors a post is averaged into: its title, its body, and the sentences that ask for something. */
export const BLOCKS = 3;

/**
 * Writes the post's three weighted averages (`BLOCKS * dims` values) into `out`, and each sentence's (`dims` values)
 * into `each`, one after the other.
 */
export function denseWords(
  text: WordsBySentence,
  table: WordTable,
  out: Float32Array,
  each: Float32Array,
): void {
  const { words, ends, titleCount, asks } = text;
  const { dims } = table;
  // Whole numbers, which are added faster; a sentence's stay so small that fractions hold them, too.
  const sum = int32s(dims);
  out.fill(0);
  let w = 0;
  for (let s = 0; s < ends.length; s++) {
    const at = s * dims;
    sum.fill(0);
    for (; w < ends[s]!; w++) addWord(words[w]!, table, sum);
    each.set(sum, at);
    const to = s < titleCount ? 0 : dims;
    for (let d = 0; d < dims; d++) out[to + d]! += each[at + d]!;
    if (asks[s] === 1) { for (let d = 0; d < dims; d++) out[2 * dims + d]! += each[at + d]!; }
    scaleTo(each, at, dims);
  }
  for (let block = 0; block < BLOCKS; block++) scaleTo(out, block * dims, dims);
}

function scaleTo(vector: Float32Array, from: number, dims: number): void {
  let square = 0;
  for (let d = from; d < from + dims; d++) square += vector[d]! * vector[d]!;
  const scale = square > 0 ? LENGTH / Math.sqrt(square) : 0;
  for (let d = from; d < from + dims; d++) vector[d]! *= scale;
}

function addWord(
  word: number,
  { table, values, weights, dims }: WordTable,
  sum: Int32Array,
): void {
  const row = table.row(word);
  if (row < 0) return;
  const weight = weights[row]!;
  for (let d = 0, from = row * dims; d < dims; d++) {
    sum[d] = sum[d]! + Math.imul(weight, values[from + d]!) | 0;
  }
}
