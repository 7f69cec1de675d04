/** What one post says of demand, judged from its words alone. */
import type { Demand, Pattern, PostText } from "../types.ts";
import { demandOf, printableOf, quoteOf } from "./demand.ts";
import { Model } from "./model.ts";
import type { Printable } from "./quote.ts";
import { read } from "./reading.ts";
import type { TextSentence } from "./sentences.ts";
import weights from "./weights.txt" with { type: "text" };

/** The version of the judgement: it changes whenever the same post may be judged otherwise. */
export const CLASSIFIER_VERSION = "trained-6";

let model: Model | null = null;

/**
 * Judges a post. Null: no demand, or none that can be shown without personal data. Pure and deterministic:
 * the same text gives the same answer on every runtime. The community says what a post is about, not whether
 * it wants anything: the judgement does not rest on it.
 */
export function classify(text: PostText): Demand | null {
  const { reading, scores, header } = scored(text);
  return demandOf(reading, scores, header.decision);
}

/**
 * Posts whose patterns add up to this are read for facts, which then decide (docs/extraction.md): lower than the
 * threshold of the classifier by itself.
 */
const READ_FROM = 0.25;

/**
 * Like `classify`, by the lower threshold `READ_FROM`: the fact reader then decides whether it is
 * demand.
 */
export function possibleDemand(text: PostText): Demand | null {
  return classifyToQuote(text).demand;
}

/** What a post says of demand, and what it was read by: the post is read once for all of it. */
export interface Classified {
  /** The demand that it may show. */
  readonly demand: Demand | null;
  /** The author's sentences. */
  readonly sentences: readonly TextSentence[];
  /** Those that may be quoted, with how strongly each shows the demand. */
  readonly printable: () => Printable[];
}

/**
 * What `possibleDemand` gives for a post, with its sentences and those of them that may be quoted.
 */
export function classifyToQuote(text: PostText): Classified {
  const { reading, scores, header: { decision } } = scored(text);
  const demand = demandOf(reading, scores, { ...decision, threshold: READ_FROM });
  return {
    demand,
    sentences: reading.sentences,
    printable: () => printableOf(reading, demand?.pattern ?? null, demand?.also ?? null),
  };
}

function scored(text: PostText) {
  model ??= new Model(weights);
  const reading = read(text);
  return { reading, scores: model.score(reading), header: model.header };
}

/**
 * The sentence of a post that shows `pattern` best: verbatim, of at most `MAX_QUOTE` characters.
 * Null where none may be printed.
 */
export function quoteFor(text: PostText, pattern: Pattern): string | null {
  return quoteOf(read(text), pattern, null);
}

export type { Printable };

/**
 * The sentences of a post that may be quoted, in order, with how strongly each shows the patterns
 * of a demand.
 */
export function quotable(
  text: PostText,
  { pattern, also }: Pick<Demand, "pattern" | "also">,
): Printable[] {
  return printableOf(read(text), pattern, also);
}
