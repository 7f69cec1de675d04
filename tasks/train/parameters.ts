/** Where a network's parameters stand, what they start from, and how its inputs are scaled. */
import type { Rows } from "./rows.ts";
import { normal } from "./random.ts";

/** All parameters in one array, weights (which decay) before biases, and views of its parts. */
export function layOut(all: Float32Array, options: NetworkOptions, outputs: number) {
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
export function newParameters(options: NetworkOptions, outputs: number, random: () => number) {
  const probe = layOut(new Float32Array(0), options, outputs);
  const theta = layOut(new Float32Array(probe.size), options, outputs);
  for (let i = 0; i < theta.first.length; i++) theta.first[i] = normal(random) * 0.06;
  for (let i = 0; i < theta.sentence.length; i++) theta.sentence[i] = normal(random) * 0.1;
  for (let i = 0; i < theta.second.length; i++) theta.second[i] = normal(random) * 0.15;
  return theta;
}

/** Folds the scaling of inputs into their weights. */
export function scaled(weights: Float32Array, scale: Float32Array, units: number): Float32Array {
  return weights.map((weight, i) => weight * scale[Math.floor(i / units)]!);
}

/** The rows of the items themselves, or of their sentences. */
export function rangesOf(
  items: Int32Array,
  starts: Int32Array | null,
): [from: number, to: number][] {
  return Array.from(
    items,
    (row) => starts === null ? [row, row + 1] : [starts[row]!, starts[row + 1]!],
  );
}

/** One over the standard deviation of each input, bounded so that a rare input does not shout. */
export function inputScale(
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

export interface NetworkOptions {
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
