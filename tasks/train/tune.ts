/** Thresholds, gates, lifts and the confidence's scale, tuned on scores of posts that were held out. */
import {
  type Decision,
  evidenceLogOdds,
  showsDemand,
  strengths,
  topTwo,
} from "../../mining/classify/decide.ts";
import { type Pattern, PATTERNS } from "../../mining/types.ts";
import type { Label } from "./data.ts";

/** One held-out post: its probabilities and its label. */
interface HeldOutPost {
  readonly classes: Float64Array;
  readonly label: Label;
}

const COUNT = PATTERNS.length;
/**
 * Told as stories or complaints, without asking for anything, these three drown in none at even odds. Set by hand
 * from the cross-validation: gates tuned one by one did no better on posts held out of the tuning.
 */
const GATES: Partial<Record<Pattern, number>> = {
  repeat_failure: 1.25,
  workaround: 1.25,
  frustration: 1.25,
};
/** Every lift starts from here: one part in five of the probability stands by itself. */
const FIRST_LIFT = 5;
const FACTORS = [0.6, 0.75, 0.87, 0.93, 1.07, 1.15, 1.33, 1.7];
/** A lift moves only for a gain of more than a post or two, so that chance does not choose it. */
const LEAST_GAIN = 0.0005;
const ROUNDS = 3;
const AS_GOOD = 0.005;
const LEAST_ALSO = 70;

/**
 * Finds the decision that does best on held-out outcomes: a threshold for demand F1 and lifts for demand F1 and
 * macro-F1 together, twice in turn since each moves the other, then the threshold once more. `drawn` are outcomes of
 * posts drawn by a guess of their pattern: with them there are enough of every pattern to find the lifts, but how
 * often a post is demand, and how sure one may be of it, is learned without them.
 */
export function tune(judged: readonly HeldOutPost[], drawn: readonly HeldOutPost[] = []): Decision {
  const all = [...judged, ...drawn];
  const judgedGold = goldOf(judged);
  let base: Decision = {
    threshold: 0,
    gates: PATTERNS.map((pattern) => GATES[pattern] ?? 1),
    lifts: PATTERNS.map(() => 0),
    also: 1,
    slope: 1,
    offset: 0,
  };
  const findThreshold = (): void => {
    base = { ...base, threshold: bestThreshold(judged, judgedGold, base) };
  };
  findThreshold();
  base = { ...base, lifts: PATTERNS.map(() => FIRST_LIFT) };
  for (let turn = 0; turn < 2; turn++) {
    base = { ...base, lifts: bestLifts(all, goldOf(all), judged.length, base) };
    findThreshold();
  }
  return { ...base, also: bestAlso(all, base), ...bestScale(judged, judgedGold, base) };
}

/** The number of each label's pattern, -1 for none. */
function goldOf(outcomes: readonly HeldOutPost[]): number[] {
  return outcomes.map(({ label }) => label.pattern === null ? -1 : PATTERNS.indexOf(label.pattern));
}

/**
 * The lowest threshold whose demand F1, smoothed over its neighbours so that one post does not decide it, is within
 * `AS_GOOD` of the best: posts of other places and years score lower than those at hand.
 */
function bestThreshold(
  outcomes: readonly HeldOutPost[],
  gold: readonly number[],
  start: Decision,
): number {
  const scores = Array.from({ length: 61 }, (_, i) => {
    const decision = { ...start, threshold: (20 + i) / 100 };
    let hit = 0;
    let size = 0;
    outcomes.forEach(({ classes }, o) => {
      const found = showsDemand(classes, decision);
      if (found && gold[o]! >= 0) hit++;
      size += (found ? 1 : 0) + (gold[o]! >= 0 ? 1 : 0);
    });
    return 2 * hit / Math.max(1, size);
  });
  const smooth = scores.slice(2, -2).map((_, i) =>
    scores.slice(i, i + 5).reduce((sum, score) => sum + score, 0) / 5
  );
  const good = Math.max(...smooth) - AS_GOOD;
  return (22 + smooth.findIndex((score) => score >= good)) / 100;
}

/**
 * Coordinate ascent on macro-F1 of all outcomes and demand F1 of the first `judged` of them, added: without the
 * second, lifts find a pattern in posts that want nothing.
 */
function bestLifts(
  outcomes: readonly HeldOutPost[],
  gold: readonly number[],
  judged: number,
  decision: Decision,
): number[] {
  const lifts = [...decision.lifts];
  const tried: Decision = { ...decision, lifts };
  const score = (): number => {
    const hit = new Int32Array(COUNT);
    const size = new Int32Array(COUNT);
    let demandHit = 0;
    let demandSize = 0;
    outcomes.forEach(({ classes }, i) => {
      const g = gold[i]!;
      const found = showsDemand(classes, tried);
      if (i < judged) {
        demandSize += (found ? 1 : 0) + (g >= 0 ? 1 : 0);
        if (found && g >= 0) demandHit++;
      }
      if (g >= 0) size[g]!++;
      if (!found) return;
      const [c] = topTwo(strengths(classes, tried));
      size[c]!++;
      if (c === g) hit[c]!++;
    });
    const macro = PATTERNS.reduce((sum, _, c) => sum + 2 * hit[c]! / Math.max(1, size[c]!), 0) /
      COUNT;
    return macro + 2 * demandHit / Math.max(1, demandSize);
  };
  let best = score();
  for (let round = 0; round < ROUNDS; round++) {
    for (let c = 0; c < COUNT; c++) {
      const held = lifts[c]!;
      let keep = held;
      for (const factor of FACTORS) {
        lifts[c] = held * factor;
        const found = score();
        if (found > best + LEAST_GAIN) [best, keep] = [found, lifts[c]!];
      }
      lifts[c] = keep;
    }
  }
  return lifts.map((lift) => Math.round(lift * 1000) / 1000);
}

/**
 * The share of the first pattern at which naming a second one has the best F1, from `LEAST_ALSO` on: lower ones name a
 * second pattern for half of all posts, and find hardly more of those that have one.
 */
function bestAlso(outcomes: readonly HeldOutPost[], decision: Decision): number {
  let best = 1;
  let bestScore = -1;
  for (let step = LEAST_ALSO; step <= 100; step += 5) {
    let hit = 0;
    let size = 0;
    for (const { classes, label } of outcomes) {
      if (label.also !== null) size++;
      if (!showsDemand(classes, decision)) continue;
      const strength = strengths(classes, decision);
      const [first, second] = topTwo(strength);
      if (strength[second]! < step / 100 * strength[first]!) continue;
      size++;
      if (PATTERNS[second] === label.also) hit++;
    }
    const score = 2 * hit / Math.max(1, size);
    if (score > bestScore) [best, bestScore] = [step / 100, score];
  }
  return best;
}

/** Platt's scale: logistic regression of "the pattern is right" on the evidence, by Newton's steps. */
function bestScale(
  outcomes: readonly HeldOutPost[],
  gold: readonly number[],
  decision: Decision,
): { slope: number; offset: number } {
  const points: { x: number; y: number }[] = [];
  outcomes.forEach(({ classes }, i) => {
    if (!showsDemand(classes, decision)) return;
    const [c] = topTwo(strengths(classes, decision));
    points.push({ x: evidenceLogOdds(classes, decision, c), y: c === gold[i] ? 1 : 0 });
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
