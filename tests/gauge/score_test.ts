import { assert, assertEquals, assertGreater, assertGreaterOrEqual, assertLess } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import {
  effectivePeople,
  scoreOfPeople,
  shiftedScore,
  strength,
  temperature,
  toldPeople,
  weight,
} from "../../gauge/score/verdict_score.ts";
import type { Match } from "../../gauge/types.ts";
import { evidenceOf } from "../../gauge/evidence/posts.ts";
import { AS_OF, match } from "./support/corpus.ts";

/** A small deterministic generator (Lehmer, modulus 2^31 - 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}

function someMatches(next: () => number, count: number): Match[] {
  return Array.from({ length: count }, (_, i) =>
    match({
      postId: `p${i}`,
      authorKey: `v${Math.floor(next() * count * 0.7)}`,
      textKey: `t${Math.floor(next() * count * 0.8)}`,
      relevance: 0.01 + 0.99 * next(),
      confidence: next(),
      intensity: Math.floor(next() * 4),
      wtp: Math.floor(next() * 4),
      met: Math.floor(next() * 2),
      createdAt: new Date(AS_OF.getTime() - next() * 900 * DAY_MS),
    }));
}

const formulaScore = (matches: readonly Match[], asOf: Date): number =>
  scoreOfPeople(effectivePeople(matches, 1, asOf));

const crowd = (count: number, parts: Partial<Match> = {}): Match[] =>
  Array.from({ length: count }, (_, i) => match({ postId: `p${i}`, ...parts }));

Deno.test("more evidence never lowers the score, and removing a post never raises it", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const matches = someMatches(random(seed * 7_919), 1 + seed);
    const beside = matches.map((match, i) => i % 3 === 0 ? match : { ...match, head: 0.4 });
    for (const all of [matches, beside]) {
      const whole = formulaScore(all, AS_OF);
      all.forEach((_, i) => {
        const fewer = formulaScore(all.filter((_, j) => j !== i), AS_OF);
        assertGreaterOrEqual(whole, fewer);
      });
    }
  }
});

Deno.test("those who want another product make nothing warm, however many and however old", () => {
  const other = crowd(500, { head: 0.4 });
  assertLess(formulaScore(other, AS_OF), 35);
  const these = Array.from({ length: 5 }, (_, i) => match({ postId: `q${i}` }));
  assertGreater(formulaScore([...these, ...other], AS_OF), formulaScore(these, AS_OF));
  assertLess(
    effectivePeople([...these, ...other], 1, AS_OF),
    effectivePeople(these, 1, AS_OF) + 1.6,
  );
  const old = new Date(AS_OF.getTime() - 400 * DAY_MS);
  const longAgo = crowd(500, { head: 0.4, createdAt: old });
  assertEquals(effectivePeople([...these, ...longAgo], 1, AS_OF), effectivePeople(these, 1, AS_OF));
});

Deno.test("three ordinary requests of late are warm, ten are hot, and fewer are neither", () => {
  const said = [1, 2, 3, 9, 10, 11].map((count) => temperature(formulaScore(crowd(count), AS_OF)));
  assertEquals(said, ["cold", "cold", "warm", "warm", "hot", "hot"]);
  assertEquals(formulaScore([], AS_OF), 0);
  assertEquals(formulaScore(crowd(2_000), AS_OF), 100);
});

Deno.test("who states a part makes it hot only beside some who state all of it", () => {
  const part = (count: number) => crowd(count, { met: 0, relevance: 0.8 });
  const whole = Array.from({ length: 3 }, (_, i) => match({ postId: `w${i}` }));
  assertEquals(temperature(formulaScore(part(5), AS_OF)), "warm");
  assertEquals(temperature(formulaScore(part(500), AS_OF)), "warm");
  assertEquals(temperature(formulaScore([...whole, ...part(500)], AS_OF)), "hot");
  // Nothing is asked that anybody could leave out.
  assertEquals(temperature(scoreOfPeople(effectivePeople(part(500), 0, AS_OF))), "hot");
});

Deno.test("the score grows with people without a step, and its words with it", () => {
  let before = 0;
  for (let step = 0; step <= 2_400; step++) {
    const people = step / 20;
    const score = scoreOfPeople(people);
    assertGreaterOrEqual(score, before);
    assertLess(score - before, 1.5);
    assertEquals(
      temperature(score),
      people < 3 ? "cold" : people < 10 ? "warm" : "hot",
      String(people),
    );
    before = score;
  }
  assertEquals([0, 3, 10, 100, 5_000].map(scoreOfPeople), [0, 35, 65, 100, 100]);
});

Deno.test("the people that are told agree with the temperature", () => {
  const told = [0, 0.4, 0.6, 2.4, 2.9, 3, 9.4, 9.9, 10, 99.9, 140.2].map(toldPeople);
  assertEquals(told, [0, 0, 1, 2, 2, 3, 9, 9, 10, 99, 140]);
});

Deno.test("who states little of what was asked, or spoke long ago, makes nothing warm", () => {
  assertLess(formulaScore(crowd(500, { relevance: 0.1 }), AS_OF), 35);
  const old = new Date(AS_OF.getTime() - 200 * DAY_MS);
  assertLess(formulaScore(crowd(500, { createdAt: old }), AS_OF), 35);
  assertGreater(formulaScore(crowd(1, { createdAt: old }), AS_OF), 0);
  const both = [...crowd(300, { relevance: 0.1 }), ...crowd(300, { createdAt: old })];
  assertLess(effectivePeople(both, 1, AS_OF), 3);
});

Deno.test("every part of a post's weight counts upwards, and age downwards", () => {
  const plain = match({ postId: "p", intensity: 0, wtp: 0, confidence: 0.5, relevance: 0.5 });
  const base = weight(plain);
  const better: Partial<Match>[] = [
    { intensity: 1 },
    { wtp: 1 },
    { confidence: 0.7 },
    { relevance: 0.9 },
  ];
  for (const part of better) assertGreater(weight({ ...plain, ...part }), base);
  assertEquals(weight(match({ postId: "p", intensity: 3, wtp: 3, confidence: 1 })), 1);
  const old = { ...plain, createdAt: new Date(AS_OF.getTime() - 720 * DAY_MS) };
  assertEquals(Math.round(100 * strength(old, AS_OF) / strength(plain, AS_OF)), 50);
  const future = match({ postId: "p", createdAt: new Date(AS_OF.getTime() + 9e9) });
  assertEquals(strength(future, AS_OF), strength({ ...future, createdAt: AS_OF }, AS_OF));
});

Deno.test("copies of a text and posts of one person count once", () => {
  const one = [match({ postId: "a", authorKey: "v", textKey: "t" })];
  const sameAuthor = [...one, match({ postId: "b", authorKey: "v", textKey: "u" })];
  const sameText = [...one, match({ postId: "c", authorKey: "w", textKey: "t" })];
  const score = formulaScore(one, AS_OF);
  assertEquals(formulaScore(sameAuthor, AS_OF), score);
  assertEquals(formulaScore(sameText, AS_OF), score);
  assertGreater(formulaScore([...one, match({ postId: "d" })], AS_OF), score);
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

Deno.test("evidence tells of the product: one post alone stands for those that do not", async () => {
  const plan = { head: [], wants: [], category: null };
  const shown = async (...parts: Partial<Match>[]) => {
    const matches = parts.map((part, i) => match({ postId: `p${i}`, ...part }));
    return (await evidenceOf(matches, plan, (all) => Promise.resolve(all))).map((one) =>
      one.postId
    );
  };
  assertEquals(await shown({}, { pattern: "workaround" }, { confidence: 0.5 }, {}), ["p0", "p3"]);
  assertEquals(await shown({ relevance: 0.1 }, { relevance: 0.1 }), ["p0"]);
  assertEquals(await shown({ pattern: "workaround" }, { confidence: 0.4 }), ["p0"]);
  assertEquals(await shown({ withheld: true }, { pattern: "workaround" }), ["p1"]);
  assertEquals(await shown({ head: 0.4, met: 0, relevance: 0.04 }, { head: 0.18, met: 0 }), []);
});

Deno.test("of little evidence a third post is shown that states as much as any", async () => {
  const want = { levels: [], share: 0.5, power: 0.5 } as const;
  const plan = { head: [], wants: [want, want], category: null };
  const shown = async (...parts: Partial<Match>[]) => {
    const matches = parts.map((part, i) => match({ postId: `p${i}`, ...part }));
    return (await evidenceOf(matches, plan, (all) => Promise.resolve(all))).map((one) =>
      one.postId
    );
  };
  const [best, other] = [{ relevance: 1, met: 3 }, { relevance: 0.6, met: 1 }];
  assertEquals(await shown(best, other, other), ["p0", "p1"]);
  assertEquals(await shown(best, other, { relevance: 0.5, met: 3 }), ["p0", "p1", "p2"]);
});

Deno.test("who gets by with something else counts less than who asks", () => {
  const asks = match({ postId: "p" });
  assertGreater(weight(asks), 2 * weight({ ...asks, pattern: "workaround" }));
});
