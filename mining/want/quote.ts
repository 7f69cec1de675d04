/** The quote of a signal whose want is known: the sentence that shows it, best on its own. */
import type { Printable } from "../classify/mod.ts";
import type { Mention } from "./mentions.ts";
import type { Words } from "./tokens.ts";

/** Where a post names what it wants, and says what it asks of it. */
export interface Places {
  readonly words: Words;
  readonly mentions: readonly Mention[];
  /** Words where a brand of the kind is named. */
  readonly brands: readonly number[];
  /** Words where the need is stated; null where the want has none. */
  readonly needs: readonly number[] | null;
}

export interface Quoted {
  readonly quote: string;
  /** How well the quote alone shows the want, 0-1: that something is wanted, the product, and the need. */
  readonly shown: number;
}

/** What naming the product, and stating the need, are worth beside the evidence of the pattern. */
const PRODUCT = 4;
const NEED = 3.5;
/** More evidence than this is a long sentence, not a plainer one. */
const EVIDENCE_MAX = 6;
/** Evidence with which a sentence plainly asks or complains. */
const PLAIN = 3;
const LONG = 180;
/** Where the rest of a thought stands in the next line. */
const CUT_SHORT = /(?:[:,;(-]|\b(?:for|to|with|the|an?|and|or|of|that|can))$/i;

/** Shares of `shown`: the pattern, the product, the need. */
const SHARES = { general: [0.4, 0.6, 0], specific: [0.2, 0.4, 0.4] } as const;

/** The sentence that shows the want best; null where none may be printed. */
export function showingQuote(sentences: readonly Printable[], places: Places): Quoted | null {
  let best: Quoted | null = null;
  let bestScore = -Infinity;
  for (const sentence of sentences) {
    const inside = (word: number): boolean => holds(sentence, places.words, word);
    const product = productShown(places, inside);
    const need = places.needs === null ? 0 : places.needs.some(inside) ? 1 : 0;
    const cost = sentence.cost + (sentence.quote.length > LONG ? 1 : 0) +
      (CUT_SHORT.test(sentence.quote) ? 2 : 0) + (sentence.quote.startsWith("http") ? 4 : 0);
    const score = Math.min(EVIDENCE_MAX, sentence.evidence) + PRODUCT * product + NEED * need -
      cost;
    if (score <= bestScore) continue;
    const [ofPattern, ofProduct, ofNeed] = SHARES[places.needs === null ? "general" : "specific"];
    const asks = Math.min(1, Math.max(0, sentence.evidence) / PLAIN);
    const shown = ofPattern * asks + ofProduct * product + ofNeed * need;
    best = { quote: sentence.quote, shown: Math.round(shown * 100) / 100 };
    bestScore = score;
  }
  return best;
}

function holds(sentence: Printable, { at, titleWords }: Words, word: number): boolean {
  if (word < titleWords !== sentence.inTitle) return false;
  const start = at[word] ?? -1;
  return start >= sentence.start &&
    start < Math.min(sentence.end, sentence.start + sentence.quote.length);
}

/** 1 where the product is named as what is wanted or failed, less where it is only named or only a brand is. */
function productShown(places: Places, inside: (word: number) => boolean): number {
  let shown = places.brands.some(inside) ? 0.5 : 0;
  for (const mention of places.mentions) {
    if (!inside(mention.start)) continue;
    shown = Math.max(shown, mention.role > 0 ? 1 : mention.role < 0 ? 0.4 : 0.8);
  }
  return shown;
}
