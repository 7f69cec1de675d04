/** Learns the word table of the built-in reader from unlabelled posts: vectors, classes and traits of words. */
import { eachPhrase, FORM_LINE, lineHash, numberWord } from "../../../mining/extract/features.ts";
import type { LexemeTable } from "../../../mining/classify/lexemes.ts";
import { CASE, KIND, tokenize, type Tokens } from "../../../mining/extract/tokens.ts";
import { hashWord } from "../../../mining/classify/hash.ts";
import type { PostText } from "../../../mining/types.ts";
import { seeded } from "../random.ts";
import { learnVectors, type VectorOptions } from "../vectors.ts";

const DIMS = 48;
const SYNTACTIC: VectorOptions = {
  maxWords: 20000,
  contexts: 1200,
  minPosts: 5,
  window: 3,
  sided: true,
};
/** Words whose vectors are kept. */
const VECTORED = 12000;
/** How many classes there are, fine to coarse: the coarse are classes of the finer ones. */
const CLASSES = [1000, 250, 60] as const;
const ROUNDS = 12;

/** How a word is written and used in the corpus. */
interface Use {
  /** Inside a sentence, and how often with a capital there. */
  inside: number;
  capital: number;
  /** Directly after a number. */
  measured: number;
  all: number;
}

/** Learns the table: `posts` are read as the tagger reads them. */
export function learnLexemes(posts: readonly PostText[]): LexemeTable {
  const uses = new Map<number, Use>();
  const texts = posts.map((post) => {
    const { word, kind, letterCase, sentence, sentences } = tokenize(post);
    const hashes: number[] = [];
    for (let i = 0; i < word.length; i++) {
      if (kind[i] === KIND.link) continue;
      const isNumber = kind[i] === KIND.number;
      const hash = hashWord(isNumber ? numberWord(word[i]!) : word[i]!);
      hashes.push(hash);
      if (kind[i] !== KIND.word) continue;
      let use = uses.get(hash);
      if (use === undefined) uses.set(hash, use = { inside: 0, capital: 0, measured: 0, all: 0 });
      use.all++;
      if (kind[i - 1] === KIND.number) use.measured++;
      if (sentences[sentence[i]!]!.from < i && sentence[i] !== 0) {
        use.inside++;
        if (letterCase[i] !== CASE.lower) use.capital++;
      }
    }
    return Int32Array.from(hashes);
  });
  const { keys, values, dims } = learnVectors(texts, DIMS, SYNTACTIC);
  const classes = classify(values, keys.length, dims);
  const traits = Uint8Array.from(keys, (key, row) => traitsOf(uses.get(key), row));
  return {
    keys,
    classes,
    traits,
    vectors: values.slice(0, VECTORED * dims),
    dims,
    forms: learnShared(posts, (tokens, found) => {
      for (const { from, label, to } of tokens.lines) {
        if (tokens.start[from]! < tokens.titleEnd) continue;
        if (label > from) found(lineHash(tokens, from, label));
        else if (to - from >= FORM_LINE) found(lineHash(tokens, from, to));
      }
    }),
    phrases: learnShared(
      posts,
      (tokens, found) => eachPhrase(tokens, (i) => hashWord(tokens.word[i]!), found),
    ),
  };
}

/** What this many posts of one community have is a form's or a template's. */
const FORM_POSTS = 5;

/** Hashes of what repeats in a community: of each post those that `find` finds. */
function learnShared(
  posts: readonly PostText[],
  find: (tokens: Tokens, found: (hash: number) => void) => void,
): Int32Array {
  const counts = new Map<string, Map<number, number>>();
  for (const post of posts) {
    const seen = new Set<number>();
    find(tokenize(post), (hash) => seen.add(hash));
    const community = counts.get(post.community) ?? new Map<number, number>();
    counts.set(post.community, community);
    for (const hash of seen) community.set(hash, (community.get(hash) ?? 0) + 1);
  }
  const shared = new Set<number>();
  for (const community of counts.values()) {
    for (const [hash, n] of community) if (n >= FORM_POSTS) shared.add(hash);
  }
  return Int32Array.from(shared).sort();
}

/** Two bits of capitals, one of measure, two of rank. */
function traitsOf(use: Use | undefined, row: number): number {
  const rank = row < 300 ? 0 : row < 2000 ? 1 : row < 8000 ? 2 : 3;
  if (use === undefined) return rank;
  const share = use.inside < 3 ? 0.3 : use.capital / use.inside;
  const capitals = share < 0.12 ? 0 : share < 0.4 ? 1 : share < 0.7 ? 2 : 3;
  const unit = use.measured / use.all > 0.25 ? 1 : 0;
  return rank | capitals << 2 | unit << 4;
}

/** Classes of words by k-means on the sphere, then of those classes, and of these again; from 1. */
function classify(values: Int8Array, words: number, dims: number): Uint16Array {
  let points: Float32Array = Float32Array.from(values);
  let count = words;
  let weights = new Float64Array(words).fill(1);
  const out = new Uint16Array(words * 3);
  let ofWord = Int32Array.from({ length: words }, (_, i) => i);
  CLASSES.forEach((most, level) => {
    const k = Math.min(most, count);
    const { centres, member } = kMeans(points, count, dims, k, weights);
    const sums = new Float64Array(k);
    for (let i = 0; i < count; i++) sums[member[i]!]! += weights[i]!;
    ofWord = ofWord.map((at) => member[at]!);
    for (let w = 0; w < words; w++) out[w * 3 + 2 - level] = ofWord[w]! + 1;
    points = centres;
    count = k;
    weights = sums;
  });
  return out;
}

function kMeans(
  points: Float32Array,
  count: number,
  dims: number,
  k: number,
  weights: Float64Array,
): { centres: Float32Array; member: Int32Array } {
  const random = seeded(71);
  const centres = new Float32Array(k * dims);
  const member = new Int32Array(count);
  // The first are the most frequent words, then draws by chance.
  for (let c = 0; c < k; c++) {
    const from = c < k / 2 ? c : Math.floor(random() * count);
    centres.set(points.subarray(from * dims, (from + 1) * dims), c * dims);
  }
  normalise(centres, k, dims);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < count; i++) {
      let best = 0;
      let top = -Infinity;
      for (let c = 0; c < k; c++) {
        let dot = 0;
        for (let d = 0; d < dims; d++) dot += points[i * dims + d]! * centres[c * dims + d]!;
        if (dot > top) {
          top = dot;
          best = c;
        }
      }
      member[i] = best;
    }
    if (round === ROUNDS - 1) break;
    const filled = new Uint8Array(k);
    const sums = new Float32Array(k * dims);
    for (let i = 0; i < count; i++) {
      const to = member[i]! * dims;
      filled[member[i]!] = 1;
      const weight = weights[i]!;
      for (let d = 0; d < dims; d++) sums[to + d]! += weight * points[i * dims + d]!;
    }
    for (let c = 0; c < k; c++) {
      if (filled[c] === 1) centres.set(sums.subarray(c * dims, (c + 1) * dims), c * dims);
    }
    normalise(centres, k, dims);
  }
  return { centres, member };
}

function normalise(rows: Float32Array, count: number, dims: number): void {
  for (let c = 0; c < count; c++) {
    let length = 0;
    for (let d = 0; d < dims; d++) length += rows[c * dims + d]! ** 2;
    const scale = length > 0 ? 1 / Math.sqrt(length) : 0;
    for (let d = 0; d < dims; d++) rows[c * dims + d]! *= scale;
  }
}
