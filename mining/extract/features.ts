/** The features of a token that the tagger reads, as 32-bit hashes. The same on every runtime: whole numbers only. */
import { bytes, int32s } from "../short_arrays.ts";
import { hashEnd, hashWord } from "../classify/hash.ts";
import { type Known } from "./gazetteers.ts";
import { type Stance, stanceOf } from "./stance.ts";
import { CASE, KIND, stem, type Tokens } from "./tokens.ts";
import type { Lexemes } from "../classify/lexemes.ts";

/** Most features that one token has: the room that `featuresOf` needs. */
export const MAX_FEATURES = 128;

/** The hash of a feature: a value under the number of its template. */
export function feature(template: number, value: number): number {
  return hashEnd(Math.imul(template + 1, 0x9e3779b1) ^ value);
}

/** Hash of two values, order kept. */
function pair(a: number, b: number): number {
  return (Math.imul(a, 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)) | 0;
}

const OPEN = 0x51ed270b;
const CLOSE = 0x2545f491;

/**
 * A post made ready for features. Arrays of tokens have one entry a token; hashes are those of
 * `hash.ts`.
 */
export interface Prepared {
  readonly tokens: Tokens;
  readonly known: Known;
  readonly stance: Stance;
  /** For each token its row in the word table, or -1. */
  readonly rows: Int32Array;
  readonly words: Int32Array;
  readonly stems: Int32Array;
  readonly shapes: Int32Array;
  /** Word classes, coarse to fine; 0 for a word without any. */
  readonly classes: readonly [Int32Array, Int32Array, Int32Array];
  /** Whether the word stands in the title as well. */
  readonly inTitle: Uint8Array;
  /** How often the word stands in the post: 1, 2 or 3 for more. */
  readonly often: Uint8Array;
  /** Whether the token is part of a form's text, not of what the author answers. */
  readonly form: Uint8Array;
  /** How long a run of words shared with other posts of a community the token is in: 0, or 1 to 3. */
  readonly shared: Uint8Array;
  readonly lexemes: Lexemes;
}

/** Hash of tokens `from..to`, marks apart: equal for lines of the same words. */
export function lineHash({ word, kind }: Tokens, from: number, to: number): number {
  let hash = 0x2f0b4c47;
  for (let i = from; i < to; i++) {
    if (kind[i] !== KIND.mark) hash = pair(hash, hashWord(word[i]!));
  }
  return hash;
}

/** Words of a run that posts may share. */
const PHRASE = 4;

/**
 * Calls `each` with the hash of every run of `PHRASE` words of a line of the body, and with the
 * run's tokens, `to` exclusive. `words` gives the hash of a token. Marks are passed over.
 */
export function eachPhrase(
  { word, kind, lines, start, titleEnd }: Tokens,
  words: (i: number) => number,
  each: (hash: number, from: number, to: number) => void,
): void {
  const run = int32s(PHRASE);
  for (const { from, to } of lines) {
    if (to - from < PHRASE || start[from]! < titleEnd) continue;
    let n = 0;
    for (let i = from; i < to; i++) {
      if (kind[i] === KIND.mark || word[i] === "s") continue;
      run[n++ % PHRASE] = i;
      if (n < PHRASE) continue;
      let hash = 0x3c6ef372;
      for (let k = n; k < n + PHRASE; k++) hash = pair(hash, words(run[k % PHRASE]!));
      each(hash, run[n % PHRASE]!, i + 1);
    }
  }
}

/** Lengths of shared runs, in tokens, from which they count as longer. */
const RUNS = [7, 10] as const;
/** What a token of the longest runs is marked with. A question in such words is a form's. */
export const LONG_RUN = 3;

/** Marks the tokens of runs of words that posts of a community share: mostly the words of a form or a template. */
function markShared(tokens: Tokens, words: Int32Array, lexemes: Lexemes): Uint8Array {
  const shared = bytes(tokens.word.length);
  let first = 0, last = 0;
  const mark = (): void => {
    const length = last - first;
    if (length > 0) {
      shared.fill(length < RUNS[0] ? 1 : length < RUNS[1] ? 2 : LONG_RUN, first, last);
    }
  };
  eachPhrase(tokens, (i) => words[i]!, (hash, from, to) => {
    if (!lexemes.isShared(hash)) return;
    if (from >= last) {
      mark();
      first = from;
    }
    last = to;
  });
  mark();
  return shared;
}

/** Words of a line beyond which it is a form's own even without a label. */
export const FORM_LINE = 4;
/** Answers that make the label itself what the author says. */
const ASSENT = new Set(
  "yes y yep yeah yup definitely must required needed important preferred preferably please".split(
    " ",
  ),
);

/** Marks the tokens of labels and lines that the corpus has shown to be a form's. */
function markForm(tokens: Tokens, lexemes: Lexemes): Uint8Array {
  const form = bytes(tokens.word.length);
  for (const { from, label, to } of tokens.lines) {
    if (tokens.start[from]! < tokens.titleEnd) continue;
    if (label > from) {
      const own = ASSENT.has(tokens.word[label] ?? "");
      if (!own && lexemes.isForm(lineHash(tokens, from, label))) form.fill(1, from, label);
    } else if (to - from >= FORM_LINE && lexemes.isForm(lineHash(tokens, from, to))) {
      form.fill(1, from, to);
    }
  }
  return form;
}

/**
 * Which tokens are a form's own (1 of `form`), and which posts of a community share (`shared`), as
 * `Prepared` has them. `words` are the hashes of the tokens.
 */
export function formOf(
  tokens: Tokens,
  words: Int32Array,
  lexemes: Lexemes,
): Pick<Prepared, "form" | "shared"> {
  const form = markForm(tokens, lexemes);
  const shared = markShared(tokens, words, lexemes);
  for (let i = 0; i < words.length; i++) {
    if (shared[i] === LONG_RUN && tokens.sentences[tokens.sentence[i]!]!.asks) form[i] = 1;
  }
  return { form, shared };
}

/** "Aa", "a", "A9", "99": how a word is written, runs shortened. */
function shapeOf(raw: string): string {
  let out = "";
  let last = "";
  let run = 0;
  for (let i = 0; i < raw.length && out.length < 10; i++) {
    const c = raw.charCodeAt(i);
    const s = c >= 65 && c <= 90 ? "A" : c >= 48 && c <= 57 ? "9" : c < 65 ? raw[i]! : "a";
    run = s === last ? run + 1 : 1;
    last = s;
    if (run <= (s === "9" ? 4 : 2)) out += s;
  }
  return out;
}

/**
 * Hashes everything that features are made of, once a post. `known` is `lookUp` of the same tokens.
 */
export function prepare(tokens: Tokens, known: Known, lexemes: Lexemes): Prepared {
  const n = tokens.word.length;
  const words = int32s(n);
  const stems = int32s(n);
  const shapes = int32s(n);
  const rows = int32s(n);
  const classes = [int32s(n), int32s(n), int32s(n)] as const;
  const counts = new Map<number, number>();
  const title = new Set<number>();
  for (let i = 0; i < n; i++) {
    const word = tokens.word[i]!;
    const isNumber = tokens.kind[i] === KIND.number;
    const hash = hashWord(word);
    words[i] = hash;
    stems[i] = isNumber ? hash : hashWord(stem(word));
    shapes[i] = tokens.kind[i] === KIND.mark
      ? hash
      : hashWord(shapeOf(tokens.text.slice(tokens.start[i]!, tokens.end[i]!)));
    const row = lexemes.row(isNumber ? hashWord(numberWord(word)) : hash);
    rows[i] = row;
    for (let level = 0; level < 3; level++) classes[level]![i] = lexemes.classOf(row, level);
    counts.set(stems[i]!, (counts.get(stems[i]!) ?? 0) + 1);
    if (tokens.start[i]! < tokens.titleEnd) title.add(stems[i]!);
  }
  const inTitle = bytes(n);
  const often = bytes(n);
  for (let i = 0; i < n; i++) {
    inTitle[i] = title.has(stems[i]!) ? 1 : 0;
    often[i] = Math.min(3, counts.get(stems[i]!) ?? 1);
  }
  const { form, shared } = formOf(tokens, words, lexemes);
  return {
    tokens,
    known,
    stance: stanceOf(tokens),
    rows,
    words,
    stems,
    shapes,
    classes,
    inTitle,
    often,
    form,
    shared,
    lexemes,
  };
}

/**
 * The word under which the word table has a number: "#." with decimals, else "#" and how many
 * digits stand before a comma, five at most.
 */
export function numberWord(word: string): string {
  const digits = word.replace(/[.,].*$/, "").length;
  return word.includes(".") ? "#." : `#${Math.min(5, digits)}`;
}

/** Farthest word that has a place of its own beside a token. */
export const REACH = 3;
/** The place of words farther before. */
export const BEFORE = 2 * REACH + 1;
/** The place of words farther after. */
export const AFTER = BEFORE + 1;
/** Places of words about a token: `REACH` before it, its own, `REACH` after it, farther before, farther after. */
export const PLACES = AFTER + 1;
/** How many tokens before a token the place `BEFORE` reaches. */
export const FAR_BEFORE = 8;
/** How many tokens after a token the place `AFTER` reaches. */
export const FAR_AFTER = 7;

/** The templates of what a word is taken for; 0 for none. */
interface WordTemplates {
  readonly word: number;
  readonly stem: number;
  readonly shape: number;
  readonly coarse: number;
  readonly middle: number;
  readonly fine: number;
}

const only = (word: number, coarse = 0): WordTemplates => ({
  word,
  stem: 0,
  shape: 0,
  coarse,
  middle: 0,
  fine: 0,
});

/** By place. */
const TEMPLATES: readonly WordTemplates[] = [
  only(4),
  only(3, 31),
  { word: 2, stem: 16, shape: 25, coarse: 30, middle: 35, fine: 38 },
  { word: 1, stem: 15, shape: 24, coarse: 29, middle: 34, fine: 37 },
  { word: 5, stem: 17, shape: 26, coarse: 32, middle: 36, fine: 39 },
  only(6, 33),
  only(7),
  only(67),
  only(68),
];

/** What stands for the words beside a sentence: `k` lies outside of `from..to`. */
function beside(k: number, from: number, to: number): number {
  return k < from ? OPEN + (from - k) : CLOSE + (k - to);
}

/**
 * Writes to `out[n..]` what word `k` tells by itself of a token of sentence `from..to` beside which
 * it has this place (of `PLACES`), wherever it stands; returns where the features end.
 */
export function wordFeatures(
  p: Prepared,
  k: number,
  place: number,
  from: number,
  to: number,
  out: Int32Array,
  n: number,
): number {
  const { tokens, words, stems, shapes, classes } = p;
  const put = (template: number, value: number): void => {
    out[n++] = feature(template, value);
  };
  const of = (list: Int32Array): number => k < from || k >= to ? beside(k, from, to) : list[k]!;
  const { word: ofWord, stem, shape, coarse, middle, fine } = TEMPLATES[place]!;
  put(ofWord, of(words));
  if (coarse > 0) put(coarse, of(classes[0]));
  if (stem === 0) return n;
  put(stem, of(stems));
  put(shape, of(shapes));
  put(middle, of(classes[1]));
  put(fine, of(classes[2]));
  if (place !== REACH) return n;
  const word = tokens.word[k]!;
  if (tokens.kind[k] === KIND.word) {
    if (word.length > 3) {
      put(18, hashWord(word.slice(0, 3)));
      put(19, hashWord(word.slice(-3)));
      put(20, hashWord(word.slice(-2)));
      if (word.length > 5) {
        put(21, hashWord(word.slice(-4)));
        put(22, hashWord(word.slice(0, 4)));
      }
    }
  } else if (tokens.kind[k] === KIND.number) put(23, hashWord(numberWord(word)));
  const trait = p.lexemes.traits(p.rows[k]!);
  put(52, trait);
  put(54, pair(trait, tokens.letterCase[k]!));
  return n;
}

/** Where in the post a sentence stands: title, beginning, the rest. */
function placeOf({ tokens }: Prepared, from: number): number {
  const number = tokens.sentence[from]!;
  return tokens.start[from]! < tokens.titleEnd
    ? 0
    : tokens.sentences[number]!.line === 1 && number < 4
    ? 1
    : 2;
}

/** Writes what all tokens of sentence `from..to` have in common to `out[n..]`; returns where the features end. */
export function sentenceFeatures(
  p: Prepared,
  from: number,
  to: number,
  out: Int32Array,
  n: number,
): number {
  const { tokens, words, stems } = p;
  const put = (template: number, value: number): void => {
    out[n++] = feature(template, value);
  };
  const sentence = tokens.sentences[tokens.sentence[from]!]!;
  const line = tokens.lines[sentence.line]!;
  const place = placeOf(p, from);
  put(0, 0);
  put(56, place);
  put(57, pair(place, sentence.asks ? 1 : 0));
  if (line.lead >= 0) {
    const lead = tokens.lines[line.lead]!;
    for (let k = Math.max(lead.from, lead.to - 7); k < lead.to; k++) put(65, stems[k]!);
  }
  put(69, pair(words[from]!, from + 1 < to ? words[from + 1]! : beside(from + 1, from, to)));
  return n;
}

/**
 * Writes to `out[n..]` what token `i` of sentence `from..to` tells together with what is beside it;
 * returns where the features end.
 */
export function joinedFeatures(
  p: Prepared,
  i: number,
  from: number,
  to: number,
  out: Int32Array,
  n: number,
): number {
  const { tokens, words, stems, shapes, classes, known, rows, lexemes } = p;
  const [coarse, middle] = classes;
  const at = (list: Int32Array, k: number): number =>
    k < from || k >= to ? beside(k, from, to) : list[k]!;
  const role = (k: number): number => k < from || k >= to ? 9 : known.roles[k]!;
  const trait = (k: number): number => k < from || k >= to ? 255 : lexemes.traits(rows[k]!);
  const put = (template: number, value: number): void => {
    out[n++] = feature(template, value);
  };
  const w0 = words[i]!, w1 = at(words, i + 1), b1 = at(words, i - 1);
  const w2 = at(words, i + 2), b2 = at(words, i - 2);
  put(8, pair(b1, w0));
  put(9, pair(w0, w1));
  put(10, pair(b2, b1));
  put(11, pair(w1, w2));
  put(12, pair(pair(b2, b1), w0));
  put(13, pair(pair(b1, w0), w1));
  put(14, pair(pair(at(words, i - 3), b2), b1));
  const h0 = shapes[i]!;
  put(27, pair(at(shapes, i - 1), h0));
  put(28, pair(h0, at(shapes, i + 1)));
  const c0 = coarse[i]!, d1 = at(coarse, i - 1), m0 = middle[i]!;
  put(40, pair(at(middle, i - 1), m0));
  put(41, pair(m0, at(middle, i + 1)));
  put(42, pair(pair(d1, c0), at(coarse, i + 1)));
  put(43, pair(pair(at(coarse, i - 2), d1), c0));
  put(44, pair(b1, m0));
  put(45, pair(m0, w1));
  put(46, pair(pair(b2, b1), c0));
  const r0 = role(i);
  put(47, r0);
  put(48, role(i - 1));
  put(49, role(i + 1));
  put(50, pair(role(i - 1), pair(r0, role(i + 1))));
  if (r0 !== 0) put(51, pair(r0, b1));
  const t0 = trait(i);
  put(53, pair(t0, trait(i - 1)));
  put(55, pair(t0, trait(i + 1)));
  const line = tokens.lines[tokens.sentences[tokens.sentence[i]!]!.line]!;
  const place = placeOf(p, i);
  put(58, pair(place, r0));
  put(59, pair(place, pair(p.inTitle[i]!, p.often[i]!)));
  put(60, pair(p.inTitle[i]!, r0));
  put(61, pair(place, c0));
  // The form: whether the token is label or answer, and what the label says.
  const labelled = line.label > line.from;
  const form = !labelled ? 0 : i < line.label ? 1 : 2;
  put(62, pair(form, line.listed ? 1 : 0));
  if (p.form[i] === 1) put(73, 1);
  if (form === 2) {
    for (let k = line.from; k < line.label - 1; k++) {
      if (tokens.kind[k] === KIND.word) {
        put(63, stems[k]!);
        if (k - line.from > 4) break;
      }
    }
    put(64, pair(stems[line.from]!, c0));
  }
  if (line.listed) put(66, pair(Math.min(3, i - line.from), h0));
  put(70, Math.min(6, i - from));
  put(71, Math.min(6, to - i));
  if (tokens.letterCase[i] !== CASE.lower) put(72, pair(b1, 1));
  return n;
}

/**
 * Writes all features of token `i` of sentence `from..to` to `out`, at most `MAX_FEATURES`; returns
 * how many.
 */
export function featuresOf(
  p: Prepared,
  i: number,
  from: number,
  to: number,
  out: Int32Array,
): number {
  let n = sentenceFeatures(p, from, to, out, 0);
  for (let k = i - REACH; k <= i + REACH; k++) {
    n = wordFeatures(p, k, k - i + REACH, from, to, out, n);
  }
  for (let k = Math.max(from, i - FAR_BEFORE); k < i - REACH; k++) {
    n = wordFeatures(p, k, BEFORE, from, to, out, n);
  }
  for (let k = i + REACH + 1; k <= Math.min(to - 1, i + FAR_AFTER); k++) {
    n = wordFeatures(p, k, AFTER, from, to, out, n);
  }
  return joinedFeatures(p, i, from, to, out, n);
}
