/**
 * A network with one hidden layer in two towers, several softmax outputs side by side, trained by Adam. One tower
 * reads the whole post; the other reads every sentence by itself and keeps the largest value of each unit.
 */
import type { NetworkInputs, Rows } from "./rows.ts";
import { softmax } from "./linear.ts";
import { normal, seeded, shuffle } from "./random.ts";

export interface TrainedNetwork {
  readonly hidden: number;
  readonly sentenceHidden: number;
  readonly outputs: number;
  /** A row of `hidden` weights for each input of a post, with the scaling of inputs folded in. */
  readonly first: Float32Array;
  readonly firstBias: Float32Array;
  /** A row of `sentenceHidden` weights for each input of a sentence. */
  readonly sentence: Float32Array;
  readonly sentenceBias: Float32Array;
  /** `hidden + sentenceHidden` rows of `outputs` weights. */
  readonly second: Float32Array;
  readonly secondBias: Float32Array;
}

/** The sizes of a network, and how it is trained. */
interface NetworkOptions {
  readonly inputs: number;
  readonly sentenceInputs: number;
  readonly hidden: number;
  readonly sentenceHidden: number;
  /** Sizes of the softmax groups, in the order of the targets. */
  readonly groups: readonly number[];
  /** Weight of each group's loss. */
  readonly groupWeights: readonly number[];
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  /** Share of inputs, and of hidden units, that are left out of a step. */
  readonly dropout: number;
  readonly seed: number;
}

const BATCH = 64;

/** Fits a network: `items` are rows of posts, `targets` holds the sum of `groups` shares per item. */
export function fitNetwork(
  inputs: NetworkInputs,
  items: Int32Array,
  targets: Float32Array,
  options: NetworkOptions,
): TrainedNetwork {
  const { groups, dropout } = options;
  const { posts, sentences, firstSentence } = inputs;
  const outputs = groups.reduce((sum, size) => sum + size, 0);
  const random = seeded(options.seed);
  const ofPost = inputScale(posts, rangesOf(items, null), options.inputs);
  const ofSentence = inputScale(sentences, rangesOf(items, firstSentence), options.sentenceInputs);
  const theta = newParameters(options, outputs, random);
  const { size, first, firstBias, sentence, sentenceBias, second, secondBias } = theta;
  const gradient = layOut(new Float32Array(size), options, outputs);
  const mean = new Float32Array(size);
  const square = new Float32Array(size);
  const order = Int32Array.from(items, (_, i) => i);
  const steps = Math.ceil(order.length / BATCH) * options.epochs;
  const { hidden, sentenceHidden } = options;
  const width = hidden + sentenceHidden;
  const h = new Float64Array(width);
  const one = new Float64Array(sentenceHidden);
  const from = new Int32Array(sentenceHidden);
  const dh = new Float64Array(width);
  const out = new Float64Array(outputs);
  let step = 0;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += BATCH) {
      gradient.all.fill(0);
      const end = Math.min(order.length, start + BATCH);
      for (let at = start; at < end; at++) backward(order[at]!, end - start);
      adam(++step);
    }
  }
  return {
    hidden,
    sentenceHidden,
    outputs,
    first: scaled(first, ofPost, hidden),
    firstBias: firstBias.slice(),
    sentence: scaled(sentence, ofSentence, sentenceHidden),
    sentenceBias: sentenceBias.slice(),
    second: second.slice(),
    secondBias: secondBias.slice(),
  };

  function backward(item: number, batch: number): void {
    const row = items[item]!;
    // Which inputs are dropped is drawn from a hash of the place, so that both passes agree without a buffer.
    const salt = Math.floor(random() * 4294967296);
    h.set(firstBias);
    forwardRow(posts, row, ofPost, first, hidden, dropout, salt, h);
    h.fill(-Infinity, hidden);
    for (let s = firstSentence[row]!; s < firstSentence[row + 1]!; s++) {
      one.set(sentenceBias);
      forwardRow(sentences, s, ofSentence, sentence, sentenceHidden, dropout, salt, one);
      for (let j = 0; j < sentenceHidden; j++) {
        if (one[j]! <= h[hidden + j]!) continue;
        h[hidden + j] = one[j]!;
        from[j] = s;
      }
    }
    for (let j = 0; j < width; j++) {
      h[j] = h[j]! > 0 && random() >= dropout ? h[j]! / (1 - dropout) : 0;
    }
    out.set(secondBias);
    for (let j = 0; j < width; j++) {
      if (h[j] === 0) continue;
      for (let o = 0, at = j * outputs; o < outputs; o++) out[o]! += h[j]! * second[at + o]!;
    }
    let base = 0;
    groups.forEach((count, g) => {
      const part = out.subarray(base, base + count);
      softmax(part);
      const weight = options.groupWeights[g]! / batch;
      for (let o = 0; o < count; o++) {
        part[o] = (part[o]! - targets[item * outputs + base + o]!) * weight;
      }
      base += count;
    });
    for (let o = 0; o < outputs; o++) gradient.secondBias[o]! += out[o]!;
    for (let j = 0; j < width; j++) {
      dh[j] = 0;
      if (h[j] === 0) continue;
      let sum = 0;
      for (let o = 0, at = j * outputs; o < outputs; o++) {
        sum += out[o]! * second[at + o]!;
        gradient.second[at + o]! += out[o]! * h[j]!;
      }
      dh[j] = sum / (1 - dropout);
    }
    for (let j = 0; j < hidden; j++) gradient.firstBias[j]! += dh[j]!;
    for (let i = posts.starts[row]!; i < posts.starts[row + 1]!; i++) {
      if (dropped(i, salt, dropout)) continue;
      const value = posts.value[i]! * ofPost[posts.index[i]!]! / (1 - dropout);
      const at = posts.index[i]! * hidden;
      for (let j = 0; j < hidden; j++) gradient.first[at + j]! += value * dh[j]!;
    }
    for (let j = 0; j < sentenceHidden; j++) {
      const d = dh[hidden + j]!;
      if (d === 0) continue;
      gradient.sentenceBias[j]! += d;
      const s = from[j]!;
      for (let i = sentences.starts[s]!; i < sentences.starts[s + 1]!; i++) {
        if (dropped(i, salt, dropout)) continue;
        const input = sentences.index[i]!;
        gradient.sentence[input * sentenceHidden + j]! += d * sentences.value[i]! *
          ofSentence[input]! / (1 - dropout);
      }
    }
  }

  function adam(step: number): void {
    const rate = options.rate * (1 - 0.9 * step / steps);
    const m = 1 - Math.pow(0.9, step);
    const v = 1 - Math.pow(0.999, step);
    const { all } = theta;
    for (let i = 0; i < size; i++) {
      const g = gradient.all[i]! + (i < theta.weights ? options.decay * all[i]! : 0);
      mean[i] = 0.9 * mean[i]! + 0.1 * g;
      square[i] = 0.999 * square[i]! + 0.001 * g * g;
      all[i]! -= rate * (mean[i]! / m) / (Math.sqrt(square[i]! / v) + 1e-8);
    }
  }
}

/** Adds a row's inputs, less those dropped, times their weights to `h`. */
function forwardRow(
  rows: Rows,
  row: number,
  scale: Float32Array,
  weights: Float32Array,
  units: number,
  dropout: number,
  salt: number,
  h: Float64Array,
): void {
  for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
    if (dropout > 0 && dropped(i, salt, dropout)) continue;
    const value = rows.value[i]! * scale[rows.index[i]!]! / (1 - dropout);
    const at = rows.index[i]! * units;
    for (let j = 0; j < units; j++) h[j]! += value * weights[at + j]!;
  }
}

function dropped(i: number, salt: number, dropout: number): boolean {
  const mixed = Math.imul(Math.imul(i ^ salt, 0x9e3779b1) ^ (salt >>> 15), 0x85ebca6b) >>> 0;
  return mixed < dropout * 4294967296;
}

/** The outputs of one post, before any softmax. */
export function runNetwork(
  model: TrainedNetwork,
  inputs: NetworkInputs,
  row: number,
): Float64Array {
  const { hidden, sentenceHidden, outputs } = model;
  const { posts, sentences, firstSentence } = inputs;
  const h = new Float64Array(hidden + sentenceHidden);
  h.set(model.firstBias);
  addRow(posts, row, model.first, hidden, h);
  const one = new Float64Array(sentenceHidden);
  for (let s = firstSentence[row]!; s < firstSentence[row + 1]!; s++) {
    one.set(model.sentenceBias);
    addRow(sentences, s, model.sentence, sentenceHidden, one);
    for (let j = 0; j < sentenceHidden; j++) {
      if (s === firstSentence[row] || one[j]! > h[hidden + j]!) h[hidden + j] = one[j]!;
    }
  }
  const out = Float64Array.from(model.secondBias);
  for (let j = 0; j < h.length; j++) {
    if (h[j]! <= 0) continue;
    for (let o = 0; o < outputs; o++) out[o]! += h[j]! * model.second[j * outputs + o]!;
  }
  return out;
}

function addRow(rows: Rows, row: number, weights: Float32Array, units: number, h: Float64Array) {
  for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
    const value = rows.value[i]!;
    const at = rows.index[i]! * units;
    for (let j = 0; j < units; j++) h[j]! += value * weights[at + j]!;
  }
}

/** All parameters in one array, weights (which decay) before biases, and views of its parts. */
function layOut(all: Float32Array, options: NetworkOptions, outputs: number) {
  const { inputs, sentenceInputs, hidden, sentenceHidden } = options;
  const sizes = [
    inputs * hidden,
    sentenceInputs * sentenceHidden,
    (hidden + sentenceHidden) * outputs,
    hidden,
    sentenceHidden,
    outputs,
  ];
  let at = 0;
  const [first, sentence, second, firstBias, sentenceBias, secondBias] = sizes.map((size) =>
    all.subarray(at, at += size)
  ) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
  const weights = sizes[0]! + sizes[1]! + sizes[2]!;
  return { all, size: at, weights, first, sentence, second, firstBias, sentenceBias, secondBias };
}

/** Parameters to start from, drawn at random. */
function newParameters(options: NetworkOptions, outputs: number, random: () => number) {
  const probe = layOut(new Float32Array(0), options, outputs);
  const theta = layOut(new Float32Array(probe.size), options, outputs);
  for (let i = 0; i < theta.first.length; i++) theta.first[i] = normal(random) * 0.06;
  for (let i = 0; i < theta.sentence.length; i++) theta.sentence[i] = normal(random) * 0.1;
  for (let i = 0; i < theta.second.length; i++) theta.second[i] = normal(random) * 0.15;
  return theta;
}

/** Folds the scaling of inputs into their weights. */
function scaled(weights: Float32Array, scale: Float32Array, units: number): Float32Array {
  return weights.map((weight, i) => weight * scale[Math.floor(i / units)]!);
}

/** The rows of the items themselves, or of their sentences. */
function rangesOf(
  items: Int32Array,
  starts: Int32Array | null,
): [from: number, to: number][] {
  return Array.from(
    items,
    (row) => starts === null ? [row, row + 1] : [starts[row]!, starts[row + 1]!],
  );
}

/** One over the standard deviation of each input, bounded so that a rare input does not shout. */
function inputScale(
  rows: Rows,
  ranges: readonly [from: number, to: number][],
  inputs: number,
): Float32Array {
  const sum = new Float64Array(inputs);
  const squares = new Float64Array(inputs);
  let count = 0;
  for (const [from, to] of ranges) {
    count += to - from;
    for (let i = rows.starts[from]!; i < rows.starts[to]!; i++) {
      sum[rows.index[i]!]! += rows.value[i]!;
      squares[rows.index[i]!]! += rows.value[i]! ** 2;
    }
  }
  return Float32Array.from(sum, (value, i) => {
    const mean = value / Math.max(1, count);
    return 1 / (Math.sqrt(Math.max(0, squares[i]! / Math.max(1, count) - mean * mean)) + 0.1);
  });
}
