/** The built-in synthesis: of the sample, and of payment mode `test` without a model. Facts alone, and it says so. */
import { factSentences } from "../score/verdict_facts.ts";
import { MAX_PICKS, type Synthesis, type SynthesisRequest } from "./types.ts";

const NOTICE = "Worded without a language model.";

/** States the facts, points at the strongest evidence and leaves the score alone. Pure. */
export function extractiveSynthesis(request: SynthesisRequest): Synthesis {
  return {
    shift: 0,
    rationale: [...factSentences(request.facts), NOTICE].filter((part) => part !== "").join(" "),
    picks: request.evidence.slice(0, MAX_PICKS).map((_, i) => i),
  };
}
