/** Fits the choice among the things that a post names, and the certainty that a post is demand for one. */
import {
  PRODUCT_FEATURES,
  type ProductCandidate,
} from "../../../mining/extract/product/candidates.ts";
import type { ProductWeights } from "../../../mining/extract/product/choice.ts";
import { kindNameOf } from "../../../mining/extract/product/names.ts";
import { softmax } from "../linear.ts";
import { normal, seeded, shuffle } from "../random.ts";
import { sameHead } from "./agreement.ts";
import type { FactLabel } from "./labels.ts";

/** The candidates of one post, and which of them are of the right kind. */
interface ProductChoice {
  readonly candidates: readonly ProductCandidate[];
  readonly right: readonly boolean[];
}

/** Whether a thing is of the labelled kind: by the names as they were written, or as the lexicons have them. */
export function isRight(
  { head, product }: Pick<FactLabel, "head" | "product">,
  found: Pick<ProductCandidate, "kind" | "product">,
): boolean {
  return sameHead(head, found.kind) || sameHead(product, found.product) ||
    kindNameOf(head === "" ? product : head) === found.kind;
}

const EPOCHS = 12;
const RATE = 0.01;
const HIDDEN = 12;
const DECAY = 0.01;
/** Posts whose gradients make one step. */
const BATCH = 64;

/** A softmax over each post's candidates, with a hidden layer beside the features, by Adam. */
export function fitProduct(
  choices: readonly ProductChoice[],
): Pick<ProductWeights, "weights" | "hidden"> {
  const useful = choices.filter(({ right }) => right.includes(true) && right.includes(false));
  const width = PRODUCT_FEATURES;
  const random = seeded(29);
  const size = width + HIDDEN * (width + 1);
  // The weights of the features, then of each unit, then what the units count for.
  const w = Float64Array.from(
    { length: size },
    (_, i) => i < width ? 0 : normal(random) * (i < size - HIDDEN ? 0.15 : 0.3),
  );
  const speed = new Float64Array(size);
  const squares = new Float64Array(size);
  const mean = new Float64Array(size);
  const gradient = new Float64Array(size);
  const order = Int32Array.from(useful, (_, i) => i);
  const units = new Float64Array(HIDDEN);
  const score = (features: Float32Array): number => {
    let sum = 0;
    for (let f = 0; f < width; f++) sum += features[f]! * w[f]!;
    for (let h = 0; h < HIDDEN; h++) {
      let unit = 0;
      for (let f = 0, k = width + h * width; f < width; f++, k++) unit += features[f]! * w[k]!;
      units[h] = Math.max(0, unit);
      sum += units[h]! * w[size - HIDDEN + h]!;
    }
    return sum;
  };
  const learn = ({ candidates, right }: ProductChoice): void => {
    const p = Float64Array.from(candidates, ({ features }) => score(features));
    softmax(p);
    let mass = 0;
    right.forEach((is, i) => mass += is ? p[i]! : 0);
    candidates.forEach(({ features }, i) => {
      const pull = p[i]! - (right[i] === true ? p[i]! / Math.max(1e-9, mass) : 0);
      if (Math.abs(pull) < 0.001) return;
      score(features);
      for (let f = 0; f < width; f++) gradient[f]! += pull * features[f]!;
      for (let h = 0; h < HIDDEN; h++) {
        if (units[h] === 0) continue;
        const back = pull * w[size - HIDDEN + h]!;
        gradient[size - HIDDEN + h]! += pull * units[h]!;
        for (let f = 0, k = width + h * width; f < width; f++, k++) {
          gradient[k]! += back * features[f]!;
        }
      }
    });
  };
  let averaged = 0;
  let steps = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    const rate = RATE * (1 - 0.9 * epoch / EPOCHS);
    for (let from = 0; from < order.length; from += BATCH) {
      const batch = order.subarray(from, from + BATCH);
      gradient.fill(0);
      for (const at of batch) learn(useful[at]!);
      steps++;
      const [first, second] = [1 - 0.9 ** steps, 1 - 0.99 ** steps];
      for (let k = 0; k < size; k++) {
        const g = gradient[k]! / batch.length;
        speed[k] = 0.9 * speed[k]! + 0.1 * g;
        squares[k] = 0.99 * squares[k]! + 0.01 * g * g;
        const step = speed[k]! / first / (Math.sqrt(squares[k]! / second) + 1e-8);
        w[k]! -= rate * (step + DECAY * w[k]!);
      }
    }
    if (epoch >= EPOCHS / 2) {
      averaged++;
      for (let k = 0; k < size; k++) mean[k]! += w[k]!;
    }
  }
  const rounded = Array.from(mean, (sum) => Math.round(sum / averaged * 1e3) / 1e3);
  return {
    weights: rounded.slice(0, width),
    hidden: Array.from({ length: HIDDEN }, (_, h) => ({
      from: rounded.slice(width + h * width, width + (h + 1) * width),
      to: rounded[size - HIDDEN + h]!,
    })),
  };
}

/** What makes a candidate's share its certainty, from choices by weights that have not seen their posts. */
export function fitProductCertainty(
  judged: readonly { readonly share: number; readonly right: boolean }[],
): Pick<ProductWeights, "slope" | "offset"> {
  const [offset = 0, slope = 1] = logisticFit(
    judged.map(({ share, right }) => ({ features: [1, share], right })),
    2,
  );
  return { slope, offset };
}

/** The weights of `gateFeatures`. */
export function fitGate(
  given: readonly { readonly features: readonly number[]; readonly demand: boolean }[],
): number[] {
  const width = given[0]?.features.length ?? 0;
  return logisticFit(given.map(({ features, demand }) => ({ features, right: demand })), width);
}

/** A fact that cross-validation found, and whether its label bears it out. */
interface JudgedFact {
  readonly type: number;
  readonly features: readonly number[];
  readonly right: boolean;
}

/** Facts of a type from which its certainty is learned; types with fewer take that of all. */
const LEAST_JUDGED = 60;

/** What makes probabilities certainties, type by type. */
export function fitCertainty(judged: readonly JudgedFact[], types: number): number[][] {
  const width = judged[0]?.features.length ?? 0;
  const all = logisticFit(judged, width);
  return Array.from({ length: types }, (_, type) => {
    const own = judged.filter((fact) => fact.type === type);
    return own.length < LEAST_JUDGED ? all : logisticFit(own, width);
  });
}

/** Logistic regression by gradient descent with momentum, lightly drawn to zero. */
function logisticFit(
  given: readonly { readonly features: readonly number[]; readonly right: boolean }[],
  width: number,
): number[] {
  const weights = new Array<number>(width).fill(0);
  const speed = new Array<number>(width).fill(0);
  for (let round = 0; round < 1500; round++) {
    const gradient = new Float64Array(width);
    for (const { features, right } of given) {
      let sum = 0;
      for (let f = 0; f < width; f++) sum += features[f]! * weights[f]!;
      const error = (right ? 1 : 0) - 1 / (1 + Math.exp(-sum));
      for (let f = 0; f < width; f++) gradient[f]! += error * features[f]!;
    }
    for (let f = 0; f < width; f++) {
      const step = gradient[f]! / Math.max(1, given.length) - 0.0005 * weights[f]!;
      speed[f] = 0.9 * speed[f]! + step;
      weights[f]! += 0.5 * speed[f]!;
    }
  }
  return weights.map((weight) => Math.round(weight * 1e4) / 1e4);
}
