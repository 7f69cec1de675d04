/** The quote: the sentence that shows the demand, verbatim, fit to print. */
import { cutText } from "../../core/cut_text.ts";
import { containsPersonal, type TextSentence } from "./sentences.ts";

/** Longest quote, in UTF-16 units. */
export const MAX_QUOTE = 300;
/** A quote shorter than this says too little, if anything longer is to be had. */
const MIN_QUOTE = 15;

/**
 * The sentence with the most evidence, less what it costs for being hard to read alone
 * (`readability`), cut to `MAX_QUOTE`; of equals the first. `evidence[i]` belongs to
 * `sentences[i]`. Sentences with personal data are left out; null where no other is there.
 */
export function pickQuote(
  sentences: readonly TextSentence[],
  evidence: readonly number[],
): string | null {
  let best: string | null = null;
  let bestScore = -Infinity;
  for (let i = 0; i < sentences.length; i++) {
    const { text } = sentences[i]!;
    const score = (evidence[i] ?? 0) - readability(text);
    if (score <= bestScore || containsPersonal(text)) continue;
    best = text;
    bestScore = score;
  }
  return best === null ? null : clip(best);
}

/** A sentence that may be printed, and where it stands. */
export interface Printable {
  /** Cut to the length of a quote. */
  readonly quote: string;
  readonly inTitle: boolean;
  /** In characters of the title or of the body. */
  readonly start: number;
  readonly end: number;
  /** How strongly it shows the pattern. */
  readonly evidence: number;
  /** What is to be taken off for being hard to read alone. */
  readonly cost: number;
}

/** From this evidence on (votes of cues in cues.txt) a sentence plainly asks or complains. */
export const PLAIN_EVIDENCE = 3;

/**
 * All sentences without personal data, in their order. `evidence[i]` belongs to `sentences[i]`; the
 * first `titleCount` of these are the title's.
 */
export function quotableSentences(
  sentences: readonly TextSentence[],
  titleCount: number,
  evidence: readonly number[],
): Printable[] {
  return sentences.flatMap(({ text, start, end }, i) =>
    containsPersonal(text) ? [] : [{
      quote: clip(text),
      inTitle: i < titleCount,
      start,
      end,
      evidence: evidence[i] ?? 0,
      cost: readability(text),
    }]
  );
}

/** What is taken off a sentence's evidence for being hard to read as a quote. */
function readability(text: string): number {
  let cost = 0;
  if (text.length < MIN_QUOTE) cost += 6;
  else if (text.length < 30) cost += 1;
  if (text.length > MAX_QUOTE) cost += 1.5;
  if (text.includes("http") || text.includes("](")) cost += 1.5;
  if (text.includes("|")) cost += 3;
  if (text.startsWith("EDIT") || text.startsWith("Edit")) cost += 1;
  return cost;
}

/** Cuts at a word's end within the bound, never inside a surrogate pair. */
function clip(text: string): string {
  if (text.length <= MAX_QUOTE) return text;
  const cut = text.slice(0, MAX_QUOTE + 1).search(/\s\S*$/);
  if (cut >= MAX_QUOTE / 2) return text.slice(0, cut).trimEnd();
  return cutText(text, MAX_QUOTE);
}
