import { assert, assertEquals, assertLess } from "@std/assert";
import { classify, possibleDemand } from "../../../mining/classify/mod.ts";
import { extract } from "../../../mining/extract/mod.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { tokenize } from "../../../mining/extract/tokens.ts";
import { MAX_FACTS, verify } from "../../../mining/extract/verify.ts";
import { demoPosts } from "../../../mining/demo/mod.ts";
import { assertQuick } from "../../support/time.ts";

const SURE = { likelihood: 0.9, unphysical: 0.05, pattern: "recommendation_request" } as const;
const POST = {
  title: "Looking for a quiet mechanical keyboard under $100",
  body:
    "My old Razer Blackwidow died after a year. It is for the office, and has to work with Linux.\n\n" +
    "I have looked at the Filco Majestouch. Wide keys are nice & welcome.",
  community: "keyboards",
};

Deno.test("a post's product, price, rivals and complaint are read", () => {
  const read = extract(POST, SURE)!;
  assertEquals(read.kind, "keyboard");
  assertEquals(read.product, "mechanical keyboard");
  const values = read.facts.map(({ type, value }) => `${type}: ${value}`);
  for (const wanted of ["price: <=100 usd", "attribute: quiet", "considered: filco majestouch"]) {
    assert(values.includes(wanted), `${wanted} is not among ${values.join("; ")}`);
  }
  assert(read.facts.some(({ span }) => span.includes("Blackwidow")));
});

Deno.test("every span of every reading is verbatim, in order, and no fact is said twice", () => {
  let facts = 0;
  for (const post of demoPosts(new Date("2024-01-01T00:00:00Z"))) {
    const read = extract(post, SURE);
    if (read === null) continue;
    const text = `${post.title}\n${post.body}`;
    const seen = new Set<string>();
    let before = 0;
    for (const { type, start, end, span, value, certainty } of read.facts) {
      assertEquals(text.slice(start, end), span);
      assert(start >= before && value !== "" && value === value.toLowerCase());
      assert(certainty >= 0 && certainty <= 1 && FACT_TYPES.includes(type));
      assert(!seen.has(`${type}:${value}`));
      seen.add(`${type}:${value}`);
      before = start;
      facts++;
    }
    assert(read.facts.length <= MAX_FACTS);
  }
  assert(facts > 300, String(facts));
});

Deno.test("the same post is read the same, whatever was read in between", () => {
  const first = extract(POST, SURE);
  for (let i = 0; i < 30; i++) extract({ ...POST, title: `Number ${i} of a tent` }, SURE);
  assertEquals(extract(POST, SURE), first);
});

Deno.test("what is no demand is not read", () => {
  assertEquals(extract(POST, null), null);
  assertEquals(extract({ title: "", body: "", community: "" }), null);
});

Deno.test("who is about to buy is likelier to want something than who only talks about it", () => {
  const certainty = (title: string, body: string): number =>
    extract({ title, body, community: "" })?.certainty ?? 0;
  for (
    const [thing, need] of [["tent", "light"], ["headlamp", "bright"], ["backpack", "sturdy"]]
  ) {
    const asks = certainty(
      `Which ${thing} for two weeks outdoors?`,
      `It has to be ${need}. Budget $90.`,
    );
    assertLess(0.7, asks, thing);
    const talks = certainty(`Thoughts on a ${thing}`, "Do people use one for this?");
    assertLess(talks, asks - 0.2, thing);
  }
});

Deno.test("what the classifier doubts is read, and the reading says how doubtful it is", () => {
  const all = demoPosts(new Date("2024-01-01T00:00:00Z"));
  const doubted = all.filter((post) => classify(post) === null && possibleDemand(post) !== null);
  assert(doubted.length > 0);
  assert(all.every((post) => classify(post) === null || possibleDemand(post) !== null));
  for (const post of doubted) assertLess(extract(post)?.certainty ?? 0, 0.9, post.title);
});

Deno.test("a part is read with the measure before it, and a property is not", () => {
  const read = (title: string): string[] =>
    extract({ title, body: "", community: "" }, SURE)!.facts.map(({ span }) => span);
  assert(
    !read("Looking for a 2 person waterproof tent").some((span) => /^2 .*waterproof/.test(span)),
  );
  assert(read("Looking for a 2 person waterproof tent").includes("waterproof"));
  assert(read("Recommend a 4 core quiet server").includes("quiet"));
});

Deno.test("text past what is read changes nothing", () => {
  const body = "I need a tent for two. ".repeat(90);
  const longer = body + "It must be red. ".repeat(2000);
  const read = (text: string) => extract({ title: "Tent?", body: text, community: "" }, SURE);
  assertEquals(read(longer), read(body.slice(0, 1800)));
});

/** Texts meant to hurt. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["one word", "a".repeat(120_000)],
  ["digits", "1".repeat(120_000)],
  ["digits and spaces", "12 ".repeat(40_000)],
  ["money", "$1,000-".repeat(20_000)],
  ["marks", "(-/&;:,.".repeat(15_000)],
  ["line ends", "\n".repeat(120_000)],
  ["labels", "Budget: \n".repeat(15_000)],
  ["entities", "&amp;&#x200B;&lt;".repeat(8_000)],
  ["open links", "](http://".repeat(15_000)],
  ["half pairs", "\ud83d".repeat(60_000)],
  ["another script", "ищу хороший рюкзак ".repeat(6_000)],
  ["cue words", "looking for a quiet cheap keyboard for my mac ".repeat(2_500)],
];

for (const [name, body] of HOSTILE) {
  Deno.test(`a post of ${name} is read in bounded time`, async () => {
    extract(POST, SURE);
    const read = await assertQuick(1_500, () => {
      extract({ title: body, body, community: body.slice(0, 50) }, SURE);
      return extract({ title: POST.title, body, community: "" }, SURE);
    }, name);
    const text = `${POST.title}\n${body}`;
    for (const { start, end, span } of read?.facts ?? []) {
      assertEquals(text.slice(start, end), span);
    }
  });
}

Deno.test("tokens stand where they are said to stand", () => {
  const tokens = tokenize({
    title: "Sony's 16gb, 3d-ready",
    body: "- **Budget**: $1,000 &amp; up",
  });
  assertEquals(tokens.word, [
    "sony",
    "16",
    "gb",
    ",",
    "3d",
    "-",
    "ready",
    "budget",
    ":",
    "$",
    "1,000",
    "&",
    "up",
  ]);
  tokens.word.forEach((_, i) => assertLess(tokens.start[i]!, tokens.end[i]!));
  assertEquals(tokens.lines[1]!.listed, true);
  assertEquals(tokens.lines[1]!.label - tokens.lines[1]!.from, 2);
});

Deno.test("a long title is read up to its bound once, whatever lines it has", () => {
  const words = Array.from({ length: 200 }, (_, n) => `w${String(n).padStart(4, "0")}x`);
  const wordsOf = (title: string) => tokenize({ title, body: "the body" }).word;
  const read = [...words.slice(0, 57), "w", "the", "body"];
  assertEquals(wordsOf(words.join(" ")), read);
  assertEquals(wordsOf(words.join("\n")), read);
  assertEquals(wordsOf(words.join(" ").replace(" ", "\n")), read);
  const lateBreak = `${words.slice(0, 60).join(" ")}\n${words.slice(60).join(" ")}`;
  assertEquals(wordsOf(lateBreak), read);
});

const CLAIM = {
  product: "Mechanical Keyboards",
  kind: "keyboard",
  product_span: "mechanical keyboard",
  facts: [
    { type: "price", span: "under $100", value: "" },
    { type: "attribute", span: "quiet", value: "Quiet" },
    { type: "compat", span: "Linux", value: "linux" },
  ],
};

Deno.test("a claimed reading is checked against the post, whoever read", () => {
  const read = verify(POST, CLAIM)!;
  assertEquals([read.product, read.kind], ["mechanical keyboard", "keyboard"]);
  const text = `${POST.title}\n${POST.body}`;
  assertEquals(text.slice(read.productSpan!.start, read.productSpan!.end), "mechanical keyboard");
  assertEquals(read.facts.map(({ type, value }) => [type, value]), [
    ["attribute", "quiet"],
    ["price", "<=100 usd"],
    ["compat", "linux"],
  ]);
});

Deno.test("what a claim says beyond the post is dropped", () => {
  const facts = [
    ...CLAIM.facts,
    { type: "attribute", span: "Quiet", value: "quiet" },
    { type: "attribute", span: "waterproof", value: "waterproof" },
    { type: "colour", span: "old", value: "old" },
    { type: "attribute", span: "quiet", value: "silent" },
    { type: "compat", span: "Linux", value: "linux" },
    { type: "use", span: "...", value: "x" },
    { type: "use", span: "", value: "office" },
  ];
  assertEquals(verify(POST, { ...CLAIM, facts })!.facts.length, 3);
  const many = Array.from({ length: 40 }, (_, i) => ({
    type: "use",
    span: POST.body.slice(i, i + 9),
    value: `value ${i}`,
  }));
  assertLess(verify(POST, { ...CLAIM, facts: many })!.facts.length, MAX_FACTS + 1);
  assertEquals(verify(POST, { ...CLAIM, product_span: "nowhere" })!.productSpan, null);
  assertEquals(verify(POST, { ...CLAIM, product: "", kind: "" }), null);
});
