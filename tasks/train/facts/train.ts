/** The whole recipe of the built-in reader, and its cross-validation with whole communities held out. */
import { classify } from "../../../mining/classify/mod.ts";
import { Lexemes, type LexemeTable } from "../../../mining/extract/lexemes.ts";
import { gateFeatures } from "../../../mining/extract/mod.ts";
import {
  chooseProduct,
  type ProductCandidate,
  productCandidates,
  type ProductWeights,
} from "../../../mining/extract/product.ts";
import {
  type Candidate,
  candidatesOf,
  choose,
  type SpanDecision,
  SpanReader,
  type SpanWeights,
} from "../../../mining/extract/spans.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { Tagger, type TaggerWeights } from "../../../mining/extract/tagger.ts";
import { MAX_FACTS } from "../../../mining/extract/verify.ts";
import type { LabelledPost } from "../data.ts";
import { foldCommunities } from "../folds.ts";
import { compactSpans, compactTagger } from "./artefact.ts";
import { type FactPost, factPost } from "./corpus.ts";
import { CRF_OPTIONS, fitTagger } from "./crf.ts";
import { compare, type ReadPost, sameHead } from "./agreement.ts";
import { fitGate, fitProduct } from "./choices.ts";
import { type FactLabel, toReaderRow } from "./labels.ts";
import { type CandidatePost, fitSecond, SECOND_OPTIONS } from "./second.ts";

/** A trained reader before it is written to its file. */
export interface TrainedReader {
  readonly lexemes: LexemeTable;
  readonly tagger: TaggerWeights;
  readonly spans: SpanWeights;
  readonly decision: SpanDecision;
  readonly product: ProductWeights;
  readonly gate: readonly number[];
}

export interface RecipeOptions {
  readonly folds: number;
  readonly crf: typeof CRF_OPTIONS;
  readonly second: typeof SECOND_OPTIONS;
}

export const RECIPE: RecipeOptions = { folds: 5, crf: CRF_OPTIONS, second: SECOND_OPTIONS };

/** What cross-validation made of a post. */
interface HeldPost {
  readonly post: FactPost;
  readonly fold: number;
  readonly candidates: readonly Candidate[];
  read: readonly Float64Array[];
  products: readonly ProductCandidate[];
}

/** Cross-validated readings: a post read by weights that saw no post of its community. */
export interface CrossValidated {
  readonly gold: readonly ReadPost[];
  readonly found: readonly ReadPost[];
  readonly reader: TrainedReader;
}

/** Trains on `labels`, all of them, and reads each by weights that have not seen its community. */
export function trainReader(
  posts: ReadonlyMap<string, LabelledPost>,
  labels: readonly FactLabel[],
  lexemes: LexemeTable,
  tell: (message: string) => void,
  options: RecipeOptions = RECIPE,
): CrossValidated {
  const words = new Lexemes(lexemes);
  const all = labels.flatMap((label) => {
    const post = posts.get(label.id);
    return post === undefined ? [] : [factPost(post, label, words)];
  });
  const byCommunity = foldCommunities(all.map(({ source }) => source.community), options.folds);
  const foldOf = (post: FactPost): number => byCommunity.get(post.source.community)!;
  const wanting = all.filter(({ label }) => label.demand === 1);
  const held: HeldPost[] = [];
  const tagger = (part: readonly FactPost[]) => compactTagger(fitTagger(part, options.crf));
  for (let k = 0; k < options.folds; k++) {
    const own = new Tagger(tagger(wanting.filter((post) => foldOf(post) !== k)));
    for (const post of all) {
      if (foldOf(post) !== k) continue;
      held.push({
        post,
        fold: k,
        candidates: candidatesOf(post.post, own),
        read: [],
        products: [],
      });
    }
    tell(`tagger ${k + 1} of ${options.folds}`);
  }
  const taught = (but: number): CandidatePost[] =>
    held.filter(({ post, fold }) => fold !== but && post.label.demand === 1);
  const second = (but: number) =>
    compactSpans(fitSecond(taught(but), lexemes.dims, options.second));
  for (let k = 0; k < options.folds; k++) {
    const reader = new SpanReader(second(k), lexemes.dims);
    for (const one of held) {
      if (one.fold !== k) continue;
      one.read = reader.read(one.post.post, one.candidates);
      one.products = productCandidates(
        one.post.post,
        one.post.source.community,
        one.candidates,
        one.read,
      );
    }
    tell(`second look ${k + 1} of ${options.folds}`);
  }
  const product = fitProduct(
    held.flatMap(({ post: { label }, products }) =>
      label.demand === 0 ? [] : [{
        candidates: products,
        right: products.map(({ head, product }) =>
          sameHead(label.head, head) || sameHead(label.product, product)
        ),
      }]
    ),
  );
  const gold = held.map(({ post }) => readPostOf(post));
  const decision = decide(held, gold);
  tell(`decision: ${JSON.stringify(decision)}`);
  const gate = fitGate(held.flatMap(({ post, products, candidates, read }) => {
    const chosen = chooseProduct(products, product);
    const demand = classify(post.source);
    if (chosen === null || demand === null) return [];
    const spans = choose(candidates, read, decision, MAX_FACTS);
    return [{
      features: gateFeatures(demand.confidence, chosen, spans),
      demand: post.label.demand === 1,
    }];
  }));
  const reader: TrainedReader = {
    lexemes,
    tagger: tagger(wanting),
    spans: second(-1),
    decision,
    product,
    gate,
  };
  return { gold, found: held.map((one) => foundOf(one, decision, product)), reader };
}

/** A label as the measure reads it. */
function readPostOf({ label, source }: FactPost): ReadPost {
  const { id, demand, product = "", head = "", facts = [] } = toReaderRow(label, source);
  return { id, demand: demand === 1 ? 1 : 0, product, head, facts };
}

function foundOf(
  { post, candidates, read, products }: HeldPost,
  decision: SpanDecision,
  product: ProductWeights,
): ReadPost {
  const { tokens } = post.post;
  const chosen = chooseProduct(products, product);
  return {
    id: post.label.id,
    demand: 1,
    product: chosen?.candidate.product ?? "",
    head: chosen?.candidate.head ?? "",
    facts: choose(candidates, read, decision, MAX_FACTS).map(
      ({ candidate: { from, to }, type }) => {
        const span = tokens.text.slice(tokens.start[from]!, tokens.end[to - 1]!);
        return { type: FACT_TYPES[type]!, span, value: span };
      },
    ),
  };
}

/** The thresholds that give the best F1 of typed facts, with that of any type beside it. */
function decide(held: readonly HeldPost[], gold: readonly ReadPost[]): SpanDecision {
  let best: SpanDecision = { any: 0.4, typed: 0 };
  let top = -1;
  const none: ProductWeights = { weights: [], slope: 1, offset: 0 };
  const bare = held.map((one) => ({ ...one, products: [] }));
  for (const any of [0.32, 0.36, 0.4, 0.44, 0.48]) {
    for (const typed of [0, 0.18, 0.22, 0.26]) {
      const decision = { any, typed };
      const { typed: f1, any: f1Any } = compare(
        gold,
        bare.map((one) => foundOf(one, decision, none)),
      );
      const score = f1.f1 + 0.5 * f1Any.f1;
      if (score > top) {
        top = score;
        best = decision;
      }
    }
  }
  return best;
}
