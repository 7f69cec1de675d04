/**
 * The second look: a span classifier over the tagger's candidates. Each is read once more in its sentence, beside
 * the post's other spans, and given a type or dropped.
 */
import { float64s } from "../../short_arrays.ts";
import { settle, shares } from "../../classify/numbers.ts";
import { FeatureTable } from "../../classify/feature_table.ts";
import type { Candidate } from "./candidates.ts";
import type { Prepared } from "../features.ts";
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
} from "./span_features.ts";
import { FACT_TYPES } from "../types.ts";

/** The class of a span that names the product, behind those of the types of facts. */
export const PRODUCT_CLASS = FACT_TYPES.length;
/** The class of a span that is neither. */
export const NONE_CLASS = PRODUCT_CLASS + 1;
/** How many classes there are. */
export const CLASSES = NONE_CLASS + 1;
/** Where a reading holds, behind its classes, how far the span seems to name what is wanted: a logarithm of odds. */
export const WANTED_COLUMN = CLASSES;

/** How likely a span is a fact of any type, by the `CLASSES` probabilities of its classes. */
export const factShare = (classes: Float64Array): number =>
  settle(1 - classes[NONE_CLASS]! - classes[PRODUCT_CLASS]!);

/** Weights of a feature: one a class, and one for what is wanted. */
const COLUMNS = CLASSES + 1;

/** A log-linear model of the sparse features, and a hidden layer over the dense ones beside it. */
export interface SpanWeights<Values = Int8Array> {
  readonly keys: Int32Array;
  /** `CLASSES` a feature. */
  readonly values: Values;
  readonly scale: number;
  readonly hidden: number;
  /** `hidden` a dense input, then `hidden` biases. */
  readonly first: Float32Array;
  /** `CLASSES` a hidden unit, then `CLASSES` biases. */
  readonly second: Float32Array;
  /** How far each feature speaks for a span to name what is wanted. */
  readonly wanted: Int8Array;
  readonly wantedScale: number;
}

/**
 * What windows give the hidden layer. Those of one word mostly are as some before them: the last of each are kept,
 * a bounded number. Of a longer window the last is, since neighbouring candidates share sentence and ends.
 */
class Projections {
  /** `dims` weights a unit, the units of each window together. */
  readonly #columns: Float64Array;
  readonly #hidden: number;
  readonly #mean: Float32Array;
  /** Window and row of the word in each place, or -1. */
  readonly #keys = new Int32Array(1 << PLACES).fill(-1);
  readonly #values: Float64Array;
  /** First and last token of the longer window last seen, or -1. */
  readonly #last = new Int32Array(2 * WINDOWS);
  readonly #lastValues: Float64Array;

  constructor(first: Float32Array, hidden: number, dims: number) {
    this.#hidden = hidden;
    this.#columns = new Float64Array(WINDOWS * hidden * dims);
    for (let d = 0; d < WINDOWS * dims; d++) {
      const window = Math.floor(d / dims);
      for (let h = 0; h < hidden; h++) {
        this.#columns[(window * hidden + h) * dims + d % dims] = first[d * hidden + h]!;
      }
    }
    this.#mean = new Float32Array(dims);
    this.#values = new Float64Array(hidden << PLACES);
    this.#lastValues = new Float64Array(WINDOWS * hidden);
  }

  /** To be called before the first window of each post. */
  begin(): void {
    this.#last.fill(-1);
  }

  /** Adds tokens `start..end` as they stand in a window to the hidden units. */
  add(post: Prepared, window: number, start: number, end: number, units: Float64Array): void {
    if (end <= start) return;
    const hidden = this.#hidden;
    let values = this.#values, at = 0;
    if (end === start + 1) {
      const row = post.rows[start]!;
      if (row < 0) return;
      const key = row * WINDOWS + window;
      const place = Math.imul(key, 0x9e3779b1) >>> 32 - PLACES;
      at = place * hidden;
      if (this.#keys[place] !== key) {
        this.#keys[place] = key;
        this.#project(post, window, start, end, values, at);
      }
    } else {
      values = this.#lastValues;
      at = window * hidden;
      if (this.#last[2 * window] !== start || this.#last[2 * window + 1] !== end) {
        this.#last[2 * window] = start;
        this.#last[2 * window + 1] = end;
        this.#project(post, window, start, end, values, at);
      }
    }
    for (let h = 0; h < hidden; h++) units[h]! += values[at + h]!;
  }

  #project(
    post: Prepared,
    window: number,
    start: number,
    end: number,
    out: Float64Array,
    at: number,
  ): void {
    const hidden = this.#hidden, columns = this.#columns, mean = this.#mean;
    const dims = mean.length;
    if (!meanOf(post, start, end, mean, 0)) {
      out.fill(0, at, at + hidden);
      return;
    }
    let w = window * hidden * dims;
    for (let h = 0; h < hidden; h += 2, w += dims) {
      // Two sums of two units side by side: one would wait for itself.
      let even = 0, odd = 0, nextEven = 0, nextOdd = 0;
      for (let d = 0; d < dims; d += 2, w += 2) {
        const p = mean[d]!, q = mean[d + 1]!;
        even += p * columns[w]!;
        odd += q * columns[w + 1]!;
        nextEven += p * columns[w + dims]!;
        nextOdd += q * columns[w + dims + 1]!;
      }
      out[at + h] = even + odd;
      out[at + h + 1] = nextEven + nextOdd;
    }
  }
}

/** Words in windows whose projections are kept, as a power of two. */
const PLACES = 13;

/** The second look with its weights. It reads one post at a time. */
export class SpanReader {
  readonly #weights: Omit<SpanWeights, "keys" | "values" | "wanted">;
  readonly #table: FeatureTable;
  readonly #projections: Projections;
  readonly #scalars = new Float32Array(SCALARS);
  readonly #units: Float64Array;
  readonly #room = new Int32Array(MAX_SPARSE);
  readonly #dims: number;

  constructor({ keys, values, wanted, ...weights }: SpanWeights, dims: number) {
    this.#weights = weights;
    const columns = new Int8Array(keys.length * COLUMNS);
    for (let row = 0; row < keys.length; row++) {
      columns.set(values.subarray(row * CLASSES, (row + 1) * CLASSES), row * COLUMNS);
      columns[row * COLUMNS + WANTED_COLUMN] = wanted[row]!;
    }
    this.#table = new FeatureTable(keys, columns, COLUMNS);
    this.#projections = new Projections(weights.first, weights.hidden, dims);
    this.#units = new Float64Array(weights.hidden);
    this.#dims = dims;
  }

  /** The classes' probabilities of every candidate, and how far it seems to name what is wanted. */
  read(post: Prepared, candidates: readonly Candidate[]): Float64Array[] {
    const { scale, hidden, second, wantedScale } = this.#weights;
    const company = companyOf(post, candidates);
    this.#projections.begin();
    return candidates.map((candidate, k) => {
      const z = float64s(COLUMNS);
      const count = sparseOf(post, candidates, k, company, this.#room);
      this.#table.sum(this.#room, count, scale, z, 0);
      const units = this.#hiddenOf(post, candidate);
      for (let h = 0; h < hidden; h++) {
        const u = units[h]!;
        if (u <= 0) continue;
        for (let c = 0, at = h * CLASSES; c < CLASSES; c++) z[c]! += u * second[at + c]!;
      }
      for (let c = 0; c < CLASSES; c++) z[c]! += second[hidden * CLASSES + c]!;
      shares(z.subarray(0, CLASSES));
      z[WANTED_COLUMN]! *= wantedScale / scale;
      return z;
    });
  }

  /** The hidden units of a candidate, before what is below zero is cut off. */
  #hiddenOf(post: Prepared, candidate: Candidate): Float64Array {
    const { hidden, first } = this.#weights;
    const units = this.#units;
    const scalars = this.#scalars;
    const ofScalars = WINDOWS * this.#dims;
    const biases = (ofScalars + SCALARS) * hidden;
    for (let h = 0; h < hidden; h++) units[h] = first[biases + h]!;
    placeWindows(candidate, post.tokens.sentences[candidate.sentence]!);
    for (let w = 0; w < WINDOWS; w++) {
      this.#projections.add(post, w, windows[2 * w]!, windows[2 * w + 1]!, units);
    }
    scalarsOf(post, candidate, scalars, 0);
    for (let s = 0; s < SCALARS; s++) {
      const x = scalars[s]!;
      if (x === 0) continue;
      for (let h = 0, at = (ofScalars + s) * hidden; h < hidden; h++) {
        units[h]! += x * first[at + h]!;
      }
    }
    return units;
  }
}
