/** From a model's reply to something that can be used, or to the reason why it cannot. */
import { z } from "zod";
import { looseInteger, readJson } from "../../model/answers.ts";
import { MAX_PICKS } from "./types.ts";

/** What the model is asked to answer with; strict, as structured output demands. */
const Reply = z.strictObject({
  shift: z.number(),
  rationale: z.string().min(1),
  evidence: z.array(z.number().int()),
});

/** Models that do not enforce a schema add fields and write numbers as text: both are let pass. */
const LenientReply = z.object({
  shift: z.union([z.number(), z.string().regex(/^[+-]?\d+(\.\d+)?$/).transform(Number)]),
  rationale: z.string().min(1).max(4_000),
  evidence: z.array(looseInteger).max(50),
});

export const REPLY_SCHEMA: Record<string, unknown> = z.toJSONSchema(Reply);

export interface ParsedReply {
  readonly shift: number;
  readonly rationale: string;
  /** Zero-based, in range, without repetition, at most five. */
  readonly picks: readonly number[];
}

/**
 * Reads a reply; a string says what is wrong with it. Numbers of posts outside 1 to `posts` are left
 * out; where there are no others, the reply is wrong.
 */
export function parseReply(text: string, posts: number): ParsedReply | string {
  const reply = readJson(text, LenientReply);
  if (typeof reply === "string") return reply;
  const { shift, rationale, evidence } = reply;
  const inRange = evidence.filter((number) => number >= 1 && number <= posts);
  if (evidence.length > 0 && inRange.length === 0) {
    return `evidence: numbers must be from 1 to ${posts}`;
  }
  const picks = [...new Set(inRange)].slice(0, MAX_PICKS).map((number) => number - 1);
  return { shift, rationale, picks };
}
