import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import type { Rows } from "../../../tasks/train/rows.ts";
import type { LabelledPost } from "../../../tasks/train/data.ts";
import { gatherItems } from "../../../tasks/train/items.ts";
import { fitNetwork, runNetwork } from "../../../tasks/train/network.ts";
import { temporaryDirectory } from "../../support/database.ts";

const HEADER = "id\tphysical\tpattern\talso\tintensity\twtp\tproduct\n";

function rowsOf(lists: readonly (readonly number[])[]): Rows {
  const starts = Int32Array.from({ length: lists.length + 1 }, (_, i) => i);
  for (let i = 0; i < lists.length; i++) starts[i + 1] = starts[i]! + lists[i]!.length;
  const index = Int32Array.from(lists.flat());
  return { starts, index, value: new Float32Array(index.length).fill(1) };
}

Deno.test("a network tells what stands together in one sentence from what stands apart", () => {
  // Every post holds the features 0 and 1 among others: in one sentence (class 1), or in two (class 0).
  const sentences: number[][] = [];
  const first = [0];
  const posts: number[][] = [];
  const targets = new Float32Array(2 * 240);
  for (let i = 0; i < 240; i++) {
    const other = 2 + i % 5;
    const together = i % 2 === 1;
    sentences.push([other], together ? [0, 1] : [0, other], together ? [other] : [1, other]);
    first.push(sentences.length);
    posts.push([0, 1, other]);
    targets[2 * i + (together ? 1 : 0)] = 1;
  }
  const inputs = {
    posts: rowsOf(posts),
    sentences: rowsOf(sentences),
    firstSentence: Int32Array.from(first),
  };
  const train = (seed: number) =>
    fitNetwork(inputs, Int32Array.from({ length: 200 }, (_, i) => i), targets, {
      inputs: 7,
      sentenceInputs: 7,
      hidden: 4,
      sentenceHidden: 8,
      groups: [2],
      groupWeights: [1],
      epochs: 60,
      rate: 0.02,
      decay: 0.0001,
      dropout: 0,
      seed,
    });
  const network = train(1);
  let right = 0;
  for (let i = 200; i < 240; i++) {
    const out = runNetwork(network, inputs, i);
    if ((out[1]! > out[0]!) === (i % 2 === 1)) right++;
  }
  assert(right >= 38, `${right} of 40`);
  assertEquals(train(1), network);
});

Deno.test("the first label of a post counts, and a given label needs its post", () => {
  using directory = temporaryDirectory();
  const file = (name: string, rows: string): string => {
    Deno.writeTextFileSync(`${directory.path}/${name}`, HEADER + rows);
    return `${directory.path}/${name}`;
  };
  const one = file("one.tsv", "a\t1\tfrustration\t-\t2\t0\tchair\n");
  const two = file("two.tsv", "a\t0\tnone\t-\t0\t0\t-\nb\t0\tnone\t-\t0\t0\t-\n");
  const post = (id: string): LabelledPost => ({ id, title: "t", body: "", community: "c" });
  const { given, chance, drawn } = gatherItems([one, two], [post("b"), post("a")]);
  assertEquals(given.map(({ row, label }) => [row, label.pattern]), [
    [1, "frustration"],
    [0, null],
  ]);
  assertEquals([...chance, ...drawn], []);
  const error = assertThrows(() => gatherItems([two], [post("b")]), OperatorError);
  assertStringIncludes(error.message, "two.tsv");
});

Deno.test("the project's own labels are well-formed, sorted, and never of one post twice", () => {
  const seen = new Set<string>();
  for (const name of ["chance", "drawn"]) {
    const path = new URL(`../../../tasks/train/labels/${name}.tsv`, import.meta.url).pathname;
    const ids = Deno.readTextFileSync(path).trimEnd().split("\n").slice(1).map((line) =>
      line.split("\t")[0]!
    );
    assertEquals(ids, [...ids].sort());
    for (const id of ids) {
      assert(!seen.has(id), id);
      seen.add(id);
    }
    const posts = ids.map((id) => ({ id, title: "t", body: "", community: "c" }));
    const items = gatherItems([], posts);
    assertEquals(items[name === "chance" ? "chance" : "drawn"].length, ids.length);
  }
});
