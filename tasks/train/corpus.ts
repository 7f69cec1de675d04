/** Posts as numbers: what training and cross-validation compute once and read many times. */
import {
  CUE_FEATURES,
  MAX_SENTENCES,
  read,
  type Reading,
  SENTENCE_FEATURES,
} from "../../mining/classify/reading.ts";
import {
  BLOCKS,
  denseWords,
  type WordsBySentence,
  type WordTable,
} from "../../mining/classify/word_table.ts";
import { HashTable } from "../../mining/classify/table.ts";
import type { LabelledPost } from "./data.ts";
import { PATTERN_CLASSES } from "../../mining/classify/groups.ts";
import type { NetworkInputs, Rows } from "./rows.ts";
import { learnVectors, type WordVectors } from "./vectors.ts";

/** Values of a word's vector. */
export const DIMS = 48;
/** A word group is a feature if at least this many posts hold it and it is among the most frequent. */
const MIN_POSTS = 12;
const MAX_GRAMS = 32000;

/** Labelled posts, and what was learned from their words. */
export interface Corpus {
  readonly posts: readonly LabelledPost[];
  readonly vectors: WordVectors;
  /** Hashes of the word groups in use and their inverse document frequencies in sixteenths. */
  readonly gramKeys: Int32Array;
  readonly gramWeights: Uint8Array;
  /** Word groups per post, and per sentence (numbered as in `inputs`), scaled to length 1. */
  readonly grams: Rows;
  readonly sentenceGrams: Rows;
  /** What the networks read, less the leanings: cues, sentences' features and averaged word vectors. */
  readonly inputs: NetworkInputs;
}

/** Reads all posts, learns word vectors and the vocabulary of word groups from them, labels unseen. */
export function buildCorpus(posts: readonly LabelledPost[]): Corpus {
  const words: Int32Array[] = [];
  const grams: Int32Array[] = [];
  const bySentence: Int32Array[] = [];
  const cueIndex: Uint16Array[] = [];
  const cueValue: Float32Array[] = [];
  const texts: WordsBySentence[] = [];
  const points: Uint16Array[] = [];
  const firstSentence = new Int32Array(posts.length + 1);
  for (const post of posts) {
    const reading: Reading = read(post);
    words.push(Int32Array.from(reading.words));
    texts.push({
      words: words[words.length - 1]!,
      ends: reading.ends,
      titleCount: reading.titleCount,
      asks: reading.asks,
    });
    for (const point of reading.points) points.push(Uint16Array.from(point));
    firstSentence[texts.length] = points.length;
    grams.push(distinct(reading.grams));
    reading.gramEnds.forEach((end, s) =>
      bySentence.push(reading.grams.subarray(reading.gramEnds[s - 1] ?? 0, end))
    );
    const index: number[] = [];
    for (let c = 0; c < CUE_FEATURES; c++) if (reading.cues[c] !== 0) index.push(c);
    cueIndex.push(Uint16Array.from(index));
    cueValue.push(Float32Array.from(index, (c) => reading.cues[c]!));
  }
  const vectors = learnVectors(words, DIMS);
  const { keys, weights } = countGrams(grams);
  const table = new HashTable(keys);
  const groupRow = (hashes: Int32Array, emit: (index: number, value: number) => void): void => {
    const rows: number[] = [];
    let square = 0;
    for (const hash of hashes) {
      const row = table.row(hash);
      if (row < 0) continue;
      rows.push(row);
      square += weights[row]! ** 2;
    }
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (const row of rows) emit(row, weights[row]! * scale);
  };
  const gramRows = collect(posts.length, (i, emit) => groupRow(grams[i]!, emit));
  const sentenceGrams = collect(
    points.length,
    (s, emit) => groupRow(distinct(bySentence[s]!), emit),
  );
  const wordTable: WordTable = { ...vectors, table: new HashTable(vectors.keys) };
  const dense = new Float32Array(BLOCKS * DIMS);
  const each = new Float32Array(MAX_SENTENCES * DIMS);
  const inputs = collect(posts.length, (i, emit) => {
    cueIndex[i]!.forEach((c, at) => emit(c, cueValue[i]![at]!));
    denseWords(texts[i]!, wordTable, dense, each);
    for (let d = 0; d < dense.length; d++) emit(CUE_FEATURES + PATTERN_CLASSES + d, dense[d]!);
  });
  let post = 0;
  const sentences = collect(points.length, (s, emit) => {
    for (const point of points[s]!) emit(point, 1);
    if (s === 0) denseWords(texts[0]!, wordTable, dense, each);
    while (s >= firstSentence[post + 1]!) denseWords(texts[++post]!, wordTable, dense, each);
    const from = (s - firstSentence[post]!) * DIMS;
    for (let d = 0; d < DIMS; d++) emit(SENTENCE_FEATURES + PATTERN_CLASSES + d, each[from + d]!);
  });
  return {
    posts,
    vectors,
    gramKeys: keys,
    gramWeights: weights,
    grams: gramRows,
    sentenceGrams,
    inputs: { posts: inputs, sentences, firstSentence },
  };
}

function distinct(hashes: Int32Array): Int32Array {
  const sorted = Int32Array.from(hashes).sort();
  let n = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[n++] = sorted[i]!;
  }
  return sorted.slice(0, n);
}

function countGrams(posts: readonly Int32Array[]): { keys: Int32Array; weights: Uint8Array } {
  // A small counting table first: most word groups are rare and never need an entry of their own.
  const rough = new Uint16Array(1 << 24);
  const mask = rough.length - 1;
  for (const grams of posts) {
    for (const hash of grams) if (rough[hash & mask]! < 65535) rough[hash & mask]!++;
  }
  const counts = new Map<number, number>();
  for (const grams of posts) {
    for (const hash of grams) {
      if (rough[hash & mask]! >= MIN_POSTS) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
  }
  const kept = [...counts].filter(([, n]) => n >= MIN_POSTS).sort((a, b) =>
    b[1] - a[1] || a[0] - b[0]
  )
    .slice(0, MAX_GRAMS);
  return {
    keys: Int32Array.from(kept, ([hash]) => hash),
    weights: Uint8Array.from(
      kept,
      ([, n]) => Math.min(255, Math.round(16 * (1 + Math.log(posts.length / n)))),
    ),
  };
}

function collect(
  count: number,
  fill: (row: number, emit: (index: number, value: number) => void) => void,
): Rows {
  const starts = new Int32Array(count + 1);
  let index = new Int32Array(1 << 20);
  let value = new Float32Array(1 << 20);
  let at = 0;
  const emit = (i: number, v: number): void => {
    if (at === index.length) {
      const wider = new Int32Array(at * 2);
      wider.set(index);
      index = wider;
      const longer = new Float32Array(at * 2);
      longer.set(value);
      value = longer;
    }
    index[at] = i;
    value[at++] = v;
  };
  for (let row = 0; row < count; row++) {
    fill(row, emit);
    starts[row + 1] = at;
  }
  return { starts, index: index.slice(0, at), value: value.slice(0, at) };
}
