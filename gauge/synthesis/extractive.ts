/** The built-in synthesis for payment mode `test` without a model: facts alone, and it says so. */
import { factSentences } from "../score/verdict_facts.ts";
import { MAX_PICKS, type Synthesis, type SynthesisRequest } from "./types.ts";

const NOTICE = "Built-in extractive synthesis, since no language model is configured.";

/** States the facts after `notice`, points at the strongest evidence and leaves the score alone. Pure. */
export function extractiveSynthesis(request: SynthesisRequest, notice = NOTICE): Synthesis {
  return {
    shift: 0,
    rationale: [notice, ...factSentences(request.facts)].filter((part) => part !== "").join(" "),
    picks: request.evidence.slice(0, MAX_PICKS).map((_, i) => i),
  };
}
