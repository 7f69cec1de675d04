/** One pass over a post: its sentences, the cues in each, and the hashes of its words and word groups. */
import type { PostText } from "../types.ts";
import { hashPair, hashTitle, hashWord } from "./hash.ts";
import { CUES, matchCues } from "./phrases.ts";
import { type Sentence, splitBody, splitTitle } from "./sentences.ts";
import { tokenize } from "./tokens.ts";

/** How much of a post is read: its title and about the first thousand characters of the author's own words. */
const TITLE_CHARS = 300;
const BODY_CHARS = 1000;
const MAX_SENTENCES = 40;

/** Where in the post a cue stands; each cue is one feature per place. */
export const PLACES = ["title", "body", "often", "last", "question", "anywhere"] as const;
/** Measures of the post's shape, after the cues: see `shape`. */
const SHAPES = 8;
/** Length of `Reading.cues`. */
export const CUE_FEATURES = CUES.length * PLACES.length + SHAPES;

export interface Reading {
  readonly sentences: readonly Sentence[];
  /** The first so many sentences are the title's. */
  readonly titleCount: number;
  /** Cues found in each sentence. */
  readonly found: readonly (readonly number[])[];
  /** `CUE_FEATURES` values in [0,1]: cue c at place p is element `p * CUES.length + c`. */
  readonly cues: Float32Array;
  /** Hashes of words, pairs and triples inside sentences, and of the title's words and pairs once more. */
  readonly grams: readonly number[];
  /** Hashes of the words, the first `titleWords` of them the title's. */
  readonly words: readonly number[];
  readonly titleWords: number;
}

/** Reads a post. Pure and linear in what it reads. */
export function read(text: PostText): Reading {
  const sentences = splitTitle(text.title, TITLE_CHARS);
  const titleCount = sentences.length;
  for (const sentence of splitBody(text.body, BODY_CHARS, MAX_SENTENCES)) sentences.push(sentence);
  const n = CUES.length;
  const cues = new Float32Array(CUE_FEATURES);
  const grams: number[] = [];
  const words: number[] = [];
  const found: number[][] = [];
  const counts = new Uint8Array(n);
  let titleWords = 0;
  let questions = 0;
  for (let s = 0; s < sentences.length; s++) {
    const inTitle = s < titleCount;
    const tokens = tokenize(sentences[s]!.text);
    const here: number[] = [];
    counts.fill(0);
    matchCues(tokens, counts);
    const asks = tokens.words[tokens.words.length - 1] === "?";
    if (asks) questions++;
    for (let c = 0; c < n; c++) {
      if (counts[c] === 0) continue;
      here.push(c);
      cues[5 * n + c] = 1;
      if (asks) cues[4 * n + c] = 1;
      if (inTitle) cues[c] = 1;
      else {
        cues[n + c] = 1;
        cues[2 * n + c] = Math.min(1, cues[2 * n + c]! + 0.25);
        if (s === sentences.length - 1) cues[3 * n + c] = 1;
      }
    }
    found.push(here);
    addGrams(tokens.words, inTitle, grams, words);
    if (inTitle) titleWords = words.length;
  }
  shape(
    cues.subarray(n * PLACES.length),
    words.length,
    titleWords,
    sentences.length - titleCount,
    questions,
  );
  return { sentences, titleCount, found, cues, grams, words, titleWords };
}

function addGrams(
  tokens: readonly string[],
  inTitle: boolean,
  grams: number[],
  words: number[],
): void {
  let before = 0;
  let twoBefore = 0;
  for (let i = 0; i < tokens.length; i++) {
    const h = hashWord(tokens[i]!);
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
