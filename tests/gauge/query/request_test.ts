/** What a query says besides what it asks for: that it asks, who asks, and what the product is anyway. */
import { assertEquals } from "@std/assert";
import type { Database } from "../../../db/sql.ts";
import { findKinds } from "../../../gauge/query/kinds.ts";
import { readQuery } from "../../../gauge/query/read.ts";
import { queryWords, saidIn } from "../../../gauge/query/said/mod.ts";
import { withoutAsking } from "../../../gauge/query/said/request.ts";
import { unaskedBy } from "../../../gauge/query/said/unasked.ts";
import { testOnce } from "../../support/database.ts";
import { idsOf, lookFor, seed } from "../support/corpus.ts";
import { gaugeOn } from "../support/gauge.ts";
import { NEVER } from "../../support/time.ts";

const said = (query: string): string => withoutAsking(query, findKinds).text;

Deno.test("words that ask are none of those that are asked for", () => {
  const asking: readonly (readonly [string, string])[] = [
    ["Find people who want a kettle.", "a kettle"],
    ["Is anyone in the market for a quiet kettle?", "a quiet kettle"],
    ["We are looking into kettles for tea: who wants one?", "kettles for tea"],
    ["Kettles that whistle - has anyone asked for one?", "Kettles that whistle"],
    ["I would like to buy a kettle; who else is after one?", "a kettle"],
    ["I want to know who is looking for a kettle", "a kettle"],
    ["what kettle should I get", "kettle"],
    ["a kettle that whistles, are people still asking for one?", "a kettle that whistles"],
    ["kettle with a gooseneck, is there unmet demand?", "kettle with a gooseneck"],
    ["Is anyone looking for a kettle right now?", "a kettle"],
    ["We are designing a kettle for tea. Who wants one?", "a kettle for tea"],
    ["I plan to make a kettle for tea. Do people want one?", "a kettle for tea"],
    ["I would like to sell kettles for tea", "kettles for tea"],
    ["I sell candles. Who wants a kettle?", "a kettle because I sell candles"],
    ["We build keyboards; is there demand for a kettle", "a kettle because We build keyboards"],
    ["We sell kettles; who wants tents", "tents because We sell kettles"],
    ["this year's kettle", "this year's kettle"],
    ["kettles from last season", "kettles from last season"],
    ["A kettle's what I'm after", "A kettle"],
    ["electric device that boils water, kettle", "kettle because electric device that boils water"],
    ["something to boil water in, a kettle", "a kettle because something to boil water in"],
    [
      "We sell tents. Should we add a quiet kettle for tea?",
      "quiet kettle for tea because Should we add a because We sell tents",
    ],
    [
      "I own a tent. Should kettles be quiet?",
      "kettles that be quiet because Should because I own a tent",
    ],
    ["best kettle? tent or none", "best kettle; tent or none"],
    ["tent that packs small, lantern", "tent that packs small, lantern"],
    ["washing machine, dryer", "washing machine, dryer"],
    ["something warm, not a tent, blanket", "something warm, not a tent, blanket"],
    ["do shoppers want zogs that whistle", "zogs that whistle because shoppers"],
    ["Kettles w/o a lid", "Kettles without a lid"],
    ["Kettle w/ thermometer", "Kettle with thermometer"],
    ["Kettle / teapot", "Kettle or teapot"],
    ["Gooseneck Kettle - electric, steel", "Gooseneck Kettle with electric, steel"],
    ["Kettle | steel | small", "Kettle with steel with small"],
    ["a tent which fits in a backpack", "a tent which fits in a backpack"],
    ["phone, which has a good camera", "phone, which has a good camera"],
    ["something which holds a phone", "something which holds a phone"],
    ["tire inflator with hose, gauge", "tire inflator with hose, gauge"],
    ["my broken phone screen repair kit", "my broken phone screen repair kit"],
    ["a tv w/out a stand", "a tv without a stand"],
    ["My laptop's what I need a bag for", "a bag for because laptop's"],
    ["light is what I need for my desk", "light for my desk"],
    ["my old kettle is leaking", "my kettle is leaking"],
    ["a bed for my old dog", "a bed for my old dog"],
    [
      "My tea gets cold, so which kettle do you all use?",
      "kettle because My tea gets cold you all use",
    ],
    [
      "I like my kettle, which electric one should I get",
      "electric kettle because I like my kettle I get",
    ],
    ["I edit videos, so point me to a laptop", "a laptop because edit videos"],
    [
      "What flashlight do you carry? I'd like one that fits my pocket",
      "flashlight that you carry because flashlight that fits my pocket",
    ],
    [
      "I hate the mess. What kettle do you bakers use?",
      "kettle that you bakers use because I hate the mess",
    ],
    [
      "my rack gets wet, which kettles really stay dry?",
      "kettles that really stay dry because my rack gets wet",
    ],
    [
      "Rain soaks my bivy bag, what's one that's dry?",
      "bivy bag that that's dry because Rain soaks my bivy bag",
    ],
    [
      "I hate my kettle, which one's better for tea?",
      "kettle that better for tea because I hate my kettle",
    ],
    ["My desk is small, any kettles that fit it?", "kettles that fit it because My desk is small"],
    ["my kettle, which leaks, is old", "my kettle, which leaks, is old"],
    ["welders can't find a helmet with a visor", "a helmet with a visor because welders"],
    ["laptops need a battery that lasts", "laptops need a battery that lasts"],
    ["Consumer need assessment: kettle for men", "kettle for men"],
    ["kettle: 2 liters, quiet", "kettle; 2 liters, quiet"],
    ["for small hands: kettle", "for small hands; kettle"],
    ["usb switch to share a keyboard", "usb switch to share a keyboard"],
    ["cooks purchasing a kettle", "a kettle because cooks"],
    ["a pair of boots", "boots"],
    ["a new line of kettles for offices", "kettles for offices"],
    ["a set of knives", "a set of knives"],
    [
      "Appliances which dry food, commonly known as food dehydrators",
      "food dehydrators because Appliances which dry food",
    ],
    ["users requesting a kettle", "a kettle because users"],
    ["How many people are shopping around for car insurance?", "car insurance"],
    [
      "Would anyone be after a cheap kettle? We've several on the shelf.",
      "a cheap kettle because We've several on the shelf",
    ],
    [
      "Our kitchen team is thinking of a kettle that whistles",
      "a kettle that whistles because kitchen team",
    ],
    ["We are considering a line of kettles for tea. How many people want one?", "kettles for tea"],
    ["Is a kettle that whistles something shoppers ask for?", "a kettle that whistles"],
    [
      "My desk is sorted, all that's missing is a kettle for tea",
      "a kettle for tea because desk is sorted",
    ],
    [
      "my keyboard is fine, it's the kettle I need with a lid",
      "the kettle with a lid because keyboard is fine",
    ],
    [
      "I have a freezer and knives, do people want a kettle",
      "a kettle because freezer and knives",
    ],
    ["got a pan and a pot, would a kettle sell too?", "a kettle because pan and a pot"],
    ["We do pans here. Thinking of kettles next", "kettles next because We do pans here"],
    ["thinking of getting myself a kettle", "a kettle"],
    [
      "pans are here; would customers also take a kettle for tea",
      "a kettle for tea because pans are here",
    ],
    ["Is there a market among cooks and bakers for kettles?", "kettles"],
    [
      "Tea drinkers who hate the mess: is a kettle what they'd buy next?",
      "a kettle because Tea drinkers who hate the mess",
    ],
    ["I should like one of those kettles", "kettles"],
    ["gooseneck/electric kettle", "gooseneck or electric kettle"],
    ["Do consumers plan to get a kettle to make tea", "a kettle to make tea because consumers"],
    ["Their job is far away, so they need a kettle", "a kettle because Their job is far away"],
    ["they would like to swap it for a kettle with a lid", "a kettle with a lid because like"],
    [
      "ants ate my kettle, who sells one that has a lid?",
      "kettle that that has a lid because ants ate my kettle",
    ],
    ["knives are here and now I want a kettle", "a kettle because knives"],
    [
      "a laptop with a fan and I want a quiet kitchen",
      "a laptop with a fan and I want a quiet kitchen",
    ],
    [
      "The cord of my mouse broke. I'd like one that is wireless",
      "mouse that is wireless because The cord of my mouse broke",
    ],
    ["I can't find a kettle that'll whistle", "a kettle that'll whistle"],
    [
      "I play guitar, where do I find a pedal that echoes?",
      "a pedal that echoes because play guitar",
    ],
    ["Typing is loud - is there a quiet keyboard?", "a quiet keyboard because Typing is loud"],
    ["My plan's to build a kettle for tea. Would anyone buy one?", "a kettle for tea"],
    ["Concept check: kettle for tea", "kettle for tea"],
    ["Which kettle? checking how many buyers ask", "Which kettle"],
    ["binoculars for looking at the sky", "binoculars for looking at the sky"],
    ["the bag in which my laptop fits", "the bag in which my laptop fits"],
    ["I make smoothies and my kettle leaks", "I make smoothies and my kettle leaks"],
  ];
  for (const [query, rest] of asking) assertEquals(said(query), rest, query);
});

testOnce("a verb with on or in says how the product behind it is", async ({ database }) => {
  await seed(database, []);
  const productOf = async (query: string): Promise<string> =>
    (await readQuery(database.sql, { query, category: null }, findKinds)).product;
  assertEquals(await productOf("clip on lamp"), "lamp");
  assertEquals(await productOf("carry on backpack"), "backpack");
  assertEquals(await productOf("roll-on deodorant"), "deodorant");
  assertEquals(await productOf("lamp on the desk"), "lamp");
  assertEquals(await productOf("deodorant cream"), "deodorant");
});

Deno.test("a comma joins what the query joins", () => {
  const words = (query: string): string => queryWords(query, findKinds).join(" ");
  assertEquals(words("tents, tarps or bivies"), "tents or tarps or bivies");
  assertEquals(
    words("a chair for reading, gaming or work, with armrests"),
    "a chair for reading or gaming or work and with armrests",
  );
  assertEquals(words("a bike, i.e. one for work"), "a bike that is one for work");
  assertEquals(
    words("something for my back, i.e. a pillow"),
    "something for my back and like a pillow",
  );
});

Deno.test("a word that is only repeated is one", () => {
  const words = (query: string): string => queryWords(query, findKinds).join(" ");
  assertEquals(words("lamp bright bright Bright bright"), "lamp bright");
  assertEquals(words("bora bora shirt"), "bora bora shirt");
});

Deno.test("whoever asks stands behind what is asked for", () => {
  assertEquals(
    said("Find women with big hands who are looking for gloves"),
    "gloves because women with big hands",
  );
  assertEquals(said("Which dog owners want a bed?"), "a bed because dog owners");
  assertEquals(said("Which gaming mouse do I pick?"), "gaming mouse");
  assertEquals(said("which kettle do I trust with tea"), "kettle that I trust with tea");
  assertEquals(said("kettle: current buyer demand"), "kettle");
  assertEquals(said("A quiet kettle. Demand level?"), "A quiet kettle");
  for (const query of ["on demand volume control", "demand strength patch", "level kettle"]) {
    assertEquals(said(query), query);
  }
  assertEquals(said("kettle, not shiny (matte steel)"), "kettle, not shiny, matte steel");
  assertEquals(said("We are checking demand for a kettle"), "a kettle because We are checking");
  // A clause of its own may say how the product is.
  assertEquals(said("left handed: kettle"), "left handed; kettle");
  assertEquals(said("guitarists shopping for an echo"), "an echo because guitarists");
  assertEquals(
    said("drivers replacing the factory radio with one that has bluetooth"),
    "the factory radio with one that has bluetooth because drivers",
  );
  assertEquals(
    said("film fans who would rather watch at home, and ask which projector to get"),
    "projector because film fans who would rather watch at home, and ask ",
  );
  assertEquals(
    said("I want to pack light; which tent suits that?"),
    "tent because I want to pack light",
  );
});

Deno.test("sentences behind a title tell of people where they speak of them", () => {
  assertEquals(
    said("Quiet kettle. We drink tea all day and have a toaster already"),
    "Quiet kettle because We drink tea all day and have a toaster already",
  );
  for (
    const query of ["Laptop. Has to handle films", "My kettle leaks; teapot"]
  ) assertEquals(said(query), query.replace(".", ";"));
});

Deno.test("a pair is of what others name, and who hunts for it asks", () => {
  assertEquals(
    said("I sell gloves. Is anybody after a pair that's waterproof?"),
    "gloves that's waterproof because I sell gloves",
  );
  assertEquals(said("Are people hunting for a kettle?"), "a kettle");
  assertEquals(said("Does a market exist for a kettle"), "a kettle");
  assertEquals(said("boots for hunting for ducks"), "boots for hunting for ducks");
});

Deno.test("a product that stands first is not asked for by what is said behind it", () => {
  for (
    const query of [
      "kettle I need for a stove",
      "bike rack people want for a hatchback",
      "hutch with room for a microwave",
      "pinata for kids who want a bike",
      "gift for my wife who is going to make a quilt",
      "lid that will not get a scratch",
      "thing that will quickly get a cork out of a bottle",
    ]
  ) assertEquals(said(query), query);
  assertEquals(
    said("I want a laptop because my kid wants a tablet"),
    "a laptop because my kid wants a tablet",
  );
});

Deno.test("what people have, who ask, is not what they ask for", () => {
  const asking: readonly (readonly [string, string])[] = [
    ["I study law and need a laptop", "a laptop because study law"],
    [
      "cooks with gas stoves are looking for a kettle that whistles",
      "a kettle that whistles because cooks with gas stoves",
    ],
    [
      "people who mow the lawn and run chainsaws want earbuds",
      "earbuds because people who mow the lawn and run chainsaws",
    ],
    [
      "do workers with two laptops want a zorb that charges",
      "a zorb that charges because workers with two laptops",
    ],
    [
      "parents who don't want their kid on a tablet are looking for a phone",
      "a phone because parents who don't want their kid on a tablet",
    ],
    [
      "parents buying a console and a tv, would they also pay for a router",
      "a router because parents buying a console and a tv",
    ],
    [
      "anglers and dog walkers wanting a head torch",
      "a head torch because anglers and dog walkers",
    ],
    [
      "care homes that buy wheelchairs from us keep asking about a bed",
      "a bed because care homes that buy wheelchairs from",
    ],
    [
      "runners who want shoes that they could buy with a wide toe box",
      "shoes that they could buy with a wide toe box because runners",
    ],
    [
      "what nurses really ask for is a shoe that grips",
      "a shoe that grips because nurses",
    ],
    [
      "with nets and tarps sold apart, is there a gap for a tent",
      "a tent because nets and tarps sold apart",
    ],
    [
      "plumbers with a phone on a stick would buy a camera",
      "a camera because plumbers with a phone on a stick",
    ],
    [
      "is a phone with big buttons wanted by parents",
      "a phone with big buttons because  by parents",
    ],
    // Earphones stay what is wanted.
    [
      "runners whose earphones fall out and want a tougher pair",
      "runners whose earphones fall out and want a tougher pair",
    ],
    ["apps that help me buy shoes", "apps that help me buy shoes"],
  ];
  for (const [query, rest] of asking) assertEquals(said(query), rest, query);
});

Deno.test("products that do something are no people who ask", () => {
  for (
    const query of ["air fryers replacing microwave ovens", "hair dryers replacing towels"]
  ) assertEquals(said(query), query);
});

Deno.test("what a product needs is not what is asked for", () => {
  for (
    const query of [
      "laptops for students who need long battery life",
      "shoes that need no laces",
      "laptop for students needing long battery life",
      "printers needing no ink",
      "something for picking up leaves",
      "a mask for people who need oxygen",
      "jacket that I need for hiking",
      "need want",
    ]
  ) assertEquals(said(query), query);
});

Deno.test("a list of examples that has no end is read at once", () => {
  const query = `x like a${", or a".repeat(31)}%`;
  assertEquals(saidIn(query, findKinds).words[0], "x");
  const { words } = saidIn("footwear such as pumps, sandals and flats", findKinds);
  assertEquals(words.join(" "), "footwear such as pumps or sandals or flats");
});

async function find(database: Database, query: string) {
  const { read, matches } = await lookFor(database, query, findKinds);
  return {
    product: read.product,
    wants: read.plan.wants.filter(({ power }) => power > 0.2).map(({ name }) => name),
    ids: idsOf(matches.filter(({ relevance, head }) => head >= 0.5 && relevance >= 0.5)),
  };
}

testOnce("two wordings of one request ask for the same", async ({ database }) => {
  await seed(database, [
    ...[
      ["b1", "bike", "Which bike?"],
      ["c1", "can opener", "Which can opener?"],
      ["g1", "garage door opener", "Which garage door opener?"],
      ["l1", "flashlight", "Which flashlight?"],
      ["m1", "computer mouse", "Which mouse?"],
      ["n1", "saw", "Which saw?"],
      ["o1", "outdoor knife", "A bushcraft knife"],
      ["p1", "guitar pedal", "Guitar pedal"],
      ["r1", "3d printer", "Which 3d printer?"],
      ["s1", "swimsuit", "Swimsuit for a big bust"],
      ["w1", "wallet", "Which wallet?"],
      ["y1", "garden tool", "Any lawn mower for a slope?"],
    ].map(([id = "", kind = "", title = ""]) => ({ id, kind, title, quote: "Which one?" })),
  ]);
  const same: readonly (readonly [string, readonly string[]])[] = [
    // "Can" is a word that is not looked for.
    ["can opener", ["c1"]],
    ["Find people who want a tin-opener.", ["c1"]],
    ["stompbox for electric guitar", ["p1"]],
    ["a wallet (billfold)", ["w1"]],
    ["a machine for 3-D printing at home; who else is after one?", ["r1"]],
    ["Find women with a big bust who are looking for swimwear", ["s1"]],
    ["computer mouse made for me", ["m1"]],
    // Lists write it as one word, and the corpus does not.
    ["lawn mower", ["y1"]],
    ["lawnmowers", ["y1"]],
  ];
  for (const [query, ids] of same) assertEquals((await find(database, query)).ids, ids, query);
  // A name that lists have stays what it is, however well the rest speaks of another kind.
  assertEquals((await find(database, "bushcraft saw")).product, "saw");
  const torches = await find(database, "torches powered by two cells");
  assertEquals(torches.product, "torches");
  const either = await find(database, "a folding bike or one for the road");
  assertEquals(either.wants, ["folding or road"]);
});

testOnce("a number belongs to the name before it", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "stylus", title: "Stylus for my Zorbat 7 tablet", quote: "Which one?" },
    { id: "s2", kind: "stylus", title: "Stylus for the Zorbat 4 tablet", quote: "Which one?" },
  ]);
  const { ids, wants } = await find(database, "stylus for a zorbat 7");
  assertEquals({ ids, wants }, { ids: ["s1"], wants: ["zorbat 7"] });
  // The name says more than what it is a name of.
  const named = await find(database, "stylus for a Zorbat 7 tablet");
  assertEquals(named.wants, ["zorbat 7", "tablet"]);
});

Deno.test("advice on a product that is owned asks for none", () => {
  for (
    const query of [
      "how do I fix my bike",
      "Does anyone know how to clean a kettle?",
      "how do you connect headphones to a tv",
      "is my laptop broken?",
      "why does my old road bike squeak",
      "is my kettle leaking something toxic",
      "can I fix my kettle myself",
      "how does a kettle work",
    ]
  ) assertEquals(unaskedBy(query, findKinds), "owned", query);
  for (
    const query of [
      "don't recommend me a laptop",
      "I do not want a kettle",
      "not looking for a tv",
      "I don't really need a laptop",
      "don't buy a laptop",
      "stop selling kettles",
      "not a laptop",
    ]
  ) assertEquals(unaskedBy(query, findKinds), "unwanted", query);
  for (
    const query of [
      "laptop",
      "how do I choose a laptop",
      "what mouse should I buy to play games with",
      "what case fits my phone",
      "is anyone looking for a kettle",
      "do people want a bike that folds",
      "should I replace my laptop",
      "is my laptop broken? I need a new laptop",
      "is my laptop broken, which laptop should I get",
      "how do I keep coffee warm at my desk",
      "I don't want a heavy laptop",
      "laptop not for gaming",
      "subwoofer for my car",
      "is there demand for a kettle",
      "how many people want a kettle",
      "Where are jeans wanted that fit large legs?",
      "I don't know which kettle to buy",
      // Who lacks one wants it.
      "I could not find a good kettle",
      "people don't have a good kettle",
      "there is not one good kettle",
      // Whoever sells one asks whether people want it.
      "would this kettle sell",
      "is our kettle something people want",
      "is this laptop in demand",
      "can our kettle find buyers",
    ]
  ) assertEquals(unaskedBy(query, findKinds), null, query);
});

testOnce("a query that asks for no product is cold, and says why", async ({ database }) => {
  await seed(database, [{ id: "b1", kind: "bike", title: "A bike", quote: "Which bike to buy?" }]);
  const gauge = gaugeOn(database, { findKinds });
  const reasons = [
    ["how do I fix my bike", "it is about one that somebody has or uses"],
    ["don't recommend me a bike", "it says that none is wanted"],
  ] as const;
  for (const [query, reason] of reasons) {
    const verdict = await gauge.gauge({ query, category: null }, NEVER);
    assertEquals([verdict.verdictScore, verdict.funnel.product], [0, ""]);
    assertEquals(
      verdict.rationale,
      `This query asks for no product: ${reason}. No signal was counted for it.`,
    );
  }
});
