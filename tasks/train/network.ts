/** A network with one hidden layer on sparse rows, several softmax outputs side by side, trained by Adam. */
import type { Rows } from "./corpus.ts";
import { softmax } from "./linear.ts";
import { normal, seeded, shuffle } from "./random.ts";

export interface Network {
  readonly inputs: number;
  readonly hidden: number;
  readonly outputs: number;
  /** `inputs` rows of `hidden` weights, with the scaling of inputs folded in. */
  readonly first: Float32Array;
  readonly firstBias: Float32Array;
  /** `hidden` rows of `outputs` weights. */
  readonly second: Float32Array;
  readonly secondBias: Float32Array;
}

export interface NetworkOptions {
  readonly inputs: number;
  readonly hidden: number;
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

/** Fits a network: `targets` holds the sum of `groups` shares per item. */
export function fitNetwork(
  rows: Rows,
  items: Int32Array,
  targets: Float32Array,
  itemWeights: Float32Array,
  options: NetworkOptions,
): Network {
  const { inputs, hidden, groups, dropout } = options;
  const outputs = groups.reduce((sum, size) => sum + size, 0);
  const random = seeded(options.seed);
  const scale = inputScale(rows, items, inputs);
  const sizes = [inputs * hidden, hidden, hidden * outputs, outputs];
  const starts = [0, sizes[0]!, sizes[0]! + hidden, sizes[0]! + hidden + sizes[2]!];
  const total = starts[3]! + outputs;
  const theta = new Float32Array(total);
  for (let i = 0; i < sizes[0]!; i++) theta[i] = normal(random) * 0.06;
  for (let i = 0; i < sizes[2]!; i++) theta[starts[2]! + i] = normal(random) * 0.15;
  const gradient = new Float32Array(total);
  const mean = new Float32Array(total);
  const square = new Float32Array(total);
  const order = Int32Array.from(items, (_, i) => i);
  const steps = Math.ceil(order.length / BATCH) * options.epochs;
  const h = new Float64Array(hidden);
  const keep = new Uint8Array(hidden);
  const dh = new Float64Array(hidden);
  const out = new Float64Array(outputs);
  let step = 0;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += BATCH) {
      gradient.fill(0);
      const end = Math.min(order.length, start + BATCH);
      for (let at = start; at < end; at++) backward(order[at]!, end - start);
      adam(++step);
    }
  }
  const first = new Float32Array(sizes[0]!);
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j < hidden; j++) first[i * hidden + j] = theta[i * hidden + j]! * scale[i]!;
  }
  return {
    inputs,
    hidden,
    outputs,
    first,
    firstBias: theta.slice(starts[1], starts[2]),
    second: theta.slice(starts[2], starts[3]),
    secondBias: theta.slice(starts[3]),
  };

  function backward(item: number, batch: number): void {
    const row = items[item]!;
    const from = rows.starts[row]!;
    const to = rows.starts[row + 1]!;
    for (let j = 0; j < hidden; j++) h[j] = theta[starts[1]! + j]!;
    // Which inputs are dropped is drawn from a hash of the place, so that both passes agree without a buffer.
    const salt = Math.floor(random() * 4294967296);
    for (let i = from; i < to; i++) {
      if (dropped(i, salt)) continue;
      const value = rows.value[i]! * scale[rows.index[i]!]! / (1 - dropout);
      const at = rows.index[i]! * hidden;
      for (let j = 0; j < hidden; j++) h[j]! += value * theta[at + j]!;
    }
    for (let j = 0; j < hidden; j++) {
      keep[j] = h[j]! > 0 && random() >= dropout ? 1 : 0;
      h[j] = keep[j] === 1 ? h[j]! / (1 - dropout) : 0;
    }
    for (let o = 0; o < outputs; o++) out[o] = theta[starts[3]! + o]!;
    for (let j = 0; j < hidden; j++) {
      if (keep[j] === 0) continue;
      for (let o = 0, at = starts[2]! + j * outputs; o < outputs; o++) {
        out[o]! += h[j]! * theta[at + o]!;
      }
    }
    let base = 0;
    groups.forEach((size, g) => {
      const part = out.subarray(base, base + size);
      softmax(part);
      const weight = options.groupWeights[g]! * itemWeights[item]! / batch;
      for (let o = 0; o < size; o++) {
        part[o] = (part[o]! - targets[item * outputs + base + o]!) * weight;
      }
      base += size;
    });
    for (let o = 0; o < outputs; o++) gradient[starts[3]! + o]! += out[o]!;
    for (let j = 0; j < hidden; j++) {
      dh[j] = 0;
      if (keep[j] === 0) continue;
      let sum = 0;
      for (let o = 0, at = starts[2]! + j * outputs; o < outputs; o++) {
        sum += out[o]! * theta[at + o]!;
        gradient[at + o]! += out[o]! * h[j]!;
      }
      dh[j] = sum / (1 - dropout);
      gradient[starts[1]! + j]! += dh[j]!;
    }
    for (let i = from; i < to; i++) {
      if (dropped(i, salt)) continue;
      const value = rows.value[i]! * scale[rows.index[i]!]! / (1 - dropout);
      const at = rows.index[i]! * hidden;
      for (let j = 0; j < hidden; j++) gradient[at + j]! += value * dh[j]!;
    }
  }

  function dropped(i: number, salt: number): boolean {
    const mixed = Math.imul(Math.imul(i ^ salt, 0x9e3779b1) ^ (salt >>> 15), 0x85ebca6b) >>> 0;
    return mixed < dropout * 4294967296;
  }

  function adam(step: number): void {
    const rate = options.rate * (1 - 0.9 * step / steps);
    const m = 1 - Math.pow(0.9, step);
    const v = 1 - Math.pow(0.999, step);
    for (let i = 0; i < total; i++) {
      const isWeight = i < starts[1]! || (i >= starts[2]! && i < starts[3]!);
      const g = gradient[i]! + (isWeight ? options.decay * theta[i]! : 0);
      mean[i] = 0.9 * mean[i]! + 0.1 * g;
      square[i] = 0.999 * square[i]! + 0.001 * g * g;
      theta[i]! -= rate * (mean[i]! / m) / (Math.sqrt(square[i]! / v) + 1e-8);
    }
  }
}

/** One over the standard deviation of each input, bounded so that a rare input does not shout. */
function inputScale(rows: Rows, items: Int32Array, inputs: number): Float32Array {
  const sum = new Float64Array(inputs);
  const squares = new Float64Array(inputs);
  for (const row of items) {
    for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
      sum[rows.index[i]!]! += rows.value[i]!;
      squares[rows.index[i]!]! += rows.value[i]! ** 2;
    }
  }
  return Float32Array.from(sum, (value, i) => {
    const mean = value / items.length;
    return 1 / (Math.sqrt(Math.max(0, squares[i]! / items.length - mean * mean)) + 0.1);
  });
}

/** The outputs of one row, before any softmax. */
export function runNetwork(model: Network, rows: Rows, row: number): Float64Array {
  const { hidden, outputs } = model;
  const h = Float64Array.from(model.firstBias);
  for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
    const at = rows.index[i]! * hidden;
    for (let j = 0; j < hidden; j++) h[j]! += rows.value[i]! * model.first[at + j]!;
  }
  const out = Float64Array.from(model.secondBias);
  for (let j = 0; j < hidden; j++) {
    if (h[j]! <= 0) continue;
    for (let o = 0; o < outputs; o++) out[o]! += h[j]! * model.second[j * outputs + o]!;
  }
  return out;
}
