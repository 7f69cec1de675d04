/** The whole recipe of the built-in reader, and its cross-validation with whole communities held out. */
import { OperatorError } from "../../../core/errors.ts";
import { possibleDemand } from "../../../mining/classify/mod.ts";
import { Lexemes, type LexemeTable } from "../../../mining/classify/lexemes.ts";
import { chooseBy, gateFeatures } from "../../../mining/extract/mod.ts";
import { ReaderModel } from "../../../mining/extract/model.ts";
import {
  type ProductCandidate,
  productCandidates,
} from "../../../mining/extract/product/candidates.ts";
import { chooseProduct, type ProductWeights } from "../../../mining/extract/product/choice.ts";
import { Gist, type GistTable } from "../../../mining/extract/product/gist.ts";
import { type ShelfTable, Shelves } from "../../../mining/extract/product/shelves.ts";
import {
  certaintyFeatures,
  choose,
  type Chosen,
  type SpanDecision,
} from "../../../mining/extract/spans/choose.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { MAX_FACTS } from "../../../mining/extract/verify.ts";
import type { LabelledPost } from "../data.ts";
import type { WordVectors } from "../vectors.ts";
import { toFactsArtefact, type TrainedReader } from "./artefact.ts";
import { type FactPost, factPost } from "./corpus.ts";
import { compare, type ReadPost } from "./agreement.ts";
import { fitCertainty, fitGate, fitProduct, fitProductCertainty, isRight } from "./choices.ts";
import { learnGist } from "./gist.ts";
import {
  type FactLabel,
  type JudgedPost,
  type ProductLabel,
  toReaderRow,
  writerOf,
} from "./labels.ts";
import {
  fitSpans,
  type FittedSpans,
  type HeldPost,
  RECIPE,
  type RecipeOptions,
  sourceOf,
} from "./fit_spans.ts";
import { learnShelves, type ShelfPost } from "./shelves.ts";
import { agreement, wordsOf } from "./word_overlap.ts";

/** What unlabelled posts tell of words. */
interface CorpusWords {
  readonly lexemes: LexemeTable;
  /** The company that their stems keep. */
  readonly company: WordVectors;
}

/** Cross-validated readings: a post read by weights that saw no post of its community. */
interface CrossValidated {
  readonly gold: readonly ReadPost[];
  readonly found: readonly ReadPost[];
  readonly reader: TrainedReader;
}

/**
 * Trains on `labels`, all of them, and reads each by weights that have not seen its community. Posts of which only the
 * product is known teach what names the wanted thing; those that `labels` hold too are left out. `judged` teach
 * what tells demand alone.
 */
export function trainReader(
  posts: ReadonlyMap<string, LabelledPost>,
  labels: readonly FactLabel[],
  products: readonly ProductLabel[],
  judged: readonly JudgedPost[],
  { lexemes, company }: CorpusWords,
  tell: (message: string) => void,
  options: RecipeOptions = RECIPE,
): CrossValidated {
  const known = new Set(labels.map(({ id }) => id));
  const named = (wanted: boolean): FactPost[] => {
    const own = products.flatMap(({ id, product, isQuery = false }): FactLabel[] =>
      known.has(id) || isQuery !== wanted
        ? []
        : [{ id, demand: 1, product, head: "", product_span: null, facts: [] }]
    );
    return factPosts(posts, own, lexemes);
  };
  const spans = fitSpans(factPosts(posts, labels, lexemes), named(false), lexemes, tell, options);
  return fitChoices(spans, named(true), judged, { lexemes, company }, tell);
}

/** The labelled posts that there are, made ready. */
function factPosts(
  posts: ReadonlyMap<string, LabelledPost>,
  labels: readonly FactLabel[],
  lexemes: LexemeTable,
): FactPost[] {
  const words = new Lexemes(lexemes);
  return labels.flatMap((label) => {
    const post = posts.get(label.id);
    return post === undefined ? [] : [factPost(post, label, words)];
  });
}

/** Fits what chooses among spans and products, on posts as models of other communities see them. */
function fitChoices(
  { held, named: naming, tagger, spans, stack }: FittedSpans,
  queries: readonly FactPost[],
  judged: readonly JudgedPost[],
  { lexemes, company }: CorpusWords,
  tell: (message: string) => void,
): CrossValidated {
  const { posts: named, product, products, ...tables } = fitProducts(
    held,
    naming,
    queries,
    company,
  );
  const gold = held.map(({ post }) => readPostOf(post));
  const thresholds = decide(named, gold);
  const chosen = named.flatMap((one, i): ReadChoices[] => {
    const { post, products, candidates, weighed, fold } = one;
    const named = chooseProduct(products, product(fold));
    if (named === null || gold[i]!.demand === 0) return [];
    const { kind } = named.candidate;
    const chosen = choose(post.post, candidates, weighed, thresholds, MAX_FACTS, kind);
    return [{ post, chosen, gold: gold[i]! }];
  });
  const decision = { ...thresholds, certainty: certainties(chosen) };
  tell(`decision: ${JSON.stringify(decision)}`);
  const ungated: TrainedReader = {
    lexemes,
    tagger,
    spans,
    stack,
    ...tables,
    decision,
    product: products,
    gate: [],
  };
  const found = named.map((one) => foundOf(one, decision, product(one.fold)));
  return { gold, found, reader: { ...ungated, gate: learnGate(ungated, judged, tell) } };
}

/**
 * The weights of what tells demand: of posts that neither the classifier nor the rest of the reader was taught, since
 * both are surer of those that they know, and as `reader` reads them once it is stored.
 */
function learnGate(
  reader: TrainedReader,
  judged: readonly JudgedPost[],
  tell: (message: string) => void,
): number[] {
  const model = new ReaderModel(toFactsArtefact(reader));
  const read = judged.flatMap(({ post, demand }) => {
    const shown = possibleDemand(post);
    const found = shown && chooseBy(model, post, shown);
    return found ? [{ features: gateFeatures(shown, found), demand }] : [];
  });
  if (read.length === 0) {
    throw new OperatorError("demand.tsv: the posts hold none that can be read");
  }
  tell(`gate: ${read.length} of ${judged.length} judged posts are read`);
  return fitGate(read);
}

/** What chooses products: of all posts, and for each fold of the others'. */
interface FittedProducts {
  readonly posts: readonly NamedPost[];
  readonly shelves: ShelfTable;
  readonly gist: GistTable;
  readonly products: ProductWeights;
  product(fold: number): ProductWeights;
}

/**
 * Fits what is known of kinds and the choice among products, on all posts and on all but those of each fold. The words
 * of queries teach what is known of kinds, but not in the fold of their writer.
 */
function fitProducts(
  held: readonly HeldPost[],
  naming: readonly HeldPost[],
  queries: readonly FactPost[],
  company: WordVectors,
): FittedProducts {
  const all = [...held, ...naming];
  const folds = 1 + all.reduce((most, { fold }) => Math.max(most, fold), 0);
  const foldOf = new Map(all.map(({ post, fold }) => [sourceOf(post), fold]));
  const taught = [
    ...all.map(({ post, fold }) => ({ post, fold, isQuery: false })),
    ...queries.map((post) => ({ post, fold: foldOf.get(sourceOf(post)), isQuery: true })),
  ].filter(({ post: { label } }) => label.demand === 1);
  const taughtBut = (but: number): ShelfPost[] =>
    taught.filter(({ fold }) => fold !== but).map((
      { post: { post, source, label }, isQuery },
    ) => ({
      post,
      community: source.community,
      product: label.head === "" ? label.product : label.head,
      isQuery,
    }));
  const learn = (but: number) => {
    const given = taughtBut(but);
    return { shelves: learnShelves(given), gist: learnGist(given, company) };
  };
  const kinds = Array.from({ length: folds }, (_, k) => {
    const { shelves, gist } = learn(k);
    return { shelves: new Shelves(shelves), gist: new Gist(gist) };
  });
  const named = all.map((one): NamedPost => {
    const { post: { post, source }, candidates, read, fold } = one;
    const products = productCandidates(
      post,
      source.community,
      candidates,
      read,
      kinds[fold]!,
      possibleDemand(source)?.pattern,
    );
    return { ...one, products };
  });
  const choices = named.filter(({ post: { label } }) => label.demand === 1).map(
    ({ post: { label }, products, fold }) => ({
      fold,
      candidates: products,
      right: products.map((product) => isRight(label, product)),
    }),
  );
  const fitted = kinds.map((_, k) => fitProduct(choices.filter(({ fold }) => fold !== k)));
  const certainty = fitProductCertainty(choices.flatMap(({ fold, candidates, right }) => {
    const chosen = chooseProduct(candidates, { ...fitted[fold]!, slope: 1, offset: 0 });
    if (chosen === null) return [];
    return [{ share: chosen.share, right: right[candidates.indexOf(chosen.candidate)]! }];
  }));
  return {
    posts: named.slice(0, held.length),
    ...learn(-1),
    products: { ...fitProduct(choices), ...certainty },
    product: (fold) => ({ ...fitted[fold]!, ...certainty }),
  };
}

interface NamedPost extends HeldPost {
  readonly products: readonly ProductCandidate[];
}

/** A post of demand, with what was chosen in it. */
interface ReadChoices {
  readonly post: FactPost;
  readonly chosen: readonly Chosen[];
  readonly gold: ReadPost;
}

/** A label as the measure reads it. */
function readPostOf({ label, source }: FactPost): ReadPost {
  const { id, demand, product = "", head = "", facts = [] } = toReaderRow(label, source);
  return { id, demand: demand === 1 ? 1 : 0, product, head, facts };
}

/** What a post of demand is read as, before classifier and gate; with no `product` weights, the facts alone. */
function foundOf(
  { post, candidates, weighed, products }: NamedPost,
  decision: SpanDecision,
  product: ProductWeights | null,
): ReadPost {
  const { tokens } = post.post;
  const named = product === null ? null : chooseProduct(products, product);
  const chosen = choose(post.post, candidates, weighed, decision, MAX_FACTS, named?.candidate.kind);
  return {
    id: post.label.id,
    demand: 1,
    product: named?.candidate.product ?? "",
    head: named?.candidate.kind ?? "",
    facts: chosen.map(({ candidate: { from, to }, type, certainty }) => {
      const span = tokens.text.slice(tokens.start[from]!, tokens.end[to - 1]!);
      return { type: FACT_TYPES[type]!, span, value: span, certainty };
    }),
  };
}

/** Levels of the two thresholds, how far a type may be favoured, and how far its threshold may lie from the others'. */
const ANY = [0.24, 0.28, 0.32, 0.36, 0.4, 0.44];
const TYPED = [0, 0.16, 0.18, 0.2, 0.22, 0.24];
const FAVOUR = [0.7, 1.4, 2, 3];
const APART = [0.7, 0.85, 1.2, 1.5];
/** What F1 of any type, and the mean F1 of the types, are worth beside F1 of all typed facts. */
const WORTH = { any: 0.5, mean: 0.3 };

/**
 * The thresholds that give the best F1, then how far favouring a type, and asking more or less of it, makes it better.
 * Posts that were written for this project count as much as all others: there are fewer of them, and they stand for all
 * sources but one. Those that were written of given kinds do not count: every one wants something, and says little else.
 */
function decide(held: readonly NamedPost[], gold: readonly ReadPost[]): SpanDecision {
  let best: SpanDecision = {
    any: FACT_TYPES.map(() => 0.34),
    typed: 0,
    favour: FACT_TYPES.map(() => 1),
    certainty: [],
  };
  let top = -1;
  const sources = ["w", undefined].map((source) =>
    held.flatMap(({ post }, i) => writerOf(post.label.id)?.[0] === source ? [i] : [])
  ).filter((source) => source.length > 0);
  const attempt = (decision: SpanDecision): void => {
    const score = sources.reduce((sum, source) => {
      const found = source.map((i) => foundOf(held[i]!, decision, null));
      const { typed, any, byType } = compare(source.map((i) => gold[i]!), found);
      const mean = FACT_TYPES.reduce((sum, type) => sum + (byType[type]?.f1 ?? 0), 0) /
        FACT_TYPES.length;
      return sum + typed.f1 + WORTH.any * any.f1 + WORTH.mean * mean;
    }, 0);
    if (score > top) {
      top = score;
      best = decision;
    }
  };
  for (const any of ANY) {
    for (const typed of TYPED) attempt({ ...best, any: FACT_TYPES.map(() => any), typed });
  }
  FACT_TYPES.forEach((_, type) => {
    for (const favour of FAVOUR) attempt({ ...best, favour: best.favour.with(type, favour) });
  });
  const usual = best.any[0]!;
  FACT_TYPES.forEach((_, type) => {
    for (const apart of APART) attempt({ ...best, any: best.any.with(type, apart * usual) });
  });
  return best;
}

/** Fits certainties to how often facts hold that weights found which had not seen their posts. */
function certainties(posts: readonly ReadChoices[]): number[][] {
  const judged = posts.flatMap(({ post, chosen, gold }) => {
    const { text, start, end } = post.post.tokens;
    const facts = gold.facts.map(({ type, span }) => ({ type, words: wordsOf(span) }));
    return chosen.map(({ type, typed, any, candidate: { from, to } }) => {
      const words = wordsOf(text.slice(start[from]!, end[to - 1]!));
      return {
        type,
        features: certaintyFeatures(typed, any),
        right: facts.some((fact) =>
          fact.type === FACT_TYPES[type] && agreement(words, fact.words) >= 0.3
        ),
      };
    });
  });
  return fitCertainty(judged, FACT_TYPES.length);
}
