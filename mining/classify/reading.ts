/** One pass over a post: its sentences, the cues in each, and the hashes of its words and word groups. */
import type { PostText } from "../types.ts";
import { hashPair, hashTitle } from "./hash.ts";
import { CUE_FAMILY, CUES, matchCues } from "./phrases.ts";
import { splitBody, splitTitle, type TextSentence } from "./sentences.ts";
import { type CueTokens, MAX_TOKENS, QUESTION, tokenizeCues } from "./tokens.ts";
import type { WordsBySentence } from "./word_table.ts";

/** How much of a post is read: its title, and the body up to the line with the thousandth of its author's characters. */
const TITLE_CHARS = 300;
const BODY_CHARS = 1000;
const MAX_BODY_SENTENCES = 40;
const MAX_TITLE_SENTENCES = 8;
/** Sentences a reading has at most. */
export const MAX_SENTENCES = MAX_TITLE_SENTENCES + MAX_BODY_SENTENCES;

/** Where in the post a cue stands; each cue is one feature per place, in this order. */
const PLACE = { title: 0, body: 1, often: 2, last: 3, question: 4, anywhere: 5 } as const;
const PLACES = Object.keys(PLACE).length;
/** Found in four sentences, a cue is as often there as counts. */
const OFTEN_STEP = 0.25;
/** A word, a pair and a triple, and the first two once more in a title. */
const GRAMS_PER_WORD = 5;
/** Hashes a sentence has at most. */
export const MAX_GRAMS = MAX_TOKENS * GRAMS_PER_WORD;
/** Measures of the post's shape, after the cues: see `shape`. */
const SHAPES = 8;
/** What a sentence says, and what it says it of: every pair found in one sentence is a feature of the post. */
const FAMILIES: readonly string[] = [...Object.values(CUE_FAMILY), "none"];
const COMPANIONS = [
  "misc.prod",
  "misc.money",
  "misc.q",
  "misc.name",
  "misc.model",
  "misc.neg",
  "misc.i",
];
const FAMILY_OF = CUES.map((cue) => FAMILIES.indexOf(cue.family));
const COMPANION_OF = CUES.map((cue) => COMPANIONS.indexOf(cue.name));
/** Whether a cue makes its sentence one that asks for something. */
const ASKING: readonly string[] = [CUE_FAMILY.recommendation_request, CUE_FAMILY.unmet_need];
const ASKS = CUES.map((cue) => ASKING.includes(cue.family) && cue.vote >= 3);
/**
 * Length of `Reading.cues`: cues by place, the post's shape, pairs of what a sentence says and of
 * what.
 */
export const CUE_FEATURES = CUES.length * PLACES + SHAPES +
  FAMILIES.length * COMPANIONS.length;
/** Where a sentence stands: in the title, a question, the last one, the body's first. */
const STANDS = 4;
/** How many features a sentence can have: its cues, its pairs, where it stands. */
export const SENTENCE_FEATURES = CUES.length + FAMILIES.length * COMPANIONS.length + STANDS;

/** A post as the classifier sees it. */
export interface Reading extends WordsBySentence {
  readonly sentences: readonly TextSentence[];
  /** Cues found in each sentence. */
  readonly found: readonly (readonly number[])[];
  /** The features each sentence has, numbers below `SENTENCE_FEATURES`: its cues first. */
  readonly points: readonly (readonly number[])[];
  /** `CUE_FEATURES` values in [0,1]: cue c at place p is element `p * CUES.length + c`. */
  readonly cues: Float32Array;
  /** Hashes of words, pairs and triples inside sentences, and of the title's words and pairs once more. */
  readonly grams: Int32Array;
  /** Where each sentence's hashes end in `grams`. */
  readonly gramEnds: readonly number[];
}

/** Room for the hashes of one post, used again for the next: growing lists would cost more than hashing. */
const WORDS = new Int32Array(MAX_SENTENCES * MAX_TOKENS);
const GRAMS = new Int32Array(MAX_SENTENCES * MAX_GRAMS);

class Hashes {
  readonly #room: Int32Array;
  count = 0;

  constructor(room: Int32Array) {
    this.#room = room;
  }

  push(hash: number): void {
    this.#room[this.count++] = hash;
  }

  all(): Int32Array {
    return this.#room.slice(0, this.count);
  }
}

/**
 * Reads a post's title and the beginning of its body. Pure, and linear in what it reads, which is
 * bounded.
 */
export function read(text: PostText): Reading {
  const sentences = splitTitle(text.title, TITLE_CHARS, MAX_TITLE_SENTENCES);
  const titleCount = sentences.length;
  for (const sentence of splitBody(text.body, BODY_CHARS, MAX_BODY_SENTENCES)) {
    sentences.push(sentence);
  }
  const n = CUES.length;
  const cues = new Float32Array(CUE_FEATURES);
  const grams = new Hashes(GRAMS);
  const words = new Hashes(WORDS);
  const ends: number[] = [];
  const gramEnds: number[] = [];
  const asking: number[] = [];
  const found: number[][] = [];
  const points: number[][] = [];
  const counts = new Uint8Array(n);
  let titleWords = 0;
  let questions = 0;
  for (let s = 0; s < sentences.length; s++) {
    const inTitle = s < titleCount;
    const tokens = tokenizeCues(sentences[s]!.text);
    const here: number[] = [];
    counts.fill(0);
    matchCues(tokens, counts);
    const asks = tokens.count > 0 && tokens.hashes[tokens.count - 1] === QUESTION;
    if (asks) questions++;
    let families = 0;
    let companions = 0;
    let wants = asks;
    for (let c = 0; c < n; c++) {
      if (counts[c] === 0) continue;
      here.push(c);
      if (FAMILY_OF[c]! >= 0) families |= 1 << FAMILY_OF[c]!;
      if (COMPANION_OF[c]! >= 0) companions |= 1 << COMPANION_OF[c]!;
      if (ASKS[c] === true) wants = true;
      cues[PLACE.anywhere * n + c] = 1;
      if (asks) cues[PLACE.question * n + c] = 1;
      if (inTitle) cues[PLACE.title * n + c] = 1;
      else {
        const often = PLACE.often * n + c;
        cues[PLACE.body * n + c] = 1;
        cues[often] = Math.min(1, cues[often]! + OFTEN_STEP);
        if (s === sentences.length - 1) cues[PLACE.last * n + c] = 1;
      }
    }
    found.push(here);
    const point = here.slice();
    addPairs(cues, point, families, companions);
    const stands = SENTENCE_FEATURES - STANDS;
    if (inTitle) point.push(stands);
    if (asks) point.push(stands + 1);
    if (s === sentences.length - 1) point.push(stands + 2);
    if (s === titleCount) point.push(stands + 3);
    points.push(point);
    addGrams(tokens, inTitle, grams, words);
    ends.push(words.count);
    gramEnds.push(grams.count);
    asking.push(wants ? 1 : 0);
    if (inTitle) titleWords = words.count;
  }
  shape(
    cues.subarray(n * PLACES),
    words.count,
    titleWords,
    sentences.length - titleCount,
    questions,
  );
  return {
    sentences,
    titleCount,
    found,
    points,
    cues,
    grams: grams.all(),
    gramEnds,
    words: words.all(),
    ends,
    asks: asking,
  };
}

/** Marks the pairs found in one sentence, in the post's cues and in the sentence's own features. */
function addPairs(
  cues: Float32Array,
  point: number[],
  families: number,
  companions: number,
): void {
  if (companions === 0) return;
  const base = CUES.length * PLACES + SHAPES;
  for (let f = 0; f < FAMILIES.length; f++) {
    if ((families & (1 << f)) === 0) continue;
    for (let k = 0; k < COMPANIONS.length; k++) {
      if ((companions & (1 << k)) === 0) continue;
      const pair = f * COMPANIONS.length + k;
      cues[base + pair] = 1;
      point.push(CUES.length + pair);
    }
  }
}

function addGrams(
  { count, hashes }: CueTokens,
  inTitle: boolean,
  grams: Hashes,
  words: Hashes,
): void {
  let before = 0;
  let twoBefore = 0;
  for (let i = 0; i < count; i++) {
    const h = hashes[i]!;
    words.push(h);
    grams.push(h);
    if (inTitle) grams.push(hashTitle(h));
    if (i > 0) {
      const pair = hashPair(before, h);
      grams.push(pair);
      if (inTitle) grams.push(hashTitle(pair));
      if (i > 1) grams.push(hashPair(hashPair(twoBefore, before), h));
    }
    twoBefore = before;
    before = h;
  }
}

/** Steps of length and of the number of questions, each 0 or 1. */
function shape(
  out: Float32Array,
  words: number,
  titleWords: number,
  sentences: number,
  questions: number,
): void {
  const body = words - titleWords;
  out[0] = body === 0 ? 1 : 0;
  out[1] = body > 0 && body < 25 ? 1 : 0;
  out[2] = body >= 60 ? 1 : 0;
  out[3] = body >= 140 ? 1 : 0;
  out[4] = titleWords < 5 ? 1 : 0;
  out[5] = sentences > 12 ? 1 : 0;
  out[6] = questions > 0 ? 1 : 0;
  out[7] = questions > 2 ? 1 : 0;
}
