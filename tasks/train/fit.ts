/** The whole recipe: teachers on labels, a student on everything, thresholds on posts held out. */
import { CLASSES, LEVELS, type Scores } from "../../mining/classify/model.ts";
import { CUE_FEATURES, SENTENCE_FEATURES } from "../../mining/classify/reading.ts";
import { BLOCKS } from "../../mining/classify/words.ts";
import { PATTERNS } from "../../mining/types.ts";
import { type Corpus, DIMS } from "./corpus.ts";
import type { Label } from "./data.ts";
import type { Item } from "./items.ts";
import { fitLinear, type Linear, predictLinear, softmax } from "./linear.ts";
import { fitNetwork, type Network, runNetwork } from "./network.ts";

export const NETWORKS = 2;
export const HIDDEN = 64;
export const SENTENCE_HIDDEN = 48;
/** Weight of an unlabelled post, beside a labelled one's `LABELLED`, when the student learns. */
const UNLABELLED = 0.3;
const LABELLED = 1.5;
const OUTPUTS = CLASSES + 2 * LEVELS;

export interface Fitted {
  readonly linear: Linear;
  readonly networks: readonly Network[];
}

/** The class of a label, of `CLASSES`. */
export function classOf(label: Label): number {
  if (label.pattern === null) return label.physical ? PATTERNS.length : PATTERNS.length + 1;
  return PATTERNS.indexOf(label.pattern);
}

/** Trains on `items`; `pool` are rows of unlabelled posts the student may learn from. */
export function fit(corpus: Corpus, items: readonly Item[], pool: readonly number[]): Fitted {
  const rows = Int32Array.from(items, (item) => item.row);
  const targets = new Float32Array(items.length * OUTPUTS);
  const classTargets = new Float32Array((items.length + pool.length) * CLASSES);
  items.forEach(({ label }, i) => {
    const share = label.pattern !== null && label.also !== null ? 0.75 : 1;
    targets[i * OUTPUTS + classOf(label)] = share;
    if (share < 1) targets[i * OUTPUTS + PATTERNS.indexOf(label.also!)] = 1 - share;
    classTargets.set(targets.subarray(i * OUTPUTS, i * OUTPUTS + CLASSES), i * CLASSES);
    targets[i * OUTPUTS + CLASSES + label.intensity] = 1;
    targets[i * OUTPUTS + CLASSES + LEVELS + label.wtp] = 1;
  });
  const even = new Float32Array(items.length).fill(1);
  const features = corpus.gramKeys.length;
  const linearOptions = { features, classes: CLASSES, rate: 0.5, decay: 1e-5, seed: 1 };
  const networks = Array.from(
    { length: NETWORKS },
    (_, i) =>
      fitNetwork(corpus.inputs, rows, targets, {
        inputs: CUE_FEATURES + BLOCKS * DIMS,
        sentenceInputs: SENTENCE_FEATURES + DIMS,
        hidden: HIDDEN,
        sentenceHidden: SENTENCE_HIDDEN,
        groups: [CLASSES, LEVELS, LEVELS],
        groupWeights: [1, 0.3, 0.3],
        epochs: 12,
        rate: 0.002,
        decay: 0.003,
        dropout: 0.2,
        seed: 7 + i,
      }),
  );
  const teacher = fitLinear(
    corpus.grams,
    rows,
    classTargets.subarray(0, items.length * CLASSES),
    even,
    {
      ...linearOptions,
      epochs: 6,
    },
  );
  pool.forEach((row, i) => {
    const taught = predict({ linear: teacher, networks }, corpus, row).classes;
    classTargets.set(taught, (items.length + i) * CLASSES);
  });
  const allRows = Int32Array.from([...rows, ...pool]);
  const weights = new Float32Array(allRows.length).fill(UNLABELLED).fill(LABELLED, 0, items.length);
  const linear = fitLinear(corpus.grams, allRows, classTargets, weights, {
    ...linearOptions,
    epochs: 4,
  });
  return { linear, networks };
}

/** What the shipped model computes, before its weights are stored as whole numbers. */
export function predict(model: Fitted, corpus: Corpus, row: number): Scores {
  const classes = predictLinear(model.linear, corpus.grams, row);
  const intensity = new Float64Array(LEVELS);
  const wtp = new Float64Array(LEVELS);
  const share = 1 / model.networks.length;
  for (let c = 0; c < CLASSES; c++) classes[c]! /= 2;
  for (const network of model.networks) {
    const out = runNetwork(network, corpus.inputs, row);
    const parts = [
      out.subarray(0, CLASSES),
      out.subarray(CLASSES, CLASSES + LEVELS),
      out.subarray(CLASSES + LEVELS),
    ];
    for (const part of parts) softmax(part);
    for (let c = 0; c < CLASSES; c++) classes[c]! += share * parts[0]![c]! / 2;
    for (let l = 0; l < LEVELS; l++) {
      intensity[l]! += share * parts[1]![l]!;
      wtp[l]! += share * parts[2]![l]!;
    }
  }
  return { classes, intensity, wtp };
}
