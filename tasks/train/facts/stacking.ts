/**
 * Trains the third look (mining/extract/spans/stacking.ts): a softmax over a hidden layer and the inputs themselves, by Adam.
 * It is taught by posts as second looks see them that were not taught those posts, as it will see new ones.
 */
import type { Candidate } from "../../../mining/extract/spans/candidates.ts";
import { CLASSES } from "../../../mining/extract/spans/spans.ts";
import {
  STACK_INPUTS,
  stackInputs,
  type StackWeights,
} from "../../../mining/extract/spans/stacking.ts";
import { softmax } from "../linear.ts";
import { normal, seeded, shuffle } from "../random.ts";
import type { FactPost } from "./corpus.ts";
import { candidateTargets } from "./second.ts";

/** A post's candidates as a second look sees them. */
export interface LookedAt {
  readonly post: FactPost;
  readonly candidates: readonly Candidate[];
  readonly read: readonly Float64Array[];
}

const HIDDEN = 32;
const EPOCHS = 8;
const RATE = 0.003;
const DROPOUT = 0.25;
/** Candidates whose gradients make one step. */
const BATCH = 64;
/** An input counts as no steadier than this. */
const LEAST_DEVIATION = 0.05;

/** Fits the third look. The same posts give the same weights. */
export function fitStack(posts: readonly LookedAt[]): StackWeights {
  const rows = posts.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const inputs = new Float32Array(rows * STACK_INPUTS);
  const targets = new Uint8Array(rows);
  let row = 0;
  for (const { post, candidates, read } of posts) {
    const own = new Float64Array(candidates.length * STACK_INPUTS);
    stackInputs(post.post, candidates, read, own);
    inputs.set(own, row * STACK_INPUTS);
    targets.set(candidateTargets({ post, candidates }), row);
    row += candidates.length;
  }
  const { mean, scale } = standardise(inputs, rows);
  const random = seeded(3);
  const firstSize = (STACK_INPUTS + 1) * HIDDEN;
  const direct = firstSize + HIDDEN * CLASSES;
  const size = direct + (STACK_INPUTS + 1) * CLASSES;
  const w = new Float32Array(size);
  for (let k = 0; k < STACK_INPUTS * HIDDEN; k++) w[k] = normal(random) * 0.1;
  for (let k = firstSize; k < direct; k++) w[k] = normal(random) * 0.18;
  const gradient = new Float32Array(size);
  const speed = new Float32Array(size);
  const squares = new Float32Array(size);
  const sums = new Float32Array(size);
  const units = new Float64Array(HIDDEN);
  const back = new Float64Array(HIDDEN);
  const z = new Float64Array(CLASSES);
  const learn = (row: number): void => {
    const at = row * STACK_INPUTS;
    for (let h = 0; h < HIDDEN; h++) units[h] = w[STACK_INPUTS * HIDDEN + h]!;
    for (let c = 0; c < CLASSES; c++) z[c] = w[size - CLASSES + c]!;
    for (let i = 0; i < STACK_INPUTS; i++) {
      const x = inputs[at + i]!;
      for (let h = 0, k = i * HIDDEN; h < HIDDEN; h++, k++) units[h]! += x * w[k]!;
      for (let c = 0, k = direct + i * CLASSES; c < CLASSES; c++, k++) z[c]! += x * w[k]!;
    }
    for (let h = 0; h < HIDDEN; h++) {
      units[h] = units[h]! > 0 && random() >= DROPOUT ? units[h]! / (1 - DROPOUT) : 0;
      if (units[h] === 0) continue;
      for (let c = 0, k = firstSize + h * CLASSES; c < CLASSES; c++, k++) {
        z[c]! += units[h]! * w[k]!;
      }
    }
    softmax(z);
    z[targets[row]!]! -= 1;
    for (let h = 0; h < HIDDEN; h++) {
      back[h] = 0;
      if (units[h] === 0) continue;
      for (let c = 0, k = firstSize + h * CLASSES; c < CLASSES; c++, k++) {
        back[h]! += z[c]! * w[k]! / (1 - DROPOUT);
        gradient[k]! += z[c]! * units[h]!;
      }
      gradient[STACK_INPUTS * HIDDEN + h]! += back[h]!;
    }
    for (let c = 0; c < CLASSES; c++) gradient[size - CLASSES + c]! += z[c]!;
    for (let i = 0; i < STACK_INPUTS; i++) {
      const x = inputs[at + i]!;
      for (let h = 0, k = i * HIDDEN; h < HIDDEN; h++, k++) gradient[k]! += x * back[h]!;
      for (let c = 0, k = direct + i * CLASSES; c < CLASSES; c++, k++) gradient[k]! += x * z[c]!;
    }
  };
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  const steps = Math.ceil(rows / BATCH) * EPOCHS;
  let step = 0, averaged = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (let from = 0; from < rows; from += BATCH) {
      const batch = order.subarray(from, from + BATCH);
      gradient.fill(0);
      for (const row of batch) learn(row);
      step++;
      const rate = RATE * (1 - 0.9 * step / steps);
      const [first, second] = [1 - 0.9 ** step, 1 - 0.999 ** step];
      for (let k = 0; k < size; k++) {
        const g = gradient[k]! / batch.length;
        speed[k] = 0.9 * speed[k]! + 0.1 * g;
        squares[k] = 0.999 * squares[k]! + 0.001 * g * g;
        w[k]! -= rate * (speed[k]! / first) / (Math.sqrt(squares[k]! / second) + 1e-6);
      }
    }
    if (epoch < EPOCHS / 2) continue;
    averaged++;
    for (let k = 0; k < size; k++) sums[k]! += w[k]!;
  }
  for (let k = 0; k < size; k++) sums[k]! /= averaged;
  return {
    hidden: HIDDEN,
    first: unscaled(sums.subarray(0, firstSize), HIDDEN, mean, scale),
    second: Float32Array.from([
      ...sums.subarray(firstSize, direct),
      ...unscaled(sums.subarray(direct), CLASSES, mean, scale),
    ]),
  };
}

/** Makes each input one of mean 0 and deviation 1, in place; gives the means and what deviations were divided by. */
function standardise(inputs: Float32Array, rows: number) {
  const mean = new Float64Array(STACK_INPUTS);
  const scale = new Float64Array(STACK_INPUTS);
  for (let k = 0; k < inputs.length; k++) mean[k % STACK_INPUTS]! += inputs[k]! / rows;
  for (let k = 0; k < inputs.length; k++) {
    const i = k % STACK_INPUTS;
    scale[i]! += (inputs[k]! - mean[i]!) ** 2 / rows;
  }
  for (let i = 0; i < STACK_INPUTS; i++) {
    scale[i] = 1 / Math.max(LEAST_DEVIATION, Math.sqrt(scale[i]!));
  }
  for (let k = 0; k < inputs.length; k++) {
    const i = k % STACK_INPUTS;
    inputs[k] = (inputs[k]! - mean[i]!) * scale[i]!;
  }
  return { mean, scale };
}

/** Weights of standardised inputs, `width` each, and biases behind them, as weights of the inputs themselves. */
function unscaled(
  weights: Float32Array,
  width: number,
  mean: Float64Array,
  scale: Float64Array,
): Float32Array {
  const out = Float64Array.from(weights);
  for (let i = 0; i < STACK_INPUTS; i++) {
    for (let u = 0; u < width; u++) {
      const weight = weights[i * width + u]! * scale[i]!;
      out[i * width + u] = weight;
      out[STACK_INPUTS * width + u]! -= weight * mean[i]!;
    }
  }
  return Float32Array.from(out);
}
