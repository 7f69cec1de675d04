import { assertAlmostEquals, assertEquals } from "@std/assert";
import { bCubed, evaluateClusters, evaluateProducts } from "../../tasks/eval/clusters.ts";
import type { Demand, PostText } from "../../mining/types.ts";

const demand: Demand = {
  pattern: "recommendation_request",
  also: null,
  intensity: 1,
  wtp: 0,
  confidence: 1,
  quote: "",
};

function post(title: string): PostText {
  return { title, body: "", community: "somewhere" };
}

const POSTS = new Map([
  ["a", post("Which tent for two?")],
  ["b", post("Best two person tent?")],
  ["c", post("Quiet fan for the bedroom")],
  ["d", post("My tent in the snow, a photo")],
]);

Deno.test("B-cubed is 1 for the same grouping under other names", () => {
  assertEquals(bCubed(["a", "a", "b"], ["x", "x", "y"]), { precision: 1, recall: 1, f1: 1 });
});

Deno.test("B-cubed pays for merging in precision and for splitting in recall", () => {
  const merged = bCubed(["a", "a", "b", "b"], ["x", "x", "x", "x"]);
  assertEquals([merged.precision, merged.recall], [0.5, 1]);
  const split = bCubed(["a", "a", "b", "b"], ["1", "2", "3", "4"]);
  assertEquals([split.precision, split.recall], [1, 0.5]);
  // Two of three together: (2/2 + 2/2 + 1/1) / 3 against (2/3 + 2/3 + 1/3) / 3.
  const part = bCubed(["a", "a", "a"], ["x", "x", "y"]);
  assertAlmostEquals(part.recall, 5 / 9);
  assertEquals(part.precision, 1);
});

Deno.test("noise costs precision where it lands among others, and nothing where it is rejected", () => {
  const rows = [
    { id: "a", kind: "tent", want: "tent-general" },
    { id: "b", kind: "tent", want: "tent-general" },
    { id: "d", kind: "NOISE", want: "-" },
  ];
  const all = evaluateClusters(rows, POSTS, () => demand);
  assertAlmostEquals(all.kind.precision, (2 / 3 + 2 / 3 + 1 / 3) / 3);
  const strict = evaluateClusters(rows, POSTS, ({ title }) => title.includes("My") ? null : demand);
  assertEquals(strict.kind, { precision: 1, recall: 1, f1: 1 });
  assertEquals([strict.rows, strict.missing], [3, 0]);
});

Deno.test("a rejected post of a cluster costs recall", () => {
  const rows = [
    { id: "a", kind: "tent", want: "tent-general" },
    { id: "b", kind: "tent", want: "tent-general" },
  ];
  const { kind } = evaluateClusters(
    rows,
    POSTS,
    ({ title }) => title.includes("Best") ? null : demand,
  );
  assertEquals([kind.precision, kind.recall], [1, 0.5]);
});

Deno.test("products are compared by words and by their last word, in the singular", () => {
  const rows = [
    { id: "a", pattern: "recommendation_request", product: "camping tents" },
    { id: "c", pattern: "recommendation_request", product: "fan" },
    { id: "d", pattern: "none", product: "tent" },
  ];
  const found = evaluateProducts(rows, POSTS, () => demand);
  assertEquals(found.rows, 2);
  assertEquals(found.headMatch, 1);
  assertAlmostEquals(found.tokenF1, (2 / 3 + 1) / 2);
});
