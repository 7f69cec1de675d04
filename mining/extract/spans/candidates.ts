/** The stretches of a post that may be facts or name the product, as the tagger thinks of them. */
import { float64s } from "../../short_arrays.ts";
import type { Prepared } from "../features.ts";
import { beginOf, insideOf, PRODUCT, type Tagger, TAGS, TYPES } from "../tagger.ts";
import { KIND } from "../tokens.ts";

/** A stretch of tokens, `to` exclusive, that may be a fact or name the product. */
export interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly sentence: number;
  /** The tagger's type for it. */
  readonly group: number;
  /** Mean probability over its tokens of each type, then of its first token to begin one. */
  readonly support: Float64Array;
}

/** How much staying outside is held back: from the surest spans to guesses. */
const BIASES = [0, -1.2, -2.4] as const;
/** A word this likely to begin a span begins a candidate of its own. */
const LEAST_BEGIN = 0.07;
/** Such a candidate goes on while its next word is inside by this share of how likely it began. */
const GOES_ON = [0.75, 0.4] as const;
const MAX_WORDS = 14;

/**
 * All candidates of a post, in the order of the text: the tagger's best tags, and what it gives for
 * less than its best.
 */
export function candidatesOf(post: Prepared, tagger: Tagger): Candidate[] {
  const out: Candidate[] = [];
  const { sentences } = post.tokens;
  const { terms } = post.known;
  let term = 0;
  sentences.forEach(({ from, to }, sentence) => {
    const n = to - from;
    const tagged = tagger.tag(post, from, to);
    const { marginals } = tagged;
    const seen = new Set<number>();
    const add = (first: number, last: number, group: number): void => {
      let start = first, end = last;
      while (start < end && isLoose(post, from + start)) start++;
      while (end > start && isLoose(post, from + end - 1)) end--;
      if (end === start || end - start > 2 * MAX_WORDS) return;
      for (let i = start; i < end; i++) if (post.form[from + i] === 1) return;
      const key = start * 512 + end;
      if (seen.has(key)) return;
      seen.add(key);
      out.push({
        from: from + start,
        to: from + end,
        sentence,
        group,
        support: supportOf(marginals, start, end),
      });
    };
    const quiet = isQuiet(marginals, n);
    for (const bias of quiet ? [] : BIASES) {
      const path = tagger.path(tagged, n, bias);
      for (let i = 0; i < n;) {
        const tag = path[i]!;
        let j = i + 1;
        if (tag > 0) {
          const group = (tag - 1) >> 1;
          while (j < n && path[j] === insideOf(group)) j++;
          add(i, j, group);
        }
        i = j;
      }
    }
    for (let i = 0; i < n; i++) {
      for (let group = 0; group < TYPES; group++) {
        const begin = marginals[i * TAGS + beginOf(group)]!;
        if (begin < LEAST_BEGIN) continue;
        for (const share of GOES_ON) {
          let j = i + 1;
          while (
            j < n && j - i < MAX_WORDS && marginals[j * TAGS + insideOf(group)]! > share * begin
          ) j++;
          add(i, j, group);
        }
      }
    }
    // What the lexicon knows as a kind of thing may always be the product.
    while (term < terms.length && terms[term]!.from < from) term++;
    for (; term < terms.length && terms[term]!.from < to; term++) {
      const known = terms[term]!;
      if (known.term.type !== "brand") add(known.from - from, known.to - from, PRODUCT);
    }
  });
  return out.sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Nothing is looked for in a sentence whose words are all this likely outside. */
const OUTSIDE = 0.96;

function isQuiet(marginals: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) if (marginals[i * TAGS]! < OUTSIDE) return false;
  return true;
}

/** Marks that a span neither begins nor ends with. */
const LOOSE = new Set([
  ",",
  ".",
  ";",
  ":",
  "!",
  "?",
  ")",
  "(",
  "[",
  "]",
  "-",
  "–",
  "—",
  "/",
  "&",
  "…",
]);

function isLoose({ tokens }: Prepared, at: number): boolean {
  return tokens.kind[at] === KIND.mark && LOOSE.has(tokens.word[at]!);
}

function supportOf(marginals: Float64Array, start: number, end: number): Float64Array {
  const support = float64s(2 * TYPES + 1);
  const share = 1 / (end - start);
  for (let i = start; i < end; i++) {
    for (let g = 0; g < TYPES; g++) {
      const begin = marginals[i * TAGS + beginOf(g)]!;
      support[g]! += share * (begin + marginals[i * TAGS + insideOf(g)]!);
      if (i === start) support[TYPES + g] = begin;
    }
  }
  const next = end * TAGS;
  support[2 * TYPES] = next < marginals.length ? insideShare(marginals, next) : 0;
  return support;
}

/** How likely the token after a span still belongs to one. */
function insideShare(marginals: Float64Array, at: number): number {
  let sum = 0;
  for (let g = 0; g < TYPES; g++) sum += marginals[at + insideOf(g)]!;
  return sum;
}
