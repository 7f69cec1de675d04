/** Softmax regression on sparse rows, by stochastic gradient descent with AdaGrad's step sizes. */
import type { Rows } from "./rows.ts";
import { seeded, shuffle } from "./random.ts";

/** A softmax regression. */
export interface Linear {
  readonly classes: number;
  /** `features` rows of `classes` weights. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

interface LinearOptions {
  readonly features: number;
  readonly classes: number;
  readonly epochs: number;
  readonly rate: number;
  /** L2 penalty per step, on the weights a post touches. */
  readonly decay: number;
  readonly seed: number;
}

/** Fits weights to soft targets: `targets` holds `classes` shares per item. */
export function fitLinear(
  rows: Rows,
  items: Int32Array,
  targets: Float32Array,
  options: LinearOptions,
): Linear {
  const { features, classes, epochs, rate, decay } = options;
  const weights = new Float32Array(features * classes);
  const squares = new Float32Array(features * classes).fill(1e-2);
  const bias = new Float32Array(classes);
  const random = seeded(options.seed);
  const order = Int32Array.from(items, (_, i) => i);
  const z = new Float64Array(classes);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    const step = rate / (1 + epoch);
    for (const item of order) {
      const row = items[item]!;
      const from = rows.starts[row]!;
      const to = rows.starts[row + 1]!;
      for (let c = 0; c < classes; c++) z[c] = bias[c]!;
      for (let i = from; i < to; i++) {
        const value = rows.value[i]!;
        const at = rows.index[i]! * classes;
        for (let c = 0; c < classes; c++) z[c]! += value * weights[at + c]!;
      }
      softmax(z);
      for (let c = 0; c < classes; c++) {
        z[c]! -= targets[item * classes + c]!;
        bias[c]! -= 0.02 * step * z[c]!;
      }
      for (let i = from; i < to; i++) {
        const value = rows.value[i]!;
        const at = rows.index[i]! * classes;
        for (let c = 0; c < classes; c++) {
          const gradient = z[c]! * value + decay * weights[at + c]!;
          const square = squares[at + c]! + gradient * gradient;
          squares[at + c] = square;
          weights[at + c]! -= step * gradient / Math.sqrt(square);
        }
      }
    }
  }
  return { classes, weights, bias };
}

/** Class probabilities of one row. */
export function predictLinear(model: Linear, rows: Rows, row: number): Float64Array {
  const z = Float64Array.from(model.bias);
  addRow(model, rows, row, z);
  softmax(z);
  return z;
}

/** Adds to `z` what one row's features speak for. */
export function addRow(
  { classes, weights }: Linear,
  rows: Rows,
  row: number,
  z: Float64Array,
): void {
  for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
    const at = rows.index[i]! * classes;
    for (let c = 0; c < classes; c++) z[c]! += rows.value[i]! * weights[at + c]!;
  }
}

/** Turns scores into shares, in place. */
export function softmax(z: Float64Array): void {
  let top = -Infinity;
  for (const value of z) if (value > top) top = value;
  let sum = 0;
  for (let c = 0; c < z.length; c++) sum += z[c] = Math.exp(z[c]! - top);
  for (let c = 0; c < z.length; c++) z[c]! /= sum;
}
