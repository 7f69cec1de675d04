/**
 * Small networks side by side. Each has two towers: hidden units on the whole post (cues and averaged word vectors),
 * and hidden units on every sentence by itself, of which the post keeps the largest value. One sentence that says
 * "the third one this year" can so decide, whatever the others say.
 */
import { OperatorError } from "../../core/errors.ts";
import { PATTERN_CLASSES } from "./groups.ts";
import { CUE_FEATURES, SENTENCE_FEATURES } from "./reading.ts";
import { BLOCKS } from "./word_table.ts";

/**
 * The sizes of the networks, as the artefact's header states them; all are counts, `dims` of a word
 * vector's values.
 */
export interface NetShape {
  readonly networks: number;
  /** Units on the whole post, and on each sentence, of one network. */
  readonly hidden: number;
  readonly sentenceHidden: number;
  readonly dims: number;
}

/** Reads one array of the artefact by name. */
interface Parts {
  floats(name: string): Float32Array;
  bytes(name: string): Int8Array;
}

/** What the networks read of a post. */
interface PostInputs {
  readonly sparse: Float32Array;
  /** What the regression on word groups leans to: `PATTERN_CLASSES` values. */
  readonly leaning: Float64Array;
  readonly dense: Float32Array;
}

/** What they read of its sentences, one after the other. */
interface SentenceInputs {
  /** The features each sentence has. */
  readonly points: readonly (readonly number[])[];
  readonly leanings: Float64Array;
  readonly dense: Float32Array;
}

/** Weights of a first layer: unit j of network k is number `k * units + j`. */
interface Tower {
  readonly width: number;
  /** Features that are mostly 0: a row of `width` weights each. */
  readonly rows: Float32Array;
  /** Leanings and vectors, which are not: a row of `stride` weights for each unit. */
  readonly columns: Float64Array;
  readonly stride: number;
  /** Room for what `columns` is multiplied by: leanings, then vectors, then nothing up to `stride`. */
  readonly room: Float64Array;
  readonly bias: Float32Array;
}

/**
 * All networks of the classifier, whose first layers are computed together. `fill` reads a post,
 * `output` then gives a network's sums: `PATTERN_CLASSES`, then `LEVELS` for intensity and for
 * willingness to pay.
 */
export class Nets {
  readonly #shape: NetShape;
  readonly #dims: number;
  readonly #post: Tower;
  readonly #sentence: Tower;
  readonly #second: readonly Float32Array[];
  readonly #secondBias: readonly Float32Array[];
  readonly #hidden: Float64Array;
  readonly #one: Float64Array;
  readonly #pooled: Float64Array;

  constructor(shape: NetShape, parts: Parts) {
    const { networks, hidden, sentenceHidden, dims } = shape;
    this.#shape = shape;
    this.#dims = dims;
    this.#post = towerOf("first", CUE_FEATURES, BLOCKS * dims, hidden, networks, parts);
    this.#sentence = towerOf("sentence", SENTENCE_FEATURES, dims, sentenceHidden, networks, parts);
    const each = Array.from({ length: networks }, (_, k) => k);
    this.#second = each.map((k) => parts.floats(`second${k}`));
    this.#secondBias = each.map((k) => parts.floats(`secondBias${k}`));
    this.#hidden = new Float64Array(this.#post.width);
    this.#one = new Float64Array(this.#sentence.width);
    this.#pooled = new Float64Array(this.#sentence.width);
  }

  /** Fills the hidden layers of all networks for one post; `output` then reads them. */
  fill({ sparse, leaning, dense }: PostInputs, sentences: SentenceInputs): void {
    const { width, rows, bias, room } = this.#post;
    const h = this.#hidden;
    h.set(bias);
    for (let i = 0; i < sparse.length; i++) {
      const value = sparse[i]!;
      if (value === 0) continue;
      for (let j = 0, at = i * width; j < width; j++, at++) h[j]! += value * rows[at]!;
    }
    room.set(leaning);
    room.set(dense, PATTERN_CLASSES);
    addRoom(this.#post, h);
    this.#pool(sentences);
  }

  #pool({ points, leanings, dense }: SentenceInputs): void {
    const { width, rows, bias, room } = this.#sentence;
    const dims = this.#dims;
    const one = this.#one;
    const pooled = this.#pooled;
    if (points.length === 0) pooled.fill(0);
    for (let s = 0; s < points.length; s++) {
      one.set(bias);
      const point = points[s]!;
      for (let p = 0; p < point.length; p++) {
        for (let j = 0, at = point[p]! * width; j < width; j++, at++) one[j]! += rows[at]!;
      }
      for (let c = 0; c < PATTERN_CLASSES; c++) room[c] = leanings[s * PATTERN_CLASSES + c]!;
      for (let d = 0; d < dims; d++) room[PATTERN_CLASSES + d] = dense[s * dims + d]!;
      addRoom(this.#sentence, one);
      if (s === 0) pooled.set(one);
      else for (let j = 0; j < width; j++) if (one[j]! > pooled[j]!) pooled[j] = one[j]!;
    }
  }

  /** One network's outputs for the post last filled in, before any softmax. */
  output(network: number): Float64Array {
    const { hidden, sentenceHidden } = this.#shape;
    const second = this.#second[network]!;
    const out = Float64Array.from(this.#secondBias[network]!);
    addUnits(this.#hidden, network * hidden, hidden, second, 0, out);
    addUnits(this.#pooled, network * sentenceHidden, sentenceHidden, second, hidden, out);
    return out;
  }
}

function addUnits(
  h: Float64Array,
  from: number,
  count: number,
  second: Float32Array,
  row: number,
  out: Float64Array,
): void {
  const outputs = out.length;
  for (let j = 0; j < count; j++) {
    const value = h[from + j]!;
    if (value <= 0) continue;
    for (let o = 0, at = (row + j) * outputs; o < outputs; o++, at++) {
      out[o]! += value * second[at]!;
    }
  }
}

/**
 * Adds what the tower's room gives every unit, whose number is even. Four sums of two units side by side: one would
 * wait for itself, and of the room each value is read for both.
 */
function addRoom({ width, columns, stride, room }: Tower, h: Float64Array): void {
  let at = 0;
  for (let j = 0; j < width; j += 2, at += stride) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, i = 0;
    for (let v = 0; v < stride; v += 4, at += 4) {
      const p = room[v]!, q = room[v + 1]!, r = room[v + 2]!, s = room[v + 3]!;
      const next = at + stride;
      a += p * columns[at]!;
      b += q * columns[at + 1]!;
      c += r * columns[at + 2]!;
      d += s * columns[at + 3]!;
      e += p * columns[next]!;
      f += q * columns[next + 1]!;
      g += r * columns[next + 2]!;
      i += s * columns[next + 3]!;
    }
    h[j]! += (a + b) + (c + d);
    h[j + 1]! += (e + f) + (g + i);
  }
}

/** Lays the networks' first layers side by side; each input's weights are stored as bytes with one scale. */
function towerOf(
  name: string,
  features: number,
  vectorLength: number,
  units: number,
  networks: number,
  parts: Parts,
): Tower {
  const width = units * networks;
  const rows = new Float32Array(features * width);
  const inputs = features + PATTERN_CLASSES + vectorLength;
  const stride = Math.ceil((PATTERN_CLASSES + vectorLength) / 4) * 4;
  const columns = new Float64Array(width * stride);
  const bias = new Float32Array(width);
  for (let k = 0; k < networks; k++) {
    const stored = parts.bytes(`${name}${k}`);
    const scales = parts.floats(`${name}Scale${k}`);
    if (stored.length !== inputs * units) {
      throw new OperatorError(
        "mining/classify/weights.txt was made for other cues: run deno task train",
      );
    }
    stored.forEach((byte, at) => {
      const input = Math.floor(at / units);
      const unit = k * units + at % units;
      const weight = byte * scales[input]!;
      if (input < features) rows[input * width + unit] = weight;
      else columns[unit * stride + input - features] = weight;
    });
    bias.set(parts.floats(`${name}Bias${k}`), k * units);
  }
  return { width, rows, columns, stride, room: new Float64Array(stride), bias };
}
