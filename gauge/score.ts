/**
 * How much demand the matched posts show, 0-100. docs/verdicts.md derives the formula.
 *
 * Every post has one strength, by which it ranks and by which it counts. A voice counts with its
 * strongest post, a text with its strongest copy. The score grows with the logarithm of the sum, so
 * that more evidence never lowers it and less never raises it.
 */
import { DAY_MS } from "../core/clock.ts";
import { rounded } from "../core/numbers.ts";
import type { Match, Temperature } from "./types.ts";

/** Days in which a post loses half its strength; db/migrations/0003_gauge.sql has the same number. */
export const HALF_LIFE_DAYS = 180;
/** Strength at which the score is 100: about so many fresh, exact, certain posts. */
const FULL_STRENGTH = 100;
/** What a post counts for that is neither intense nor names money, and what a level of either adds. */
const BASE = 0.5;
const PER_LEVEL = 1 / 6;
/** A post's votes add up to as much again, at 1,023. */
const VOTE_DOUBLINGS = 10;
/** The most the model may move the score. */
const MODEL_SHIFT = 15;

const WARM_FROM = 35;
const HOT_FROM = 65;

export type Weighed = Pick<
  Match,
  "relevance" | "confidence" | "intensity" | "wtp" | "upvotes" | "createdAt"
>;

/**
 * The strength of one post as evidence: `relevance^2 * confidence * (1/2 + intensity/6 + wtp/6) *
 * (1 + log2(1 + votes)/10) * 2^(-age/180 days)`, with votes from 0 to 1,023 and ages from 0.
 */
export function strength(match: Weighed, asOf: Date): number {
  const ageDays = Math.max(0, asOf.getTime() - match.createdAt.getTime()) / DAY_MS;
  const votes = Math.min(VOTE_DOUBLINGS, Math.log2(1 + Math.max(0, match.upvotes)));
  const said = BASE + PER_LEVEL * (match.intensity + match.wtp);
  return rounded(
    match.relevance ** 2 * match.confidence * said * (1 + votes / VOTE_DOUBLINGS) *
      2 ** (-ageDays / HALF_LIFE_DAYS),
    6,
  );
}

function foldedSum(
  pieces: readonly { readonly key: string; readonly strength: number }[],
): number {
  const strongest = new Map<string, number>();
  for (const { key, strength } of pieces) {
    strongest.set(key, Math.max(strongest.get(key) ?? 0, strength));
  }
  let sum = 0;
  for (const value of strongest.values()) sum += value;
  return sum;
}

/**
 * The formula's score of a list of matches, 0-100, one decimal; 0 for none. Monotone: adding a match
 * never lowers it, removing one never raises it. Both sums, over voices and over texts, are monotone,
 * and so is the smaller of them.
 */
export function formulaScore(
  matches: readonly (Weighed & Pick<Match, "voice" | "textKey">)[],
  asOf: Date,
): number {
  const weighed = matches.map((match) => ({ match, strength: strength(match, asOf) }));
  const byVoice = foldedSum(weighed.map((w) => ({ key: w.match.voice, strength: w.strength })));
  const byText = foldedSum(weighed.map((w) => ({ key: w.match.textKey, strength: w.strength })));
  const mass = rounded(Math.min(byVoice, byText), 4);
  const score = 100 * Math.log2(1 + mass) / Math.log2(1 + FULL_STRENGTH);
  return Math.min(100, rounded(rounded(score, 6), 1));
}

/** The score after the model moved it: at most 15 points either way, within 0-100, one decimal. */
export function shiftedScore(formula: number, shift: number): number {
  const bounded = Number.isFinite(shift) ? Math.min(MODEL_SHIFT, Math.max(-MODEL_SHIFT, shift)) : 0;
  return rounded(Math.min(100, Math.max(0, formula + bounded)), 1);
}

/** The word for a score. */
export function temperature(score: number): Temperature {
  return score < WARM_FROM ? "cold" : score < HOT_FROM ? "warm" : "hot";
}
