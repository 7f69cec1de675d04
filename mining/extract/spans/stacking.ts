/**
 * The third look: what the second look made of each candidate, judged once more beside what it made of the post's
 * others. A fact is likelier in a list of facts, less likely where a surer span says the same or overlaps it. Stacked
 * sequential learning (Cohen and Carvalho, 2005): a small network over the probabilities that the second look gives.
 */
import { float64s } from "../../short_arrays.ts";
import { logOdds, settle, shares } from "../../classify/numbers.ts";
import type { Candidate } from "./candidates.ts";
import type { Prepared } from "../features.ts";
import { COMMON_ROWS } from "./choose.ts";
import { CLASSES, factShare, PRODUCT_CLASS } from "./spans.ts";
import { TYPES } from "../tagger.ts";
import { FACT_TYPES } from "../types.ts";
import { MAX_FACTS } from "../verify.ts";

const OF_TYPE = FACT_TYPES.length;

/** Inputs of a neighbour: how sure it is, how near, whether in the same sentence, its types. */
const NEIGHBOUR = 3 + OF_TYPE;
/** Inputs of a candidate, in the order in which `inputsOf` writes them. */
export const STACK_INPUTS = 2 * CLASSES + 3 +
  (4 + OF_TYPE) +
  2 * NEIGHBOUR +
  (3 + 3 + 4 + OF_TYPE) +
  2 + 3 + 5 + 3 + 4 +
  (2 * TYPES + 1);

/** The network's weights, the scaling of its inputs folded in. */
export interface StackWeights {
  readonly hidden: number;
  /** `hidden` an input, then `hidden` biases. */
  readonly first: Float32Array;
  /** `CLASSES` a hidden unit, then `CLASSES` an input, then `CLASSES` biases. */
  readonly second: Float32Array;
}

/** What a candidate must be likely to be, of any type, to count as one of the post's facts here. */
const LEAST = 0.15;
/** Probabilities count as no nearer to 0 or 1 than this. */
const LEAST_ODDS = 0.0003;

const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
const odds = (p: number): number => logOdds(p, LEAST_ODDS) / 2;

/** The candidates of a post, and what they share. */
interface Context {
  readonly post: Prepared;
  readonly candidates: readonly Candidate[];
  /** What the second look made of each. */
  readonly read: readonly Float64Array[];
  /** How likely each candidate is a fact of any type. */
  readonly shares: Float64Array;
  /** Those that are likeliest, none over another, the surest first. */
  readonly likely: readonly number[];
  /** Where the candidates of each sentence begin, which come in reading order. */
  readonly starts: Int32Array;
  readonly ofSentence: Float64Array;
  readonly ofLine: Float64Array;
  readonly ofType: Float64Array;
  readonly total: number;
  readonly sure: number;
  /** For each sentence how surely it names the product. */
  readonly named: Float64Array;
  /** The candidate that most surely is the product. */
  readonly product: number;
}

const overlap = (a: Candidate, b: Candidate): boolean => a.from < b.to && b.from < a.to;

function contextOf(
  post: Prepared,
  candidates: readonly Candidate[],
  read: readonly Float64Array[],
): Context {
  const { tokens } = post;
  const shares = Float64Array.from(read, factShare);
  const starts = new Int32Array(tokens.sentences.length + 1);
  for (const { sentence } of candidates) starts[sentence + 1]!++;
  for (let s = 0; s < tokens.sentences.length; s++) starts[s + 1]! += starts[s]!;
  const ofSentence = new Float64Array(tokens.sentences.length + 2);
  const ofLine = new Float64Array(tokens.lines.length + 2);
  const named = new Float64Array(tokens.sentences.length + 2);
  const ofType = new Float64Array(OF_TYPE);
  const likely: number[] = [];
  let total = 0, sure = 0, product = 0;
  const order = candidates.map((_, k) => k).filter((k) => shares[k]! >= LEAST)
    .sort((a, b) => shares[b]! - shares[a]! || a - b);
  for (const k of order) {
    const candidate = candidates[k]!;
    if (likely.some((other) => overlap(candidates[other]!, candidate))) continue;
    likely.push(k);
    total += shares[k]!;
    if (shares[k]! > 0.5) sure++;
    for (let t = 0; t < OF_TYPE; t++) ofType[t]! += read[k]![t]!;
    const { sentence } = candidate;
    const line = tokens.sentences[sentence]!.line;
    ofSentence[sentence + 1]! += shares[k]!;
    ofLine[line + 1] = Math.max(ofLine[line + 1]!, shares[k]!);
  }
  candidates.forEach(({ sentence }, k) => {
    const p = settle(read[k]![PRODUCT_CLASS]!);
    named[sentence + 1] = Math.max(named[sentence + 1]!, p);
    if (p > settle(read[product]![PRODUCT_CLASS]!)) product = k;
  });
  return {
    post,
    candidates,
    read,
    shares,
    likely,
    starts,
    ofSentence,
    ofLine,
    ofType,
    total,
    sure,
    named,
    product,
  };
}

/** The likely candidates right before and right after one; -1 for none. */
function neighboursOf(candidates: readonly Candidate[], k: number, likely: readonly number[]) {
  const { from, to } = candidates[k]!;
  let before = -1, after = -1;
  for (const other of likely) {
    if (other === k) continue;
    const candidate = candidates[other]!;
    if (candidate.to <= from && (before < 0 || candidate.to > candidates[before]!.to)) {
      before = other;
    }
    if (candidate.from >= to && (after < 0 || candidate.from < candidates[after]!.from)) {
      after = other;
    }
  }
  return [before, after] as const;
}

/** Whether at least half of the telling words of the shorter span stand in the other, too. */
function saysSame({ stems, rows }: Prepared, a: Candidate, b: Candidate): boolean {
  let shared = 0;
  for (let i = a.from; i < a.to; i++) {
    if (rows[i]! >= 0 && rows[i]! < COMMON_ROWS) continue;
    for (let j = b.from; j < b.to; j++) {
      if (stems[i] !== stems[j]) continue;
      shared++;
      break;
    }
  }
  return 2 * shared >= Math.min(a.to - a.from, b.to - b.from);
}

/**
 * Writes the inputs of every candidate to `out`, `STACK_INPUTS` each; `out` is to hold zeros.
 * `read[k]` is what the second look makes of `candidates[k]`.
 */
export function stackInputs(
  post: Prepared,
  candidates: readonly Candidate[],
  read: readonly Float64Array[],
  out: Float64Array,
): void {
  if (candidates.length === 0) return;
  const context = contextOf(post, candidates, read);
  candidates.forEach((_, k) => inputsOf(context, k, out, k * STACK_INPUTS));
}

/** The inputs of a candidate, one after the other. */
class Inputs {
  readonly #out: Float64Array;
  #at: number;

  /** Writes to `out[start]` and on. */
  constructor(out: Float64Array, start: number) {
    this.#out = out;
    this.#at = start;
  }

  put(value: number): void {
    this.#out[this.#at++] = value;
  }
}

/** Writes the inputs of candidate `k` from `out[start]` on. */
function inputsOf(context: Context, k: number, out: Float64Array, start: number): void {
  const inputs = new Inputs(out, start);
  putOwn(context, k, inputs);
  putRival(context, k, inputs);
  putNeighbours(context, k, inputs);
  putSurroundings(context, k, inputs);
  putRank(context, k, inputs);
  putProduct(context, k, inputs);
  putTwins(context, k, inputs);
  putPlace(context, k, inputs);
}

/** What the second look made of it. */
function putOwn({ read, shares }: Context, k: number, out: Inputs): void {
  const p = read[k]!;
  let best = 0;
  for (let c = 0; c < CLASSES; c++) out.put(p[c]!);
  for (let c = 0; c < CLASSES; c++) out.put(odds(p[c]!));
  for (let t = 1; t < OF_TYPE; t++) if (settle(p[t]!) > settle(p[best]!)) best = t;
  out.put(shares[k]!);
  out.put(odds(shares[k]!));
  out.put(p[best]!);
}

/** The likeliest of those that it overlaps; of none the inputs are those of what is surely nothing. */
function putRival({ candidates, read, shares, starts }: Context, k: number, out: Inputs): void {
  const candidate = candidates[k]!;
  const { from, to, sentence } = candidate;
  let rival = -1;
  for (let o = starts[sentence]!; o < starts[sentence + 1]!; o++) {
    if (o === k || !overlap(candidates[o]!, candidate) || shares[o]! <= 0) continue;
    if (rival < 0 || shares[o]! > shares[rival]!) rival = o;
  }
  const ofRival = rival < 0 ? 0 : shares[rival]!;
  out.put(ofRival);
  out.put(odds(ofRival));
  out.put(shares[k]! >= ofRival ? 1 : 0);
  for (let t = 0; t < OF_TYPE; t++) out.put(rival < 0 ? 0 : read[rival]![t]!);
  const rivalLength = rival < 0 ? 0 : candidates[rival]!.to - candidates[rival]!.from;
  out.put(rival < 0 ? 0 : bounded((rivalLength - (to - from)) / 4));
}

/** The likely candidates before and after it; zeros for none. */
function putNeighbours(
  { candidates, read, shares, likely }: Context,
  k: number,
  out: Inputs,
): void {
  const { from, to, sentence } = candidates[k]!;
  neighboursOf(candidates, k, likely).forEach((other, side) => {
    if (other < 0) {
      for (let i = 0; i < NEIGHBOUR; i++) out.put(0);
      return;
    }
    const neighbour = candidates[other]!;
    const gap = side === 0 ? from - neighbour.to : neighbour.from - to;
    const near = 1 / (1 + gap / 4);
    out.put(shares[other]!);
    out.put(near);
    out.put(neighbour.sentence === sentence ? 1 : 0);
    for (let t = 0; t < OF_TYPE; t++) out.put(near * read[other]![t]!);
  });
}

/** How much else is stated: in its sentence and the two beside it, in the lines beside its own, in the post. */
function putSurroundings(context: Context, k: number, out: Inputs): void {
  const { post: { tokens }, candidates, read, shares, likely } = context;
  const { ofSentence, ofLine, ofType, total, sure } = context;
  const { sentence } = candidates[k]!;
  const isLikely = likely.includes(k);
  const counted = isLikely ? shares[k]! : 0;
  const { line } = tokens.sentences[sentence]!;
  out.put(Math.min(2, ofSentence[sentence + 1]! - counted));
  out.put(ofSentence[sentence]!);
  out.put(ofSentence[sentence + 2]!);
  out.put(ofLine[line]!);
  out.put(ofLine[line + 2]!);
  out.put(tokens.lines[line]!.listed ? 1 : 0);
  const size = settle(Math.log2(1 + tokens.word.length)) / 8;
  out.put((total - counted) / 6);
  out.put(sure / 6);
  out.put((total - counted) / (32 * size));
  out.put(size);
  for (let t = 0; t < OF_TYPE; t++) {
    out.put(Math.min(2, ofType[t]! - (isLikely ? read[k]![t]! : 0)) / 2);
  }
}

/** How many of the likely candidates are surer. */
function putRank({ shares, likely }: Context, k: number, out: Inputs): void {
  let surer = 0;
  for (const other of likely) if (shares[other]! > shares[k]!) surer++;
  out.put(Math.min(1, surer / MAX_FACTS));
  out.put(surer >= MAX_FACTS ? 1 : 0);
}

/** Where the product is named, and how surely. */
function putProduct({ candidates, read, named, product }: Context, k: number, out: Inputs): void {
  const { from, sentence } = candidates[k]!;
  for (let s = sentence; s <= sentence + 2; s++) out.put(named[s]!);
  const thing = candidates[product]!;
  const isBeside = thing.sentence === sentence;
  out.put(read[product]![PRODUCT_CLASS]!);
  out.put(isBeside ? 1 : 0);
  out.put(bounded((sentence - thing.sentence) / 4));
  out.put(isBeside ? bounded((from - thing.from) / 6) : 0);
  out.put(k === product ? 1 : 0);
}

/** Whether another span says the same, and says it earlier. */
function putTwins({ post, candidates, shares, likely }: Context, k: number, out: Inputs): void {
  const candidate = candidates[k]!;
  let twin = 0, twinBefore = 0;
  for (const other of likely) {
    const neighbour = candidates[other]!;
    if (other === k || shares[other]! <= twin && shares[other]! <= twinBefore) continue;
    if (overlap(neighbour, candidate) || !saysSame(post, candidate, neighbour)) continue;
    twin = Math.max(twin, shares[other]!);
    if (neighbour.from < candidate.from) twinBefore = Math.max(twinBefore, shares[other]!);
  }
  out.put(twin);
  out.put(twinBefore);
  out.put(twin > shares[k]! ? 1 : 0);
}

/** Where it stands, how long it is, and what the tagger made of it. */
function putPlace({ post: { tokens }, candidates }: Context, k: number, out: Inputs): void {
  const { from, to, sentence, support } = candidates[k]!;
  out.put(tokens.start[from]! < tokens.titleEnd ? 1 : 0);
  out.put(Math.min(1, from / 300));
  out.put(Math.min(1, (to - from) / 8));
  out.put(tokens.sentences[sentence]!.asks ? 1 : 0);
  for (let s = 0; s < support.length; s++) out.put(support[s]!);
}

/** Sums that are made side by side: one alone would wait for itself. */
const SIDE_BY_SIDE = 4;

/** The third look with its weights. It reads one post at a time. */
export class StackedReader {
  readonly #hidden: number;
  /** For each hidden unit, then for each class, a weight an input and a bias; some of zeros behind them. */
  readonly #columns: Float64Array;
  readonly #sums: Float64Array;
  /** `CLASSES` a hidden unit. */
  readonly #second: Float32Array;

  constructor({ hidden, first, second }: StackWeights) {
    const outputs = Math.ceil((hidden + CLASSES) / SIDE_BY_SIDE) * SIDE_BY_SIDE;
    this.#hidden = hidden;
    this.#second = second;
    this.#sums = new Float64Array(outputs);
    this.#columns = new Float64Array(outputs * (STACK_INPUTS + 1));
    for (let i = 0, at = 0; i <= STACK_INPUTS; i++) {
      for (let h = 0; h < hidden; h++) this.#columns[h * (STACK_INPUTS + 1) + i] = first[at++]!;
    }
    for (let i = 0, at = hidden * CLASSES; i <= STACK_INPUTS; i++) {
      for (let c = 0; c < CLASSES; c++) {
        this.#columns[(hidden + c) * (STACK_INPUTS + 1) + i] = second[at++]!;
      }
    }
  }

  /** The classes' probabilities of every candidate, of those that the second look gave. */
  read(
    post: Prepared,
    candidates: readonly Candidate[],
    read: readonly Float64Array[],
  ): Float64Array[] {
    const hidden = this.#hidden, sums = this.#sums, second = this.#second;
    const inputs = float64s(candidates.length * STACK_INPUTS);
    stackInputs(post, candidates, read, inputs);
    return candidates.map((_, k) => {
      this.#sum(inputs, k * STACK_INPUTS);
      const z = float64s(CLASSES);
      for (let c = 0; c < CLASSES; c++) z[c] = sums[hidden + c]!;
      for (let h = 0; h < hidden; h++) {
        const u = sums[h]!;
        if (u <= 0) continue;
        for (let c = 0, w = h * CLASSES; c < CLASSES; c++, w++) z[c]! += u * second[w]!;
      }
      shares(z);
      return z;
    });
  }

  /** Sums up what the inputs from `at` on give every hidden unit and class. */
  #sum(inputs: Float64Array, at: number): void {
    const sums = this.#sums, columns = this.#columns;
    const size = STACK_INPUTS + 1;
    for (let o = 0, w = 0; o < sums.length; o += SIDE_BY_SIDE, w += SIDE_BY_SIDE * size) {
      let a = columns[w + size - 1]!, b = columns[w + 2 * size - 1]!;
      let c = columns[w + 3 * size - 1]!, d = columns[w + 4 * size - 1]!;
      for (let i = 0; i < STACK_INPUTS; i++) {
        const x = inputs[at + i]!, from = w + i;
        a += x * columns[from]!;
        b += x * columns[from + size]!;
        c += x * columns[from + 2 * size]!;
        d += x * columns[from + 3 * size]!;
      }
      sums[o] = a;
      sums[o + 1] = b;
      sums[o + 2] = c;
      sums[o + 3] = d;
    }
  }
}
