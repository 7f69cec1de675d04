/** One pass over a sentence: the hashes of its lower-case words, and what kind of thing each token is. */
import { HASH_START, hashEnd, hashUnit, hashWord } from "./hash.ts";

/** What kind of thing a token is: cues may ask for a kind where the word itself does not matter. */
export const CUE_TOKEN_KIND = {
  word: 0,
  /** A number without a unit of money. */
  number: 1,
  /** A sum of money: `$200`, `200 dollars`, `£30`. */
  money: 2,
  /** Letters and digits mixed: a model number. */
  model: 3,
  /** A word with a capital that does not open the sentence: a name, more often than not. */
  name: 4,
  link: 5,
  mark: 6,
} as const;

/** One of CUE_TOKEN_KIND. */
type CueTokenKind = (typeof CUE_TOKEN_KIND)[keyof typeof CUE_TOKEN_KIND];

/** A sentence's tokens, until the next one is read: the arrays have room for more, and are used again. */
export interface CueTokens {
  readonly count: number;
  /** Of words in lower case, without apostrophes. */
  readonly hashes: Int32Array;
  /** One `CueTokenKind` a token. */
  readonly kinds: Uint8Array;
}

const MAX_WORD = 24;
/** Tokens of one sentence that are read; what follows says nothing new. */
export const MAX_TOKENS = 120;
const hashesOf = (words: string): ReadonlySet<number> => new Set(words.split(" ").map(hashWord));
const CURRENCY_WORDS = hashesOf("dollars dollar bucks usd gbp eur euro euros pounds quid cad aud");
const ORDINALS = hashesOf("1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th");
const LINK = hashWord("<link>");
const MONEY = hashWord("<money>");
const NUMBER = hashWord("<number>");
/** The hash of the last token of a sentence that asks. */
export const QUESTION = hashWord("?");
const EXCLAMATION = hashWord("!");

const hashes = new Int32Array(MAX_TOKENS);
const kinds = new Uint8Array(MAX_TOKENS);

/**
 * Splits one sentence into its first `MAX_TOKENS` tokens. Linear. The answer is overwritten by the
 * next call.
 */
export function tokenizeCues(text: string): CueTokens {
  const n = text.length;
  let count = 0;
  let i = 0;
  let money = false;
  while (i < n && count < MAX_TOKENS) {
    const c = text.charCodeAt(i);
    if (isWordChar(c)) {
      const start = i;
      if (isLinkStart(text, i)) {
        while (i < n && text.charCodeAt(i) > 0x20 && text.charCodeAt(i) !== 0x29) i++;
        hashes[count] = LINK;
        kinds[count++] = CUE_TOKEN_KIND.link;
        continue;
      }
      let digits = 0;
      let letters = 0;
      let isAscii = true;
      let h = HASH_START;
      while (i < n) {
        const d = text.charCodeAt(i);
        let unit = d;
        if (d >= 0x30 && d <= 0x39) digits++;
        else if (isWordChar(d)) {
          letters++;
          if (d >= 0x80) isAscii = false;
          else unit |= 0x20;
        } else if (isApostrophe(d) && i + 1 < n && isWordChar(text.charCodeAt(i + 1))) {
          i++;
          continue;
        } else if (
          digits > 0 && letters === 0 && (d === 0x2e || d === 0x2c) && i + 1 < n &&
          isDigit(text.charCodeAt(i + 1))
        ) { /* 1,000 and 2.5 are one number */ } else break;
        if (i < start + MAX_WORD) h = hashUnit(h, unit);
        i++;
      }
      let hash = isAscii ? hashEnd(h) : hashWord(
        text.slice(start, Math.min(i, start + MAX_WORD)).toLowerCase().replace(/['’]/g, ""),
      );
      let kind: CueTokenKind;
      if (digits === 0) {
        const first = text.charCodeAt(start);
        kind = count > 0 && first >= 0x41 && first <= 0x5a && letters > 1
          ? CUE_TOKEN_KIND.name
          : CUE_TOKEN_KIND.word;
        if (
          count > 0 && kinds[count - 1] === CUE_TOKEN_KIND.number && CURRENCY_WORDS.has(hash)
        ) {
          kinds[count - 1] = CUE_TOKEN_KIND.money;
          hashes[count - 1] = MONEY;
          continue;
        }
      } else if (letters === 0 || (money && letters === 1)) {
        kind = money || isCurrency(text.charCodeAt(i))
          ? CUE_TOKEN_KIND.money
          : CUE_TOKEN_KIND.number;
        hash = kind === CUE_TOKEN_KIND.money ? MONEY : NUMBER;
      } else kind = ORDINALS.has(hash) ? CUE_TOKEN_KIND.word : CUE_TOKEN_KIND.model;
      money = false;
      hashes[count] = hash;
      kinds[count++] = kind;
      continue;
    }
    if (c === 0x26) {
      const end = entityEnd(text, i);
      if (end > i) {
        i = end;
        continue;
      }
    }
    money = isCurrency(c) || (money && c === 0x20);
    if (c === 0x3f || c === 0x21) {
      const mark = c === 0x3f ? QUESTION : EXCLAMATION;
      if (count === 0 || hashes[count - 1] !== mark) {
        hashes[count] = mark;
        kinds[count++] = CUE_TOKEN_KIND.mark;
      }
    }
    i++;
  }
  return { count, hashes, kinds };
}

function isApostrophe(c: number): boolean {
  return c === 0x27 || c === 0x2019;
}

/** Whether a UTF-16 unit is an ASCII digit. */
export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isCurrency(c: number): boolean {
  return c === 0x24 || c === 0xa3 || c === 0x20ac || c === 0xa5;
}

/**
 * Whether a UTF-16 unit is taken for one of a letter: those of ASCII, and of U+00C0 to U+FDFF all
 * but signs, punctuation and surrogates.
 */
export function isLetter(c: number): boolean {
  if (c < 0x80) return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a);
  return c >= 0xc0 && c !== 0xd7 && c !== 0xf7 && !(c >= 0x2000 && c <= 0x2bff) &&
    !(c >= 0x3000 && c <= 0x303f) && !(c >= 0xd800 && c <= 0xdfff) && c < 0xfe00;
}

function isWordChar(c: number): boolean {
  return isLetter(c) || isDigit(c);
}

/** Whether a web address begins at `text[i]`. */
export function isLinkStart(text: string, i: number): boolean {
  const c = text.charCodeAt(i) | 0x20;
  if (c === 0x68) return /^https?:\/\//i.test(text.slice(i, i + 8));
  return c === 0x77 && text.slice(i, i + 4).toLowerCase() === "www.";
}

/** Where an escaped character (`&amp;`, `&#x200B;`) ends, or `i` where none begins: some sources escape their text. */
function entityEnd(text: string, i: number): number {
  const end = i + text.slice(i, i + 10).indexOf(";");
  if (end - i < 3) return i;
  return /^&#?\w+$/.test(text.slice(i, end)) ? end + 1 : i;
}
