/**
 * How much demand a card shows, 0-100: `100 * f^0.5 * i^0.25 * w^0.25` of frequency, intensity and
 * willingness to pay, each in [0.05, 1]. docs/scoring.md derives it.
 */
import { rounded } from "../core/numbers.ts";

/** Names the formula; any change to a constant below changes it. */
export const SCORE_VERSION = "2";

export const WEIGHTS = { frequency: 0.5, intensity: 0.25, wtp: 0.25 } as const;

/** Days in which a voice loses half its weight. */
const HALF_LIFE_DAYS = 180;
/** So many fresh and certain voices make a frequency of 1. */
const SATURATION = 100;
/** What a level from 0 to 3 is worth. Saying nothing of money or anger is not the same as having none. */
const LEVEL_VALUES = [0.15, 0.45, 0.75, 1] as const;
/** What a signal says on average, and how many voices that counts for. */
const PRIOR = { value: 0.45, voices: 4 } as const;
const FLOOR = 0.05;

/** One voice's newest word on a want. */
export interface Voice {
  /** Whole days before the corpus clock; negative counts as 0. */
  readonly ageDays: number;
  /** How likely it wants what the card says, 0-1. */
  readonly certainty: number;
  /** 0-3. */
  readonly intensity: number;
  /** 0-3. */
  readonly wtp: number;
}

export interface Components {
  readonly frequency: number;
  readonly intensity: number;
  readonly wtp: number;
}

const clamp = (value: number): number => Math.min(1, Math.max(FLOOR, value));

const valueOf = (level: number): number => LEVEL_VALUES[level] ?? LEVEL_VALUES[0];

/** The weight of a voice of this age: 1 when fresh, halved every 180 days. */
export function decay(ageDays: number): number {
  return rounded(2 ** (-Math.max(0, ageDays) / HALF_LIFE_DAYS), 9);
}

/**
 * The three components. Frequency grows with the logarithm of the voices' number, each weighed by its age
 * and its certainty; intensity and willingness to pay are means by the same weights, drawn towards the
 * prior while voices are few.
 */
export function components(voices: readonly Voice[]): Components {
  let weight = 0;
  let intensity = 0;
  let wtp = 0;
  for (const voice of voices) {
    const share = decay(voice.ageDays) * Math.min(1, Math.max(0, voice.certainty));
    weight += share;
    intensity += share * valueOf(voice.intensity);
    wtp += share * valueOf(voice.wtp);
  }
  const shrunk = (sum: number): number =>
    (sum + PRIOR.value * PRIOR.voices) / (weight + PRIOR.voices);
  return {
    frequency: rounded(clamp(Math.log(1 + weight) / Math.log(1 + SATURATION)), 4),
    intensity: rounded(clamp(shrunk(intensity)), 4),
    wtp: rounded(clamp(shrunk(wtp)), 4),
  };
}

/** The composite score of the components, 0-100, one decimal. */
export function compositeScore({ frequency, intensity, wtp }: Components): number {
  const score = 100 * frequency ** WEIGHTS.frequency * intensity ** WEIGHTS.intensity *
    wtp ** WEIGHTS.wtp;
  return rounded(rounded(score, 6), 1);
}
