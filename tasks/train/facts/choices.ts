/** Fits the choice among the things that a post names, and the certainty that a post is demand for one. */
import {
  PRODUCT_FEATURES,
  type ProductCandidate,
  type ProductWeights,
  scoreOf,
} from "../../../mining/extract/product.ts";
import { softmax } from "../linear.ts";

/** The candidates of one post, and which of them are of the right kind. */
export interface ProductChoice {
  readonly candidates: readonly ProductCandidate[];
  readonly right: readonly boolean[];
}

const ROUNDS = 300;

/** A softmax over each post's candidates, by gradient descent on all posts at once. */
export function fitProduct(choices: readonly ProductChoice[]): ProductWeights {
  const useful = choices.filter(({ right }) => right.includes(true));
  const weights = new Array<number>(PRODUCT_FEATURES).fill(0);
  const speed = new Array<number>(PRODUCT_FEATURES).fill(0);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = new Float64Array(PRODUCT_FEATURES);
    for (const { candidates, right } of useful) {
      const p = Float64Array.from(candidates, ({ features }) => scoreOf(features, weights));
      softmax(p);
      let mass = 0;
      right.forEach((is, i) => mass += is ? p[i]! : 0);
      candidates.forEach(({ features }, i) => {
        const pull = (right[i] === true ? p[i]! / Math.max(1e-9, mass) : 0) - p[i]!;
        for (let f = 0; f < PRODUCT_FEATURES; f++) gradient[f]! += pull * features[f]!;
      });
    }
    for (let f = 0; f < PRODUCT_FEATURES; f++) {
      const step = gradient[f]! / Math.max(1, useful.length) - 0.0005 * weights[f]!;
      speed[f] = 0.9 * speed[f]! + step;
      weights[f]! += 1.5 * speed[f]!;
    }
  }
  const rounded = weights.map((weight) => Math.round(weight * 1e4) / 1e4);
  const outcomes = choices.flatMap(({ candidates, right }) => {
    if (candidates.length === 0) return [];
    const p = Float64Array.from(candidates, ({ features }) => scoreOf(features, rounded));
    softmax(p);
    const best = p.indexOf(Math.max(...p));
    return [{ features: [1, p[best]!], right: right[best] === true }];
  });
  const [offset = 0, slope = 1] = logisticFit(
    outcomes.map(({ features, right }) => ({
      features,
      right,
    })),
    2,
  );
  return { weights: rounded, slope, offset };
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
