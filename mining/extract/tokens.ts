/** One pass over a post: words, numbers and marks with their places, cut into sentences and lines. */
import { HASH_START, hashUnit } from "../classify/hash.ts";
import { isDigit, isLetter, isLinkStart } from "../classify/tokens.ts";
import { isQuotedLine } from "../classify/sentences.ts";
import type { PostText } from "../types.ts";

/**
 * Characters of the body that are read, whoever reads: what follows says little that is new, and
 * the cost stays bounded.
 */
export const BODY_CHARS = 1800;
const TITLE_CHARS = 400;
const MAX_TOKENS = 700;
/** Words of the longest label of a form. */
const LONGEST_LABEL = 22;
/** Tokens of the longest sentence: a longer one is cut. */
export const MAX_SENTENCE = 80;
const MAX_WORD = 32;

/** What a token is. */
export const KIND = { word: 0, number: 1, mark: 2, link: 3 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** How a token is written. */
export const CASE = { lower: 0, capital: 1, upper: 2, mixed: 3, none: 4 } as const;

/** A stretch of tokens, `from` up to, not including, `to`, all of one line. */
export interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly asks: boolean;
}

/** One line of the post. */
interface Line {
  /** Opens with a list mark or a number. */
  readonly listed: boolean;
  /** Tokens `from..label` are a label that an answer follows ("Budget: ..."); `label === from` for none. */
  readonly from: number;
  readonly label: number;
  readonly to: number;
  /** Of the last line before it that ends with a colon or is a heading, if only listed lines stand between; else -1. */
  readonly lead: number;
}

/** A post as tokens. All arrays of tokens have one entry a token. */
export interface Tokens {
  /** `title + "\n" + body`, as far as it is read. Offsets are into it. */
  readonly text: string;
  /** Length of the title in `text`. */
  readonly titleEnd: number;
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** Lower case, apostrophes dropped. */
  readonly word: readonly string[];
  readonly kind: readonly Kind[];
  readonly letterCase: readonly number[];
  readonly sentence: readonly number[];
  readonly sentences: readonly Sentence[];
  readonly lines: readonly Line[];
}

/** The text that spans are offsets of. */
export function textOf({ title, body }: Pick<PostText, "title" | "body">): string {
  return `${title}\n${body}`;
}

const NEWLINE = 10;
const AMPERSAND = 38;
const APOSTROPHE = 39;
const CURLY = 0x2019;

/** Marks of emphasis and layout, which do not become tokens. */
const SKIPPED = new Set([..."*_`#\\|~^"].map((mark) => mark.charCodeAt(0)));
const ENTITY = /^&(amp|lt|gt|quot|nbsp|#\w{1,6});/;
const ABBREVIATION = /^(?:e|g|i|eg|ie|vs|etc|approx|mr|mrs|dr|st|oz|lb|lbs|ft|inc|no|in|max|min)$/;
const LIST_MARK = /^\s*(?:[-•·+–—]|\*(?!\*)|\(?\d{1,2}[.)](?!\d)|\(?[a-h]\))\s*/;

class Builder {
  readonly start: number[] = [];
  readonly end: number[] = [];
  readonly word: string[] = [];
  readonly kind: Kind[] = [];
  readonly letterCase: number[] = [];
  readonly sentence: number[] = [];
  readonly sentences: Sentence[] = [];
  readonly lines: Line[] = [];
  #from = 0;

  add(start: number, end: number, word: string, kind: Kind, letterCase: number): void {
    this.start.push(start);
    this.end.push(end);
    this.word.push(word);
    this.kind.push(kind);
    this.letterCase.push(letterCase);
    this.sentence.push(this.sentences.length);
  }

  /** Ends the sentence, if one was begun. */
  cut(): void {
    const to = this.word.length;
    if (to === this.#from) return;
    this.sentences.push({
      from: this.#from,
      to,
      line: this.lines.length,
      asks: this.word[to - 1] === "?",
    });
    this.#from = to;
  }

  get length(): number {
    return this.word.length - this.#from;
  }
}

/**
 * Splits a post's title and the first `BODY_CHARS` of its body into at most `MAX_TOKENS` tokens.
 * Pure, and linear in what is read.
 */
export function tokenize(post: Pick<PostText, "title" | "body">): Tokens {
  const text = textOf({ title: post.title, body: post.body.slice(0, BODY_CHARS) });
  const out = new Builder();
  const titleEnd = post.title.length;
  let lead = -1;
  for (let at = 0; at <= text.length && out.word.length < MAX_TOKENS;) {
    let stop = text.indexOf("\n", at);
    if (stop < 0) stop = text.length;
    const inTitle = at === 0;
    const end = at < titleEnd ? Math.min(stop, TITLE_CHARS) : stop;
    const first = out.word.length;
    const line = text.slice(at, end);
    const listed = !inTitle && LIST_MARK.test(line);
    const skip = listed ? LIST_MARK.exec(line)![0].length : 0;
    if (!isQuotedLine(line)) addLine(out, text, at + skip, end);
    out.cut();
    const to = out.word.length;
    if (to > first) {
      const label = inTitle ? first : labelEnd(out, text, first, to);
      const number = out.lines.length;
      out.lines.push({
        listed,
        from: first,
        label,
        to,
        lead: listed || to - first < 9 ? lead : -1,
      });
      const last = out.word[to - 1]!;
      if (last === ":" || (to - first < 8 && /^\s*(?:\*\*|#)/.test(line))) lead = number;
      else if (!listed && to - first > 8) lead = -1;
    }
    at = stop + 1;
  }
  const { start, end, word, kind, letterCase, sentence, sentences, lines } = out;
  return { text, titleEnd, start, end, word, kind, letterCase, sentence, sentences, lines };
}

/** Where the label of a line of the form "Budget: about $50" ends, its mark included; `first` for none. */
function labelEnd(out: Builder, text: string, first: number, to: number): number {
  const most = Math.min(to - 1, first + LONGEST_LABEL);
  for (let i = first; i < most; i++) {
    const word = out.word[i]!;
    if (word === ":" || (word === "?" && i > first)) return i + 1;
    if (word === "." || word === "!" || (word === "," && i - first > 11)) break;
  }
  for (let i = first + 1; i < Math.min(most, first + 6); i++) {
    const word = out.word[i]!;
    const dash = word === "-" || word === "–" || word === "—";
    if (dash && text.charCodeAt(out.start[i]! - 1) === 32) return i + 1;
    if (word === "." || word === "!") break;
  }
  return first;
}

function addLine(out: Builder, text: string, from: number, end: number): void {
  for (let i = from; i < end && out.word.length < MAX_TOKENS;) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 160 || SKIPPED.has(code) || (code >= 0xd800 && code <= 0xdfff)) {
      i++;
      continue;
    }
    if (out.length >= MAX_SENTENCE) out.cut();
    if (isLetter(code)) i = addWord(out, text, i, end);
    else if (isDigit(code)) i = addNumber(out, text, i, end);
    else i = addMark(out, text, i, end);
  }
}

/** Words as they were made last, by the hash of their letters. */
const made: string[] = Array.from({ length: 1 << 13 }, () => "");

/**
 * Letters and digits `from..to`, all ASCII, in lower case: the same string as last time where it can be, so that nothing
 * is made, and what looks the word up need not hash it.
 */
function lowerCase(text: string, from: number, to: number): string {
  let hash = HASH_START;
  for (let i = from; i < to; i++) hash = hashUnit(hash, text.charCodeAt(i) | 32);
  const place = hash >>> 19 ^ hash & 0x1fff;
  const last = made[place]!;
  let same = 0;
  if (last.length === to - from) {
    while (same < last.length && last.charCodeAt(same) === (text.charCodeAt(from + same) | 32)) {
      same++;
    }
  }
  return same > 0 && same === last.length ? last : made[place] = text.slice(from, to).toLowerCase();
}

function addWord(out: Builder, text: string, from: number, end: number): number {
  if (isLinkStart(text, from)) return addLink(out, text, from, end);
  let to = from;
  let upper = 0;
  let letters = 0;
  let apostrophe = false;
  let isAscii = true;
  for (; to < end; to++) {
    const code = text.charCodeAt(to);
    if (code > 127) isAscii = false;
    if (isLetter(code)) {
      letters++;
      if (code >= 65 && code <= 90) upper++;
    } else if (isDigit(code)) letters++;
    else if (
      (code === APOSTROPHE || code === CURLY) && to + 1 < end && isLetter(text.charCodeAt(to + 1))
    ) {
      // "Sony's" is the word and what it owns.
      const owned = (text.charCodeAt(to + 1) | 32) === 115 && !isLetter(text.charCodeAt(to + 2));
      if (owned) break;
      apostrophe = true;
    } else break;
  }
  const last = Math.min(to, from + MAX_WORD);
  const lower = apostrophe
    ? text.slice(from, last).toLowerCase().replace(/['’]/g, "")
    : isAscii
    ? lowerCase(text, from, last)
    : text.slice(from, last).toLowerCase();
  const first = text.charCodeAt(from);
  const capital = first >= 65 && first <= 90;
  const letterCase = upper === 0
    ? CASE.lower
    : capital && upper === 1 && letters > 1
    ? CASE.capital
    : upper >= letters - 1
    ? CASE.upper
    : CASE.mixed;
  out.add(from, to, lower, KIND.word, letterCase);
  const code = text.charCodeAt(to);
  if (code === APOSTROPHE || code === CURLY) {
    const next = text.charCodeAt(to + 1);
    if ((next | 32) === 115 && to + 1 < end && !isLetter(text.charCodeAt(to + 2))) return to + 2;
  }
  return to;
}

function addNumber(out: Builder, text: string, from: number, end: number): number {
  let to = from + 1;
  for (; to < end; to++) {
    const code = text.charCodeAt(to);
    if (isDigit(code)) continue;
    const inside = (code === 46 || code === 44) && to + 1 < end && isDigit(text.charCodeAt(to + 1));
    if (!inside) break;
  }
  const raw = text.slice(from, Math.min(to, from + MAX_WORD));
  // "3d" and "4k" are one word; "16gb" is a number and its unit.
  const one = to < end && isLetter(text.charCodeAt(to)) && !isLetter(text.charCodeAt(to + 1)) &&
    !isDigit(text.charCodeAt(to + 1));
  if (one) out.add(from, ++to, raw + text.charAt(to - 1).toLowerCase(), KIND.word, CASE.none);
  else out.add(from, to, raw, KIND.number, CASE.none);
  return to;
}

function addMark(out: Builder, text: string, from: number, end: number): number {
  const code = text.charCodeAt(from);
  if (code === AMPERSAND) {
    const entity = ENTITY.exec(text.slice(from, from + 10));
    if (entity !== null) {
      if (entity[1] === "amp") out.add(from, from + 5, "&", KIND.mark, CASE.none);
      return from + entity[0].length;
    }
  }
  // "](http://…)": the label was read, the address is not.
  if (code === 93 && text.charCodeAt(from + 1) === 40) {
    const close = text.indexOf(")", from);
    return close < 0 || close > end ? from + 2 : close + 1;
  }
  let to = from + 1;
  while (to < end && text.charCodeAt(to) === code) to++;
  out.add(from, to, text.charAt(from), KIND.mark, CASE.none);
  const stop = code === 46 || code === 33 || code === 63 || code === 0x2026;
  if (!stop) return to;
  const next = text.charCodeAt(to);
  const spaced = to >= end || next <= 32 || next === 160 || next === 41 || next === 42;
  const before = out.word[out.word.length - 2] ?? "";
  if (spaced && !(code === 46 && to === from + 1 && ABBREVIATION.test(before))) out.cut();
  return to;
}

function addLink(out: Builder, text: string, from: number, end: number): number {
  let to = from;
  while (to < end) {
    const code = text.charCodeAt(to);
    if (code <= 32 || code === 41 || code === 93 || code === NEWLINE) break;
    to++;
  }
  out.add(from, to, "<link>", KIND.link, CASE.none);
  return to;
}

const STEM_IES = /ies$/;
const STEM_ING = /(?:ing|ed)$/;

/**
 * A rough stem of a lower-case word, the same for its number and for the forms of a verb as far as
 * endings tell: "running" and "runs" become "run".
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith("s")) {
    if (word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
    if (STEM_IES.test(word) && word.length > 4) return word.slice(0, -3) + "y";
    if (/(?:ch|sh|x|ss|z)es$/.test(word)) return word.slice(0, -2);
    return word.slice(0, -1);
  }
  if (word.length > 5 && STEM_ING.test(word)) {
    const cut = word.endsWith("ing") ? word.slice(0, -3) : word.slice(0, -2);
    if (!/[aeiouy]/.test(cut)) return word;
    const n = cut.length;
    return n > 2 && cut[n - 1] === cut[n - 2] && !/[lsz]/.test(cut[n - 1]!)
      ? cut.slice(0, -1)
      : cut;
  }
  return word;
}
