import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { GroupRegression, PATTERN_CLASSES } from "../../../mining/classify/groups.ts";
import { CUE_FEATURES, read, SENTENCE_FEATURES } from "../../../mining/classify/reading.ts";
import type { Pattern } from "../../../mining/types.ts";
import { buildCorpus } from "../../../tasks/train/corpus.ts";
import type { Rows } from "../../../tasks/train/rows.ts";
import type { LabelledPost } from "../../../tasks/train/data.ts";
import { withLeanings } from "../../../tasks/train/leanings.ts";
import { Regressions } from "../../../tasks/train/regressions.ts";

const POSTS: LabelledPost[] = Array.from({ length: 60 }, (_, i) => ({
  id: `p${i}`,
  community: `c${i % 3}`,
  ...(i % 2 === 0
    ? {
      title: "Which kettle should I get?",
      body: "My kitchen is small. Which kettle should I get for tea? It boils and boils.",
    }
    : {
      title: "Another kettle broke",
      body: "This is the third kettle that broke. It broke again. My kitchen is small.",
    }),
}));
const CORPUS = buildCorpus(POSTS);

function regressionsOf(patternOf: (i: number) => Pattern | null): Regressions {
  const items = POSTS.map(({ id }, row) => ({
    row,
    label: {
      id,
      physical: true,
      pattern: patternOf(row),
      also: null,
      intensity: 1 as const,
      wtp: 0 as const,
      product: null,
    },
  }));
  return new Regressions(CORPUS, items, (item) => item.row % 3);
}

const asWritten = (i: number): Pattern => i % 2 === 0 ? "recommendation_request" : "repeat_failure";

Deno.test("a regression without a fold does not change with that fold's labels", () => {
  const one = regressionsOf(asWritten);
  const other = regressionsOf((i) => i % 3 === 1 ? null : asWritten(i));
  assertEquals(one.without(1), other.without(1));
  assertEquals(one.without(2, 1), other.without(1, 2));
  assertNotEquals(one.without(), other.without());
  assertNotEquals(one.without(2), other.without(2));
});

Deno.test("leanings of training are those that the classifier computes, of the post and of every sentence", () => {
  const linear = regressionsOf(asWritten).without();
  const scale = linear.weights.reduce((top, weight) => Math.max(top, Math.abs(weight)), 0) / 127;
  const pulls = Int8Array.from(linear.weights, (weight) => Math.round(weight / scale));
  const rounded = { ...linear, weights: Float32Array.from(pulls, (pull) => pull * scale) };
  const groups = new GroupRegression({
    keys: CORPUS.gramKeys,
    weights: CORPUS.gramWeights,
    pulls,
    scale,
    bias: linear.bias,
  });
  const inputs = withLeanings(CORPUS, [1, 0], () => rounded);
  const leaningOf = ({ starts, index, value }: Rows, row: number, feature: number) => {
    const from = starts[row + 1]! - PATTERN_CLASSES;
    assertEquals(index[from], feature);
    return value.subarray(from, from + PATTERN_CLASSES);
  };
  [1, 0].forEach((row, place) => {
    const reading = read(POSTS[row]!);
    const shares = groups.read(reading);
    assert(shares[row === 0 ? 6 : 0]! > 0.8);
    const near = (found: ArrayLike<number>, from: number, expected: Float32Array): void =>
      expected.forEach((value, c) => assertAlmostEquals(found[from + c]!, value, 1e-4));
    near(groups.leaning, 0, leaningOf(inputs.posts, place, CUE_FEATURES));
    assertEquals(
      inputs.firstSentence[place + 1]! - inputs.firstSentence[place]!,
      reading.sentences.length,
    );
    reading.sentences.forEach((_, s) =>
      near(
        groups.each,
        s * PATTERN_CLASSES,
        leaningOf(inputs.sentences, inputs.firstSentence[place]! + s, SENTENCE_FEATURES),
      )
    );
  });
});
