/** Cross-validation with whole communities held out: a post is never judged by weights that saw its community. */
import type { Scores } from "../../mining/classify/model.ts";
import type { Corpus } from "./corpus.ts";
import { fit, predict } from "./fit.ts";
import type { Item } from "./items.ts";
import type { Regressions } from "./regressions.ts";

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

/** The fold of every item, whole communities together: those of the first list, others dealt out after them. */
export function foldItems(
  corpus: Corpus,
  lists: readonly (readonly Item[])[],
  folds: number,
): (item: Item) => number {
  const communityOf = (item: Item): string => corpus.posts[item.row]!.community;
  const byCommunity = foldCommunities((lists[0] ?? []).map(communityOf), folds);
  const others = lists.flat().map(communityOf).filter((community) => !byCommunity.has(community));
  for (const [community, k] of foldCommunities(others, folds)) byCommunity.set(community, k);
  return (item) => byCommunity.get(communityOf(item))!;
}

/** Scores the items of every list by models that saw no label of their communities. `tell` hears of progress. */
export function crossValidate(
  corpus: Corpus,
  lists: readonly (readonly Item[])[],
  folds: number,
  regressions: Regressions,
  tell: (message: string) => void,
): HeldOut[] {
  const out = lists.map((list) => ({
    scores: new Array<Scores>(list.length),
    fold: list.map(regressions.foldOf),
  }));
  for (let k = 0; k < folds; k++) {
    const model = fit(corpus, regressions, k);
    lists.forEach((list, l) =>
      list.forEach((item, i) => {
        if (out[l]!.fold[i] === k) out[l]!.scores[i] = predict(model, corpus, item.row);
      })
    );
    tell(`fold ${k + 1} of ${folds} judged`);
  }
  return out;
}
