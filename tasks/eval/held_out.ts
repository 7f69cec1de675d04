/** Verdicts on labelled posts by weights, and thresholds, that have not seen the post's community. */
import { demandOf } from "../../mining/classify/demand.ts";
import { read } from "../../mining/classify/reading.ts";
import type { Demand } from "../../mining/types.ts";
import type { Corpus } from "../train/corpus.ts";
import { crossValidate, type HeldOut } from "../train/folds.ts";
import type { Item, Items } from "../train/items.ts";
import { tune } from "../train/tune.ts";

/** One verdict per given and per chance item, from a cross-validation over `folds` groups of communities. */
export function judgeHeldOut(
  corpus: Corpus,
  { given, chance, drawn, written }: Items,
  folds: number,
  share: number,
  tell: (message: string) => void,
): { given: (Demand | null)[]; chance: (Demand | null)[] } {
  const lists = [given, chance, drawn, written];
  const held = crossValidate(corpus, lists, folds, share, tell);
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
