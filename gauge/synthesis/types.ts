/** What a synthesis is asked and what it answers. */
import type { Facts } from "../score/verdict_facts.ts";
import type { Match } from "../types.ts";

/** Posts that a synthesis points at, at most. */
export const MAX_PICKS = 5;

export interface SynthesisRequest {
  readonly query: string;
  readonly category: string | null;
  readonly facts: Facts;
  /** The formula's score, which the model may move. */
  readonly formula: number;
  /** What the model may point at, strongest first; at least one. */
  readonly evidence: readonly Match[];
}

export interface Synthesis {
  /** Points to move the score by; the caller bounds it. */
  readonly shift: number;
  /** Two to four sentences; every number in them is one of the facts or of the evidence. */
  readonly rationale: string;
  /** Indexes into the request's evidence, the most telling first, without repetition. */
  readonly picks: readonly number[];
}

/** Writes the synthesis. @throws ServiceError `model_unavailable` or `overloaded`. */
export type Synthesize = (request: SynthesisRequest, signal: AbortSignal) => Promise<Synthesis>;
