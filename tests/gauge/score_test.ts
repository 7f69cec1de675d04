import { assert, assertEquals, assertGreater, assertGreaterOrEqual, assertLess } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { formulaScore, shiftedScore, strength, temperature } from "../../gauge/score/score.ts";
import type { Match } from "../../gauge/types.ts";
import { AS_OF, match } from "./support.ts";

/** A small deterministic generator (Lehmer, modulus 2^31 - 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}

function someMatches(next: () => number, count: number): Match[] {
  return Array.from({ length: count }, (_, i) =>
    match({
      postId: `p${i}`,
      voice: `v${Math.floor(next() * count * 0.7)}`,
      textKey: `t${Math.floor(next() * count * 0.8)}`,
      relevance: 0.4 + 0.6 * next(),
      confidence: next(),
      intensity: Math.floor(next() * 4),
      wtp: Math.floor(next() * 4),
      upvotes: Math.floor(next() * 3_000) - 20,
      createdAt: new Date(AS_OF.getTime() - next() * 900 * DAY_MS),
    }));
}

Deno.test("more evidence never lowers the score, and removing a post never raises it", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const matches = someMatches(random(seed * 7_919), 1 + seed);
    const whole = formulaScore(matches, AS_OF);
    matches.forEach((_, i) => {
      const fewer = formulaScore(matches.filter((_, j) => j !== i), AS_OF);
      assertGreaterOrEqual(whole, fewer);
    });
  }
});

Deno.test("every part of a post's strength counts upwards, and age downwards", () => {
  const plain = match({ postId: "p", intensity: 1, wtp: 1, confidence: 0.5, relevance: 0.5 });
  const base = strength(plain, AS_OF);
  const better: Partial<Match>[] = [
    { intensity: 2 },
    { wtp: 2 },
    { confidence: 0.8 },
    { relevance: 0.9 },
    { upvotes: 50 },
    { createdAt: AS_OF },
  ];
  for (const part of better) assertGreater(strength({ ...plain, ...part }, AS_OF), base);
  const old = { ...plain, createdAt: new Date(AS_OF.getTime() - 190 * DAY_MS) };
  assertEquals(Math.round(1e4 * strength(old, AS_OF) / base), 5_000);
});

Deno.test("votes saturate, negative votes and posts from after the clock count as none", () => {
  const at = (upvotes: number) => strength(match({ postId: "p", upvotes }), AS_OF);
  assertEquals(at(1_023), at(50_000));
  assertEquals(at(-40), at(0));
  const future = match({ postId: "p", createdAt: new Date(AS_OF.getTime() + 9e9) });
  assertEquals(strength(future, AS_OF), strength({ ...future, createdAt: AS_OF }, AS_OF));
});

Deno.test("copies of a text and posts of one voice count once", () => {
  const one = [match({ postId: "a", voice: "v", textKey: "t" })];
  const sameVoice = [...one, match({ postId: "b", voice: "v", textKey: "u" })];
  const sameText = [...one, match({ postId: "c", voice: "w", textKey: "t" })];
  const score = formulaScore(one, AS_OF);
  assertEquals(formulaScore(sameVoice, AS_OF), score);
  assertEquals(formulaScore(sameText, AS_OF), score);
  assertGreater(formulaScore([...one, match({ postId: "d" })], AS_OF), score);
});

Deno.test("nothing scores 0, a lone post is cold, a crowd is hot, and nothing exceeds 100", () => {
  const crowd = (count: number) =>
    formulaScore(Array.from({ length: count }, (_, i) => match({ postId: `p${i}` })), AS_OF);
  assertEquals(formulaScore([], AS_OF), 0);
  assertLess(crowd(1) + 15, 35);
  assertEquals(temperature(crowd(10)), "warm");
  assertEquals(temperature(crowd(40)), "hot");
  assertEquals(crowd(2_000), 100);
});

Deno.test("temperatures change at 35 and 65", () => {
  assertEquals([0, 34.9, 35, 64.9, 65, 100].map(temperature), [
    "cold",
    "cold",
    "warm",
    "warm",
    "hot",
    "hot",
  ]);
});

Deno.test("the model moves the score by at most 15 points and never out of 0 to 100", () => {
  assertEquals(shiftedScore(50, 7.26), 57.3);
  assertEquals(shiftedScore(50, 900), 65);
  assertEquals(shiftedScore(50, -900), 35);
  assertEquals(shiftedScore(95, 15), 100);
  assertEquals(shiftedScore(5, -15), 0);
  assertEquals(shiftedScore(50, NaN), 50);
  assert(shiftedScore(50, Infinity) === 50);
});
