/** Verdicts on labelled posts by weights, and thresholds, that have not seen the post's community. */
import { demandOf } from "../../mining/classify/demand.ts";
import { read } from "../../mining/classify/reading.ts";
import type { Demand } from "../../mining/types.ts";
import type { Corpus } from "../train/corpus.ts";
import { crossValidate, foldItems, type HeldOut } from "../train/folds.ts";
import type { Item, Items } from "../train/items.ts";
import { Regressions } from "../train/regressions.ts";
import { tune } from "../train/tune.ts";

/**
 * One verdict per given and per chance item, from a cross-validation over `folds` groups of communities. `share`
 * below 1 trains on that part of the labels only (a learning curve's point).
 */
export function judgeHeldOut(
  corpus: Corpus,
  { given, chance, drawn, written }: Items,
  folds: number,
  share: number,
  tell: (message: string) => void,
): { given: (Demand | null)[]; chance: (Demand | null)[] } {
  const lists = [given, chance, drawn, written];
  const taught = lists.flat().filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share));
  const regressions = new Regressions(corpus, taught, foldItems(corpus, lists, folds));
  const held = crossValidate(corpus, lists, folds, regressions, tell);
  const outcomesBut = (k: number) =>
    lists.map((list, l) =>
      list.flatMap(({ label }, i) =>
        held[l]!.fold[i] === k ? [] : [{ label, classes: held[l]!.scores[i]!.classes }]
      )
    );
  const decisions = Array.from({ length: folds }, (_, k) => {
    const [ofGiven, ofChance, ofDrawn] = outcomesBut(k);
    return tune([...ofGiven!, ...ofChance!], ofDrawn!);
  });
  const judge = (items: readonly Item[], { scores, fold }: HeldOut): (Demand | null)[] =>
    items.map(({ row }, i) => demandOf(read(corpus.posts[row]!), scores[i]!, decisions[fold[i]!]!));
  return { given: judge(given, held[0]!), chance: judge(chance, held[1]!) };
}
