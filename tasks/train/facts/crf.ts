/** Trains the tagger: maximum likelihood by AdaGrad, a sentence at a time, some features left out of each step. */
import { HashTable } from "../../../mining/classify/table.ts";
import { featuresOf, MAX_FEATURES, type Prepared } from "../../../mining/extract/features.ts";
import { ChainSums, type TaggerWeights, TAGS } from "../../../mining/extract/tagger.ts";
import { seeded, shuffle } from "../random.ts";

/** A post with the tag of each of its tokens. */
export interface TaggedPost {
  readonly post: Prepared;
  readonly tags: Uint8Array;
}

interface CrfOptions {
  readonly epochs: number;
  readonly rate: number;
  /** Weight decay: how far a weight is drawn back at each step that touches it. */
  readonly decay: number;
  /** Share of features that are left out of a step. */
  readonly dropout: number;
  /** Features of fewer tokens are left out. */
  readonly minCount: number;
  /** Tokens whose tags are surer than this teach nothing more. */
  readonly sure: number;
}

export const CRF_OPTIONS: CrfOptions = {
  epochs: 6,
  rate: 0.05,
  decay: 0.00002,
  dropout: 0.4,
  minCount: 2,
  sure: 0.01,
};

/** Sentences after which the chain's own weights are taken over. */
const BETWEEN = 16;

interface Compiled {
  /** Rows of features of all tokens, and where each token's begin. */
  readonly rows: Int32Array;
  readonly starts: Int32Array;
  readonly tags: Uint8Array;
  /** Tokens of each sentence: `sentences[s]..sentences[s + 1]`. */
  readonly sentences: Int32Array;
  readonly keys: Int32Array;
}

function compile(posts: readonly TaggedPost[], minCount: number): Compiled {
  const room = new Int32Array(MAX_FEATURES);
  let all = new Int32Array(1 << 22);
  let used = 0;
  const starts = [0];
  const tags: number[] = [];
  const sentences = [0];
  for (const { post, tags: own } of posts) {
    for (const { from, to } of post.tokens.sentences) {
      for (let i = from; i < to; i++) {
        const count = featuresOf(post, i, from, to, room);
        if (used + count > all.length) {
          const wider = new Int32Array(all.length * 2);
          wider.set(all);
          all = wider;
        }
        for (let f = 0; f < count; f++) all[used++] = room[f]!;
        starts.push(used);
        tags.push(own[i]!);
      }
      sentences.push(tags.length);
    }
  }
  const rough = new Uint8Array(1 << 24);
  for (let i = 0; i < used; i++) {
    const at = all[i]! & 0xffffff;
    if (rough[at]! < 255) rough[at]!++;
  }
  const counts = new Map<number, number>();
  for (let i = 0; i < used; i++) {
    const key = all[i]!;
    if (rough[key & 0xffffff]! >= minCount) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keys = Int32Array.from([...counts].filter(([, n]) => n >= minCount).map(([key]) => key))
    .sort();
  const table = new HashTable(keys);
  let kept = 0;
  let from = 0;
  for (let t = 0; t + 1 < starts.length; t++) {
    const to = starts[t + 1]!;
    starts[t] = kept;
    for (let i = from; i < to; i++) {
      const row = table.row(all[i]!);
      if (row >= 0) all[kept++] = row;
    }
    from = to;
  }
  starts[starts.length - 1] = kept;
  return {
    rows: all.slice(0, kept),
    starts: Int32Array.from(starts),
    tags: Uint8Array.from(tags),
    sentences: Int32Array.from(sentences),
    keys,
  };
}

/** Fits the tagger to posts. The same posts give the same weights. */
export function fitTagger(
  posts: readonly TaggedPost[],
  options = CRF_OPTIONS,
): TaggerWeights<Float32Array> {
  const { rows, starts, tags, sentences, keys } = compile(posts, options.minCount);
  const random = seeded(4);
  const weights = new Float32Array(keys.length * TAGS);
  const squares = new Float32Array(keys.length * TAGS);
  const transitions = new Float64Array(TAGS * (TAGS + 1));
  const transitionSquares = new Float64Array(transitions.length).fill(1);
  const gradient = new Float64Array(transitions.length);
  const mean = new Float32Array(weights.length);
  const meanTransitions = new Float64Array(transitions.length);
  const chain = new ChainSums(transitions);
  const order = Int32Array.from({ length: sentences.length - 1 }, (_, i) => i);
  const keep = 1 - options.dropout;
  let raw = new Float64Array(100 * TAGS);
  let chosen = new Int32Array(100 * MAX_FEATURES);
  const ends = new Int32Array(200);
  let averaged = 0;
  let steps = 0;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    const rate = options.rate * (1 - 0.85 * epoch / options.epochs);
    for (const s of order) {
      const from = sentences[s]!;
      const n = sentences[s + 1]! - from;
      if (raw.length < n * TAGS) raw = new Float64Array(n * TAGS);
      if (chosen.length < n * MAX_FEATURES) chosen = new Int32Array(n * MAX_FEATURES);
      let used = 0;
      raw.fill(0, 0, n * TAGS);
      for (let i = 0; i < n; i++) {
        const at = i * TAGS;
        for (let f = starts[from + i]!; f < starts[from + i + 1]!; f++) {
          if (random() >= keep) continue;
          const row = rows[f]!;
          chosen[used++] = row;
          const base = row * TAGS;
          for (let t = 0; t < TAGS; t++) raw[at + t]! += weights[base + t]!;
        }
        ends[i] = used;
        for (let t = at; t < at + TAGS; t++) raw[t]! /= keep;
      }
      chain.run(raw, n);
      const { marginals } = chain;
      let first = 0;
      for (let i = 0; i < n; i++) {
        const at = i * TAGS;
        const gold = tags[from + i]!;
        if (1 - marginals[at + gold]! > options.sure) {
          for (let f = first; f < ends[i]!; f++) {
            const base = chosen[f]! * TAGS;
            for (let t = 0; t < TAGS; t++) {
              const p = marginals[at + t]!;
              const g = t === gold ? 1 - p : -p;
              if (g < 0.002 && g > -0.002) continue;
              const k = base + t;
              const square = squares[k]! + g * g;
              squares[k] = square;
              weights[k] = weights[k]! * (1 - options.decay) + rate * g / Math.sqrt(square + 0.1);
            }
          }
        }
        first = ends[i]!;
      }
      // The chain's own weights.
      gradient.fill(0);
      chain.addExpected(n, gradient, -1);
      gradient[TAGS * TAGS + tags[from]!]! += 1;
      for (let i = 1; i < n; i++) gradient[tags[from + i - 1]! * TAGS + tags[from + i]!]! += 1;
      for (let k = 0; k < gradient.length; k++) {
        const g = gradient[k]!;
        if (g === 0) continue;
        transitionSquares[k]! += g * g;
        transitions[k]! += 0.5 * rate * g / Math.sqrt(transitionSquares[k]!);
      }
      if (++steps % BETWEEN === 0) chain.set(transitions);
    }
    if (epoch >= options.epochs / 2) {
      averaged++;
      for (let k = 0; k < weights.length; k++) mean[k]! += weights[k]!;
      for (let k = 0; k < transitions.length; k++) meanTransitions[k]! += transitions[k]!;
    }
  }
  for (let k = 0; k < mean.length; k++) mean[k]! /= averaged;
  return {
    keys,
    values: mean,
    scale: 1,
    transitions: Float32Array.from(meanTransitions, (value) => value / averaged),
  };
}
