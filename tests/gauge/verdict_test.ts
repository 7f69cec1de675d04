/** What a verdict answers: the funnel, what it says of it, and whom it quotes. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { testOnce } from "../support/database.ts";
import { AS_OF, NOW, POSTS, type Seed, seed } from "./support/corpus.ts";
import { askOn, gaugeOn } from "./support/gauge.ts";
import { NEVER } from "../support/time.ts";

testOnce("the funnel counts who asks for it, who states each want, and who all", async (test) => {
  await seed(test.database, [
    { id: "k1", kind: "keyboard", title: "Keyboard", quote: "A quiet backlit one." },
    { id: "k2", kind: "keyboard", title: "Keyboard", quote: "A quiet one." },
    { id: "k3", kind: "keyboard", title: "Keyboard", quote: "Any one." },
    { id: "k4", kind: "keyboard", title: "Keyboard", quote: "Any other.", authorKey: "k3" },
  ]);
  const { funnel, rationale } = await askOn(test.database, "quiet backlit keyboard");
  assertEquals(funnel.product, "keyboard");
  assertEquals(funnel.askingForProduct, 3);
  assertEquals(funnel.wants.toSorted((a, b) => b.count - a.count), [
    { want: "quiet", count: 2 },
    { want: "backlit", count: 1 },
  ]);
  assertEquals(funnel.statingAll, 1);
  assertStringIncludes(rationale, '3 people ever asked for "keyboard"');
});

testOnce("no data, no demand for this, and something near are told apart", async (test) => {
  await seed(test.database, POSTS);
  const none = await askOn(test.database, "xylophone mallets");
  assertEquals(none.verdictScore, 0);
  assertStringIncludes(none.rationale, 'There is no data on "mallets"');
  assertStringIncludes(none.rationale, "2030-06-01");
  const unheard = await askOn(test.database, "edible laptop");
  assertEquals(unheard.demandTemperature, "cold");
  assertStringIncludes(unheard.rationale, 'asked for "laptop": none want "edible"');
  const near = await askOn(test.database, "edible laptop for college");
  assertStringIncludes(near.rationale, 'closest: 1 for "laptop: college"');
});

testOnce("the sentence that says most of what was asked is shown, word for word", async (test) => {
  const body =
    "I moved last month and have no kitchen yet. Which kettle is quiet enough for a small flat? " +
    "I would pay 40 dollars.";
  await seed(test.database, [{
    id: "k1",
    kind: "kettle",
    title: "Advice needed",
    quote: "I would pay 40 dollars.",
    body,
  }]);
  const quoteOf = async (query: string) =>
    (await askOn(test.database, query)).topEvidence[0]?.quote;
  assertEquals(await quoteOf("quiet kettle"), "Which kettle is quiet enough for a small flat?");
  assertEquals(await quoteOf("kettle under $50"), "I would pay 40 dollars.");
});

testOnce("a sentence shows no want by a word that only begins like it", async ({ database }) => {
  const body = "It is a yearly thing by now. I only want a slim wallet, nothing more than that.";
  await seed(database, [{
    id: "w1",
    kind: "wallet",
    title: "Advice?",
    quote: "It is a yearly thing by now.",
    body,
  }]);
  const { topEvidence: [first] } = await askOn(database, "thin wallet");
  assertEquals(first?.quote, "I only want a slim wallet, nothing more than that.");
  // And every word shows its own: "electr" is the stem of this one.
  const plain = "Looking for an electric one that fits. It stays under 50 watts on idle, they say.";
  const kettle = { id: "k9", kind: "kettle", title: "Advice?", quote: "Advice?", body: plain };
  await seed(database, [kettle]);
  const { topEvidence: [electric] } = await askOn(database, "electric kettle");
  assertEquals(electric?.quote, "Looking for an electric one that fits.");
});

testOnce("the same sentence of two people is shown once", async ({ database }) => {
  const posts = ["one", "two"].map((id): Seed => ({
    id,
    kind: "kettle",
    title: `Kettle ${id}`,
    quote: "Which quiet kettle should I buy?",
  }));
  await seed(database, posts);
  const { topEvidence, funnel } = await askOn(database, "quiet kettle");
  assertEquals([topEvidence.length, funnel.statingAll], [1, 2]);
});

testOnce("what was taken for a mistake is said, and what is only denied is none", async (test) => {
  await seed(test.database, [
    { id: "k1", kind: "kettle", title: "A retractable kettle", quote: "A retractable kettle?" },
    { id: "k2", kind: "kettle", title: "Kettle", quote: "Which kettle?", ruledOut: ["kink"] },
  ]);
  const { rationale } = await askOn(test.database, "retractible kettle");
  assertStringIncludes(rationale, '"retractible" was read as "retractable".');
  const { funnel } = await askOn(test.database, "kettle without kinks");
  assertEquals(funnel.wants, [{ want: "without kinks", count: 1 }]);
});

testOnce("evidence shows nobody twice", async ({ database }) => {
  await seed(database, [
    { id: "k1", kind: "kettle", title: "A quiet kettle", quote: "A quiet kettle, please." },
    {
      id: "k2",
      kind: "kettle",
      title: "Quiet kettle?",
      quote: "Still no quiet kettle.",
      authorKey: "k1",
    },
    { id: "k3", kind: "kettle", title: "Kettle", quote: "A quiet kettle, please.", text: "k1" },
  ]);
  assertEquals((await askOn(database, "quiet kettle")).topEvidence.length, 1);
});

testOnce(
  "who states what is listed states all of it, and a want is named with its denial",
  async (test) => {
    await seed(test.database, [
      { id: "p1", kind: "phone", title: "Phone with a keyboard", quote: "Which one has keys?" },
      { id: "k1", kind: "kettle", title: "My kettle leaks", quote: "It leaks every day." },
    ]);
    const { funnel } = await askOn(test.database, "phone with a physical keyboard");
    assertEquals([funnel.wants, funnel.statingAll], [[{ want: "keyboard", count: 1 }], 1]);
    const leaking = await askOn(test.database, "kettle that doesn't leak");
    assertEquals(leaking.funnel.wants.map(({ want }) => want), ["doesn't leak"]);
  },
);

testOnce("a category's verdict counts the category's signals", async ({ database }) => {
  await seed(database, [...POSTS, { ...POSTS[0], id: "a1", category: "audio" } as Seed]);
  const { rationale } = await gaugeOn(database, { findKinds })
    .gauge({ query: "chess set", category: "audio" }, NEVER);
  assert(rationale.includes("among 1 demand signal of the category audio"), rationale);
});

testOnce("that the category is not the product's own is said", async ({ database }) => {
  await seed(database, [
    { id: "t1", kind: "toaster", title: "A toaster", quote: "Which?", category: "kitchen" },
    { id: "t2", kind: "toaster", title: "For my laptop", quote: "A laptop?", category: "kitchen" },
  ]);
  const note = /"(\w+)" belongs to the category (\S+), which was not searched\./;
  const noteOn = async (query: string, category: string | null) =>
    note.exec((await askOn(database, query, category)).rationale)?.slice(1) ?? null;
  assertEquals(await noteOn("headphones", "kitchen"), ["headphones", "audio"]);
  assertEquals(await noteOn("laptop", "kitchen"), ["laptop", "computers"]);
  for (const category of ["kitchen", null]) assertEquals(await noteOn("toaster", category), null);
});

testOnce("a sum or a number that is not looked for is said", async ({ database }) => {
  await seed(database, [
    { id: "t1", kind: "tent", title: "A tent", quote: "q", facts: [["price", "~200 usd"]] },
  ]);
  const unused: readonly (readonly [string, string])[] = [
    ["tent under 1000 rupees", "under 1000 rupees"],
    ["tent HK$200", "HK$200"],
    ["tent 4", "4"],
  ];
  for (const [query, name] of unused) {
    const { funnel, rationale } = await askOn(database, query);
    assertEquals(funnel.wants, [], query);
    assertStringIncludes(rationale, `"${name}" was not used to narrow the count.`);
  }
  const { funnel, rationale } = await askOn(database, "tent C$200");
  assertEquals(funnel.wants, [{ want: "C$200", count: 1 }]);
  assertStringIncludes(rationale, '"C$200" was compared as it stands with the sums');
});

testOnce("a kept verdict has its fields in the order of a fresh one", async ({ database }) => {
  await seed(database, POSTS);
  const gauge = gaugeOn(database, { findKinds });
  const ask = () => gauge.gauge({ query: "laptop", category: null }, NEVER);
  const fresh = await ask();
  const kept = await ask();
  assertEquals(kept.cache, "hit");
  assertEquals(JSON.stringify({ ...kept, cache: "miss" }), JSON.stringify(fresh));
});

testOnce(
  "of many things that are asked each is counted, and amounts are looked for first",
  async (test) => {
    await seed(test.database, POSTS);
    const funnelWants = async (query: string) =>
      (await askOn(test.database, query)).funnel.wants.map(({ want }) => want);
    const long = await funnelWants(
      "laptop 15 inch under $800 with matte screen, ethernet port, thunderbolt and numpad",
    );
    for (const want of ["15 inch", "under $800", "matte screen", "numpad"]) {
      assert(long.includes(want), `${want} among ${long}`);
    }
    const kettle = await funnelWants("toaster whistling and copper and chrome");
    assert(kettle.includes("whistling"), kettle.join());
  },
);

testOnce("ages of an archive say what they are counted from", async ({ database }) => {
  await seed(database, POSTS);
  const said = async (now: Date) => {
    const gauge = gaugeOn(database, { findKinds, clock: { now: () => now } });
    return (await gauge.gauge({ query: "couch", category: null }, NEVER))
      .rationale;
  };
  assert((await said(NOW)).includes("In the last 180 days"));
  const later = new Date(AS_OF.getTime() + 30 * DAY_MS);
  const archive = await said(later);
  assert(archive.includes("In the 180 days before 2030-06-01"), archive);
});

testOnce(
  "those who want other products are shown where they state what is asked, and not else",
  async ({ database }) => {
    await seed(database, [
      { id: "p1", kind: "floor pump", title: "Which floor pump?", quote: "For road tires." },
      { id: "p2", kind: "hand pump", title: "Hand pump", quote: "One that can do 100 psi." },
      {
        id: "p3",
        kind: "water pump",
        title: "Water pump for a pond",
        quote: "It should be quiet.",
      },
      { id: "p4", kind: "air pump", title: "Air pump", quote: "A quiet one for my tank." },
    ]);
    const shown = async (query: string) =>
      (await askOn(database, query)).topEvidence.map(({ quote }) => quote).sort();
    assertEquals(await shown("breast pump"), []);
    assertEquals(await shown("quiet breast pump"), [
      "A quiet one for my tank.",
      "It should be quiet.",
    ]);
  },
);
