/** Verdicts on labelled posts by weights, and thresholds, that have not seen the post's community. */
import { demandOf } from "../../mining/classify/demand.ts";
import { read } from "../../mining/classify/reading.ts";
import type { Demand } from "../../mining/types.ts";
import type { Corpus } from "../train/corpus.ts";
import type { Item } from "../train/fit.ts";
import { crossValidate } from "../train/folds.ts";
import { tune } from "../train/tune.ts";

/** One verdict per item, from a cross-validation over `folds` groups of communities. */
export function judgeHeldOut(
  corpus: Corpus,
  items: readonly Item[],
  folds: number,
  share: number,
  tell: (message: string) => void,
): (Demand | null)[] {
  const { scores, fold } = crossValidate(corpus, items, folds, share, tell);
  const decisions = Array.from({ length: folds }, (_, k) => {
    const others = items.flatMap(({ label }, i) =>
      fold[i] === k ? [] : [{ label, classes: scores[i]!.classes }]
    );
    return tune(others);
  });
  return items.map(({ row }, i) =>
    demandOf(read(corpus.posts[row]!), scores[i]!, decisions[fold[i]!]!)
  );
}
