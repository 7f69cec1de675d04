/** The whole recipe: a regression on word groups, and networks that read what it leans to beside the rest. */
import { GROUP_SHARE, PATTERN_CLASSES } from "../../mining/classify/groups.ts";
import { LEVELS, type Scores } from "../../mining/classify/model.ts";
import { CUE_FEATURES, SENTENCE_FEATURES } from "../../mining/classify/reading.ts";
import { BLOCKS } from "../../mining/classify/word_table.ts";
import { type Corpus, DIMS } from "./corpus.ts";
import { withLeanings } from "./leanings.ts";
import { type Linear, predictLinear, softmax } from "./linear.ts";
import { fitNetwork, runNetwork, type TrainedNetwork } from "./network.ts";
import type { Regressions } from "./regressions.ts";
import { allTargets } from "./targets.ts";

/** Networks whose probabilities are averaged, and their units on the whole post and on each sentence. */
export const NETWORK_COUNT = 2;
export const HIDDEN = 64;
export const SENTENCE_HIDDEN = 48;

/** A trained classifier, its weights not yet stored as whole numbers. */
export interface Fitted {
  readonly linear: Linear;
  readonly networks: readonly TrainedNetwork[];
}

/**
 * Trains on the regressions' items but those of fold `held` (null: on all). A network learns from leanings of
 * regressions that have not seen the item's fold; in use it reads those of one that has seen all folds but `held`.
 */
export function fit(corpus: Corpus, regressions: Regressions, held: number | null): Fitted {
  const items = regressions.items.filter((item) => regressions.foldOf(item) !== held);
  const inputs = withLeanings(
    corpus,
    items.map((item) => item.row),
    (place) => regressions.without(held, regressions.foldOf(items[place]!)),
  );
  const places = Int32Array.from(items, (_, i) => i);
  const targets = allTargets(items);
  const networks = Array.from(
    { length: NETWORK_COUNT },
    (_, i) =>
      fitNetwork(inputs, places, targets, {
        inputs: CUE_FEATURES + PATTERN_CLASSES + BLOCKS * DIMS,
        sentenceInputs: SENTENCE_FEATURES + PATTERN_CLASSES + DIMS,
        hidden: HIDDEN,
        sentenceHidden: SENTENCE_HIDDEN,
        groups: [PATTERN_CLASSES, LEVELS, LEVELS],
        groupWeights: [1, 0.3, 0.3],
        epochs: 12,
        rate: 0.002,
        decay: 0.004,
        dropout: 0.2,
        seed: 7 + i,
      }),
  );
  return { linear: regressions.without(held), networks };
}

/** What the shipped model computes, before its weights are stored as whole numbers. */
export function predict({ linear, networks }: Fitted, corpus: Corpus, row: number): Scores {
  const classes = predictLinear(linear, corpus.grams, row);
  const intensity = new Float64Array(LEVELS);
  const wtp = new Float64Array(LEVELS);
  const share = 1 / networks.length;
  for (let c = 0; c < PATTERN_CLASSES; c++) classes[c]! *= GROUP_SHARE;
  const inputs = withLeanings(corpus, [row], () => linear);
  for (const network of networks) {
    const out = runNetwork(network, inputs, 0);
    const parts = [
      out.subarray(0, PATTERN_CLASSES),
      out.subarray(PATTERN_CLASSES, PATTERN_CLASSES + LEVELS),
      out.subarray(PATTERN_CLASSES + LEVELS),
    ];
    for (const part of parts) softmax(part);
    for (let c = 0; c < PATTERN_CLASSES; c++) {
      classes[c]! += (1 - GROUP_SHARE) * share * parts[0]![c]!;
    }
    for (let l = 0; l < LEVELS; l++) {
      intensity[l]! += share * parts[1]![l]!;
      wtp[l]! += share * parts[2]![l]!;
    }
  }
  return { classes, intensity, wtp };
}
