/** From a reading and its scores to what is said of demand, quote included. */
import { type Demand, type Pattern, PATTERNS } from "../types.ts";
import { decide, type Decision, medianLevel } from "./decide.ts";
import type { Scores } from "./model.ts";
import { CUE_FAMILY, CUES } from "./phrases.ts";
import { pickQuote, type Printable, quotableSentences } from "./quote.ts";
import type { Reading } from "./reading.ts";

/** The pattern that each cue speaks for; undefined for cues of none. */
const CUE_PATTERNS = CUES.map(({ family }) =>
  PATTERNS.find((pattern) => CUE_FAMILY[pattern] === family)
);
/** The cue of a word that names a product: a quote that names what it is about reads better alone. */
const PRODUCT = CUES.findIndex((cue) => cue.name === "misc.prod");

/**
 * What a post says of demand, by the model's scores for its reading. Null where it shows none, or
 * where no sentence that shows it may be printed (`pickQuote`).
 */
export function demandOf(reading: Reading, scores: Scores, decision: Decision): Demand | null {
  const chosen = decide(scores.classes, decision);
  if (chosen === null) return null;
  const quote = quoteOf(reading, chosen.pattern, chosen.also);
  if (quote === null) return null;
  return {
    ...chosen,
    intensity: medianLevel(scores.intensity),
    wtp: medianLevel(scores.wtp),
    quote,
  };
}

/**
 * The sentence that shows the pattern best, by the votes of its cues: those of `also` count half,
 * those of other patterns a quarter. Null where none may be printed.
 */
export function quoteOf(reading: Reading, pattern: Pattern, also: Pattern | null): string | null {
  return pickQuote(reading.sentences, evidenceOf(reading, pattern, also));
}

/**
 * The sentences that may be printed, in their order, each with the votes of its cues for the
 * pattern, weighed as in `quoteOf`. Without a pattern all cues count a quarter.
 */
export function printableOf(
  reading: Reading,
  pattern: Pattern | null,
  also: Pattern | null,
): Printable[] {
  return quotableSentences(
    reading.sentences,
    reading.titleCount,
    evidenceOf(reading, pattern, also),
  );
}

/** How strongly each sentence shows the pattern: its cues' votes, those of other patterns at a quarter. */
function evidenceOf(
  reading: Reading,
  pattern: Pattern | null,
  also: Pattern | null,
): number[] {
  return reading.sentences.map((_, s) => {
    let sum = s < reading.titleCount ? 0.5 : 0;
    for (const cue of reading.found[s]!) {
      if (cue === PRODUCT) sum += 1;
      const speaksFor = CUE_PATTERNS[cue];
      if (speaksFor === undefined) continue;
      sum += CUES[cue]!.vote * (speaksFor === pattern ? 1 : speaksFor === also ? 0.5 : 0.25);
    }
    return sum;
  });
}
