/** The built-in reader: what one post states of the product that it wants (docs/extraction.md). */
import { classify } from "../classify/mod.ts";
import { logistic } from "../classify/numbers.ts";
import type { Demand, PostText } from "../types.ts";
import { prepare } from "./features.ts";
import { lookUp } from "./gazetteers.ts";
import { ReaderModel } from "./model.ts";
import { chooseProduct, type ChosenProduct, productCandidates } from "./product/choice.ts";
import { candidatesOf } from "./candidates.ts";
import { choose, type Chosen } from "./choose.ts";
import { tokenize } from "./tokens.ts";
import { type Extraction, FACT_TYPES } from "./types.ts";
import { MAX_FACTS, verify } from "./verify.ts";
import productWeights from "./product/weights.txt" with { type: "text" };
import weights from "./weights.txt" with { type: "text" };

export type { Extraction, Fact, FactType } from "./types.ts";

/** Changes whenever the same post may be read otherwise. */
export const READER_VERSION = "crf-8";

/** What the certainty of a post that counts as demand must reach. */
export const LEAST_CERTAINTY = 0.4;

/** Whether a reading is of a post that shows demand for a product. */
export function isDemand({ certainty }: Extraction): boolean {
  return certainty >= LEAST_CERTAINTY;
}

/** What reading asks of the judgement that a post is demand; without a pattern for a post that is none. */
type DemandShown = Pick<Demand, "confidence"> & Partial<Pick<Demand, "pattern">>;

let model: ReaderModel | null = null;

/**
 * Reads a post. Null where it shows no demand, or names no product that it could be for. Pure and deterministic: the
 * same text gives the same reading on every runtime. `demand` is the classifier's judgement, where it was made already.
 */
export function extract(
  text: PostText,
  demand: DemandShown | null = classify(text),
): Extraction | null {
  if (demand === null) return null;
  model ??= new ReaderModel({ facts: weights, product: productWeights });
  return extractBy(model, text, demand);
}

/** The same by given weights. */
export function extractBy(
  model: ReaderModel,
  text: PostText,
  { confidence, pattern }: DemandShown,
): Extraction | null {
  const { header } = model;
  const tokens = tokenize(text);
  const post = prepare(tokens, lookUp(tokens), model.lexemes);
  const candidates = candidatesOf(post, model.tagger);
  const read = model.spans.read(post, candidates);
  const product = chooseProduct(
    productCandidates(post, text.community, candidates, read, model, pattern),
    model.product,
  );
  if (product === null) return null;
  const chosen = choose(
    post,
    candidates,
    read,
    header.decision,
    MAX_FACTS,
    product.candidate.head,
  );
  const { mention } = product.candidate;
  const place = (from: number, to: number) => ({
    start: tokens.start[from]!,
    span: tokens.text.slice(tokens.start[from]!, tokens.end[to - 1]!),
  });
  const named = mention === null ? null : place(mention.from, mention.to);
  return verify(text, {
    product: product.candidate.product,
    head: product.candidate.head,
    product_span: named?.span ?? "",
    ...(named === null ? {} : { productStart: named.start }),
    certainty: certaintyOf(gateFeatures(confidence, product, chosen), header.gate.weights),
    headCertainty: product.certainty,
    facts: chosen.map(({ candidate, type, certainty }) => ({
      type: FACT_TYPES[type]!,
      ...place(candidate.from, candidate.to),
      value: "",
      certainty,
    })),
  });
}

/** What tells demand for a product: the classifier's confidence, the product, and what is said of it. */
export function gateFeatures(
  confidence: number,
  product: ChosenProduct,
  chosen: readonly Chosen[],
): number[] {
  const named = product.candidate.features;
  const sure = chosen.reduce((sum, { any }) => sum + any, 0);
  const of = (...types: string[]): number =>
    chosen.some(({ type }) => types.includes(FACT_TYPES[type]!)) ? 1 : 0;
  return [
    1,
    confidence,
    confidence > 0.5 ? 1 : 0,
    product.certainty,
    named[0]!,
    named[1]!,
    named[2]!,
    Math.min(1, sure / 6),
    chosen.length === 0 ? 1 : 0,
    of("price"),
    of("use", "user"),
    of("attribute", "spec"),
    of("considered"),
    of("problem"),
    product.candidate.mention === null ? 1 : 0,
  ];
}

export function certaintyOf(features: readonly number[], weights: readonly number[]): number {
  return logistic(features.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0));
}
