/**
 * What the regression on word groups leans to, as inputs of the networks (stacking, Wolpert 1992). What a network
 * learns from must come from a regression that has not seen the post, or it would learn to trust it too much.
 */
import { centre, PATTERN_CLASSES } from "../../mining/classify/groups.ts";
import { CUE_FEATURES, SENTENCE_FEATURES } from "../../mining/classify/reading.ts";
import type { Corpus } from "./corpus.ts";
import type { NetworkInputs, Rows } from "./rows.ts";
import { addRow, type Linear } from "./linear.ts";

/** Inputs of some posts, in their order, with the leanings by each post's regression. */
export function withLeanings(
  { grams, sentenceGrams, inputs }: Corpus,
  rows: ArrayLike<number>,
  regressionOf: (place: number) => Linear,
): NetworkInputs {
  const { posts, sentences, firstSentence } = inputs;
  const first = new Int32Array(rows.length + 1);
  const ofSentence: number[] = [];
  const placeOf: number[] = [];
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!;
    for (let s = firstSentence[row]!; s < firstSentence[row + 1]!; s++) {
      ofSentence.push(s);
      placeOf.push(place);
    }
    first[place + 1] = ofSentence.length;
  }
  return {
    posts: joined(posts, rows, CUE_FEATURES, (place, z) => {
      const regression = regressionOf(place);
      z.set(regression.bias);
      addRow(regression, grams, rows[place]!, z);
    }),
    sentences: joined(sentences, ofSentence, SENTENCE_FEATURES, (place, z) => {
      z.fill(0);
      addRow(regressionOf(placeOf[place]!), sentenceGrams, ofSentence[place]!, z);
    }),
    firstSentence: first,
  };
}

/** The chosen rows, each followed by `PATTERN_CLASSES` values less their mean as features from `feature` on. */
function joined(
  rows: Rows,
  chosen: ArrayLike<number>,
  feature: number,
  fill: (place: number, z: Float64Array) => void,
): Rows {
  const starts = new Int32Array(chosen.length + 1);
  for (let i = 0; i < chosen.length; i++) {
    const row = chosen[i]!;
    starts[i + 1] = starts[i]! + rows.starts[row + 1]! - rows.starts[row]! + PATTERN_CLASSES;
  }
  const index = new Int32Array(starts[chosen.length]!);
  const value = new Float32Array(index.length);
  const z = new Float64Array(PATTERN_CLASSES);
  for (let i = 0; i < chosen.length; i++) {
    const from = rows.starts[chosen[i]!]!;
    const to = rows.starts[chosen[i]! + 1]!;
    index.set(rows.index.subarray(from, to), starts[i]!);
    value.set(rows.value.subarray(from, to), starts[i]!);
    fill(i, z);
    centre(z, 0);
    const at = starts[i + 1]! - PATTERN_CLASSES;
    for (let c = 0; c < PATTERN_CLASSES; c++) index[at + c] = feature + c;
    value.set(z, at);
  }
  return { starts, index, value };
}
