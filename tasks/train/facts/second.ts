/** Trains the second look at spans: softmax by AdaGrad on candidates of posts that the tagger has not seen. */
import { HashTable } from "../../../mining/classify/table.ts";
import type { Candidate } from "../../../mining/extract/spans/candidates.ts";
import {
  companyOf,
  MAX_SPARSE,
  meanOf,
  placeWindows,
  SCALARS,
  scalarsOf,
  sparseOf,
  WINDOWS,
  windows,
} from "../../../mining/extract/spans/span_features.ts";
import {
  CLASSES,
  NONE_CLASS,
  PRODUCT_CLASS,
  type SpanWeights,
} from "../../../mining/extract/spans/spans.ts";
import type { Prepared } from "../../../mining/extract/features.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { softmax } from "../linear.ts";
import { normal, seeded, shuffle } from "../random.ts";
import type { FactPost } from "./corpus.ts";
import { agreement, wordsOf } from "./word_overlap.ts";

/** A post's candidates as found by a tagger that has not seen it. */
export interface CandidatePost {
  readonly post: FactPost;
  readonly candidates: readonly Candidate[];
}

interface SecondOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly hidden: number;
  readonly dropout: number;
  readonly decay: number;
  readonly minCount: number;
  /** How much a candidate of a rare type weighs: one with less than a quarter of the mean of the types. */
  readonly rare: number;
}

export const SECOND_OPTIONS: SecondOptions = {
  epochs: 5,
  rate: 0.03,
  hidden: 24,
  dropout: 0.4,
  decay: 0.00003,
  minCount: 3,
  rare: 2.5,
};

/** What each candidate of a post is by its label: the class of the fact that it agrees with best. */
export function candidateTargets({ post, candidates }: CandidatePost): Uint8Array {
  const { tokens } = post.post;
  const gold = post.label.facts.map(([type, start, end]) => ({
    type: FACT_TYPES.indexOf(type),
    start,
    end,
    words: wordsOf(tokens.text.slice(start, end)),
  }));
  const product = post.label.product_span;
  const productWords = product === null ? null : wordsOf(tokens.text.slice(...product));
  return Uint8Array.from(candidates, ({ from, to }) => {
    const start = tokens.start[from]!;
    const end = tokens.end[to - 1]!;
    const words = wordsOf(tokens.text.slice(start, end));
    let best = 0;
    let type = NONE_CLASS;
    for (const fact of gold) {
      const close = agreement(words, fact.words);
      const overlaps = fact.start < end && start < fact.end;
      // The same words elsewhere in the post say the same.
      if (close < 0.3 || (!overlaps && close < 2)) continue;
      // A span that holds much beside the fact is none.
      if (words.size > 2 * fact.words.size + 4) continue;
      const score = close + (overlaps ? 1 : 0);
      if (score > best) {
        best = score;
        type = fact.type;
      }
    }
    if (type !== NONE_CLASS || productWords === null) return type;
    return agreement(words, productWords) >= 0.5 ? PRODUCT_CLASS : NONE_CLASS;
  });
}

/** Fits the second look. The same candidates give the same weights. */
export function fitSecond(
  given: readonly CandidatePost[],
  dims: number,
  options = SECOND_OPTIONS,
): SpanWeights<Float32Array> {
  const rows: Int32Array[] = [];
  const width = WINDOWS * dims + SCALARS;
  const total = given.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const dense = new Float32Array(total * width);
  const targets = new Uint8Array(total);
  const counts = new Map<number, number>();
  const room = new Int32Array(MAX_SPARSE);
  for (const one of given) {
    const company = companyOf(one.post.post, one.candidates);
    targets.set(candidateTargets(one), rows.length);
    one.candidates.forEach((candidate, k) => {
      const keys = room.slice(0, sparseOf(one.post.post, one.candidates, k, company, room));
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      denseOf(
        one.post.post,
        candidate,
        dense.subarray(rows.length * width, (rows.length + 1) * width),
      );
      rows.push(keys);
    });
  }
  const keys = Int32Array.from(
    [...counts].filter(([, n]) => n >= options.minCount).map(([key]) => key),
  ).sort();
  const table = new HashTable(keys);
  for (let r = 0; r < rows.length; r++) {
    rows[r] = rows[r]!.map((key) => table.row(key)).filter((row) => row >= 0);
  }
  return descend(rows, dense, targets, keys, width, options);
}

/** The dense inputs of a candidate, as `SpanReader` lays them out, into `out`, which holds zeros. */
function denseOf(post: Prepared, candidate: Candidate, out: Float32Array): void {
  const { dims } = post.lexemes.table;
  placeWindows(candidate, post.tokens.sentences[candidate.sentence]!);
  for (let w = 0; w < WINDOWS; w++) {
    meanOf(post, windows[2 * w]!, windows[2 * w + 1]!, out, w * dims);
  }
  scalarsOf(post, candidate, out, WINDOWS * dims);
}

function descend(
  rows: readonly Int32Array[],
  dense: Float32Array,
  targets: Uint8Array,
  keys: Int32Array,
  width: number,
  { hidden, epochs, rate: start, dropout, decay, rare }: SecondOptions,
): SpanWeights<Float32Array> {
  const random = seeded(12);
  const weights = new Float32Array(keys.length * CLASSES);
  const squares = new Float32Array(weights.length);
  const first = Float32Array.from(
    { length: (width + 1) * hidden },
    (_, i) => i < width * hidden ? normal(random) * 0.06 : 0,
  );
  const firstSquares = new Float32Array(first.length);
  const second = Float32Array.from(
    { length: (hidden + 1) * CLASSES },
    (_, i) => i < hidden * CLASSES ? normal(random) * 0.1 : 0,
  );
  const secondSquares = new Float32Array(second.length);
  const order = Int32Array.from(rows, (_, i) => i);
  const z = new Float64Array(CLASSES);
  const u = new Float64Array(hidden);
  const du = new Float64Array(hidden);
  const keep = 1 - dropout;
  const mean = new Float32Array(weights.length);
  const meanFirst = new Float32Array(first.length);
  const meanSecond = new Float32Array(second.length);
  const weigh = classWeights(targets, rare);
  let averaged = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    const rate = start * (1 - 0.85 * epoch / epochs);
    for (const r of order) {
      const row = rows[r]!;
      const base = r * width;
      let chosen = 0;
      z.fill(0);
      const used: number[] = [];
      for (let f = 0; f < row.length; f++) {
        if (random() >= keep) continue;
        used[chosen++] = row[f]!;
        for (let c = 0, at = row[f]! * CLASSES; c < CLASSES; c++) z[c]! += weights[at + c]!;
      }
      for (let c = 0; c < CLASSES; c++) z[c]! = z[c]! / keep + second[hidden * CLASSES + c]!;
      for (let h = 0; h < hidden; h++) u[h] = first[width * hidden + h]!;
      for (let d = 0; d < width; d++) {
        const x = dense[base + d]!;
        if (x === 0) continue;
        for (let h = 0, at = d * hidden; h < hidden; h++) u[h]! += x * first[at + h]!;
      }
      for (let h = 0; h < hidden; h++) {
        u[h] = u[h]! > 0 && random() > 0.2 ? u[h]! / 0.8 : 0;
        if (u[h] === 0) continue;
        for (let c = 0, at = h * CLASSES; c < CLASSES; c++) z[c]! += u[h]! * second[at + c]!;
      }
      softmax(z);
      z[targets[r]!]! -= 1;
      const weight = weigh[targets[r]!]!;
      for (let c = 0; c < CLASSES; c++) z[c]! *= weight;
      du.fill(0);
      for (let h = 0; h < hidden; h++) {
        if (u[h] === 0) continue;
        for (let c = 0, at = h * CLASSES; c < CLASSES; c++) {
          du[h]! += z[c]! * second[at + c]! / 0.8;
          step(second, secondSquares, at + c, z[c]! * u[h]!, rate, 0.00001);
        }
      }
      for (let c = 0; c < CLASSES; c++) {
        step(second, secondSquares, hidden * CLASSES + c, z[c]!, rate, 0);
      }
      for (let f = 0; f < chosen; f++) {
        for (let c = 0, at = used[f]! * CLASSES; c < CLASSES; c++) {
          const g = z[c]!;
          if (g < 0.003 && g > -0.003) continue;
          step(weights, squares, at + c, g, rate, decay);
        }
      }
      for (let d = 0; d < width; d++) {
        const x = dense[base + d]!;
        if (x === 0) continue;
        for (let h = 0, at = d * hidden; h < hidden; h++) {
          if (du[h] !== 0) step(first, firstSquares, at + h, x * du[h]!, 0.5 * rate, 0.00001);
        }
      }
      for (let h = 0; h < hidden; h++) {
        if (du[h] !== 0) step(first, firstSquares, width * hidden + h, du[h]!, 0.5 * rate, 0);
      }
    }
    if (epoch >= epochs / 2) {
      averaged++;
      add(mean, weights);
      add(meanFirst, first);
      add(meanSecond, second);
    }
  }
  for (const sums of [mean, meanFirst, meanSecond]) {
    for (let k = 0; k < sums.length; k++) sums[k]! /= averaged;
  }
  return {
    keys,
    values: mean,
    scale: 1,
    hidden,
    first: meanFirst,
    second: meanSecond,
    wanted: new Int8Array(keys.length),
    wantedScale: 1,
  };
}

/** Types with less than this share of what types have on average are rare: else they would never be likeliest. */
const RARE = 0.25;

/** What a candidate of each class weighs. */
function classWeights(targets: Uint8Array, rare: number): number[] {
  const counts = new Array<number>(CLASSES).fill(0);
  for (const target of targets) counts[target]!++;
  const types = counts.slice(0, FACT_TYPES.length);
  const mean = types.reduce((sum, count) => sum + count, 0) / types.length;
  return counts.map((count, c) => c < types.length && count < RARE * mean ? rare : 1);
}

function step(
  weights: Float32Array,
  squares: Float32Array,
  k: number,
  gradient: number,
  rate: number,
  decay: number,
): void {
  const square = squares[k]! + gradient * gradient;
  squares[k] = square;
  weights[k] = weights[k]! * (1 - decay) - rate * gradient / Math.sqrt(square + 0.05);
}

function add(sums: Float32Array, values: Float32Array): void {
  for (let k = 0; k < sums.length; k++) sums[k]! += values[k]!;
}
