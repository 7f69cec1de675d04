/** What is wanted: the choice among the things that a post may want, by a small network over what describes them. */
import { logistic, shares } from "../../classify/numbers.ts";
import { PRODUCT_FEATURES, type ProductCandidate } from "./candidates.ts";

/** The candidate that was chosen, and how surely. */
export interface ChosenProduct {
  readonly candidate: ProductCandidate;
  /** Its share among the candidates. */
  readonly share: number;
  readonly certainty: number;
}

/** What the choice goes by: a hidden layer beside a weight a feature, and how the share becomes a certainty. */
export interface ProductWeights {
  /** A weight a feature. */
  readonly weights: readonly number[];
  /** For each hidden unit a weight a feature, and what it then counts for. */
  readonly hidden: readonly { readonly from: readonly number[]; readonly to: number }[];
  readonly slope: number;
  readonly offset: number;
}

/**
 * The candidate with the largest share of the network's softmax, of equals (to six decimals) the
 * first; null if there is none. `certainty` is the logistic function of that share by the weights'
 * slope and offset.
 */
export function chooseProduct(
  candidates: readonly ProductCandidate[],
  weights: ProductWeights,
): ChosenProduct | null {
  if (candidates.length === 0) return null;
  const scores = Float64Array.from(candidates, ({ features }) => scoreOf(features, weights));
  shares(scores);
  let best = 0;
  scores.forEach((score, i) => {
    if (Math.round(score * 1e6) > Math.round(scores[best]! * 1e6)) best = i;
  });
  return {
    candidate: candidates[best]!,
    share: scores[best]!,
    certainty: logistic(weights.slope * scores[best]! + weights.offset),
  };
}

/** Weights by feature instead of by unit: a candidate has few features that are not zero. */
const byFeature = new WeakMap<ProductWeights["hidden"], Float64Array>();

function columnsOf(hidden: ProductWeights["hidden"]): Float64Array {
  const known = byFeature.get(hidden);
  if (known !== undefined) return known;
  const columns = new Float64Array(PRODUCT_FEATURES * hidden.length);
  hidden.forEach(({ from }, unit) =>
    from.forEach((weight, i) => columns[i * hidden.length + unit] = weight)
  );
  byFeature.set(hidden, columns);
  return columns;
}

/** Room for the units of one candidate. */
const scratch = new Float64Array(64);

/** What speaks for a candidate. */
function scoreOf(
  features: Float32Array,
  { weights, hidden }: Pick<ProductWeights, "weights" | "hidden">,
): number {
  const columns = columnsOf(hidden);
  const units = scratch.subarray(0, hidden.length).fill(0);
  let sum = 0;
  for (let i = 0, k = 0; i < features.length; i++, k += units.length) {
    const value = features[i]!;
    if (value === 0) continue;
    sum += value * weights[i]!;
    for (let unit = 0; unit < units.length; unit++) units[unit]! += value * columns[k + unit]!;
  }
  for (let unit = 0; unit < units.length; unit++) {
    sum += Math.max(0, units[unit]!) * hidden[unit]!.to;
  }
  return sum;
}
