/** Fits the models of spans: the tagger, and the second and the third look at what it finds. */
import type { LexemeTable } from "../../../mining/classify/lexemes.ts";
import { type Candidate, candidatesOf } from "../../../mining/extract/spans/candidates.ts";
import { SpanReader, type SpanWeights } from "../../../mining/extract/spans/spans.ts";
import { StackedReader, type StackWeights } from "../../../mining/extract/spans/stacking.ts";
import { Tagger, type TaggerWeights } from "../../../mining/extract/tagger.ts";
import { foldCommunities } from "../folds.ts";
import { compactSpans, compactTagger } from "./artefact.ts";
import type { FactPost } from "./corpus.ts";
import { CRF_OPTIONS, fitTagger } from "./crf.ts";
import { writerOf } from "./labels.ts";
import { type CandidatePost, fitSecond, SECOND_OPTIONS } from "./second.ts";
import { fitStack } from "./stacking.ts";
import { withWanted } from "./wanted.ts";

export interface RecipeOptions {
  readonly folds: number;
  readonly crf: typeof CRF_OPTIONS;
  readonly second: typeof SECOND_OPTIONS;
}

export const RECIPE: RecipeOptions = { folds: 4, crf: CRF_OPTIONS, second: SECOND_OPTIONS };

/** What cross-validation made of a post. */
export interface HeldPost {
  readonly post: FactPost;
  readonly fold: number;
  readonly candidates: readonly Candidate[];
  /** What the second look makes of the candidates. */
  read: readonly Float64Array[];
  /** What the third look makes of them. */
  weighed: readonly Float64Array[];
}

/** The three models of spans, and every post as models of other communities see it. */
export interface FittedSpans {
  readonly held: readonly HeldPost[];
  /** Posts of which only the product is known. */
  readonly named: readonly HeldPost[];
  readonly tagger: TaggerWeights;
  readonly spans: SpanWeights;
  readonly stack: StackWeights;
}

/** Trains tagger, second and third look, each on all posts and on all but those of one fold of communities. */
export function fitSpans(
  all: readonly FactPost[],
  naming: readonly FactPost[],
  lexemes: LexemeTable,
  tell: (message: string) => void,
  options: RecipeOptions = RECIPE,
): FittedSpans {
  const bySource = foldCommunities(all.map(sourceOf), options.folds);
  const others = naming.map(sourceOf).filter((source) => !bySource.has(source));
  for (const [source, k] of foldCommunities(others, options.folds)) bySource.set(source, k);
  const foldOf = (post: FactPost): number => bySource.get(sourceOf(post))!;
  const wanting = all.filter(({ label }) => label.demand === 1);
  const held: HeldPost[] = [];
  const named: HeldPost[] = [];
  const tagger = (part: readonly FactPost[]) => compactTagger(fitTagger(part, options.crf));
  for (let k = 0; k < options.folds; k++) {
    const own = new Tagger(tagger(wanting.filter((post) => foldOf(post) !== k)));
    const tag = (posts: readonly FactPost[], into: HeldPost[]): void => {
      for (const post of posts) {
        if (foldOf(post) !== k) continue;
        into.push({
          post,
          fold: k,
          candidates: candidatesOf(post.post, own),
          read: [],
          weighed: [],
        });
      }
    };
    tag(all, held);
    tag(naming, named);
    tell(`tagger ${k + 1} of ${options.folds}`);
  }
  const taught = (but: number): CandidatePost[] =>
    held.filter(({ post, fold }) => fold !== but && post.label.demand === 1);
  const second = (but: number) =>
    compactSpans(fitSecond(taught(but), lexemes.dims, options.second));
  const everything = [...held, ...named];
  const look = (spans: SpanWeights, k: number): void => {
    const reader = new SpanReader(spans, lexemes.dims);
    for (const one of everything) {
      if (one.fold === k) one.read = reader.read(one.post.post, one.candidates);
    }
  };
  const seconds: SpanWeights[] = [];
  for (let k = 0; k < options.folds; k++) {
    look(seconds[k] = second(k), k);
    tell(`second look ${k + 1} of ${options.folds}`);
  }
  seconds.forEach((spans, k) =>
    look(withWanted(spans, everything.filter(({ fold }) => fold !== k)), k)
  );
  const stackBut = (but: number): StackWeights =>
    fitStack(held.filter(({ post, fold }) => fold !== but && post.label.demand === 1));
  for (let k = 0; k < options.folds; k++) {
    const stack = new StackedReader(stackBut(k));
    for (const one of held) {
      if (one.fold === k) one.weighed = stack.read(one.post.post, one.candidates, one.read);
    }
    tell(`third look ${k + 1} of ${options.folds}`);
  }
  return {
    held,
    named,
    tagger: tagger(wanting),
    spans: withWanted(second(-1), everything),
    stack: stackBut(-1),
  };
}

/** What folds keep together: a post's community, or the writer of a text that has none. */
export function sourceOf({ source: { id, community } }: FactPost): string {
  return community === "" ? writerOf(id) ?? id : community;
}
