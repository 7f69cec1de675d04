/** Which product a query names, and who wants it: with the real lexicon over a small corpus. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ABOUT_FROM } from "../../../db/matching/plan.ts";
import { findBrands, findKinds } from "../../../gauge/query/kinds.ts";
import { queryWords } from "../../../gauge/query/said/mod.ts";
import { askedNames, namingWords, otherNames } from "../../../gauge/words/same.ts";
import { plural, singular } from "../../../mining/lexicon/grammar.ts";
import { lexicon } from "../../../mining/lexicon/lexicon.ts";
import { testOnce } from "../../support/database.ts";
import { idsAsked, matchesOn, POSTS, readOn, type Seed, seed } from "../support/corpus.ts";
import { askOn, gaugeOn } from "../support/gauge.ts";
import { NEVER } from "../../support/time.ts";

testOnce("what is asked of products is no product that anybody asks for", async ({ database }) => {
  const kinds = ["flashlight", "flashlight", "flashlight", "backpack", "boots"];
  await seed(
    database,
    Array.from({ length: 25 }, (_, i): Seed => ({
      id: `w${i}`,
      kind: kinds[i % kinds.length] ?? "",
      title: "Which one?",
      quote: "It should be waterproof.",
      facts: [["attribute", "waterproof"]],
    })),
  );
  const { demandTemperature, rationale } = await askOn(database, "waterproof");
  assertEquals(demandTemperature, "cold");
  assertStringIncludes(rationale, 'asks for "waterproof"');
  assertStringIncludes(
    rationale,
    'Nothing is nearer than 15 people who ask for "flashlight" and mention "waterproof".',
  );
  assertEquals((await askOn(database, "waterproof flashlight")).demandTemperature, "hot");
});

testOnce("one word of a product's name is no mention of it", async ({ database }) => {
  await seed(database, [
    { id: "w1", kind: "wallet", product: "card holder", title: "A wallet", quote: "Which one?" },
    { id: "w2", kind: "wallet", product: "card holder", title: "Which one?", quote: "A slim one." },
    { id: "b1", kind: "bag", title: "A bag", quote: "For my harmonica and its holder." },
  ]);
  assertStringIncludes(
    (await askOn(database, "harmonica holder")).rationale,
    'Nothing is nearer than 1 person who asks for "bag" and mentions "harmonica holder".',
  );
});

testOnce("a brand is read as its kind, and it is said so", async ({ database }) => {
  await seed(database, POSTS);
  const { funnel, rationale, topEvidence } = await askOn(database, "macbook");
  assertEquals([funnel.product, funnel.askingForProduct, funnel.statingAll], ["laptop", 3, 1]);
  assertStringIncludes(rationale, '"macbook" was read as laptop.');
  assertEquals(topEvidence[0]?.quote, "The hinge of my macbook broke.");
});

/** Alone they name other things; at the end of a longer name they are this product ("gaming notebook"). */
const AT_ENDS = new Set(["notebook"]);

Deno.test("every other name of a product is one that the lexicon knows, in either number", () => {
  for (const [kind, names] of otherNames()) {
    for (const name of names) {
      // "NAS" has no plural that could be told from another word's.
      const forms = new Set([name, singular(plural(name)) === name ? plural(name) : name]);
      for (const form of forms) {
        const words = form.split(/[ -]/);
        const known = findKinds(words).some((span) =>
          span.end === words.length && span.kinds.includes(kind)
        );
        if (form === name && !AT_ENDS.has(name)) assert(known, `${name}: no name of ${kind}`);
        if (known) assert(namingWords(words, kind).length > 0, `${form}: not all of ${kind}`);
      }
    }
  }
});

Deno.test("a name that says how some of a kind are asks for it", () => {
  assertEquals(namingWords(["cordless", "mouse"], "computer mouse"), [1]);
  assertEquals(namingWords(["folding", "ladder"], "ladder"), [1]);
  assertEquals(namingWords(["wireless", "router"], "router"), [0, 1]);
});

testOnce(
  "a brand or a model is read as what it is, and asked for by its whole name",
  async (test) => {
    await seed(test.database, [
      {
        id: "h1",
        kind: "headphones",
        title: "HD598 replacement",
        quote: "I want the HD598 again.",
      },
      { id: "h2", kind: "headphones", title: "Headphones", quote: "Which ones?" },
      { id: "h3", kind: "headphones", title: "ATH-M50s or not", quote: "Are the ATH-M50s it?" },
      { id: "m1", kind: "mouse", title: "Razer Naga", quote: "Which Naga?" },
      { id: "m2", kind: "mouse", title: "A mouse", quote: "Which one?" },
      { id: "p1", kind: "phone", title: "iPhone 5", quote: "Is the iPhone 5 worth it?" },
      { id: "p2", kind: "phone", title: "iPhone 4", quote: "Is the iPhone 4 worth it?" },
    ]);
    for (
      const [query, found] of [
        ["hd 598", "h1"],
        ["sennheiser hd598", "h1"],
        ["ath-m50", "h3"],
        ["razer naga", "m1"],
        ["iphone 5", "p1"],
      ] as const
    ) assertEquals(await idsAsked(test.database, query), [found], query);
    const { rationale, funnel } = await askOn(test.database, "hd 598");
    assertStringIncludes(rationale, '"hd 598" was read as headphones.');
    assertEquals(funnel.wants, [{ want: "hd 598", count: 1 }]);
    assertEquals(findBrands(["razer"]).length, 1);
    // It makes anything, and a table is no brand.
    assertEquals(findBrands(["sony", "table"]), []);
  },
);

testOnce(
  "of names that share words the product is called by the longer or the last",
  async (test) => {
    await seed(test.database, POSTS);
    for (
      const [query, name] of [
        ["gaming desktop computer", "desktop computer"],
        ["gaming laptop computer costing 900 dollars or less", "laptop computer"],
        ["computer desk chair", "desk chair"],
        ["gaming headphone jack splitter", "headphone jack splitter"],
        ["network storage box", "network storage box"],
        ["surround speakers for travel", "surround speakers"],
        ["wall to wall carpet", "wall to wall carpet"],
        ["wifi light bulb", "wifi light bulb"],
        ["rucksack for multi-day hiking trips", "rucksack"],
      ]
    ) assertEquals((await readOn(test.database.sql, query ?? "")).product, name, query);
  },
);

testOnce("a service about a product is no demand for the product", async ({ database }) => {
  await seed(database, POSTS);
  for (
    const query of [
      "laptop rental",
      "guitar lessons",
      "phone plan",
      "best laptop insurance",
      "insurance for my laptop",
      "laptop repair service near me",
      "phone game recommendations",
      "car insurance policy",
    ]
  ) assertEquals(await idsAsked(database, query), [], query);
  assertEquals(await idsAsked(database, "laptop recommendations"), ["l1", "l2", "m1"]);
  // Where somebody goes is no service that is asked for.
  const { product, service } = await readOn(
    database.sql,
    "people who want to pedal to work or class and can't spend more than 800 on the laptop",
  );
  assertEquals([product, service], ["laptop", null]);
  const { rationale, verdictScore } = await gaugeOn(database, { findKinds })
    .gauge({ query: "laptop rental", category: null }, NEVER);
  assertEquals(verdictScore, 0);
  assert(rationale.includes('no physical product ("rental")'), rationale);
});

testOnce("a narrower name needs the name, and another name for all does not", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await idsAsked(test.database, "ukulele"), ["u1"]);
  assertEquals(await idsAsked(test.database, "sofa"), ["s1"]);
  assertEquals(await idsAsked(test.database, "keyboard"), ["k1", "k2"]);
  assertEquals(await idsAsked(test.database, "phone"), ["p1"]);
});

testOnce("a sentence asks for what the reader of posts finds, where no word asks", async (test) => {
  const read = (query: string) => readOn(test.database.sql, query);
  const product = async (query: string) => (await read(query)).product;
  const sentence = "been making beeswax candles at home, but would a lip balm sell better?";
  assertEquals(await product(sentence), "lip balm");
  // What stands in the sentence stays as it is written.
  const { plan } = await read("my candles drip, but would a lip balm of 1.5 oz sell w/o scent?");
  const wants = plan.wants.map(({ name }) => name);
  assert(wants.includes("1.5 oz") && wants.includes("without scent"), wants.join());
  assertEquals(await product("a tool that blows leaves"), "leaf blower");
  assertEquals(await product("car insurance for people who own a laptop"), "");
});

testOnce("a noun is one of the kind whose name's rest stands elsewhere", async ({ database }) => {
  await seed(database, [
    { id: "c1", kind: "car amplifier", title: "Car amplifier", quote: "Which car amplifier?" },
    {
      id: "s1",
      kind: "stereo amplifier",
      title: "Stereo amp",
      product: "amplifier",
      quote: "Which amplifier?",
    },
  ]);
  const nearest = async (query: string) =>
    (await matchesOn(database, query)).filter(({ head }) => head > 0.5).map(({ postId }) => postId);
  assertEquals(await nearest("amplifier for a car sound system"), ["c1"]);
  assert((await nearest("amplifier that is not for a car")).includes("s1"));
});

Deno.test("a query may call a product as no list of posts does", () => {
  const kinds = (name: string) => findKinds(name.split(" ")).flatMap((span) => span.kinds);
  assertEquals(kinds("dog lead"), ["dog leash"]);
  // A longer name says more than the names in it.
  assertEquals(kinds("foundation makeup"), ["foundation"]);
  assertEquals(namingWords(["dog", "lead"], "dog leash"), [0, 1]);
});

Deno.test("each name that only queries are read by is one of a kind that the lexicon knows, and is none of its names", () => {
  for (const [kind, names] of askedNames()) {
    assert(lexicon().kinds.has(kind), kind);
    for (const name of names) {
      assert(lexicon().terms.get(name.split(" ")) === undefined, `${name}: known anyway`);
      assert(namingWords(name.split(" "), kind).length > 0, `${name}: not all of ${kind}`);
      const found = findKinds(queryWords(name)).some((span) => span.kinds.includes(kind));
      assert(found, `${name}: not found in a query`);
    }
  }
});

Deno.test("names that only queries are read by change no name of the lexicon", () => {
  for (const name of ["cross stitch kit", "ear wax remover", "pepper mill", "camper van"]) {
    assert(!queryWords(name).includes(name.split(" ").slice(0, 2).join("")), name);
  }
});

testOnce("a list of words asks for one of the products that it names", async ({ database }) => {
  const laptop = { kind: "laptop", title: "Laptop", quote: "The screen has to be matte." };
  await seed(database, [
    ...["l1", "l2", "l3"].map((id) => ({ ...laptop, id })),
    { id: "m1", kind: "monitor", title: "Monitor", quote: "A matte screen beside my laptop." },
    { id: "b1", kind: "backpack", title: "A backpack for a 15 inch laptop", quote: "Waterproof." },
    { id: "b2", kind: "backpack", title: "Laptop backpack", quote: "Which backpack?" },
    { id: "s1", kind: "camera strap", title: "Strap", quote: "A leather one for my camera." },
    { id: "c1", kind: "camera", title: "Camera", quote: "With a strap that is included." },
    { id: "c2", kind: "stroller", title: "Stroller", quote: "With a basket and a canopy." },
    { id: "k1", kind: "leash", title: "A leash", quote: "For my kayak paddle." },
  ]);
  const product = async (query: string) => (await readOn(database.sql, query)).product;
  // Two products that are one together: what those want who speak of both, if enough of them do.
  assertEquals(await idsAsked(database, "laptop matte screen"), ["l1", "l2", "l3"]);
  assertEquals(await idsAsked(database, "camera leather strap"), ["s1"]);
  assertEquals(await product("rice cooker electric countertop"), "rice cooker");
  // What a measure stands between is not one product.
  assertEquals(await idsAsked(database, "waterproof backpack 15 inch laptop"), ["b1"]);
  assertEquals(await idsAsked(database, "stroller canopy basket"), ["c2"]);
  assertEquals(await product("kayak paddle leash"), "leash");
  // What stands before a product may only say more of it.
  for (
    const [query, name] of [
      ["fragrance free lotion", "lotion"],
      ["pillow top mattress", "mattress"],
      ["knife resistant gloves", "gloves"],
    ] as const
  ) assertEquals(await product(query), name);
  assertEquals(await product("caffeine-free pre-workout"), "pre workout");
  // Commas begin what it comes with, unless the query has words of a sentence.
  assertEquals(await product("bike helmet, visor, rear light"), "bike helmet");
  assertEquals(await product("waterproof, lightweight jacket"), "jacket");
  assertEquals(await product("soft, breathable zorbat"), "zorbat");
  assertEquals(await product("tents, tarps and bivies"), "tents or tarps or bivies");
});

testOnce(
  "a kind is asked for by those whose posts were read as a narrower one",
  async ({ database }) => {
    await seed(database, [
      { id: "p1", kind: "delay pedal", title: "Delay pedal", quote: "An analog delay." },
      { id: "h1", kind: "car stereo", title: "Car stereo", quote: "With a usb port." },
      { id: "g1", kind: "electric guitar", title: "Guitar", quote: "An analog amp, and delay." },
    ]);
    assertEquals(await idsAsked(database, "analog delay pedal for guitar"), ["p1"]);
    assertEquals(await idsAsked(database, "car head units with a usb port"), ["h1"]);
  },
);

testOnce("a compound that was typed as two words is named so", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "slow cooker", product: "slowcooker", title: "Slowcooker", quote: "Which?" },
  ]);
  const product = async (query: string) => (await readOn(database.sql, query)).product;
  assertEquals(await idsAsked(database, "slow cooker"), ["s1"]);
  assertEquals(await product("a slow cooker for one"), "slow cooker");
  assertEquals(await product("a slowcooker for one"), "slowcooker");
  assertEquals(await product("Slow-Cooker"), "slow-cooker");
});

testOnce("a product is found under what it does and how it is written", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "paper shredder", title: "Paper shredder", quote: "Which shredder?" },
    { id: "b1", kind: "leaf blower", title: "Leaf blower", quote: "Which blower?" },
    { id: "w1", kind: "welder", title: "A first welder", quote: "Which welder?" },
    { id: "c1", kind: "office chair", title: "Office chair", quote: "Which chair?" },
    { id: "d1", kind: "desk", title: "Desk", quote: "Which desk for the computer?" },
    { id: "p1", kind: "guitar pedal", title: "Delay pedal", quote: "Which delay for my guitar?" },
    { id: "g1", kind: "electric guitar", title: "Guitar", quote: "Which guitar?" },
    ...["r1", "r2", "r3"].map((id) => (
      { id, kind: "av receiver", title: "AV reciever", quote: "Which reciever?" }
    )),
  ]);
  for (const query of ["machine for shredding paper", "paper shredding machine"]) {
    assertEquals(await idsAsked(database, query), ["s1"], query);
  }
  assertEquals(await idsAsked(database, "a tool that blows leaves"), ["b1"]);
  // What is done to the rest of a name, or to something beside it, names no product.
  for (const query of ["machine for shredding paper plates", "cleaning gel", "shipping labels"]) {
    const { product, service } = await readOn(database.sql, query);
    assert(service === null && !product.includes("shredder"), query);
  }
  assertEquals(await idsAsked(database, "welding machine"), ["w1"]);
  // What two names share belongs to the second.
  assertEquals(await idsAsked(database, "computer desk chair"), ["c1"]);
  assertEquals(await idsAsked(database, "guitar delay effects pedal"), ["p1"]);
  // "ie" for "ei" is a mistake, even where posts have it; letters may be swapped in short words.
  assertEquals(await idsAsked(database, "dsek"), ["d1"]);
  assertEquals(await idsAsked(database, "av reciever"), ["r1", "r2", "r3"]);
  const { product } = await readOn(database.sql, "a/v reciever");
  assertEquals(product, "a v receiver");
});

testOnce(
  "a name whose noun no product has is met by the kind's other names",
  async ({ database }) => {
    await seed(database, [
      { id: "l1", kind: "leash", product: "dog leash", title: "Dog leash", quote: "Which leash?" },
      { id: "r1", kind: "leash", title: "Self winding", quote: "A retractable leash that lasts?" },
    ]);
    assertEquals((await idsAsked(database, "retractable dog lead")).at(0), "r1");
  },
);

testOnce("a noun that several kinds share is not the one that was named", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "space heater", title: "Space heater", quote: "Which space heater?" },
    { id: "w1", kind: "water heater", title: "Water heater", quote: "Which water heater?" },
    { id: "d1", kind: "dining table", title: "Dining table", quote: "Which dining table?" },
    { id: "d2", kind: "table", product: "folding table", title: "Folding table", quote: "Which?" },
  ]);
  assertEquals(await idsAsked(database, "space heater"), ["s1"]);
  assertEquals(await idsAsked(database, "dining table"), ["d1"]);
});

testOnce(
  "another kind's own name, and a part beside a name, stand for no more than themselves",
  async ({ database }) => {
    await seed(database, [
      { id: "l1", kind: "laptop", title: "Laptop", quote: "Which laptop?" },
      { id: "n1", kind: "notebook", title: "Paper notebook", quote: "Which paper notebook?" },
      { id: "d1", kind: "desk", title: "Desk", quote: "Which desk?" },
      { id: "c1", kind: "desktop pc", title: "Desktop PC", quote: "Which desktop PC?" },
      { id: "c2", kind: "desktop pc", title: "Workstation", quote: "Which workstation?" },
      { id: "r1", kind: "car stereo", title: "Stereo", quote: "Which fits my car?" },
    ]);
    const about = async (query: string) => {
      const matches = await matchesOn(database, query);
      return matches.filter(({ head }) => head >= ABOUT_FROM).map(({ postId }) => postId).sort();
    };
    assertEquals(await about("laptop"), ["l1"]);
    assertEquals(await about("workstation"), ["c1", "c2"]);
    // A narrower kind is one of the kind that a name stands for.
    assertEquals(await about("factory radio"), ["r1"]);
    assertEquals(await about("study table or workstation"), ["d1"]);
  },
);

testOnce("examples of a product are of its kind", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "sandals", title: "For the beach", quote: "Which sandals?" },
    { id: "b1", kind: "shoes", title: "For the beach", quote: "Which shoes?" },
    { id: "w1", kind: "watch", title: "For the beach", quote: "Which watch?" },
  ]);
  const about = async (query: string) =>
    (await matchesOn(database, query)).map(({ postId, met }) => `${postId} ${met}`).sort();
  assertEquals(await about("footwear such as sandals or boots"), ["b1 0", "s1 1"]);
  assertEquals(await about("footwear, not sandals"), ["b1 0"]);
});

testOnce("what a product is called with another one's name is either", async ({ database }) => {
  await seed(database, [
    { id: "m1", kind: "moisturizer", title: "One with SPF?", quote: "Which moisturizer?" },
    { id: "m2", kind: "moisturizer", title: "Another", quote: "Which moisturizer?" },
  ]);
  assertEquals(await idsAsked(database, "sunscreen"), ["m1"]);
  assertEquals(await idsAsked(database, "moisturizer"), ["m1", "m2"]);
});

testOnce("what a product is for is not what is asked for", async ({ database }) => {
  await seed(database, [
    { id: "c1", kind: "camera", title: "Which camera?", quote: "For travelling." },
    { id: "l1", kind: "legs", title: "Carbon legs", quote: "They are for a camera." },
  ]);
  assertEquals(await idsAsked(database, "legs for my camera"), ["l1"]);
  // No product is called so: it only asks.
  assertEquals(await idsAsked(database, "opportunity for a camera"), ["c1"]);
});

testOnce(
  "posts of a kind that only shares a name with the one that is asked for want none of it",
  async ({ database }) => {
    await seed(database, [
      {
        id: "d1",
        kind: "monitor",
        title: "A monitor to code on",
        quote: "Which monitor is sharp?",
      },
      { id: "a1", kind: "studio monitors", title: "Monitors to mix on", quote: "Which monitor?" },
      { id: "b1", kind: "baby monitor", title: "Baby monitor", quote: "My computer makes it hum." },
    ]);
    for (const query of ["monitor", "computer monitor"]) {
      assertEquals(await idsAsked(database, query), ["d1"], query);
    }
    // Whoever says the rest of its name may mean it.
    assert((await idsAsked(database, "monitor for a studio")).includes("a1"));
  },
);

testOnce("what a product is safe in or proof against is not asked for", async ({ database }) => {
  await seed(database, POSTS);
  const asked = async (query: string) => {
    const { product, plan } = await readOn(database.sql, query);
    return [product, ...plan.wants.map(({ name }) => name)];
  };
  assertEquals(await asked("dishwasher safe travel mug"), ["travel mug", "dishwasher safe"]);
  assertEquals(await asked("oven safe roasting dish"), ["roasting dish", "oven safe"]);
  assertEquals(await asked("carpet friendly mop"), ["mop", "carpet friendly"]);
  assertEquals((await asked("jacket resistant to rain"))[0], "jacket");
});

testOnce("of two that a query compares either will do", async ({ database }) => {
  await seed(database, [
    { id: "k1", kind: "e-reader", title: "Kindle?", quote: "Is the kindle any good?" },
    { id: "n1", kind: "e-reader", title: "Nook?", quote: "Is the nook any good?" },
  ]);
  for (
    const query of ["kindle vs nook", "kindle vs. nook", "which is better, a kindle or a nook"]
  ) {
    const { funnel } = await askOn(database, query);
    assertEquals(funnel.wants, [{ want: "kindle or nook", count: 2 }], query);
  }
});

testOnce("a name that is put together is one that somebody wants", async ({ database }) => {
  await seed(database, [
    { id: "v1", kind: "vacuum cleaner", title: "Which vacuum?", quote: "I need a vacuum." },
  ]);
  const { product, plan } = await readOn(database.sql, "vacuum for dog hair");
  assertEquals([product, ...plan.wants.map(({ name }) => name)], ["vacuum", "dog hair"]);
  await seed(database, [{ id: "p1", kind: "pet vacuum", title: "Fur", quote: "Which one?" }]);
  assertEquals((await readOn(database.sql, "vacuum for dog hair")).product, "dog hair vacuum");
});

testOnce("a part of the kind that stands behind its name says more of it", async ({ database }) => {
  await seed(database, POSTS);
  const { product, plan } = await readOn(database.sql, "guitar pedal distortion");
  assertEquals([product, ...plan.wants.map(({ name }) => name)], ["guitar pedal", "distortion"]);
});

testOnce("a noun of anything is nothing without the word before it", async ({ database }) => {
  await seed(database, [
    { id: "m1", kind: "machine", title: "A machine for hems", quote: "Which machine?" },
    { id: "g1", kind: "gaming pc", title: "Which gaming pc?", quote: "I want a gaming pc." },
  ]);
  const asked = async (query: string) => (await askOn(database, query)).funnel;
  const fax = await asked("fax machine");
  assertEquals([fax.product, fax.askingForProduct], ["fax machine", 0]);
  assertEquals((await asked("quiet machine")).product, "machine");
  assertEquals((await asked("gaming machine")).product, "gaming machine");
  assertEquals((await asked("crane kit")).product, "crane kit");
});
