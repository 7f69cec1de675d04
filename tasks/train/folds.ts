/** Cross-validation with whole communities held out: a post is never judged by weights that saw its community. */
import type { Scores } from "../../mining/classify/model.ts";
import type { Corpus } from "./corpus.ts";
import { fit, predict } from "./fit.ts";
import type { Item } from "./items.ts";

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

/** Held-out scores of a list of items, and the fold that each of them was held out in. */
export interface HeldOut {
  readonly scores: Scores[];
  readonly fold: number[];
}

/**
 * Scores the items of every list by models that saw neither their communities' labels nor their unlabelled posts
 * as examples. All lists teach; the folds are those of the first list's communities, others are dealt out after
 * them. `share` below 1 trains on that part of the labels only (a learning curve's point). `tell` hears of progress.
 */
export function crossValidate(
  corpus: Corpus,
  lists: readonly (readonly Item[])[],
  folds: number,
  share: number,
  tell: (message: string) => void,
): HeldOut[] {
  const communityOf = (item: Item): string => corpus.posts[item.row]!.community;
  const items = lists.flat();
  const byCommunity = foldCommunities((lists[0] ?? []).map(communityOf), folds);
  const others = items.map(communityOf).filter((community) => !byCommunity.has(community));
  for (const [community, k] of foldCommunities(others, folds)) byCommunity.set(community, k);
  const foldOf = (item: Item): number => byCommunity.get(communityOf(item))!;
  const out = lists.map((list) => ({
    scores: new Array<Scores>(list.length),
    fold: list.map(foldOf),
  }));
  for (let k = 0; k < folds; k++) {
    const rest = items.filter((item) => foldOf(item) !== k);
    const seen = rest.filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share));
    const pool = unlabelledRows(corpus, items, (community) => byCommunity.get(community) !== k);
    const model = fit(corpus, seen, pool);
    lists.forEach((list, l) =>
      list.forEach((item, i) => {
        if (out[l]!.fold[i] === k) out[l]!.scores[i] = predict(model, corpus, item.row);
      })
    );
    tell(`fold ${k + 1} of ${folds}: ${seen.length} labelled and ${pool.length} unlabelled posts`);
  }
  return out;
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
