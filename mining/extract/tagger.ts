/**
 * A linear-chain conditional random field over the words of a sentence (Lafferty, McCallum and Pereira 2001):
 * each word begins, continues or stands outside a span of one of twelve types.
 */
import { bytes, float64s } from "../short_arrays.ts";
import { FeatureTable } from "../classify/feature_table.ts";
import type { Lexemes } from "../classify/lexemes.ts";
import {
  AFTER,
  BEFORE,
  FAR_AFTER,
  FAR_BEFORE,
  joinedFeatures,
  MAX_FEATURES,
  PLACES,
  type Prepared,
  REACH,
  sentenceFeatures,
  wordFeatures,
} from "./features.ts";
import { MAX_SENTENCE } from "./tokens.ts";
import { FACT_TYPES } from "./types.ts";

/** The type of a span that names the product, behind those of FACT_TYPES. */
export const PRODUCT = FACT_TYPES.length;
/** How many types of spans there are. */
export const TYPES = FACT_TYPES.length + 1;
/** How many tags there are: outside, then begin and inside of each type. */
export const TAGS = 1 + 2 * TYPES;

/** The tag of the first word of a span of the type. */
export const beginOf = (type: number): number => 1 + 2 * type;
/** The tag of the other words of a span of the type. */
export const insideOf = (type: number): number => 2 + 2 * type;

/** Whether `to` may follow `from`: only its own begin and inside stand before an inside. */
function mayFollow(from: number, to: number): boolean {
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

/** What a sentence's words score, by tag; `values` times `scale` are logarithms. */
export interface TaggerWeights<Values = Int8Array> {
  readonly keys: Int32Array;
  /** `TAGS` a feature. */
  readonly values: Values;
  /** What turns values into weights. */
  readonly scale: number;
  /** `TAGS` by `TAGS`, from row to column; then `TAGS` for a sentence's first word. */
  readonly transitions: Float32Array;
}

/**
 * The forward-backward algorithm on a chain of words, in probabilities that are scaled at each
 * word. Its arrays are kept between sentences.
 */
export class ChainSums {
  readonly #follow: Float64Array;
  /** The transitions from column to row. */
  readonly #lead = new Float64Array(TAGS * TAGS);
  /** How likely the next word's tags are, with all that follows. */
  readonly #ahead = new Float64Array(TAGS);
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
        const share = mayFollow(a, b) ? exp(transitions[a * TAGS + b]!) : 0;
        this.#follow[a * TAGS + b] = share;
        this.#lead[b * TAGS + a] = share;
      }
      const opens = a === 0 || a % 2 === 1;
      this.#open[a] = opens ? exp(transitions[TAGS * TAGS + a]!) : 0;
    }
  }

  /** Computes the marginals of `n` words whose raw scores by tag stand in `raw`. */
  run(raw: Float64Array, n: number): void {
    this.#makeRoom(n);
    this.#score(raw, n);
    this.#goForward(n);
    this.#goBackward(n);
    const { marginals } = this;
    const forward = this.#forward, backward = this.#backward;
    for (let t = 0; t < n * TAGS; t++) marginals[t] = forward[t]! * backward[t]!;
  }

  #makeRoom(n: number): void {
    const size = n * TAGS;
    if (this.#forward.length < size) {
      this.#forward = new Float64Array(size);
      this.#backward = new Float64Array(size);
      this.#scores = new Float64Array(size);
      this.marginals = new Float64Array(size);
      this.#scale = new Float64Array(n);
    }
  }

  /** The scores of each word's tags, of which the greatest is 1. */
  #score(raw: Float64Array, n: number): void {
    const scores = this.#scores;
    for (let i = 0; i < n; i++) {
      let top = -Infinity;
      for (let t = i * TAGS; t < (i + 1) * TAGS; t++) if (raw[t]! > top) top = raw[t]!;
      for (let t = i * TAGS; t < (i + 1) * TAGS; t++) {
        const below = raw[t]! - top;
        scores[t] = below < -30 ? LEAST : exp(below);
      }
    }
  }

  /** How likely each word's tags are with all that precedes, scaled to a sum of 1. */
  #goForward(n: number): void {
    const forward = this.#forward, scores = this.#scores, scale = this.#scale;
    const follow = this.#follow, lead = this.#lead;
    for (let i = 0; i < n; i++) {
      const at = i * TAGS;
      let total = 0;
      if (i === 0) {
        for (let t = 0; t < TAGS; t++) total += forward[t] = this.#open[t]! * scores[t]!;
      } else {
        const before = at - TAGS;
        // Any tag may stand before an outside or a begin. Sums side by side: one would wait for itself.
        for (let t = 0; t < TAGS; t = t === 0 ? 1 : t + 8) {
          let a = 0, b = 0, c = 0, d = 0;
          const row = t * TAGS;
          if (t === 0) { for (let f = 0; f < TAGS; f++) a += forward[before + f]! * lead[f]!; }
          else {
            for (let f = 0; f < TAGS; f++) {
              const share = forward[before + f]!;
              a += share * lead[row + f]!;
              b += share * lead[row + 2 * TAGS + f]!;
              c += share * lead[row + 4 * TAGS + f]!;
              d += share * lead[row + 6 * TAGS + f]!;
            }
            forward[at + t + 2] = b * scores[at + t + 2]!;
            forward[at + t + 4] = c * scores[at + t + 4]!;
            forward[at + t + 6] = d * scores[at + t + 6]!;
          }
          forward[at + t] = a * scores[at + t]!;
        }
        // Before an inside its own two.
        for (let t = 2; t < TAGS; t += 2) {
          const sum = forward[before + t]! * follow[t * TAGS + t]! +
            forward[before + t - 1]! * follow[(t - 1) * TAGS + t]!;
          forward[at + t] = sum * scores[at + t]!;
        }
        for (let t = 0; t < TAGS; t++) total += forward[at + t]!;
      }
      scale[i] = total;
      const unit = 1 / total;
      for (let t = at; t < at + TAGS; t++) forward[t]! *= unit;
    }
  }

  /** How likely what follows is after each word's tags; divides the scores that follow by their scale. */
  #goBackward(n: number): void {
    const backward = this.#backward, scores = this.#scores, scale = this.#scale;
    const follow = this.#follow, ahead = this.#ahead;
    const last = (n - 1) * TAGS;
    for (let t = 0; t < TAGS; t++) backward[last + t] = 1;
    for (let i = n - 2; i >= 0; i--) {
      const at = i * TAGS;
      const next = at + TAGS;
      const unit = 1 / scale[i + 1]!;
      for (let t = 0; t < TAGS; t++) {
        const score = scores[next + t]! * unit;
        scores[next + t] = score;
        ahead[t] = score * backward[next + t]!;
      }
      let outside = ahead[0]! * follow[0]!;
      for (let t = 1; t < TAGS; t += 2) outside += ahead[t]! * follow[t]!;
      backward[at] = outside;
      for (let f = 1; f < TAGS; f += 4) {
        const row = f * TAGS;
        const first = ahead[0]!;
        let a = first * follow[row]!, b = first * follow[row + TAGS]!;
        let c = first * follow[row + 2 * TAGS]!, d = first * follow[row + 3 * TAGS]!;
        for (let t = 1; t < TAGS; t += 2) {
          const share = ahead[t]!;
          a += share * follow[row + t]!;
          b += share * follow[row + TAGS + t]!;
          c += share * follow[row + 2 * TAGS + t]!;
          d += share * follow[row + 3 * TAGS + t]!;
        }
        // Two types, the begin and the inside of each: both stand before their inside.
        backward[at + f] = a + ahead[f + 1]! * follow[row + f + 1]!;
        backward[at + f + 1] = b + ahead[f + 1]! * follow[row + TAGS + f + 1]!;
        backward[at + f + 2] = c + ahead[f + 3]! * follow[row + 2 * TAGS + f + 3]!;
        backward[at + f + 3] = d + ahead[f + 3]! * follow[row + 3 * TAGS + f + 3]!;
      }
    }
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

/** Tags that any other may stand before: outside, and the begins. */
const isFree = (tag: number): boolean => tag === 0 || tag % 2 === 1;

/** Best paths through sentences (Viterbi), with what is needed of the transitions made ready. */
class Paths {
  /** From row to column, as in `TaggerWeights`. */
  readonly #follow: Float64Array;
  /** The greatest and the least of each row's transitions to free tags. */
  readonly #most: Float64Array;
  readonly #least: Float64Array;
  readonly #few = new Uint8Array(TAGS);
  #from = new Uint8Array(0);
  #best = new Float64Array(TAGS);
  #next = new Float64Array(TAGS);

  constructor(transitions: Float32Array) {
    this.#follow = Float64Array.from(transitions);
    const rows = Array.from(
      { length: TAGS },
      (_, f) => this.#follow.subarray(f * TAGS, (f + 1) * TAGS).filter((_, t) => isFree(t)),
    );
    this.#most = Float64Array.from(rows, (row) => Math.max(...row));
    this.#least = Float64Array.from(rows, (row) => Math.min(...row));
  }

  /** The best path through `n` words; `bias` is added to the score of staying outside. */
  best(raw: Float64Array, n: number, bias: number): Uint8Array {
    if (this.#from.length < n * TAGS) this.#from = new Uint8Array(n * TAGS);
    const from = this.#from, follow = this.#follow, few = this.#few;
    const most = this.#most, least = this.#least;
    let best = this.#best, next = this.#next;
    for (let t = 0; t < TAGS; t++) {
      const start = follow[TAGS * TAGS + t]!;
      best[t] = isFree(t) ? raw[t]! + start + (t === 0 ? bias : 0) : -1e9;
    }
    for (let i = 1; i < n; i++) {
      const at = i * TAGS;
      // Most tags cannot come before any free one: even their best transition is worse than another's worst.
      let bar = -Infinity;
      for (let f = 0; f < TAGS; f++) {
        const sure = best[f]! + least[f]!;
        if (sure > bar) bar = sure;
      }
      let left = 0;
      for (let f = 0; f < TAGS; f++) if (best[f]! + most[f]! >= bar) few[left++] = f;
      for (let t = 0; t < TAGS; t = t === 0 ? 1 : t + 2) {
        let top = -Infinity;
        let arg = 0;
        for (let k = 0; k < left; k++) {
          const f = few[k]!;
          const score = best[f]! + follow[f * TAGS + t]!;
          if (score > top) {
            top = score;
            arg = f;
          }
        }
        next[t] = t === 0 ? top + raw[at]! + bias : top + raw[at + t]!;
        from[at + t] = arg;
      }
      // Before an inside stand its own begin and inside.
      for (let t = 2; t < TAGS; t += 2) {
        const begun = best[t - 1]! + follow[(t - 1) * TAGS + t]!;
        const goesOn = best[t]! + follow[t * TAGS + t]!;
        next[t] = (goesOn > begun ? goesOn : begun) + raw[at + t]!;
        from[at + t] = goesOn > begun ? t : t - 1;
      }
      const former = best;
      best = next;
      next = former;
    }
    let tag = 0;
    for (let t = 1; t < TAGS; t++) if (best[t]! > best[tag]!) tag = t;
    const path = bytes(n);
    for (let i = n - 1; i >= 0; i--) {
      path[i] = tag;
      tag = from[i * TAGS + tag]!;
    }
    return path;
  }
}

/** What the tagger makes of one sentence. */
interface Tagged {
  /** Raw scores by word and tag. */
  readonly raw: Float64Array;
  /** Probabilities by word and tag. */
  readonly marginals: Float64Array;
}

/** Words whose sums are kept at most. */
const KEPT = 16384;
/** Places by which they are found, as a power of two. */
const INDEX = 15;
/** Words of the longest sentence, and what stands beside it. */
const ROOM = MAX_SENTENCE + 2 * REACH;

/**
 * The sums of what single words tell of the tokens about them, by place. Most words of a post were in posts before it:
 * those of late are kept, a bounded number.
 */
class WordSums {
  readonly #table: FeatureTable;
  /** Number of the word found in each place, or -1. */
  readonly #index = new Int16Array(1 << INDEX);
  /** Of each word its hash, its shape, and how it is written. */
  readonly #keys = new Int32Array(3 * KEPT);
  #count = 0;
  /** `PLACES` sums a word, then one of the sentence. */
  readonly sums: Int32Array;
  readonly #room = new Int32Array(MAX_FEATURES);
  #lexemes: Lexemes | null = null;
  /** Where the sums of each word of the sentence begin, those beside it included. */
  readonly words = new Int32Array(ROOM);
  readonly sentence: number;

  constructor(table: FeatureTable) {
    this.#table = table;
    this.sentence = PLACES * table.size * KEPT;
    this.sums = new Int32Array(this.sentence + table.size);
  }

  /** Makes the sums of sentence `from..to` ready. */
  begin(post: Prepared, from: number, to: number): void {
    // What a word tells depends on the word table, too.
    if (this.#lexemes !== post.lexemes || this.#count + ROOM > KEPT) {
      this.#lexemes = post.lexemes;
      this.#index.fill(-1);
      this.#count = 0;
    }
    const room = this.#room;
    this.#table.keep(room, sentenceFeatures(post, from, to, room, 0), this.sums, this.sentence);
    for (let k = from - REACH; k < to + REACH; k++) {
      this.words[k - from + REACH] = this.#at(post, k, from, to);
    }
  }

  #at(post: Prepared, k: number, from: number, to: number): number {
    const isInside = k >= from && k < to;
    const word = isInside ? post.words[k]! : k < from ? from - k : to - k - 1;
    const shape = isInside ? post.shapes[k]! : 0;
    const written = isInside ? post.tokens.kind[k]! << 3 | post.tokens.letterCase[k]! : -1;
    const keys = this.#keys, index = this.#index, step = PLACES * this.#table.size;
    let place = Math.imul(word ^ shape + written, 0x9e3779b1) >>> 32 - INDEX;
    for (; index[place] !== -1; place = place + 1 & (1 << INDEX) - 1) {
      const number = index[place]!, at = 3 * number;
      if (keys[at] === word && keys[at + 1] === shape && keys[at + 2] === written) {
        return number * step;
      }
    }
    const number = index[place] = this.#count++;
    keys[3 * number] = word;
    keys[3 * number + 1] = shape;
    keys[3 * number + 2] = written;
    for (let p = 0; p < PLACES; p++) {
      // What is beside a sentence is nobody's own word, nor far off.
      const count = !isInside && (p === REACH || p >= BEFORE)
        ? 0
        : wordFeatures(post, k, p, from, to, this.#room, 0);
      this.#table.keep(this.#room, count, this.sums, number * step + p * this.#table.size);
    }
    return number * step;
  }
}

/** The tagger with its weights. It reads one sentence at a time. */
export class Tagger {
  readonly #table: FeatureTable;
  readonly #scale: number;
  readonly #chain: ChainSums;
  readonly #paths: Paths;
  readonly #words: WordSums;
  readonly #room = new Int32Array(MAX_FEATURES);
  /** Where the sums begin that a token adds up. */
  readonly #begins = new Int32Array(1 + 2 * REACH + 1 + FAR_BEFORE + FAR_AFTER);

  constructor({ keys, values, scale, transitions }: TaggerWeights) {
    this.#table = new FeatureTable(keys, values, TAGS);
    this.#scale = scale;
    this.#chain = new ChainSums(transitions);
    this.#paths = new Paths(transitions);
    this.#words = new WordSums(this.#table);
  }

  /** Scores tokens `from..to`, one sentence, by the sums of their `featuresOf`. */
  tag(post: Prepared, from: number, to: number): Tagged {
    const n = to - from;
    const raw = float64s(n * TAGS);
    const room = this.#room, begins = this.#begins, table = this.#table, size = table.size;
    this.#words.begin(post, from, to);
    const { words, sums, sentence } = this.#words;
    for (let i = 0; i < n; i++) {
      let kept = 0;
      begins[kept++] = sentence;
      for (let p = 0; p < BEFORE; p++) begins[kept++] = words[i + p]! + p * size;
      for (let k = Math.max(0, i - FAR_BEFORE); k < i - REACH; k++) {
        begins[kept++] = words[k + REACH]! + BEFORE * size;
      }
      for (let k = i + REACH + 1; k < n && k <= i + FAR_AFTER; k++) {
        begins[kept++] = words[k + REACH]! + AFTER * size;
      }
      const count = joinedFeatures(post, from + i, from, to, room, 0);
      table.sum(room, count, this.#scale, raw, i * TAGS, sums, begins, kept);
    }
    this.#chain.run(raw, n);
    const marginals = float64s(n * TAGS);
    marginals.set(this.#chain.marginals.subarray(0, n * TAGS));
    return { raw, marginals };
  }

  /** The tags of the best path through a sentence of `n` words; `bias` is added to staying outside. */
  path({ raw }: Tagged, n: number, bias: number): Uint8Array {
    return this.#paths.best(raw, n, bias);
  }
}
