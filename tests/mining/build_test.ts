import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import type { CardSignal } from "../../db/signals.ts";
import { buildCard, distinctVoices } from "../../mining/cards/build.ts";
import { fullCard } from "../../mining/cards/queries.ts";

const AS_OF = new Date("2026-11-01T00:00:00Z");

function signal(n: number, over: Partial<CardSignal> = {}): CardSignal {
  return {
    postId: `p${n}`,
    opportunityId: "opp_x",
    pattern: "unmet_need",
    also: null,
    category: "kitchen",
    product: "kettle",
    kind: "kettle",
    need: null,
    brands: [],
    spoken: [],
    intensity: 2,
    wtp: 1,
    confidence: 0.8,
    sureness: 0.9,
    shown: 0.9,
    voice: `v${n}`,
    textKey: `t${n}`,
    upvotes: 10,
    createdAt: new Date(AS_OF.getTime() - n * DAY_MS),
    ...over,
  };
}
const build = (signals: readonly CardSignal[], asOf = AS_OF) => buildCard(signals, null, asOf);

Deno.test("one author counts once however often it posts", () => {
  const loud = Array.from({ length: 50 }, (_, n) => signal(n + 1, { voice: "loud", intensity: 3 }));
  const others = [signal(60), signal(61)];
  const once = build([...others, loud[0] ?? signal(1)]);
  const often = build([...others, ...loud]);
  assertEquals(often?.score, once?.score);
  assertEquals(often?.distinctAuthors, 3);
});

Deno.test("copies of one text count once whoever posts them", () => {
  const card = build([signal(1), signal(2, { textKey: "t1" }), signal(3, { textKey: "t1" })]);
  assertEquals(card?.signalCount, 1);
  assertEquals(card?.distinctAuthors, 1);
  assertEquals(card?.state, "forming");
});

Deno.test("a cluster is active from three signals of three voices on", () => {
  const three = [signal(1), signal(2), signal(3)];
  assertEquals(build(three.slice(0, 2))?.state, "forming");
  assertEquals(build([signal(1), signal(2), signal(3, { voice: "v1" })])?.state, "forming");
  assertEquals(build(three)?.state, "active");
});

Deno.test("a cluster is dormant when 90 times 24 hours went by without a signal, to the millisecond", () => {
  const newest = signal(0).createdAt.getTime();
  const three = [signal(0), signal(1), signal(2)];
  const after = (ms: number) => build(three, new Date(newest + 90 * DAY_MS + ms))?.state;
  assertEquals(after(-1), "active");
  assertEquals(after(0), "dormant");
  assertEquals(after(12 * 3_600_000), "dormant");
});

Deno.test("the score can be recomputed from what the full card serves", () => {
  for (const count of [3, 4, 7, 19, 53, 120]) {
    const signals = Array.from(
      { length: count },
      (_, n) => signal(n * 2, { intensity: n % 4, wtp: n % 3, confidence: 0.4 + (n % 7) / 13 }),
    );
    const draft = build(signals);
    assertExists(draft);
    const card = fullCard({ ...draft, id: "", slug: "", evidence: [], lastUpdated: "" }, "");
    const [f, i, w] = [card.freqScore, card.intensityScore, card.wtpScore].map((x) => x / 100);
    assertEquals(card.scoreVersion, "2");
    const score = 100 * (f ?? 0) ** 0.5 * (i ?? 0) ** 0.25 * (w ?? 0) ** 0.25;
    assertEquals(Math.round(score * 10) / 10, card.score);
  }
});

Deno.test("the order in which signals come makes no difference", () => {
  const signals = Array.from({ length: 40 }, (_, n) =>
    signal(n, {
      voice: `v${n % 13}`,
      textKey: `t${n % 17}`,
      intensity: n % 4,
      brands: n % 3 === 0 ? ["Bodum"] : ["Oxo", "Google"],
    }));
  const expected = build(signals);
  assertExists(expected);
  for (const order of [signals.toReversed(), [...signals.slice(20), ...signals.slice(0, 20)]]) {
    assertEquals(build(order), expected);
  }
});

Deno.test("a card leaves out brands that are not known for things like its own", () => {
  const stored = [signal(1), signal(2), signal(3)].map((one) => ({
    ...one,
    brands: ["Google", "Bodum"],
  }));
  assertEquals(build(stored)?.brands, [{ name: "Bodum", count: 3 }]);
});

Deno.test("authors are known only where every voice is one", () => {
  assertEquals(build([signal(1), signal(2), signal(3)])?.authorsKnown, true);
  assertEquals(build([signal(1), signal(2), signal(3, { voice: "t3" })])?.authorsKnown, false);
});

Deno.test("evidence is at most eight posts of different voices", () => {
  const signals = Array.from({ length: 30 }, (_, n) => signal(n, { voice: `v${n % 12}` }));
  const card = build(signals);
  assertEquals(card?.evidenceIds.length, 8);
  const voices = distinctVoices(signals).map(({ postId }) => postId);
  assert(card?.evidenceIds.every((id) => voices.includes(id)));
});

Deno.test("quotes that name the product are shown before popular ones that do not", () => {
  const vague = Array.from(
    { length: 8 },
    (_, n) => signal(n + 20, { shown: 0.2, upvotes: 900 }),
  );
  const card = build([...vague, signal(1), signal(2)]);
  assertEquals(card?.evidenceIds.slice(0, 2), ["p1", "p2"]);
});

Deno.test("a cluster without signals has no card", () => {
  assertEquals(build([]), null);
});

Deno.test("what a voice also asks for counts once however often it posts", () => {
  const loud = Array.from(
    { length: 5 },
    (_, n) => signal(n + 1, { voice: "loud", spoken: ["quiet"] }),
  );
  const card = build([...loud, signal(7, { spoken: ["quiet"] }), signal(8)]);
  assertStringIncludes(card?.summary ?? "", "Also asked for: a quiet one (2).");
});
