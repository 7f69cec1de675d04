/** Regressions on word groups that have not seen some folds: fitted when first asked for, then kept. */
import { PATTERN_CLASSES } from "../../mining/classify/groups.ts";
import type { Corpus } from "./corpus.ts";
import type { Item } from "./items.ts";
import { fitLinear, type Linear } from "./linear.ts";
import { classTargets } from "./targets.ts";

/** The regressions of a cross-validation. */
export class Regressions {
  readonly #corpus: Corpus;
  readonly #kept = new Map<string, Linear>();

  /** `items` teach; `foldOf` says in which fold an item is held out. */
  constructor(
    corpus: Corpus,
    readonly items: readonly Item[],
    readonly foldOf: (item: Item) => number,
  ) {
    this.#corpus = corpus;
  }

  /** The regression that has seen no item of these folds. */
  without(...folds: readonly (number | null)[]): Linear {
    const held = [...new Set(folds.filter((fold) => fold !== null))].sort((a, b) => a - b);
    const key = held.join();
    let found = this.#kept.get(key);
    if (found === undefined) {
      const items = this.items.filter((item) => !held.includes(this.foldOf(item)));
      found = fitLinear(
        this.#corpus.grams,
        Int32Array.from(items, (item) => item.row),
        classTargets(items),
        {
          features: this.#corpus.gramKeys.length,
          classes: PATTERN_CLASSES,
          epochs: 4,
          rate: 0.5,
          decay: 1e-5,
          seed: 1,
        },
      );
      this.#kept.set(key, found);
    }
    return found;
  }
}
