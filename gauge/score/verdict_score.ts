/**
 * How many people want what was asked, as a score from 0 to 100. docs/verdicts.md derives the formula.
 *
 * Every post counts as a part of a person, whatever other posts there are; a person counts with the
 * strongest post, a text with its strongest copy. More evidence never lowers the score and less never
 * raises it.
 */
import { DAY_MS } from "../../core/clock.ts";
import { rounded } from "../../core/numbers.ts";
import { ABOUT_FROM } from "../../db/matching/plan.ts";
import type { Match, Temperature } from "../types.ts";

/** Days, counted back from the corpus's newest, in which a post counts in full. */
export const RECENT_DAYS = 180;
/** Older posts lose half of what they count with each as many days, and count one person at most together. */
const OLD_SHARE = 0.2;
const MOST_OLD = 1;
/** Posts that state less than this of what was asked, or are not about the product, count this many people together at most. */
const NEAR = 0.3;
const MOST_NEAR = 1.5;
/** Those who do not state the one thing that is asked count so many people at most, and so many more for each who does. */
const MOST_IN_PART = 4;
const IN_PART_EACH = 2;
/** What a post counts for that is neither intense nor names money, and what a level of either adds. */
const BASE = 0.7;
const PER_LEVEL = 0.1;
/** How sure the reading of an ordinary request is. */
const SURE = 0.8;
/** Of those who get by with something else readers found one of seven to want the product. */
const GETTING_BY = 0.3;
/** The most the model may move the score. */
const MODEL_SHIFT = 15;

/** People at which a score is warm, hot and full, with those scores. */
const STEPS = [
  { people: 0, score: 0 },
  { people: 3, score: 35 },
  { people: 10, score: 65 },
  { people: 100, score: 100 },
] as const;

type Weighed = Pick<
  Match,
  "relevance" | "confidence" | "intensity" | "wtp" | "createdAt" | "pattern"
>;

type Counted = Weighed & Pick<Match, "head" | "met" | "authorKey" | "textKey">;

/** Days from a post to `asOf`. */
export const ageOf = ({ createdAt }: Weighed, asOf: Date): number =>
  Math.max(0, asOf.getTime() - createdAt.getTime()) / DAY_MS;

/**
 * How much of a person one post counts for, from 0 to 1: how far it wants the product as asked, times how
 * strongly it is said beside an ordinary request.
 */
export function weight({ relevance, confidence, intensity, wtp, pattern }: Weighed): number {
  const said = Math.min(1, BASE + PER_LEVEL * (intensity + wtp)) *
    Math.min(1, confidence / SURE) ** 2;
  return rounded(relevance * said * (pattern === "workaround" ? GETTING_BY : 1), 6);
}

/** The order of matches as evidence: those who want most of what was asked first, newer before older. */
export function strength(match: Weighed, asOf: Date): number {
  return rounded(weight(match) * 2 ** (-ageOf(match, asOf) / (4 * RECENT_DAYS)), 6);
}

interface Piece {
  readonly key: string;
  /** What it counts for of late. */
  readonly recent: number;
  /** What it counts for of late if it is about the product and states enough of what was asked; else 0. */
  readonly asked: number;
  /** What it counts for of late if it states all that was asked; else 0. */
  readonly whole: number;
  readonly old: number;
}

/** The people that posts stand for, each key with its strongest. */
function folded(pieces: readonly Piece[]): number {
  const strongest = new Map<string, Piece>();
  for (const piece of pieces) {
    const before = strongest.get(piece.key);
    strongest.set(piece.key, {
      key: piece.key,
      recent: Math.max(before?.recent ?? 0, piece.recent),
      asked: Math.max(before?.asked ?? 0, piece.asked),
      whole: Math.max(before?.whole ?? 0, piece.whole),
      old: Math.max(before?.old ?? 0, piece.old),
    });
  }
  let [whole, part, near, old] = [0, 0, 0, 0];
  for (const piece of strongest.values()) {
    whole += piece.whole;
    part += piece.asked - piece.whole;
    near += piece.recent - piece.asked;
    old += piece.old;
  }
  return whole + Math.min(MOST_IN_PART + IN_PART_EACH * whole, part) + Math.min(MOST_NEAR, near) +
    Math.min(MOST_OLD, old);
}

/**
 * How many people want it as asked, with the bits `all` of what each must state: distinct ones of the last 180 days before
 * `asOf`, each as far as it was said and meant; those who want something near it, and older posts, count a little.
 */
export function effectivePeople(
  matches: readonly Counted[],
  all: number,
  asOf: Date,
): number {
  const weighed = matches.map((match) => {
    const age = ageOf(match, asOf);
    const counts = weight(match);
    const recent = age <= RECENT_DAYS ? counts : 0;
    const asked = recent >= NEAR && match.head >= ABOUT_FROM ? recent : 0;
    return {
      match,
      recent,
      asked,
      whole: (match.met & all) === all ? asked : 0,
      old: age <= RECENT_DAYS || match.head < ABOUT_FROM
        ? 0
        : rounded(OLD_SHARE * counts * 2 ** (1 - age / RECENT_DAYS), 6),
    };
  });
  const byAuthor = folded(
    weighed.map(({ match, ...piece }) => ({ key: match.authorKey, ...piece })),
  );
  const byText = folded(weighed.map(({ match, ...piece }) => ({ key: match.textKey, ...piece })));
  return rounded(Math.min(byAuthor, byText), 4);
}

/** The score of so many people: it grows with their logarithm between the steps. One decimal. */
export function scoreOfPeople(people: number): number {
  for (const [i, { people: from, score }] of STEPS.entries()) {
    const next = STEPS[i + 1];
    if (next === undefined) return 100;
    if (people >= next.people) continue;
    const part = Math.log((1 + people) / (1 + from)) / Math.log((1 + next.people) / (1 + from));
    // Never rounded up to the next step.
    return Math.min(next.score - 0.1, rounded(rounded(score + (next.score - score) * part, 6), 1));
  }
  return 100;
}

/** So many people as a whole number to be told, never rounded up to one whose temperature is higher. */
export function toldPeople(people: number): number {
  const next = STEPS.find((step) => step.people > people)?.people ?? Infinity;
  return Math.min(Math.round(people), next - 1);
}

/** The score after the model moved it: at most 15 points either way, within 0-100, one decimal. */
export function shiftedScore(formula: number, shift: number): number {
  const bounded = Number.isFinite(shift) ? Math.min(MODEL_SHIFT, Math.max(-MODEL_SHIFT, shift)) : 0;
  return rounded(Math.min(100, Math.max(0, formula + bounded)), 1);
}

/** The word for a score. */
export function temperature(score: number): Temperature {
  return score < STEPS[1].score ? "cold" : score < STEPS[2].score ? "warm" : "hot";
}
