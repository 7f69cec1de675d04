import { assert, assertEquals, assertGreater, assertGreaterOrEqual, assertLess } from "@std/assert";
import { components, compositeScore, decay, type Voice } from "../../mining/score.ts";

const voice = (over: Partial<Voice> = {}): Voice => ({
  ageDays: 10,
  certainty: 0.6,
  intensity: 2,
  wtp: 1,
  ...over,
});
const scoreOf = (voices: readonly Voice[]): number => compositeScore(components(voices));

Deno.test("components stay within 0.05 and 1, and the score within 0 and 100", () => {
  const extremes = [
    [],
    [voice({ ageDays: 100_000, intensity: 0, wtp: 0 })],
    Array.from({ length: 10_000 }, () => voice({ ageDays: -5, intensity: 3, wtp: 3 })),
  ];
  for (const voices of extremes) {
    const parts = components(voices);
    for (const part of Object.values(parts)) assert(part >= 0.05 && part <= 1, String(part));
    const score = compositeScore(parts);
    assert(score >= 0 && score <= 100, String(score));
  }
  assertGreater(scoreOf(extremes[2] ?? []), 95);
});

Deno.test("one more voice like the others never lowers the score", () => {
  for (const each of [voice(), voice({ intensity: 3, wtp: 3 }), voice({ ageDays: 400 })]) {
    let last = 0;
    for (let n = 1; n <= 300; n += 7) {
      const score = components(Array.from({ length: n }, () => each)).frequency;
      assertGreaterOrEqual(score, last);
      last = score;
    }
  }
});

Deno.test("stronger words and more money raise the score", () => {
  const five = (over: Partial<Voice>) => Array.from({ length: 5 }, () => voice(over));
  for (const level of [0, 1, 2]) {
    assertLess(scoreOf(five({ intensity: level })), scoreOf(five({ intensity: level + 1 })));
    assertLess(scoreOf(five({ wtp: level })), scoreOf(five({ wtp: level + 1 })));
  }
});

Deno.test("age decays: half a year halves a voice, and old cards score lower", () => {
  assertEquals(decay(0), 1);
  assertEquals(decay(180), 0.5);
  assertEquals(decay(-3), 1);
  const aged = (ageDays: number) => scoreOf(Array.from({ length: 20 }, () => voice({ ageDays })));
  assertLess(aged(200), aged(100));
  assertLess(aged(100), aged(1));
});

Deno.test("doubtful voices count for less, and raise the score all the same", () => {
  const ten = (certainty: number) =>
    scoreOf(Array.from({ length: 10 }, () => voice({ certainty })));
  assertLess(ten(0.3), ten(0.6));
  assertLess(ten(0.6), ten(1));
  const { frequency } = components([voice()]);
  assertLess(frequency, components([voice(), voice({ certainty: 0.3 })]).frequency);
  const half = components(Array.from({ length: 20 }, () => voice({ certainty: 0.5 })));
  assertEquals(half, components(Array.from({ length: 10 }, () => voice({ certainty: 1 }))));
});

Deno.test("a card whose posts name no money does not score zero", () => {
  assertGreater(scoreOf(Array.from({ length: 30 }, () => voice({ wtp: 0 }))), 30);
});

Deno.test("the worked examples of docs/scoring.md hold", () => {
  const rows = [
    [3, 1, 0, 2, 1, 39.2],
    [3, 0.5, 0, 2, 1, 31.2],
    [30, 0.5, 0, 2, 0, 47.9],
    [40, 0.6, 0, 2, 2, 70.2],
    [40, 0.6, 180, 2, 2, 61.3],
    [200, 0.6, 0, 3, 2, 92.3],
  ] as const;
  for (const [count, certainty, ageDays, intensity, wtp, score] of rows) {
    assertEquals(
      scoreOf(Array.from({ length: count }, () => ({ ageDays, certainty, intensity, wtp }))),
      score,
    );
  }
});
