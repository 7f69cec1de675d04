/** Wants of posts that a test writes. */
import { readWant } from "../../mining/want/mod.ts";
import type { CategoryPrior, Demand, Pattern, Want } from "../../mining/types.ts";

/** A demand of middling strength that the quote shows. */
export function demandOf(quote: string, pattern: Pattern = "recommendation_request"): Demand {
  return { pattern, also: null, intensity: 1, wtp: 0, confidence: 0.9, quote };
}

export interface Given {
  readonly body?: string;
  readonly community?: string;
  readonly pattern?: Pattern;
  readonly prior?: CategoryPrior;
  /** Where it is not the title. */
  readonly quote?: string;
}

/** What a post of this title wants. */
export function wantOf(title: string, given: Given = {}): Want | null {
  const { body = "", community = "somewhere", prior = {}, quote = title } = given;
  return readWant({ title, body, community }, demandOf(quote, given.pattern), prior)?.want ?? null;
}
