/** Figures of a classifier's verdicts against labels. Patterns are numbered as in PATTERNS; -1 is none. */
import { PATTERNS } from "../../mining/types.ts";
import { seeded } from "../train/random.ts";

/** Shares, 0-1. */
export interface Prf {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** One labelled post and what was answered. */
export interface Pair {
  readonly gold: number;
  readonly found: number;
  /** Confidence of the answer, 0-1; 0 for none. */
  readonly confidence: number;
}

interface PatternFigures extends Prf {
  readonly support: number;
  /** 95 % interval of the F1, by bootstrap. */
  readonly interval: readonly [number, number];
}

export interface Classification {
  readonly posts: number;
  readonly demand: Prf & { readonly interval: readonly [number, number] };
  readonly patterns: Readonly<Record<string, PatternFigures>>;
  readonly macroF1: number;
  readonly macroInterval: readonly [number, number];
  /** Rows are labels, columns answers: the eight patterns, then none. */
  readonly confusion: readonly (readonly number[])[];
  /** Answers by confidence: how sure they were, how often the pattern was right. */
  readonly calibration: readonly { confidence: number; right: number; count: number }[];
  /** Mean distance between confidence and the share that was right, weighted by count. */
  readonly calibrationError: number;
}

const RESAMPLES = 400;
const BINS = 5;

/** All figures of a list of answers. */
export function figures(pairs: readonly Pair[]): Classification {
  const whole = counts(pairs, (i) => i);
  const random = seeded(5);
  const samples = Array.from(
    { length: RESAMPLES },
    () => counts(pairs, () => Math.floor(random() * pairs.length)),
  );
  const interval = (of: (c: Counts) => number): readonly [number, number] => {
    const sorted = samples.map(of).sort((a, b) => a - b);
    return [sorted[Math.floor(RESAMPLES * 0.025)] ?? 0, sorted[Math.floor(RESAMPLES * 0.975)] ?? 0];
  };
  const patterns: Record<string, PatternFigures> = {};
  PATTERNS.forEach((name, c) => {
    patterns[name] = {
      ...prf(whole.hit[c]!, whole.found[c]!, whole.gold[c]!),
      support: whole.gold[c]!,
      interval: interval((sample) => prf(sample.hit[c]!, sample.found[c]!, sample.gold[c]!).f1),
    };
  });
  const side = PATTERNS.length + 1;
  const confusion = Array.from({ length: side }, () => new Array<number>(side).fill(0));
  for (const { gold, found } of pairs) {
    confusion[gold < 0 ? side - 1 : gold]![found < 0 ? side - 1 : found]!++;
  }
  return {
    posts: pairs.length,
    demand: { ...demandOf(whole), interval: interval((sample) => demandOf(sample).f1) },
    patterns,
    macroF1: macroOf(whole),
    macroInterval: interval(macroOf),
    confusion,
    ...calibrate(pairs),
  };
}

interface Counts {
  readonly hit: Int32Array;
  readonly found: Int32Array;
  readonly gold: Int32Array;
  demandHit: number;
}

function counts(pairs: readonly Pair[], pick: (i: number) => number): Counts {
  const n = PATTERNS.length;
  const out: Counts = {
    hit: new Int32Array(n),
    found: new Int32Array(n),
    gold: new Int32Array(n),
    demandHit: 0,
  };
  for (let i = 0; i < pairs.length; i++) {
    const { gold, found } = pairs[pick(i)]!;
    if (gold >= 0) out.gold[gold]!++;
    if (found >= 0) out.found[found]!++;
    if (gold >= 0 && found >= 0) out.demandHit++;
    if (gold >= 0 && gold === found) out.hit[gold]!++;
  }
  return out;
}

function demandOf(c: Counts): Prf {
  const sum = (values: Int32Array): number => values.reduce((total, value) => total + value, 0);
  return prf(c.demandHit, sum(c.found), sum(c.gold));
}

function macroOf(c: Counts): number {
  return PATTERNS.reduce((sum, _, p) => sum + prf(c.hit[p]!, c.found[p]!, c.gold[p]!).f1, 0) /
    PATTERNS.length;
}

function prf(hit: number, found: number, gold: number): Prf {
  return {
    precision: found === 0 ? 0 : hit / found,
    recall: gold === 0 ? 0 : hit / gold,
    f1: found + gold === 0 ? 0 : 2 * hit / (found + gold),
  };
}

function calibrate(
  pairs: readonly Pair[],
): Pick<Classification, "calibration" | "calibrationError"> {
  const answered = pairs.filter((pair) => pair.found >= 0).sort((a, b) =>
    a.confidence - b.confidence
  );
  const calibration: { confidence: number; right: number; count: number }[] = [];
  let error = 0;
  for (let b = 0; b < BINS; b++) {
    const bin = answered.slice(
      Math.floor(answered.length * b / BINS),
      Math.floor(answered.length * (b + 1) / BINS),
    );
    if (bin.length === 0) continue;
    const confidence = bin.reduce((sum, pair) => sum + pair.confidence, 0) / bin.length;
    const right = bin.filter((pair) => pair.gold === pair.found).length / bin.length;
    calibration.push({ confidence, right, count: bin.length });
    error += Math.abs(confidence - right) * bin.length / answered.length;
  }
  return { calibration, calibrationError: error };
}

/** Mean absolute error and Spearman's rank correlation (ties get their mean rank) of two lists of levels. */
export function levels(
  gold: readonly number[],
  found: readonly number[],
): { mae: number; rank: number } {
  if (gold.length === 0) return { mae: 0, rank: 0 };
  const mae = gold.reduce((sum, level, i) => sum + Math.abs(level - found[i]!), 0) / gold.length;
  const a = ranks(gold);
  const b = ranks(found);
  const mean = (gold.length + 1) / 2;
  let ab = 0, aa = 0, bb = 0;
  a.forEach((rank, i) => {
    ab += (rank - mean) * (b[i]! - mean);
    aa += (rank - mean) ** 2;
    bb += (b[i]! - mean) ** 2;
  });
  return { mae, rank: aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb) };
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((x, y) => values[x]! - values[y]!);
  const out = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let i = from; i < to; i++) out[order[i]!] = (from + to + 1) / 2;
    from = to;
  }
  return out;
}
