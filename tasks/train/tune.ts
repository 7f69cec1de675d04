/** Thresholds, lifts and the confidence's scale, tuned on scores of posts that were held out. */
import { type Decision, evidence } from "../../mining/classify/decide.ts";
import { PATTERNS } from "../../mining/types.ts";
import type { Label } from "./data.ts";

/** One held-out post: its probabilities and its label. */
export interface Outcome {
  readonly classes: Float64Array;
  readonly label: Label;
}

const COUNT = PATTERNS.length;

/** Finds the decision that does best on these outcomes: demand F1 first, then macro-F1 over the patterns. */
export function tune(outcomes: readonly Outcome[]): Decision {
  const gold = outcomes.map(({ label }) =>
    label.pattern === null ? -1 : PATTERNS.indexOf(label.pattern)
  );
  const demand = outcomes.map(({ classes }) =>
    classes.slice(0, COUNT).reduce((sum, p) => sum + p, 0)
  );
  const threshold = bestThreshold(gold, demand);
  const lifts = bestLifts(outcomes, gold, demand.map((p) => p >= threshold));
  const base: Decision = { threshold, lifts, also: 1, slope: 1, offset: 0 };
  const also = bestAlso(outcomes, base, demand);
  return { ...base, also, ...bestScale(outcomes, gold, demand, base) };
}

/** The threshold with the best F1, smoothed over its neighbours so that one post does not decide it. */
function bestThreshold(gold: readonly number[], demand: readonly number[]): number {
  const steps = Array.from({ length: 51 }, (_, i) => 0.2 + i * 0.01);
  const scores = steps.map((step) => {
    let hit = 0;
    let size = 0;
    gold.forEach((g, i) => {
      const found = demand[i]! >= step;
      if (found && g >= 0) hit++;
      size += (found ? 1 : 0) + (g >= 0 ? 1 : 0);
    });
    return 2 * hit / Math.max(1, size);
  });
  let best = 0;
  let bestScore = -1;
  for (let i = 2; i < steps.length - 2; i++) {
    const smooth = scores.slice(i - 2, i + 3).reduce((sum, score) => sum + score, 0);
    if (smooth > bestScore) [best, bestScore] = [i, smooth];
  }
  return Math.round(steps[best]! * 100) / 100;
}

/** Coordinate ascent on macro-F1, from the roots of the inverse shares. */
function bestLifts(
  outcomes: readonly Outcome[],
  gold: readonly number[],
  found: readonly boolean[],
): number[] {
  const total = gold.filter((g) => g >= 0).length;
  const lifts = PATTERNS.map((_, c) =>
    Math.sqrt(total / (COUNT * Math.max(1, gold.filter((g) => g === c).length)))
  );
  let score = macro(outcomes, gold, found, lifts);
  for (let round = 0; round < 3; round++) {
    for (let c = 0; c < COUNT; c++) {
      const held = lifts[c]!;
      let keep = held;
      for (const factor of [0.6, 0.75, 0.87, 1.15, 1.33, 1.7]) {
        lifts[c] = held * factor;
        const tried = macro(outcomes, gold, found, lifts);
        // A lift moves only for a gain that is more than a post or two.
        if (tried > score + 0.0015) [score, keep] = [tried, held * factor];
      }
      lifts[c] = keep;
    }
  }
  return lifts.map((lift) => Math.round(lift * 1000) / 1000);
}

function macro(
  outcomes: readonly Outcome[],
  gold: readonly number[],
  found: readonly boolean[],
  lifts: readonly number[],
): number {
  const hit = new Int32Array(COUNT);
  const size = new Int32Array(COUNT);
  outcomes.forEach(({ classes }, i) => {
    const g = gold[i]!;
    if (g >= 0) size[g]!++;
    if (!found[i]) return;
    const c = chosen(classes, lifts);
    size[c]!++;
    if (c === g) hit[c]!++;
  });
  return PATTERNS.reduce((sum, _, c) => sum + 2 * hit[c]! / Math.max(1, size[c]!), 0) / COUNT;
}

function chosen(classes: Float64Array, lifts: readonly number[]): number {
  let best = 0;
  for (let c = 1; c < COUNT; c++) {
    if (classes[c]! * lifts[c]! > classes[best]! * lifts[best]!) best = c;
  }
  return best;
}

/** The share of the first pattern at which a second one is right as often as it is missed. */
function bestAlso(
  outcomes: readonly Outcome[],
  decision: Decision,
  demand: readonly number[],
): number {
  let best = 1;
  let bestScore = -1;
  for (let ratio = 0.3; ratio <= 1; ratio += 0.05) {
    let hit = 0;
    let size = 0;
    outcomes.forEach(({ classes, label }, i) => {
      if (label.also !== null) size++;
      if (demand[i]! < decision.threshold) return;
      const lifted = PATTERNS.map((_, c) => classes[c]! * decision.lifts[c]!);
      const first = chosen(classes, decision.lifts);
      const second = lifted.reduce(
        (top, value, c) => c !== first && (top < 0 || value > lifted[top]!) ? c : top,
        -1,
      );
      if (lifted[second]! < ratio * lifted[first]!) return;
      size++;
      if (PATTERNS[second] === label.also) hit++;
    });
    const score = 2 * hit / Math.max(1, size);
    if (score > bestScore) [best, bestScore] = [ratio, score];
  }
  return Math.round(best * 100) / 100;
}

/** Platt's scale: logistic regression of "the pattern is right" on the evidence, by Newton's steps. */
function bestScale(
  outcomes: readonly Outcome[],
  gold: readonly number[],
  demand: readonly number[],
  decision: Decision,
): { slope: number; offset: number } {
  const points: { x: number; y: number }[] = [];
  outcomes.forEach(({ classes }, i) => {
    if (demand[i]! < decision.threshold) return;
    const c = chosen(classes, decision.lifts);
    points.push({ x: evidence(classes, decision, c), y: c === gold[i] ? 1 : 0 });
  });
  let slope = 1;
  let offset = 0;
  for (let step = 0; step < 25; step++) {
    let ga = 0, gb = 0, haa = 1e-3, hab = 0, hbb = 1e-3;
    for (const { x, y } of points) {
      const p = 1 / (1 + Math.exp(-(slope * x + offset)));
      const w = p * (1 - p);
      ga += (p - y) * x;
      gb += p - y;
      haa += w * x * x;
      hab += w * x;
      hbb += w;
    }
    const det = haa * hbb - hab * hab;
    slope -= (hbb * ga - hab * gb) / det;
    offset -= (haa * gb - hab * ga) / det;
  }
  return { slope: Math.round(slope * 1000) / 1000, offset: Math.round(offset * 1000) / 1000 };
}
