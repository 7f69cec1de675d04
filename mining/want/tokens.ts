/** Words of a post, with where they stand. One pass over a bounded piece of text, no backtracking. */

/** How much of a body is read, in characters: what is wanted is said early, and the cost stays bounded. */
export const BODY_LIMIT = 1600;

/** The words of a title and of the beginning of a body. All arrays have one entry per word. */
export interface Words {
  /** Lower case, apostrophes dropped ("womens"), hyphenated words split. */
  readonly word: readonly string[];
  /** Running number of the sentence; the title's come first. */
  readonly sentence: readonly number[];
  /** True where punctuation separates this word from the next one. */
  readonly breakAfter: readonly boolean[];
  /** True where the word begins with a capital letter. */
  readonly capital: readonly boolean[];
  /** Number of words of the title. */
  readonly titleWords: number;
}

const LINK = /\]\([^)\s]{0,400}\)|https?:\/\/\S{1,400}|www\.\S{1,400}/g;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}&%+'’]*(?:\.\d+)?|[-/_]+|[^\s\p{L}\p{N}]|\n{2,}/gu;
const APOSTROPHE = /['’]/g;

/**
 * Splits title and body into words. Links lose their address, markdown marks act as punctuation, a
 * hyphen, a slash and an underscore split words without separating them.
 */
export function splitWords(title: string, body: string): Words {
  const words: MutableWords = { word: [], sentence: [], breakAfter: [], capital: [], next: 0 };
  addText(words, title.slice(0, 400));
  const titleWords = words.word.length;
  addText(words, body.slice(0, BODY_LIMIT));
  return { ...words, titleWords };
}

interface MutableWords {
  word: string[];
  sentence: number[];
  breakAfter: boolean[];
  capital: boolean[];
  next: number;
}

function addText(into: MutableWords, text: string): void {
  const start = into.word.length;
  for (const [piece] of text.replace(LINK, " ").matchAll(WORD)) {
    const first = piece.charCodeAt(0);
    if (isWordStart(first)) {
      const plain = piece.replace(APOSTROPHE, "").toLowerCase();
      into.word.push(plain);
      into.sentence.push(into.next);
      into.breakAfter.push(false);
      into.capital.push(first >= 65 && first <= 90);
    } else if (into.word.length > start && !/^[-/_'’"“”*~`]/.test(piece)) {
      into.breakAfter[into.word.length - 1] = true;
      if (/^[.!?\n;]/.test(piece)) into.next += 1;
    }
  }
  if (into.word.length > start) into.breakAfter[into.word.length - 1] = true;
  into.next += 1;
}

function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) ||
    code > 191;
}

/** The words of a phrase of the lexicon, by the same rules as a post's. */
export function phraseWords(phrase: string): readonly string[] {
  return splitWords(phrase, "").word;
}
