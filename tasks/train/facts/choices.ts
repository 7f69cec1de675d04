/** Fits the choice among the things that a post names, and the certainty that a post is demand for one. */
import {
  PRODUCT_FEATURES,
  type ProductCandidate,
  type ProductWeights,
} from "../../../mining/extract/product/choice.ts";
import { softmax } from "../linear.ts";
import { normal, seeded, shuffle } from "../random.ts";

/** The candidates of one post, and which of them are of the right kind. */
export interface ProductChoice {
  readonly candidates: readonly ProductCandidate[];
  readonly right: readonly boolean[];
}

const EPOCHS = 8;
const RATE = 0.1;
const HIDDEN = 12;
const DECAY = 0.0002;

/** A softmax over each post's candidates, with a hidden layer beside the features, by AdaGrad. */
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
  const squares = new Float64Array(size).fill(0.01);
  const mean = new Float64Array(size);
  const gradient = new Float64Array(size);
  const order = Int32Array.from(useful, (_, i) => i);
  const units = new Float64Array(HIDDEN);
  let averaged = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    const rate = RATE * (1 - 0.9 * epoch / EPOCHS);
    for (const at of order) {
      const { candidates, right } = useful[at]!;
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
      const p = Float64Array.from(candidates, ({ features }) => score(features));
      softmax(p);
      let mass = 0;
      right.forEach((is, i) => mass += is ? p[i]! : 0);
      gradient.fill(0);
      candidates.forEach(({ features }, i) => {
        const pull = (right[i] === true ? p[i]! / Math.max(1e-9, mass) : 0) - p[i]!;
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
      for (let k = 0; k < size; k++) {
        const step = gradient[k]!;
        if (step === 0) continue;
        const square = squares[k]! + step * step;
        squares[k] = square;
        w[k] = w[k]! * (1 - DECAY) + rate * step / Math.sqrt(square);
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
export interface JudgedFact {
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
