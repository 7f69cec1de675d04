/** From probabilities to patterns: the thresholds are tuned on posts the weights have not seen. */
import { type Level, type Pattern, PATTERNS } from "../types.ts";
import { logistic, settle } from "./numbers.ts";

/** How probabilities become patterns, tuned by `tasks/train/tune.ts`. */
export interface Decision {
  /** Demand when the eight patterns' gated probabilities add up to at least this, or one stands by itself. */
  readonly threshold: number;
  /** Gate: a pattern's weight in the threshold. It multiplies the probability before they are added up. */
  readonly gates: readonly number[];
  /** Lift: a pattern's weight in the choice. From 1 on a lifted probability stands by itself; rare patterns get more. */
  readonly lifts: readonly number[];
  /** A second pattern counts when its lifted probability reaches this share of the first's. */
  readonly also: number;
  /** Confidence is `logistic(slope * logit + offset)` of the chosen pattern's raw evidence (Platt 1999). */
  readonly slope: number;
  readonly offset: number;
}

/** The pattern that a post shows, and a second one where it is as plain. */
interface ChosenPattern {
  readonly pattern: Pattern;
  readonly also: Pattern | null;
  readonly confidence: number;
  /** How likely the post shows demand of any pattern. */
  readonly likelihood: number;
  /** How likely it is about nothing that is made and bought. */
  readonly unphysical: number;
}

/**
 * The pattern that a post shows, by the probabilities of its classes: the eight of `PATTERNS`, then
 * no pattern about what is made and bought, then no pattern about anything else. `confidence` is
 * Platt's logistic function of `evidenceLogOdds`, to three decimals. Null where the post shows no
 * demand.
 */
export function decide(classes: Float64Array, decision: Decision): ChosenPattern | null {
  if (!showsDemand(classes, decision)) return null;
  const strength = strengths(classes, decision);
  const [first, second] = topTwo(strength);
  return {
    pattern: PATTERNS[first]!,
    also: strength[second]! >= decision.also * strength[first]! ? PATTERNS[second]! : null,
    confidence: confidence(evidenceLogOdds(classes, decision, first), decision),
    likelihood: settle(classes.subarray(0, PATTERNS.length).reduce((sum, p) => sum + p, 0)),
    unphysical: settle(classes[PATTERNS.length + 1]!),
  };
}

/**
 * Whether a post shows demand: where the patterns' probabilities, each times its gate, add up to
 * the threshold, or where one of them by itself, times its lift, reaches 1. `classes` are those of
 * `decide`.
 */
export function showsDemand(classes: Float64Array, { gates, threshold, lifts }: Decision): boolean {
  let demand = 0;
  for (let c = 0; c < PATTERNS.length; c++) {
    if (settle(classes[c]! * lifts[c]!) >= 1) return true;
    demand += classes[c]! * gates[c]!;
  }
  return settle(demand) >= threshold;
}

/**
 * By what the patterns are compared, one number each in the order of `PATTERNS`: the lifted
 * probabilities where one of them reaches 1, else the plain ones. Lifts are for a pattern that
 * shows itself; where none does, the likeliest is the better guess. `classes` are those of
 * `decide`.
 */
export function strengths(classes: Float64Array, { lifts }: Decision): number[] {
  const lifted = PATTERNS.map((_, c) => settle(classes[c]! * lifts[c]!));
  return lifted.some((value) => value >= 1) ? lifted : lifted.map((_, c) => settle(classes[c]!));
}

/**
 * The numbers of the two patterns of most strength; of equals the one that stands first in
 * `PATTERNS`, which is the more specific.
 */
export function topTwo(strength: readonly number[]): [first: number, second: number] {
  let first = -1;
  let second = -1;
  let top = -1;
  let next = -1;
  for (let c = 0; c < strength.length; c++) {
    const value = strength[c]!;
    if (value > top) [first, top, second, next] = [c, value, first, top];
    else if (value > next) [second, next] = [c, value];
  }
  return [first, second];
}

/**
 * What the confidence is computed of: the sum of the patterns' probabilities times the chosen one's
 * share of all strength, between 0.001 and 0.999, as `sinh(l / 2)` of its log-odds `l`. `chosen` is
 * a pattern's number.
 */
export function evidenceLogOdds(classes: Float64Array, decision: Decision, chosen: number): number {
  const strength = strengths(classes, decision);
  let demand = 0;
  let total = 0;
  for (let c = 0; c < PATTERNS.length; c++) {
    demand += classes[c]!;
    total += strength[c]!;
  }
  const share = demand * strength[chosen]! / Math.max(1e-9, total);
  const bounded = Math.min(0.999, Math.max(0.001, share));
  // Without a logarithm, whose last bits differ between runtimes.
  return (bounded - 0.5) / Math.sqrt(bounded * (1 - bounded));
}

function confidence(value: number, decision: Decision): number {
  return Math.round(1000 * logistic(decision.slope * value + decision.offset)) / 1000;
}

/**
 * The median of a distribution over the levels 0-3: the level whose expected absolute error is
 * least.
 */
export function medianLevel(levels: Float64Array): Level {
  let sum = 0;
  for (const level of [0, 1, 2] as const) {
    sum += levels[level]!;
    if (settle(sum) >= 0.5) return level;
  }
  return 3;
}
