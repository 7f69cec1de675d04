/** What a synthesis is made by and of. */
import { factsOf } from "../../../gauge/score/verdict_facts.ts";
import { effectivePeople } from "../../../gauge/score/verdict_score.ts";
import { createSynthesis } from "../../../gauge/synthesis/mod.ts";
import type { SynthesisRequest, Synthesize } from "../../../gauge/synthesis/types.ts";
import type { Match } from "../../../gauge/types.ts";
import { createModel, type ModelOptions } from "../../../model/mod.ts";
import { AS_OF, NOW } from "./corpus.ts";
import { VERDICT } from "./gauge.ts";

/** A synthesis by the model that these options make. */
export function synthesisBy(options: ModelOptions): Synthesize {
  return createSynthesis(createModel(options), options.log);
}

/** A request for a synthesis over these matches. */
export function requestOf(matches: readonly Match[], query = "kettle that does not leak") {
  const request: SynthesisRequest = {
    query,
    category: null,
    facts: {
      funnel: {
        ...VERDICT.funnel,
        product: "kettle",
        askingForProduct: matches.length,
        wants: [{ want: "not leak", count: matches.length }],
        statingAll: matches.length,
        communities: 1,
      },
      readAs: null,
      corrected: [],
      implied: [],
      aside: [],
      unexchanged: null,
      elsewhere: [],
      granted: { wants: [], communities: [] },
      nearest: null,
      ...factsOf(matches, AS_OF, {
        asAsked: effectivePeople(matches, 1, AS_OF),
        wanted: 1,
        live: new Set(),
        now: NOW,
      }),
    },
    formula: 40,
    evidence: matches,
  };
  return request;
}
