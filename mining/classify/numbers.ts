/**
 * The exponential and the logistic function from additions and multiplications alone, and log-odds that are rounded:
 * `Math.exp` and `Math.log` differ in their last bits between runtimes, and no judgement may rest on them.
 */
import { rounded } from "../../core/numbers.ts";

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/**
 * e to the power x, within 1e-15 of the true value relatively: a Taylor series of degree 13 after
 * taking away whole multiples of ln 2, which has two parts as in fdlibm's e_exp.c. 0 below -60, and
 * e^60 above 60. Exported for its test alone, which compares it with `Math.exp`.
 */
export function exp(x: number): number {
  if (x < -60) return 0;
  const bounded = x > 60 ? 60 : x;
  const k = Math.round(bounded / Math.LN2);
  const r = (bounded - k * LN2_HIGH) - k * LN2_LOW;
  let sum = 1;
  for (let n = 13; n > 0; n--) sum = 1 + sum * r / n;
  for (let i = 0; i < k; i++) sum *= 2;
  for (let i = 0; i > k; i--) sum *= 0.5;
  return sum;
}

/** Rounds to six decimals, so that no decision hangs on the last bits of a sum. */
export const settle = (value: number): number => rounded(value, 6);

/** Turns scores into their softmax in place: positive shares that sum to 1. */
export function shares(z: Float64Array): void {
  let top = -Infinity;
  for (let i = 0; i < z.length; i++) if (z[i]! > top) top = z[i]!;
  let sum = 0;
  for (let i = 0; i < z.length; i++) sum += z[i] = exp(z[i]! - top);
  for (let i = 0; i < z.length; i++) z[i]! /= sum;
}

/** The logistic function, 1 / (1 + e^-x), by `exp`. */
export function logistic(x: number): number {
  return 1 / (1 + exp(-x));
}

/**
 * The natural logarithm of `p / (1 - p)`, to six decimals; `p` counts as no nearer than `least` to
 * 0 or 1.
 */
export function logOdds(p: number, least: number): number {
  const bounded = Math.max(least, Math.min(1 - least, p));
  return settle(Math.log(bounded / (1 - bounded)));
}
