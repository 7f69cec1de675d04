/** Which of the candidates that were looked at twice are kept as facts. */
import { hashWord } from "../../classify/hash.ts";
import { logistic, logOdds, settle } from "../../classify/numbers.ts";
import type { Candidate } from "./candidates.ts";
import type { Prepared } from "../features.ts";
import { factShare } from "./spans.ts";
import { KIND, stem } from "../tokens.ts";
import { FACT_TYPES } from "../types.ts";

/** A span that is kept. */
export interface Chosen {
  readonly candidate: Candidate;
  /** Number of its type in FACT_TYPES. */
  readonly type: number;
  /** What the second look gives its type. */
  readonly typed: number;
  /** In how many of a hundred such cases it is a fact of that type, 0-1. */
  readonly certainty: number;
  /** How likely it is a fact at all. */
  readonly any: number;
}

/** How the second look decides; tuned by `deno task train`. */
export interface SpanDecision {
  /** For each type how likely a span must be a fact at all to be one of it. */
  readonly any: readonly number[];
  /** What a fact must reach of its own type after `favour`. */
  readonly typed: number;
  /** How much each type is favoured over what is likeliest: rare types would else never be found. */
  readonly favour: readonly number[];
  /** For each type what makes its probability a certainty: offset, slope, slope of that of any type. */
  readonly certainty: readonly (readonly number[])[];
}

/**
 * What the certainty of a fact is a logistic function of: 1, and the log-odds of its own type and
 * of any.
 */
export function certaintyFeatures(typed: number, any: number): number[] {
  return [1, logOdds(typed, 0.01), logOdds(any, 0.01)];
}

/**
 * The candidates that are kept as facts, at most `most`: of those that overlap the ones that are
 * worth most together, of those that say the same the surest. `read[k]` is what the looks make of
 * `candidates[k]`. What only names the product's `kind` states nothing of it.
 */
export function choose(
  post: Prepared,
  candidates: readonly Candidate[],
  read: readonly Float64Array[],
  decision: SpanDecision,
  most: number,
  kind = "",
): Chosen[] {
  const found = candidates.flatMap((candidate, k): Chosen[] => {
    const p = read[k]!;
    const { favour } = decision;
    let type = 0;
    for (let c = 1; c < FACT_TYPES.length; c++) {
      if (settle(p[c]! * favour[c]!) > settle(p[type]! * favour[type]!)) type = c;
    }
    const any = factShare(p);
    const typed = settle(p[type]!);
    return any < decision.any[type]! || settle(typed * favour[type]!) < decision.typed ? [] : [
      { candidate, type, typed, certainty: certaintyOf(type, typed, any, decision), any },
    ];
  });
  const kept = apart(found, decision.any)
    .sort((a, b) => b.any - a.any || b.typed - a.typed || a.candidate.from - b.candidate.from);
  const kindStems = kind.split(" ").map((word) => hashWord(stem(word)));
  const out: { chosen: Chosen; stems: ReadonlySet<number> }[] = [];
  for (const chosen of kept) {
    if (out.length === most) break;
    const stems = tellingStems(post, chosen.candidate);
    if (stems.size === 0 || onlyNames(stems, kindStems)) continue;
    if (out.some((other) => saysSame(stems, other.stems))) continue;
    out.push({ chosen, stems });
  }
  return out.map(({ chosen }) => chosen).sort((a, b) => a.candidate.from - b.candidate.from);
}

function certaintyOf(type: number, typed: number, any: number, by: SpanDecision): number {
  const weights = by.certainty[type];
  if (weights === undefined) return typed;
  const sum = certaintyFeatures(typed, any).reduce((sum, x, i) => sum + x * weights[i]!, 0);
  return settle(logistic(sum));
}

/** The candidates, none over another, whose certainties less most of what they had to reach add up to most. */
function apart(found: readonly Chosen[], least: readonly number[]): Chosen[] {
  const order = found.toSorted((a, b) =>
    a.candidate.to - b.candidate.to || a.candidate.from - b.candidate.from
  );
  const best: number[] = [0];
  const before: number[] = [];
  const taken: boolean[] = [];
  order.forEach(({ candidate, any, type }, i) => {
    let k = i;
    while (k > 0 && order[k - 1]!.candidate.to > candidate.from) k--;
    before.push(k);
    const worth = settle(best[k]! + any - 0.8 * least[type]!);
    taken.push(worth > best[i]!);
    best.push(Math.max(best[i]!, worth));
  });
  const out: Chosen[] = [];
  for (let i = order.length; i > 0;) {
    if (taken[i - 1] === true) {
      out.push(order[i - 1]!);
      i = before[i - 1]!;
    } else i--;
  }
  return out;
}

/** The stems of a span but those of words that nearly every sentence has. */
function tellingStems({ stems, rows, tokens }: Prepared, { from, to }: Candidate): Set<number> {
  const out = new Set<number>();
  for (let i = from; i < to; i++) {
    const common = rows[i]! >= 0 && rows[i]! < COMMON_ROWS && tokens.kind[i] === KIND.word;
    if (tokens.kind[i] !== KIND.mark && !common) out.add(stems[i]!);
  }
  return out;
}

/** The word table's first rows, of words too common to tell anything by themselves. */
export const COMMON_ROWS = 60;

/** Whether a span's stems are words of the kind's name, the noun among them: "printer", "3d printer". */
function onlyNames(stems: ReadonlySet<number>, kind: readonly number[]): boolean {
  return stems.has(kind.at(-1)!) && [...stems].every((stem) => kind.includes(stem));
}

/** Whether one set of stems holds the other. */
function saysSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const stem of few) if (!many.has(stem)) return false;
  return true;
}
