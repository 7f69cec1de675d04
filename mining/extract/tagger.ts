/**
 * A linear-chain conditional random field over the words of a sentence (Lafferty, McCallum and Pereira 2001):
 * each word begins, continues or stands outside a span of one of twelve types.
 */
import { FeatureTable } from "../classify/table.ts";
import { featuresOf, MAX_FEATURES, type Prepared } from "./features.ts";
import { FACT_TYPES } from "./types.ts";

/** Types of spans: the eleven of facts, then the product's. */
export const PRODUCT = FACT_TYPES.length;
export const TYPES = FACT_TYPES.length + 1;
/** Outside, then begin and inside of each type. */
export const TAGS = 1 + 2 * TYPES;

export const beginOf = (type: number): number => 1 + 2 * type;
export const insideOf = (type: number): number => 2 + 2 * type;

/** Whether `to` may follow `from`: only its own begin and inside stand before an inside. */
export function mayFollow(from: number, to: number): boolean {
  return to === 0 || to % 2 === 1 || from === to || from === to - 1;
}

/** Powers of two from -64 to 64. */
const POWERS = Float64Array.from({ length: 129 }, (_, i) => 2 ** (i - 64));

/** e to the power x for x of -44 to 44, within a millionth: additions and products alone, so the same on every runtime. */
function exp(x: number): number {
  const bounded = x > 44 ? 44 : x < -44 ? -44 : x;
  const k = Math.round(bounded * 1.4426950408889634);
  const r = bounded - k * 0.6931471805599453;
  const sum = 1 + r * (1 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r / 720)))));
  return sum * POWERS[k + 64]!;
}

/** So little that no path is lost, which none may be. */
const LEAST = 1e-13;

/** What a sentence's words score, by tag. */
export interface TaggerWeights<Values = Int8Array> {
  readonly keys: Int32Array;
  /** `TAGS` a feature. */
  readonly values: Values;
  /** What turns values into weights. */
  readonly scale: number;
  /** `TAGS` by `TAGS`, from row to column; then `TAGS` for a sentence's first word. */
  readonly transitions: Float32Array;
}

/** Sums and products of a chain, kept between sentences so that nothing is allocated. */
export class ChainSums {
  readonly #follow: Float64Array;
  readonly #open: Float64Array;
  #forward = new Float64Array(0);
  #backward = new Float64Array(0);
  #scores = new Float64Array(0);
  #scale = new Float64Array(0);
  /** Probability of each tag of each word, after `run`. */
  marginals = new Float64Array(0);

  /** `transitions` as in `TaggerWeights`. */
  constructor(transitions: ArrayLike<number>) {
    this.#follow = new Float64Array(TAGS * TAGS);
    this.#open = new Float64Array(TAGS);
    this.set(transitions);
  }

  set(transitions: ArrayLike<number>): void {
    for (let a = 0; a < TAGS; a++) {
      for (let b = 0; b < TAGS; b++) {
        this.#follow[a * TAGS + b] = mayFollow(a, b) ? exp(transitions[a * TAGS + b]!) : 0;
      }
      const opens = a === 0 || a % 2 === 1;
      this.#open[a] = opens ? exp(transitions[TAGS * TAGS + a]!) : 0;
    }
  }

  /** Computes the marginals of `n` words whose raw scores by tag stand in `raw`. */
  run(raw: Float64Array, n: number): void {
    const size = n * TAGS;
    if (this.#forward.length < size) {
      this.#forward = new Float64Array(size);
      this.#backward = new Float64Array(size);
      this.#scores = new Float64Array(size);
      this.marginals = new Float64Array(size);
      this.#scale = new Float64Array(n);
    }
    const forward = this.#forward, backward = this.#backward, scores = this.#scores;
    const follow = this.#follow, scale = this.#scale;
    for (let i = 0; i < n; i++) {
      let top = -Infinity;
      for (let t = i * TAGS; t < (i + 1) * TAGS; t++) if (raw[t]! > top) top = raw[t]!;
      for (let t = i * TAGS; t < (i + 1) * TAGS; t++) {
        const below = raw[t]! - top;
        scores[t] = below < -30 ? LEAST : exp(below);
      }
    }
    for (let i = 0; i < n; i++) {
      const at = i * TAGS;
      let total = 0;
      if (i === 0) {
        for (let t = 0; t < TAGS; t++) total += forward[t] = this.#open[t]! * scores[t]!;
      } else {
        const before = at - TAGS;
        // Any tag may stand before an outside or a begin; before an inside its own two.
        for (let t = 0; t < TAGS; t++) {
          let sum = 0;
          if (t === 0 || t % 2 === 1) {
            for (let f = 0; f < TAGS; f++) sum += forward[before + f]! * follow[f * TAGS + t]!;
          } else {
            sum = forward[before + t]! * follow[t * TAGS + t]! +
              forward[before + t - 1]! * follow[(t - 1) * TAGS + t]!;
          }
          total += forward[at + t] = sum * scores[at + t]!;
        }
      }
      scale[i] = total;
      const unit = 1 / total;
      for (let t = at; t < at + TAGS; t++) forward[t]! *= unit;
    }
    const last = (n - 1) * TAGS;
    for (let t = 0; t < TAGS; t++) backward[last + t] = 1;
    for (let i = n - 2; i >= 0; i--) {
      const at = i * TAGS;
      const next = at + TAGS;
      const unit = 1 / scale[i + 1]!;
      for (let t = next; t < next + TAGS; t++) {
        scores[t]! *= unit;
      }
      for (let f = 0; f < TAGS; f++) {
        let sum = scores[next]! * backward[next]! * follow[f * TAGS]!;
        for (let t = 1; t < TAGS; t += 2) {
          sum += scores[next + t]! * backward[next + t]! * follow[f * TAGS + t]!;
        }
        if (f > 0) {
          const inside = f % 2 === 1 ? f + 1 : f;
          sum += scores[next + inside]! * backward[next + inside]! * follow[f * TAGS + inside]!;
        }
        backward[at + f] = sum;
      }
    }
    for (let t = 0; t < size; t++) this.marginals[t] = forward[t]! * backward[t]!;
  }

  /** Adds to `out` (laid out like `transitions`) how often each pair of tags is expected; after `run`. */
  addExpected(n: number, out: Float64Array, share: number): void {
    const { marginals } = this;
    for (let t = 0; t < TAGS; t++) out[TAGS * TAGS + t]! += share * marginals[t]!;
    for (let i = 1; i < n; i++) {
      const at = i * TAGS, before = at - TAGS;
      // `scores` of words after the first were divided by their scale on the way back.
      for (let f = 0; f < TAGS; f++) {
        const left = this.#forward[before + f]! * share;
        if (left < 1e-7) continue;
        for (let t = 0; t < TAGS; t++) {
          out[f * TAGS + t]! += left * this.#follow[f * TAGS + t]! * this.#scores[at + t]! *
            this.#backward[at + t]!;
        }
      }
    }
  }
}

/** The best path through a sentence: `bias` is added to the score of staying outside. */
export function bestPath(
  raw: Float64Array,
  n: number,
  transitions: ArrayLike<number>,
  bias: number,
): Uint8Array {
  const path = new Uint8Array(n);
  const from = new Uint8Array(n * TAGS);
  let best = new Float64Array(TAGS);
  let next = new Float64Array(TAGS);
  for (let t = 0; t < TAGS; t++) {
    const opens = t === 0 || t % 2 === 1;
    best[t] = opens ? raw[t]! + transitions[TAGS * TAGS + t]! + (t === 0 ? bias : 0) : -1e9;
  }
  for (let i = 1; i < n; i++) {
    for (let t = 0; t < TAGS; t++) {
      let top = -Infinity;
      let arg = 0;
      const inside = t > 0 && t % 2 === 0;
      for (let f = inside ? t - 1 : 0; f < (inside ? t + 1 : TAGS); f++) {
        const score = best[f]! + transitions[f * TAGS + t]!;
        if (score > top) {
          top = score;
          arg = f;
        }
      }
      next[t] = top + raw[i * TAGS + t]! + (t === 0 ? bias : 0);
      from[i * TAGS + t] = arg;
    }
    [best, next] = [next, best];
  }
  let tag = 0;
  for (let t = 1; t < TAGS; t++) if (best[t]! > best[tag]!) tag = t;
  for (let i = n - 1; i >= 0; i--) {
    path[i] = tag;
    tag = from[i * TAGS + tag]!;
  }
  return path;
}

/** What the tagger makes of one sentence. */
export interface Tagged {
  /** Raw scores by word and tag. */
  readonly raw: Float64Array;
  /** Probabilities by word and tag. */
  readonly marginals: Float64Array;
}

/** The tagger with its weights. */
export class Tagger {
  readonly weights: TaggerWeights;
  readonly #table: FeatureTable;
  readonly #chain: ChainSums;
  readonly #room = new Int32Array(MAX_FEATURES);
  readonly #sums = new Int32Array(TAGS);

  constructor(weights: TaggerWeights) {
    this.weights = weights;
    this.#table = new FeatureTable(weights.keys);
    this.#chain = new ChainSums(weights.transitions);
  }

  /** Scores tokens `from..to`, one sentence. */
  tag(post: Prepared, from: number, to: number): Tagged {
    const n = to - from;
    const { values, scale } = this.weights;
    const raw = new Float64Array(n * TAGS);
    const room = this.#room;
    const sums = this.#sums;
    for (let i = 0; i < n; i++) {
      const count = featuresOf(post, from + i, from, to, room);
      sums.fill(0);
      for (let f = 0; f < count; f++) {
        const row = this.#table.row(room[f]!);
        if (row < 0) continue;
        const base = row * TAGS;
        for (let t = 0; t < TAGS; t++) sums[t]! += values[base + t]!;
      }
      const at = i * TAGS;
      for (let t = 0; t < TAGS; t++) raw[at + t] = sums[t]! * scale;
    }
    this.#chain.run(raw, n);
    return { raw, marginals: this.#chain.marginals.slice(0, n * TAGS) };
  }
}
