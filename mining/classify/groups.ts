/**
 * Softmax regression on the word n-grams of a post, and of each of its sentences. A leaning is the log-odds of a class
 * by it: an input of the networks, beside what they see for themselves.
 */
import { PATTERNS } from "../types.ts";
import { shares } from "./numbers.ts";
import { MAX_GRAMS, MAX_SENTENCES, type Reading } from "./reading.ts";
import { HashTable } from "./table.ts";

/**
 * Classes of a post: the patterns, then no pattern about a physical product, then no pattern about
 * anything else.
 */
export const PATTERN_CLASSES = PATTERNS.length + 2;
/**
 * What the regression's probabilities count in the mean with the networks', which count the rest.
 */
export const GROUP_SHARE = 0.35;

/** What training found: the groups known, how much each weighs, and its pull to each class. */
interface GroupWeights {
  readonly keys: Int32Array;
  /** Inverse document frequencies. */
  readonly weights: Uint8Array;
  /** A row of `PATTERN_CLASSES` whole numbers for each group, to be multiplied by `scale`. */
  readonly pulls: Int8Array;
  readonly scale: number;
  readonly bias: Float32Array;
}

/**
 * Takes their mean from the `PATTERN_CLASSES` sums at `from`, in place: only how they differ means
 * anything.
 */
export function centre(sums: Float32Array | Float64Array, from: number): void {
  let mean = 0;
  for (let c = from; c < from + PATTERN_CLASSES; c++) mean += sums[c]! / PATTERN_CLASSES;
  for (let c = from; c < from + PATTERN_CLASSES; c++) sums[c]! -= mean;
}

/**
 * The linear part of the classifier: a softmax regression on words, pairs and triples, weighed by
 * their inverse document frequencies and scaled to length 1. Reads one post at a time, into arrays
 * that are used again.
 */
export class GroupRegression {
  readonly #given: GroupWeights;
  readonly #table: HashTable;
  /** The last post, and the last sentence, that each group was seen in. */
  readonly #inPost: Uint32Array;
  readonly #inSentence: Uint32Array;
  /** Pulls added up, which are whole numbers. */
  readonly #ofPost = new Int32Array(PATTERN_CLASSES);
  readonly #ofSentence = new Int32Array(PATTERN_CLASSES);
  /** Room for the rows of a sentence's groups. */
  readonly #rows = new Int32Array(MAX_GRAMS);
  #posts = 0;
  #sentences = 0;
  /** What the post last read leans to: `PATTERN_CLASSES` sums less their mean. */
  readonly leaning = new Float64Array(PATTERN_CLASSES);
  /** What each of its sentences leans to, by itself and without the bias. */
  readonly each = new Float64Array(MAX_SENTENCES * PATTERN_CLASSES);

  constructor(given: GroupWeights) {
    this.#given = given;
    this.#table = new HashTable(given.keys);
    this.#inPost = new Uint32Array(given.keys.length);
    this.#inSentence = new Uint32Array(given.keys.length);
  }

  /** Fills `leaning` and `each` for one post, every group counted once and all scaled to length 1; the post's shares. */
  read({ grams, gramEnds }: Reading): Float64Array {
    const { weights, pulls, scale, bias } = this.#given;
    const { leaning, each } = this;
    const table = this.#table, rows = this.#rows;
    const inPost = this.#inPost;
    const inSentence = this.#inSentence;
    if (this.#sentences > 0xffff0000) {
      inPost.fill(0);
      inSentence.fill(0);
      this.#posts = this.#sentences = 0;
    }
    const post = ++this.#posts;
    const ofPost = this.#ofPost.fill(0), sums = this.#ofSentence;
    let square = 0;
    for (let s = 0, from = 0; s < gramEnds.length; s++) {
      const sentence = ++this.#sentences;
      const to = s * PATTERN_CLASSES;
      sums.fill(0);
      let ofSentence = 0;
      const found = table.rows(grams, from, gramEnds[s]!, rows);
      from = gramEnds[s]!;
      for (let f = 0; f < found; f++) {
        const row = rows[f]!;
        if (inSentence[row] === sentence) continue;
        inSentence[row] = sentence;
        const weight = weights[row]!;
        ofSentence += weight * weight;
        const at = row * PATTERN_CLASSES;
        for (let c = 0; c < PATTERN_CLASSES; c++) {
          sums[c] = sums[c]! + Math.imul(weight, pulls[at + c]!) | 0;
        }
        if (inPost[row] === post) continue;
        inPost[row] = post;
        square += weight * weight;
        for (let c = 0; c < PATTERN_CLASSES; c++) {
          ofPost[c] = ofPost[c]! + Math.imul(weight, pulls[at + c]!) | 0;
        }
      }
      const unit = ofSentence > 0 ? scale / Math.sqrt(ofSentence) : 0;
      for (let c = 0; c < PATTERN_CLASSES; c++) each[to + c] = sums[c]! * unit;
      centre(each, to);
    }
    const unit = square > 0 ? scale / Math.sqrt(square) : 0;
    for (let c = 0; c < PATTERN_CLASSES; c++) leaning[c] = bias[c]! + ofPost[c]! * unit;
    centre(leaning, 0);
    const classes = leaning.slice();
    shares(classes);
    return classes;
  }
}
