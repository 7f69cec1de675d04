/** Trains what all the words of a post together speak of (mining/extract/product/gist.ts). */
import { HashTable } from "../../../mining/classify/table.ts";
import { kindNameOf } from "../../../mining/extract/product/names.ts";
import type { GistTable } from "../../../mining/extract/product/gist.ts";
import { eachStem } from "../../../mining/extract/product/shelves.ts";
import { hashWord } from "../../../mining/classify/hash.ts";
import { KIND, stem, tokenize } from "../../../mining/extract/tokens.ts";
import type { PostText } from "../../../mining/types.ts";
import { softmax } from "../linear.ts";
import { seeded, shuffle } from "../random.ts";
import { learnVectors, type WordVectors } from "../vectors.ts";
import type { ShelfPost } from "./shelves.ts";

const DIMS = 64;
/** Kinds of fewer texts, and words in fewer that have no vector, are left out. */
const LEAST_TEXTS = 2;
const LEAST_POSTS = 3;
const EPOCHS = 12;
const RATE = 0.15;
/** How fast words move from where their company puts them, beside kinds. */
const WORD_RATE = 0.5;
const DROPOUT = 0.3;
/** The length that the words' vectors begin with; they come in this one. */
const LENGTH = 2;
const GIVEN_LENGTH = 254;
/** How rare a word without a vector is. */
const RAREST = 9;
/** Shares that pull too little to be worth a step. */
const LEAST_PULL = 0.0005;

/** Learns the company of stems in posts of all sorts. */
export function learnCompany(posts: readonly PostText[]): WordVectors {
  const texts = posts.map((post) => {
    const { word, kind } = tokenize(post);
    return Int32Array.from(word.filter((_, i) => kind[i] === KIND.word), (w) => hashWord(stem(w)));
  });
  return learnVectors(texts, DIMS);
}

/** A text as rows of words and how much each counts. */
interface Text {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
  readonly kind: number;
}

/** How often each stem of a text counts. */
function stemsOf({ post, community }: ShelfPost): ReadonlyMap<number, number> {
  const stems = new Map<number, number>();
  eachStem(post, community, (hash, times) => {
    if (!stems.has(hash)) stems.set(hash, times);
  });
  return stems;
}

/** Fits the network by AdaGrad on texts whose product is known. The same texts give the same bytes. */
export function learnGist(posts: readonly ShelfPost[], company: WordVectors): GistTable {
  const read = posts.map((post) => ({ times: stemsOf(post), kind: kindNameOf(post.product) }));
  const inTexts = new Map<number, number>();
  const sizes = new Map<string, number>();
  for (const { times, kind } of read) {
    sizes.set(kind, (sizes.get(kind) ?? 0) + 1);
    for (const hash of times.keys()) inTexts.set(hash, (inTexts.get(hash) ?? 0) + 1);
  }
  const placed = new HashTable(company.keys);
  const often = [...inTexts].filter(([, n]) => n >= LEAST_POSTS).map(([hash]) => hash);
  const keys = Int32Array.from(new Set([...company.keys, ...often])).sort();
  const words = new Float32Array(keys.length * DIMS);
  const rareness = Uint8Array.from(keys, (hash, row) => {
    const from = placed.row(hash);
    if (from < 0) return 16 * RAREST;
    for (let d = 0; d < DIMS; d++) {
      words[row * DIMS + d] = company.values[from * DIMS + d]! * LENGTH / GIVEN_LENGTH;
    }
    return company.weights[from]!;
  });
  const names = [...sizes].filter(([, n]) => n >= LEAST_TEXTS).map(([name]) => name).sort();
  const kindOf = new Map(names.map((name, kind) => [name, kind]));
  const table = new HashTable(keys);
  const texts = read.flatMap(({ times, kind }): Text[] => {
    const number = kindOf.get(kind);
    const known = [...times].filter(([hash]) => table.row(hash) >= 0);
    if (number === undefined || known.length === 0) return [];
    const rows = Int32Array.from(known, ([hash]) => table.row(hash));
    const weights = Float64Array.from(known, ([, n], i) => n * rareness[rows[i]!]! / 16);
    const length = Math.hypot(...weights);
    return [{ rows, weights: weights.map((weight) => weight / length), kind: number }];
  });
  const { kinds, usual } = descend(texts, words, names.length);
  const small = (values: Float32Array): { values: Int8Array; scale: number } => {
    const top = values.map(Math.abs).sort()[Math.floor(values.length * 0.9995)] ?? 1;
    const scale = top / STEPS;
    const whole = (value: number): number => Math.round(value / scale);
    const values8 = Int8Array.from(values, (v) => Math.max(-STEPS, Math.min(STEPS, whole(v))));
    return { values: values8, scale };
  };
  const { values: smallWords, scale: wordScale } = small(words);
  const { values: smallKinds, scale: kindScale } = small(kinds);
  return {
    dims: DIMS,
    keys,
    rareness,
    words: smallWords,
    wordScale,
    names,
    kinds: smallKinds,
    kindScale,
    usual: Int8Array.from(usual, (v) => Math.max(-127, Math.min(127, Math.round(16 * v)))),
  };
}

/** Values are stored as at most this many steps to either side of 0: few pack well. */
const STEPS = 7;

/** Moves `words`, and places kinds among them. */
function descend(
  texts: readonly Text[],
  words: Float32Array,
  count: number,
): { kinds: Float32Array; usual: Float32Array } {
  const random = seeded(41);
  const kinds = new Float32Array(count * DIMS);
  const usual = new Float32Array(count);
  const wordSquares = new Float32Array(words.length).fill(START);
  const kindSquares = new Float32Array(kinds.length).fill(START);
  const usualSquares = new Float32Array(count).fill(START);
  const order = Int32Array.from(texts, (_, i) => i);
  const point = new Float32Array(DIMS);
  const back = new Float32Array(DIMS);
  const p = new Float64Array(count);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    const rate = RATE * (1 - epoch / EPOCHS);
    for (const at of order) {
      const { rows, weights, kind } = texts[at]!;
      const kept = weights.map((weight) => random() < DROPOUT ? 0 : weight / (1 - DROPOUT));
      point.fill(0);
      rows.forEach((row, i) => {
        const weight = kept[i]!;
        if (weight === 0) return;
        for (let d = 0, k = row * DIMS; d < DIMS; d++, k++) point[d]! += weight * words[k]!;
      });
      for (let c = 0, k = 0; c < count; c++) {
        let even = 0, odd = 0;
        for (let d = 0; d < DIMS; d += 2, k += 2) {
          even += point[d]! * kinds[k]!;
          odd += point[d + 1]! * kinds[k + 1]!;
        }
        p[c] = usual[c]! + even + odd;
      }
      softmax(p);
      p[kind]! -= 1;
      back.fill(0);
      for (let c = 0; c < count; c++) {
        const pull = p[c]!;
        if (Math.abs(pull) < LEAST_PULL) continue;
        step(usual, usualSquares, c, pull, rate);
        for (let d = 0, k = c * DIMS; d < DIMS; d++, k++) {
          back[d]! += pull * kinds[k]!;
          step(kinds, kindSquares, k, pull * point[d]!, rate);
        }
      }
      rows.forEach((row, i) => {
        const weight = kept[i]!;
        if (weight === 0) return;
        for (let d = 0, k = row * DIMS; d < DIMS; d++, k++) {
          step(words, wordSquares, k, weight * back[d]!, WORD_RATE * rate);
        }
      });
    }
  }
  return { kinds, usual };
}

/** What squares of gradients begin with. */
const START = 0.01;

function step(
  weights: Float32Array,
  squares: Float32Array,
  k: number,
  gradient: number,
  rate: number,
): void {
  const square = squares[k]! + gradient * gradient;
  squares[k] = square;
  weights[k]! -= rate * gradient / Math.sqrt(square);
}
