/**
 * How much demand a card shows, 0-100: `100 * f^0.25 * i^0.5 * w^0.25` of frequency, intensity and
 * willingness to pay, each in [0.05, 1]. docs/scoring.md derives it.
 */
import { DAY_MS } from "../../core/clock.ts";
import { rounded } from "../../core/numbers.ts";
import type { Budgets, Count } from "../opportunities/counts.ts";

/** Names the formula; any change to a constant below changes it. */
export const SCORE_VERSION = "9";

/** The exponents of the components in the score. */
export const WEIGHTS = { frequency: 0.25, intensity: 0.5, wtp: 0.25 } as const;

/** Days in which an author loses half the weight. */
const HALF_LIFE_DAYS = 180;
/** Fresh and certain authors who make a frequency of 1; one makes none. */
const SATURATION = 25;
/** Authors like the kind's others that are added to every want: small counts are drawn to the kind. */
const PRIOR = 4;
/** The share of a kind's market that states a common want: importance is measured in multiples of it. */
const COMMON_SHARE = 0.01;
/**
 * What is left of the intensity of what shops list products by, since who wants it can choose it from what there is: a
 * measure more surely than a format or a part.
 */
const LISTED = { measure: 0.25, part: 0.6 } as const;
/** The intensity that counts as 1: hardly a want has all that it is made of. */
const WHOLE = 0.8;
const FLOOR = 0.05;

/** What a score is made of; all numbers are of distinct authors. */
export interface ScoredEvidence {
  /** `YYYY-MM|tenths`: when an author stated the want, and how certain the reading is. */
  readonly months: readonly Count[];
  readonly authors: number;
  /** Whether the want is of the type `spec`, by which shops list products: a number ("15 inch"), or a format or part. */
  readonly listed: keyof typeof LISTED | null;
  /** Failed by what there is, doing without or making do; and the share of such among all of the kind. */
  readonly unmet: number;
  readonly unmetShare: number;
  /** Who state each problem beside the want that two or more state, added up. */
  readonly failed: number;
  /** Mean intensity, 0-3, of the want's authors and of the kind's. */
  readonly intensity: number;
  readonly marketIntensity: number;
  /** Budgets in the currency most use; null where nobody names a sum. */
  readonly budgets: Budgets | null;
  /** The kind's median in that currency; null where too few name one. */
  readonly marketMedian: number | null;
  /** All who ask for the kind. */
  readonly asking: number;
  /** Who name a sum, and the share of those who do in the kind. */
  readonly naming: number;
  readonly marketNaming: number;
  /** Who would pay more, or want it cheap. */
  readonly payingMore: number;
  readonly cheap: number;
}

/** Each in [0.05, 1], four decimals. */
interface ScoreComponents {
  readonly frequency: number;
  readonly intensity: number;
  readonly wtp: number;
}

const clamp = (value: number): number => Math.min(1, Math.max(FLOOR, value));
/** Rises from 0 through 0.5 at `middle` to 1; `scale` is the distance in which it goes most of the way. */
const rise = (value: number, middle: number, scale: number): number =>
  1 / (1 + Math.exp(-(value - middle) * 2 / scale));

/** The weight of an author who spoke this many days ago: 1 today, halved every 180 days. */
function decay(ageDays: number): number {
  return rounded(2 ** (-Math.max(0, ageDays) / HALF_LIFE_DAYS), 9);
}

/**
 * The three components, each in [0.05, 1] with four decimals, by the formulas of docs/scoring.md;
 * `asOf` is the corpus clock. More authors, more unmet ones and higher budgets never lower them.
 */
export function components(evidence: ScoredEvidence, asOf: Date): ScoreComponents {
  return {
    frequency: rounded(clamp(frequency(evidence, asOf)), 4),
    intensity: rounded(clamp(intensity(evidence)), 4),
    wtp: rounded(clamp(willingness(evidence)), 4),
  };
}

/**
 * How many authors, weighed by certainty and age, make this frequency: 25 to its power. Where the
 * frequency was bounded, so is the number.
 */
export const weighedAuthors = (frequency: number): number => SATURATION ** frequency;

/** The logarithm of the authors, each weighed by certainty and by the age of the month's middle. */
function frequency({ months }: ScoredEvidence, asOf: Date): number {
  let weight = 0;
  for (const { value, authors } of months) {
    const [month = "", tenths = "10"] = value.split("|");
    const middle = Date.parse(`${month}-15T00:00:00Z`);
    const age = Math.max(0, Math.floor((asOf.getTime() - middle) / DAY_MS));
    weight += authors * decay(age) * Number(tenths) / 10;
  }
  return Math.log(Math.max(1, weight)) / Math.log(SATURATION);
}

/**
 * How unmet the want is, as importance against satisfaction (after Ulwick, "Turn Customer Input into
 * Innovation", 2002): the share of those who ask for the kind that state it; the share of its authors who are
 * failed, do without or make do, drawn to the kind's own, and how far it is above that; how often they are failed by
 * the same things, which a maker can mend; and how strongly they say it. What shops list is mostly met.
 */
function intensity(evidence: ScoredEvidence): number {
  const { listed, authors, asking, unmet, unmetShare, failed, marketIntensity } = evidence;
  const importance = Math.log1p(authors / Math.max(authors, asking) / COMMON_SHARE) /
    Math.log1p(1 / COMMON_SHARE);
  const share = (unmet + PRIOR * unmetShare) / (authors + PRIOR);
  const lift = Math.log((share + 0.05) / (unmetShare + 0.05));
  const said = (evidence.intensity * authors + marketIntensity * PRIOR) / (authors + PRIOR);
  const same = Math.min(1, 2 * failed / (authors + PRIOR));
  const unmetness = 0.1 * importance + 0.4 * rise(share, 0.25, 0.2) + 0.1 * rise(lift, 0.1, 0.4) +
    0.35 * same + 0.05 * Math.min(1, said / 2.5);
  return (listed === null ? 1 : LISTED[listed]) * unmetness / WHOLE;
}

/** What they would spend against the kind's middle, and who would pay more; a mere ceiling is little. */
function willingness(evidence: ScoredEvidence): number {
  const { authors, budgets, marketMedian, naming, marketNaming, payingMore, cheap } = evidence;
  const known = budgets === null ? 0 : budgets.authors - 0.3 * budgets.ceilings;
  const ratio = budgets === null || marketMedian === null || marketMedian <= 0
    ? 0
    : Math.log(Math.max(0.05, budgets.median) / marketMedian) * known / (known + PRIOR);
  const more = payingMore / (authors + PRIOR);
  const less = cheap / (authors + PRIOR);
  // Some communities' forms ask for a sum: what tells is that more name one than of the kind.
  const sums = Math.log(
    ((naming + PRIOR * marketNaming) / (authors + PRIOR) + 0.05) / (marketNaming + 0.05),
  );
  return 0.55 * rise(ratio, 0, 0.28) + 0.3 * rise(sums, 0, 0.25) + 0.6 * more - 0.5 * less;
}

/**
 * The score, 0-100 with one decimal: 100 times the weighted geometric mean of the components, by
 * `WEIGHTS`.
 */
export function compositeScore({ frequency, intensity, wtp }: ScoreComponents): number {
  const score = 100 * frequency ** WEIGHTS.frequency * intensity ** WEIGHTS.intensity *
    wtp ** WEIGHTS.wtp;
  return rounded(rounded(score, 6), 1);
}
