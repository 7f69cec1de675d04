/** The built-in reader: what one post states of the product that it wants (docs/extraction.md). */
import { possibleDemand } from "../classify/mod.ts";
import { logistic, logOdds, settle } from "../classify/numbers.ts";
import type { Demand, PostText } from "../types.ts";
import { prepare, type Prepared } from "./features.ts";
import { lookUp } from "./gazetteers.ts";
import { ReaderModel } from "./model.ts";
import { mentionFeatures, productCandidates } from "./product/candidates.ts";
import { chooseProduct, type ChosenProduct } from "./product/choice.ts";
import { type Candidate, candidatesOf } from "./spans/candidates.ts";
import { choose, type Chosen } from "./spans/choose.ts";
import { groundsOf, readRuledOut, type RuledOut } from "./ruled_out.ts";
import { tokenize, type Tokens } from "./tokens.ts";
import { type Extraction, FACT_TYPES } from "./types.ts";
import { measureBefore } from "./values.ts";
import { type ClaimedFact, MAX_FACTS, verify } from "./verify.ts";
import productWeights from "./product/weights.txt" with { type: "text" };
import weights from "./weights.txt" with { type: "text" };

/** The version of the reader: it changes whenever the same post may be read otherwise. */
export const READER_VERSION = "crf-10";

/** What the certainty of a post that counts as demand must reach; signals must reach more (`mining/judge.ts`). */
const LEAST_DEMAND = 0.3;

/**
 * Whether a reading is of a post that shows demand for a product, by its certainty
 * (`LEAST_DEMAND`).
 */
export function isDemand({ certainty }: Extraction): boolean {
  return certainty >= LEAST_DEMAND;
}

/** What reading asks of the classifier's judgement; without a pattern for a post that shows no demand. */
type DemandLikelihood =
  & Pick<Demand, "likelihood" | "unphysical">
  & Partial<Pick<Demand, "pattern">>;

let model: ReaderModel | null = null;

/**
 * Reads a post. Null where it hardly shows demand, or names no product that it could be for; how likely it shows
 * any is the reading's `certainty`. Pure and deterministic: the same text gives the same reading on every runtime.
 * `demand` is the classifier's judgement, where it was made already.
 */
export function extract(
  text: PostText,
  demand: DemandLikelihood | null = possibleDemand(text),
): Extraction | null {
  return demand === null ? null : extractBy(readerModel(), text, demand);
}

const readerModel = (): ReaderModel =>
  model ??= new ReaderModel({ facts: weights, product: productWeights });

/** What a post rules out of what it speaks of, as `readRuledOut` says. */
export const ruledOutOf = (post: Pick<PostText, "title" | "body">): RuledOut =>
  readRuledOut(post, groundsOf(post, readerModel().lexemes));

/** A reading, and what the same post rules out. */
export interface ReadingWithRuledOut {
  readonly reading: Extraction;
  readonly ruledOut: () => RuledOut;
}

/** Reads a post as `extract` does; what it rules out is told by the same tokens, and costs less than by `ruledOutOf`. */
export function extractWithRuledOut(
  text: PostText,
  demand: DemandLikelihood,
): ReadingWithRuledOut | null {
  const model = readerModel();
  const found = chooseBy(model, text, demand);
  const reading = found && readingOf(model, text, demand, found);
  return found && reading && { reading, ruledOut: () => readRuledOut(text, found.post) };
}

/** `extract` by a given model, whatever the classifier's judgement. */
export function extractBy(
  model: ReaderModel,
  text: PostText,
  demand: DemandLikelihood,
): Extraction | null {
  const found = chooseBy(model, text, demand);
  return found && readingOf(model, text, demand, found);
}

/** What is chosen of a post as its reading. */
function readingOf(
  model: ReaderModel,
  text: PostText,
  demand: DemandLikelihood,
  found: Choices,
): Extraction | null {
  const { post: { tokens }, product } = found;
  const { mention } = product.candidate;
  const named = mention === null ? null : placeOf(tokens, mention);
  return verify(text, {
    product: product.candidate.product,
    kind: product.candidate.kind,
    product_span: named?.span ?? "",
    ...(named === null ? {} : { productStart: named.start }),
    certainty: certaintyOf(gateFeatures(demand, found), model.header.gate.weights),
    kindCertainty: product.certainty,
    facts: statedIn(found),
  });
}

/** Where a candidate stands. */
function placeOf({ start, end, text }: Tokens, { from, to }: Candidate) {
  return { start: start[from]!, span: text.slice(start[from]!, end[to - 1]!) };
}

/**
 * The facts that are chosen, as they are claimed: a part with the measure right before it (the screen of `15" screen`),
 * and not at all where that measure is a fact of its own.
 */
function statedIn({ post: { tokens }, chosen }: Choices): ClaimedFact[] {
  const { text, start, end } = tokens;
  return chosen.flatMap(({ candidate, type, certainty }): ClaimedFact[] => {
    const fact = { type: FACT_TYPES[type]!, value: "", certainty };
    const { start: at, span } = placeOf(tokens, candidate);
    const from = fact.type === "spec" ? measureBefore(text, at) : at;
    if (from === at) return [{ ...fact, start: at, span }];
    const isStated = chosen.some(({ candidate: { from: first, to } }) =>
      start[first]! < at && end[to - 1]! > from
    );
    return isStated ? [] : [{ ...fact, start: from, span: text.slice(from, at + span.length) }];
  });
}

/** What is chosen of a post: its product, and what it states of it. */
interface Choices {
  readonly post: Prepared;
  readonly product: ChosenProduct;
  readonly chosen: readonly Chosen[];
}

/**
 * What a model chooses of a post: its product, and the spans that are facts. Null where the post
 * names no product.
 */
export function chooseBy(
  model: ReaderModel,
  text: PostText,
  { pattern }: Pick<DemandLikelihood, "pattern">,
): Choices | null {
  const { header, lexemes, tagger, spans, stack } = model;
  const tokens = tokenize(text);
  const post = prepare(tokens, lookUp(tokens), lexemes);
  const candidates = candidatesOf(post, tagger);
  const read = spans.read(post, candidates);
  const product = chooseProduct(
    productCandidates(post, text.community, candidates, read, model, pattern),
    model.product,
  );
  if (product === null) return null;
  const { kind } = product.candidate;
  const weighed = stack.read(post, candidates, read);
  const chosen = choose(post, candidates, weighed, header.decision, MAX_FACTS, kind);
  return { post, product, chosen };
}

/** Likelihoods count as no nearer to 0 or 1 than this. */
const LEAST_ODDS = 0.0001;

/**
 * What the certainty of demand is a logistic function of, each about -2 to 2: what the classifier
 * makes of the post, how sure the product is, and what is said of it.
 */
export function gateFeatures(
  { likelihood, unphysical }: DemandLikelihood,
  { post: { tokens }, product, chosen }: Choices,
): number[] {
  const sum = (of: (fact: Chosen) => number): number =>
    chosen.reduce((all, fact) => all + of(fact), 0);
  const has = (...types: string[]): number =>
    chosen.some(({ type }) => types.includes(FACT_TYPES[type]!)) ? 1 : 0;
  return [
    1,
    logOdds(likelihood, LEAST_ODDS) / 4,
    logOdds(unphysical, LEAST_ODDS) / 4,
    product.certainty,
    product.candidate.mention === null ? 1 : 0,
    ...mentionFeatures(product.candidate),
    Math.min(1, sum(({ any }) => any) / 6),
    sum(({ certainty }) => certainty) / 6,
    chosen.length / MAX_FACTS,
    chosen.length === 0 ? 1 : 0,
    has("price"),
    has("use", "user"),
    has("attribute", "spec"),
    has("considered"),
    has("problem"),
    settle(Math.log2(1 + tokens.word.length)) / 10,
  ];
}

function certaintyOf(features: readonly number[], weights: readonly number[]): number {
  return logistic(features.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0));
}
