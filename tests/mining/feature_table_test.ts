import { assertEquals } from "@std/assert";
import { remembered } from "../../core/once.ts";
import { FeatureTable } from "../../mining/classify/feature_table.ts";

Deno.test("packed weights add up to what they add up to one by one, at the ends of their range too", () => {
  for (const columns of [13, 25]) {
    const keys = Int32Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
    const values = Int8Array.from(
      { length: keys.length * columns },
      (_, i) => i % 3 === 0 ? -128 : i % 3 === 1 ? 127 : i % 256 - 128,
    );
    const table = new FeatureTable(keys, values, columns);
    const asked = Int32Array.from([...keys.subarray(1), 12345]);
    const out = new Float64Array(columns + 2).fill(7);
    table.sum(asked, asked.length, 0.5, out, 1);
    const expected = Array.from({ length: columns }, (_, c) => {
      let sum = 0;
      for (let row = 1; row < keys.length; row++) sum += values[row * columns + c]!;
      return sum * 0.5;
    });
    assertEquals([...out], [7, ...expected, 7]);
  }
});

Deno.test("what is remembered is bounded, and asked for again once it is forgotten", () => {
  const made: string[] = [];
  const length = remembered(2, (text) => made.push(text) && text.length);
  assertEquals(["a", "bb", "a", "ccc", "a"].map(length), [1, 2, 1, 3, 1]);
  assertEquals(made, ["a", "bb", "ccc"]);
  ["d", "e", "f", "g"].forEach(length);
  length("a");
  assertEquals(made.filter((text) => text === "a").length, 2);
});
