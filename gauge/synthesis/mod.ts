/** The model's part in a verdict, every word of it checked against the facts and the evidence. */
import type { Log } from "../../core/log.ts";
import type { LanguageModel, Question } from "../../model/mod.ts";
import { buildPrompt } from "./prompt.ts";
import { checkRationale } from "./rationale.ts";
import { type ParsedReply, parseReply, REPLY_SCHEMA } from "./reply.ts";
import type { SynthesisRequest, Synthesize } from "./types.ts";

const MAX_REPLY_TOKENS = 1_500;

function questionOf(request: SynthesisRequest): Question<ParsedReply> {
  return {
    name: "verdict",
    schema: REPLY_SCHEMA,
    maxTokens: MAX_REPLY_TOKENS,
    messages: (nonce) => buildPrompt(request, nonce),
    read: (text) => parseReply(text, request.evidence.length),
  };
}

/** The synthesis by a language model. */
export function createSynthesis(model: LanguageModel, log: Log): Synthesize {
  return async (request, signal) => {
    const reply = await model.ask(questionOf(request), signal);
    const { rationale, dropped } = checkRationale(reply.rationale, request);
    if (dropped > 0) log.info("sentences of a rationale were left out", { dropped });
    return { ...reply, rationale };
  };
}
