import { assertEquals } from "@std/assert";
import { FeatureTable } from "../../../mining/classify/feature_table.ts";
import { Lexemes } from "../../../mining/classify/lexemes.ts";
import { HashTable } from "../../../mining/classify/table.ts";
import { featuresOf, MAX_FEATURES, prepare } from "../../../mining/extract/features.ts";
import { lookUp } from "../../../mining/extract/gazetteers.ts";
import { Tagger, TAGS } from "../../../mining/extract/tagger.ts";
import { tokenize } from "../../../mining/extract/tokens.ts";

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

Deno.test("many keys are found as they are one by one, in their order", () => {
  const keys = Int32Array.from({ length: 900 }, (_, i) => Math.imul(i, 0x9e3779b1));
  const table = new HashTable(keys.filter((_, i) => i % 3 > 0));
  const out = new Int32Array(keys.length);
  const found = table.rows(keys, 1, 800, out);
  const expected = [...keys.subarray(1, 800)].map((key) => table.row(key)).filter((row) =>
    row >= 0
  );
  assertEquals([...out.subarray(0, found)], expected);
});

Deno.test("a token's score is the sum of all its features, whatever words were seen before", () => {
  const empty = new Int32Array(0);
  const lexemes = new Lexemes({
    keys: empty,
    classes: new Uint16Array(0),
    traits: new Uint8Array(0),
    vectors: new Int8Array(0),
    dims: 2,
    forms: empty,
    phrases: empty,
  });
  const post = {
    title: "Quiet keyboard for an office",
    body:
      "- Budget: about $50, no lights. I don't want a loud one\nQUIET is what I want, and a quiet " +
      "office is what Bob's 2 friends want from keyboards of 16gb.",
  };
  const tokens = tokenize(post);
  const prepared = prepare(tokens, lookUp(tokens), lexemes);
  const room = new Int32Array(MAX_FEATURES);
  const each = tokens.sentences.flatMap(({ from, to }) =>
    Array.from(
      { length: to - from },
      (_, i) => room.slice(0, featuresOf(prepared, from + i, from, to, room)),
    )
  );
  const keys = Int32Array.from(new Set(each.flatMap((features) => [...features])))
    .filter((_, i) => i % 5 > 0);
  const values = Int8Array.from(
    { length: keys.length * TAGS },
    (_, i) => Math.imul(i, 0x9e3779b1) >> 24,
  );
  const tagger = new Tagger({
    keys,
    values,
    scale: 0.01,
    transitions: new Float32Array(TAGS * (TAGS + 1)),
  });
  const table = new FeatureTable(keys, values, TAGS);
  const expected = new Float64Array(TAGS * each.length);
  each.forEach((features, i) => table.sum(features, features.length, 0.01, expected, i * TAGS));
  for (const _ of ["first", "again"]) {
    const raw = tokens.sentences.flatMap(({ from, to }) => [...tagger.tag(prepared, from, to).raw]);
    assertEquals(raw, [...expected]);
  }
});
