import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { matchCorpus, matchLive } from "../../../gauge/match/corpus.ts";
import { askedWordsOf, shownOf } from "../../../gauge/evidence/quotes.ts";
import { findKinds as realKinds } from "../../../gauge/query/kinds.ts";
import { readQuery } from "../../../gauge/query/read.ts";
import type { Database } from "../../../db/sql.ts";
import { testOnce } from "../../support/database.ts";
import { findKinds, match, type Seed, seed } from "../support/corpus.ts";
import { gaugeOn, liveSignal } from "../support/gauge.ts";
import { NEVER } from "../../support/time.ts";

const MOUSE = { kind: "computer mouse", product: "mouse", title: "Which mouse to buy" } as const;
const SEEDS: readonly Seed[] = [
  { ...MOUSE, id: "m1", quote: "A mouse for gaming.", body: "A mouse for gaming." },
  {
    ...MOUSE,
    id: "m2",
    quote: "Only for work, no gaming.",
    body: "Only for work, no gaming.",
    ruledOut: ["game"],
  },
];

const read = (database: Database, query: string) =>
  readQuery(database.sql, { query, category: null }, findKinds);

testOnce("who rules a thing out does not state it", async (test) => {
  await seed(test.database, SEEDS);
  const query = await read(test.database, "gaming mouse");
  const { matches, stating } = await matchCorpus(test.database.sql, query, null);
  assertEquals(matches.map(({ postId, met }) => [postId, met]), [["m1", 1], ["m2", 0]]);
  assertEquals(stating.reduce((sum, { met, people }) => sum + met * people, 0), 1);
});

testOnce(
  "words that are not the author's are neither stated nor ruled out",
  async ({ database }) => {
    await seed(database, [
      SEEDS[0]!,
      { ...MOUSE, id: "m3", quote: "Which mouse?", body: "Is it for gaming?", unsaid: ["game"] },
    ]);
    for (const query of ["gaming mouse", "mouse without gaming"]) {
      const { matches } = await matchCorpus(database.sql, await read(database, query), null);
      assertEquals(matches.find(({ postId }) => postId === "m3")?.met, 0, query);
    }
    const found = liveSignal("k9", "A kettle", { body: "> Is it for camping?" });
    const quoting = { ...found, signal: { ...found.signal, unsaid: ["camping"] } };
    for (const query of ["kettle for camping", "kettle without camping"]) {
      const [match] = await matchLive(database.sql, await read(database, query), [quoting]);
      assertEquals(match?.met, 0, query);
    }
  },
);

testOnce("a post found live states nothing that it rules out", async (test) => {
  await seed(test.database, SEEDS);
  const found = liveSignal("k9", "A kettle", { body: "Not for camping." });
  const kettle = { ...found, signal: { ...found.signal, ruledOut: ["camping"] } };
  const query = await read(test.database, "kettle for camping");
  const met = async (...signals: (typeof found)[]) =>
    (await matchLive(test.database.sql, query, signals)).map((one) => one.met);
  assertEquals(await met(found), [1]);
  assertEquals(await met(kettle), [0]);
});

testOnce("a sentence that rules out what is asked is no quote", async (test) => {
  const { plan } = await read(test.database, "gaming mouse");
  const body = "No gaming. I want a mouse for games at night. Thanks for reading it.";
  const shown = match({ postId: "m3", quote: "No gaming." });
  const text = { title: "Help me", body, community: "things" };
  const { quote } = shownOf(shown, text, askedWordsOf(plan));
  assertEquals(quote, "I want a mouse for games at night.");
  assert(
    !shownOf(shown, { ...text, body: "No gaming. The mouse is for work." }, askedWordsOf(plan))
      .quote
      .includes("gaming"),
  );
});

const LAPTOP = { kind: "laptop", title: "Which laptop?" } as const;
const FANS: readonly Seed[] = [
  {
    ...LAPTOP,
    id: "f1",
    quote: "Which laptop?",
    body: "It is for writing. It should be light, no fan. Thanks for the help.",
    ruledOut: ["fan"],
  },
  { ...LAPTOP, id: "f2", quote: "One with a fan that is strong.", facts: [["attribute", "fan"]] },
  { ...LAPTOP, id: "f3", quote: "Something passive.", facts: [["attribute", "fanless"]] },
  { ...LAPTOP, id: "f4", quote: "For school." },
];

testOnce("what a query rules out is a want of those who rule it out", async ({ database }) => {
  await seed(database, FANS);
  const gauge = gaugeOn(database, { findKinds: realKinds });
  const ask = (query: string) => gauge.gauge({ query, category: null }, NEVER);
  for (const query of ["laptop without a fan", "no fan laptop", "laptop that doesn't have a fan"]) {
    const read = await readQuery(database.sql, { query, category: null }, realKinds);
    const { matches } = await matchCorpus(database.sql, read, null);
    const met = new Map(matches.map((one) => [one.postId, one.met]));
    assertEquals([...met].filter(([, bits]) => bits === 1).map(([id]) => id).sort(), [
      "f1",
      "f3",
    ], query);
  }
  const { funnel, rationale, topEvidence } = await ask("laptop without a fan");
  assertEquals(funnel.wants, [{ want: "without a fan", count: 2 }]);
  assertStringIncludes(rationale, ': 2 want "without a fan"');
  assertStringIncludes(topEvidence[0]?.quote ?? "", "no fan");
});

testOnce("two things that are ruled out are two wants", async ({ database }) => {
  await seed(database, FANS);
  const named = async (query: string) =>
    (await readQuery(database.sql, { query, category: null }, realKinds)).plan.wants
      .map(({ name }) => name);
  assertEquals(await named("laptop without a fan or a camera"), [
    "without a fan",
    "without camera",
  ]);
  assertEquals(await named("laptop without losing speed"), ["losing speed"]);
  // However a denial is written.
  for (
    const query of [
      "laptop sans fan",
      "fan free laptop",
      "laptop free of fans",
      "laptop that never needs a fan",
      "laptop that won't need a fan",
      "laptop that has zero fans",
      "non-fan laptop",
      "no fan laptop",
    ]
  ) {
    const { plan } = await readQuery(database.sql, { query, category: null }, realKinds);
    const [first] = plan.wants.flatMap(({ levels }) => levels);
    assertEquals(first?.groups, [["x/fan"]], query);
  }
  // What readers know as one value is met by its other wordings, and by those who rule the thing out.
  const { plan } = await readQuery(
    database.sql,
    { query: "plastic free laptop", category: null },
    realKinds,
  );
  const groups = plan.wants.flatMap(({ levels }) => levels.flatMap((level) => level.groups));
  assert(groups.some((group) => group.join(" ") === "x/plastic"));
  assert(groups.some((group) => group.join(" ") === "plastic free"));
  assertEquals(await named("non-gaming laptop"), ["non gaming"]);
  assertEquals(await named("no gaming laptop"), ["no gaming"]);
  assertEquals(await named("laptop with neither a fan nor a camera"), ["no fan", "no camera"]);
  assertEquals(await named("laptop that does not wobble"), ["doesn't wobble"]);
  assertEquals(await named("laptop that doesn't wobble"), ["doesn't wobble"]);
  assertEquals(await named("laptop not only for gaming"), ["gaming"]);
});

testOnce("what is excepted is ruled out, whose it is as well", async ({ database: { sql } }) => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["laptop not made by apple", "laptop", "not made by apple"],
    ["laptop not from Dell", "laptop", "not from dell"],
    ["headphones other than Beats", "headphones", "not beats"],
    ["anything but Beats headphones", "headphones", "not beats"],
    ["laptop excluding Dell", "laptop", "not dell"],
    ["non-apple laptop", "laptop", "non apple"],
    ["laptop without windows 8", "laptop", "without windows 8"],
    ["jacket that isn't plastic", "jacket", "isn't plastic"],
    ["keyboard that isn't mechanical", "keyboard", "isn't mechanical"],
    ["non-mechanical keyboard", "keyboard", "non mechanical"],
    ["non-electric kettle", "kettle", "non electric"],
    ["kettle (not electric), the first one or the next one", "kettle", "not electric"],
    ["kettle (not electric) because people ask", "kettle", "not electric"],
  ];
  for (const [query, product, name] of cases) {
    const { plan, ...read } = await readQuery(sql, { query, category: null }, realKinds);
    assertEquals([read.product, ...plan.wants.map((one) => one.name)], [product, name], query);
    assert(plan.wants[0]?.levels[0]?.groups.flat().every((term) => term.startsWith("x/")), query);
  }
});

testOnce("who names no brand would take any but the one that is ruled out", async (test) => {
  await seed(test.database, [
    { ...LAPTOP, id: "b1", quote: "For school." },
    { ...LAPTOP, id: "b2", quote: "Nothing by Apple.", ruledOut: ["appl"] },
  ]);
  const gauge = gaugeOn(test.database, { findKinds: realKinds });
  const { funnel, rationale } = await gauge.gauge(
    { query: "laptop not made by apple", category: null },
    NEVER,
  );
  assertEquals([funnel.askingForProduct, funnel.statingAll, funnel.wants], [2, 2, []]);
  assertStringIncludes(rationale, '"not made by apple" was not used to narrow the count');
});

testOnce(
  "a name that the product is compared to narrows nothing",
  async ({ database: { sql } }) => {
    const cases: readonly (readonly [string, string, ...string[]])[] = [
      ["a better alternative to the kindle", "e-reader", "kindle"],
      ["something better than a Leatherman", "multi-tool", "leatherman"],
      ["headphones like the HD 598", "headphones", "hd 598"],
      ["a substitute for a macbook", "laptop", "macbook"],
      ["office chair like a Herman Miller Aeron", "office chair", "herman miller aeron"],
      ["backpack such as an Osprey or a Kelty", "backpack", "osprey or kelty"],
      ["tent (Hilleberg or similar)", "tent", "hilleberg"],
      // A name that no list has is a word that nobody uses.
      ["backpack like a Zogbed", "backpack", "zogbed"],
      ["sleeping pad comparable to the Zogbed", "sleeping pad", "zogbed"],
    ];
    for (const [query, product, name] of cases) {
      const { plan, ...read } = await readQuery(sql, { query, category: null }, realKinds);
      assertEquals(
        [read.product, ...plan.wants.map((one) => [one.name, one.counted !== "always"])],
        [product, [name, true]],
        query,
      );
    }
    // What it is compared to by no name is asked.
    const plain = await readQuery(sql, { query: "shoes like slippers", category: null }, realKinds);
    assert(plain.plan.wants.every(({ counted }) => counted === "always"));
  },
);

testOnce("what only sets the product apart narrows nothing", async ({ database: { sql } }) => {
  const asides = async (query: string): Promise<(readonly [string, boolean])[]> => {
    const { plan } = await readQuery(sql, { query, category: null }, realKinds);
    return plan.wants.map(({ name, counted }) => [name, counted !== "always"]);
  };
  for (
    const [query, name] of [
      ["hardware synthesizer, not software", "not software"],
      ["kayak, not for rapids", "not for rapids"],
      ["pedal other than a Boss DD-7", "not a boss dd 7"],
    ] as const
  ) assertEquals((await asides(query)).filter(([, aside]) => aside), [[name, true]], query);
  assertEquals(await asides("laptop that is not glossy"), [["not glossy", false]]);
  assertEquals(await asides("office chair, not a Herman Miller price tag"), []);
  // How it should be is asked, however it is said.
  assertEquals(await asides("pillow not too soft"), [["not too soft", false]]);
  assertEquals(await asides("mug not plastic"), [["not plastic", false]]);
  assertEquals(await asides("knife that is never dull"), [["never dull", false]]);
  assertEquals(await asides("laptop without glare"), [["without glare", false]]);
});
