/** What one post says of demand, judged from its words alone. */
import {
  type CategoryPrior,
  type Demand,
  type Level,
  type Pattern,
  PATTERNS,
  type PostText,
} from "../types.ts";
import { CUES, matchCues } from "./phrases.ts";
import { pickQuote } from "./quote.ts";
import { type Sentence, splitBody, splitTitle } from "./sentences.ts";
import { tokenize } from "./tokens.ts";

export const CLASSIFIER_VERSION = "rules-1";

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
const BUYING = new Set([
  "rec.looking",
  "rec.buyintent",
  "rec.which",
  "rec.ask",
  "rec.budget",
  "rec.where",
]);
const THRESHOLD = 4;

/**
 * Judges a post. Null: no demand, or none that can be shown without personal data. Pure: the same
 * text gives the same answer everywhere. `prior` is accepted for callers that know the community's
 * categories; the verdict does not rest on it.
 */
export function classify(text: PostText, _prior?: CategoryPrior): Demand | null {
  const sentences: Sentence[] = splitTitle(text.title, 300);
  const inTitle = sentences.length;
  sentences.push(...splitBody(text.body, 1200, 40));
  const found = new Uint8Array(CUES.length);
  const votes = new Map<Pattern, number>();
  const evidence: number[] = [];
  let none = 0;
  let buying = 0;
  let money = false;
  let feeling = 0;
  const seen = new Uint8Array(CUES.length);
  for (let s = 0; s < sentences.length; s++) {
    found.fill(0);
    matchCues(tokenize(sentences[s]!.text), found);
    let shown = 0;
    const weight = s < inTitle ? 1.5 : 1;
    for (let c = 0; c < CUES.length; c++) {
      if (found[c] === 0) continue;
      const cue = CUES[c]!;
      const pattern = FAMILIES[cue.family];
      const first = seen[c] === 0;
      seen[c] = 1;
      if (pattern !== undefined) {
        shown += cue.vote;
        if (first) votes.set(pattern, (votes.get(pattern) ?? 0) + cue.vote * weight);
        if (first && BUYING.has(cue.name)) buying += weight;
        if (cue.name === "frus.feel") feeling++;
      } else if (cue.family === "none" && first) none += cue.vote * weight;
      if (cue.name === "misc.money") money = true;
    }
    evidence.push(shown + (s < inTitle ? 0.5 : 0));
  }
  let best: Pattern | null = null;
  let bestScore = 0;
  for (const pattern of PATTERNS) {
    const score = votes.get(pattern) ?? 0;
    if (score > bestScore) [best, bestScore] = [pattern, score];
  }
  const margin = (votes.get("recommendation_request") ?? 0) + bestScore / 2 + buying - none;
  if (best === null || margin < THRESHOLD) return null;
  const quote = pickQuote(sentences, evidence);
  if (quote === null) return null;
  const wtp: Level = best === "willingness_to_pay" ? 3 : money ? 2 : buying > 0 ? 1 : 0;
  const intensity: Level = feeling > 2 ? 3 : feeling > 0 || best === "repeat_failure" ? 2 : 1;
  const confidence = Math.round(1000 * margin / (margin + 8)) / 1000;
  return { pattern: best, also: null, intensity, wtp, confidence, quote };
}
