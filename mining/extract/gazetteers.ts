/** What the lexicons know of the words of a post: kinds of products and brands, word by word. */
import { bytes } from "../short_arrays.ts";
import { lexicon, type LexiconTerm } from "../lexicon/lexicon.ts";
import { american } from "../lexicon/tokens.ts";
import { CASE, KIND, type Tokens } from "./tokens.ts";

/** What a token is to the word lists. */
export const ROLE = {
  none: 0,
  /** The last word of a kind's name. */
  kind: 1,
  /** Another word of a kind's name. */
  kindFront: 2,
  /** A word that names a kind in some company only. */
  sense: 3,
  brand: 4,
  brandFront: 5,
} as const;

/** A phrase of the lexicon in a post: tokens `from` up to, not including, `to`. */
interface FoundTerm {
  readonly from: number;
  readonly to: number;
  readonly term: LexiconTerm;
}

/** What the word lists know of a post. */
export interface Known {
  /** One `ROLE` a token. */
  readonly roles: Uint8Array;
  readonly terms: readonly FoundTerm[];
}

/** Marks inside a name: "over-ear", "and/or". */
const JOINS = new Set(["-", "/", "'", '"', "&", "’", "”", "“"]);

/**
 * Finds the phrases of the word lists in a post, the longest first; none goes over a mark, but for
 * those inside names, or over a sentence's end.
 */
export function lookUp(tokens: Tokens): Known {
  const { word, kind, sentence } = tokens;
  const words: string[] = [];
  const at: number[] = [];
  const breakAfter: boolean[] = [];
  for (let i = 0; i < word.length; i++) {
    if (kind[i] === KIND.mark || kind[i] === KIND.link) {
      if (words.length > 0 && !JOINS.has(word[i]!)) breakAfter[words.length - 1] = true;
      continue;
    }
    const before = at[at.length - 1];
    if (before !== undefined && sentence[before] !== sentence[i]) {
      breakAfter[words.length - 1] = true;
    }
    words.push(american(word[i]!));
    at.push(i);
    breakAfter.push(false);
  }
  const roles = bytes(word.length);
  const terms: FoundTerm[] = [];
  for (const found of lexicon().terms.all(words, breakAfter)) {
    const from = at[found.start]!;
    const last = at[found.end - 1]!;
    const { type } = found.value;
    if (type === "brand" && !named(tokens, from, found.value.brand.name)) continue;
    for (let i = from; i < last; i++) {
      roles[i] = type === "kind" ? ROLE.kindFront : type === "brand" ? ROLE.brandFront : ROLE.sense;
    }
    roles[last] = type === "kind" ? ROLE.kind : type === "brand" ? ROLE.brand : ROLE.sense;
    terms.push({ from, to: last + 1, term: found.value });
  }
  return { roles, terms };
}

/** Short brands that are words too ("Shure", not "sure"; "Gap", not "gap") need their capital. */
function named({ letterCase }: Tokens, at: number, name: string): boolean {
  return name.length > 4 || letterCase[at] !== CASE.lower;
}
