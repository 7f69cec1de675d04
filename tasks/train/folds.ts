/** Cross-validation with whole communities held out: a post is never judged by weights that saw its community. */
import type { Scores } from "../../mining/classify/model.ts";
import type { Corpus } from "./corpus.ts";
import { fit, type Item, predict } from "./fit.ts";

/** Fold of each community: the largest communities first, each to the fold with the fewest posts so far. */
export function foldCommunities(
  communities: readonly string[],
  folds: number,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const community of communities) counts.set(community, (counts.get(community) ?? 0) + 1);
  const load = new Array<number>(folds).fill(0);
  const out = new Map<string, number>();
  const order = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  for (const [community, count] of order) {
    const fold = load.indexOf(Math.min(...load));
    out.set(community, fold);
    load[fold]! += count;
  }
  return out;
}

/**
 * Scores every item by a model that saw neither its community's labels nor its unlabelled posts as examples.
 * `share` below 1 trains on that part of the labels only (a learning curve's point). `tell` hears of progress.
 */
export function crossValidate(
  corpus: Corpus,
  items: readonly Item[],
  folds: number,
  share: number,
  tell: (message: string) => void,
): { scores: Scores[]; fold: number[] } {
  const communityOf = (row: number): string => corpus.posts[row]!.community;
  const byCommunity = foldCommunities(items.map((item) => communityOf(item.row)), folds);
  const fold = items.map((item) => byCommunity.get(communityOf(item.row))!);
  const scores: Scores[] = new Array<Scores>(items.length);
  for (let k = 0; k < folds; k++) {
    const rest = items.filter((_, i) => fold[i] !== k);
    const seen = rest.filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share));
    const pool = unlabelledRows(corpus, items, (community) => byCommunity.get(community) !== k);
    const model = fit(corpus, seen, pool);
    items.forEach((item, i) => {
      if (fold[i] === k) scores[i] = predict(model, corpus, item.row);
    });
    tell(`fold ${k + 1} of ${folds}: ${seen.length} labelled and ${pool.length} unlabelled posts`);
  }
  return { scores, fold };
}

/** Rows of the corpus without a label, of communities that pass. */
export function unlabelledRows(
  corpus: Corpus,
  items: readonly Item[],
  passes: (community: string) => boolean,
): number[] {
  const labelled = new Set(items.map((item) => item.row));
  const out: number[] = [];
  corpus.posts.forEach((post, row) => {
    if (!labelled.has(row) && passes(post.community)) out.push(row);
  });
  return out;
}
