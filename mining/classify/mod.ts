/** What one post says of demand, judged from its words alone. */
import type { CategoryPrior, Demand, Pattern, PostText } from "../types.ts";
import { decide, medianLevel } from "./decide.ts";
import { Model } from "./model.ts";
import { CUES } from "./phrases.ts";
import { pickQuote } from "./quote.ts";
import { read, type Reading } from "./reading.ts";
import weights from "./weights.txt" with { type: "text" };

/** Changes whenever the same post may get another verdict. */
export const CLASSIFIER_VERSION = "trained-1";

/** The part of the cue table that speaks for each pattern. */
const FAMILIES: Readonly<Record<string, Pattern>> = {
  repeat: "repeat_failure",
  replace: "replacement_hunt",
  unmet: "unmet_need",
  pay: "willingness_to_pay",
  alt: "alternative_seeking",
  work: "workaround",
  rec: "recommendation_request",
  frus: "frustration",
};
const CUE_PATTERNS = CUES.map((cue) => FAMILIES[cue.family] ?? null);

let model: Model | null = null;

/**
 * Judges a post. Null: no demand, or none that can be shown without personal data. Pure and deterministic:
 * the same text gives the same answer on every runtime. The community's `prior` over categories says what a
 * post is about, not whether it wants anything: the verdict does not rest on it.
 */
export function classify(text: PostText, _prior?: CategoryPrior): Demand | null {
  model ??= new Model(weights);
  const reading = read(text);
  const scores = model.score(reading);
  const verdict = decide(scores.classes, model.header.decision);
  if (verdict === null) return null;
  const quote = pickQuote(reading.sentences, evidenceOf(reading, verdict.pattern, verdict.also));
  if (quote === null) return null;
  return {
    pattern: verdict.pattern,
    also: verdict.also,
    intensity: medianLevel(scores.intensity),
    wtp: medianLevel(scores.wtp),
    confidence: verdict.confidence,
    quote,
  };
}

/** How strongly each sentence shows the pattern: its cues' votes, those of other patterns at a quarter. */
function evidenceOf(reading: Reading, pattern: Pattern, also: Pattern | null): number[] {
  return reading.sentences.map((_, s) => {
    let sum = s < reading.titleCount ? 0.5 : 0;
    for (const cue of reading.found[s]!) {
      const speaksFor = CUE_PATTERNS[cue];
      if (speaksFor === null || speaksFor === undefined) continue;
      sum += CUES[cue]!.vote * (speaksFor === pattern ? 1 : speaksFor === also ? 0.5 : 0.25);
    }
    return sum;
  });
}
