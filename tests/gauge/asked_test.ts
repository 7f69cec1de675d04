/** Verdicts are about what was asked: with the real lexicon over a small corpus. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Database, Sql } from "../../db/sql.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { queryWords } from "../../gauge/query/said.ts";
import { findBrands, findKinds } from "../../gauge/query/kinds.ts";
import { askedNames, namingWords, otherNames } from "../../gauge/words/same.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { plural, singular } from "../../mining/lexicon/grammar.ts";
import type { Match } from "../../gauge/types.ts";
import { testBoth } from "../support/database.ts";
import { gaugeOn, idsOf, lookFor, NEVER, POSTS, type Seed, seed } from "./support.ts";

const find = async (database: Database, query: string): Promise<readonly Match[]> =>
  (await lookFor(database, query, findKinds)).matches;

const readIn = (sql: Sql, query: string) => readQuery(sql, { query, category: null }, findKinds);

/** Those who want it as asked, or near. */
const ids = async (database: Database, query: string): Promise<string[]> =>
  idsOf(
    (await find(database, query)).filter(({ relevance, head }) => head >= 0.5 && relevance >= 0.5),
  );

const ask = (database: Database, query: string, category: string | null = null) =>
  gaugeOn(database, { findKinds }).gauge({ query, category }, NEVER);

testBoth("who wants the product and does not say the rest counts little", async ({ database }) => {
  await seed(database, POSTS);
  for (const query of ["edible laptop", "laptop with a wooden case"]) {
    assertEquals(await ids(database, query), [], query);
  }
  assertEquals(await ids(database, "laptop"), ["l1", "l2", "m1"]);
  assertEquals(await ids(database, "best cheap laptop, any recommendations?"), ["l1", "l2", "m1"]);
  assertEquals(await ids(database, "laptop for college students"), ["l1"]);
});

testBoth("years are no slip, and a need is met by what it is called elsewhere", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await ids(test.database, "toaster that lasts"), ["t1"]);
  assertEquals(await ids(test.database, "quiet keyboard"), ["k1"]);
});

testBoth("what is said in other words asks for the same", async ({ database }) => {
  await seed(database, [
    { id: "c1", kind: "car speakers", title: "Car speakers", quote: "Which ones?" },
    { id: "f1", kind: "flashlight", title: "Flashlight for work", quote: "Which one?" },
    { id: "l1", kind: "laptop", title: "Lightweight laptop", quote: "Which one?" },
    { id: "l2", kind: "laptop", title: "Laptop for college", quote: "Which one?" },
    { id: "t1", kind: "bike light", title: "Bike light", quote: "Which one?" },
  ]);
  const same: readonly (readonly [string, string])[] = [
    ["car speakers", "speakers for my car"],
    ["flashlight for work", "work flashlight"],
    ["laptop that is lightweight", "laptop that is light to carry"],
    ["laptop for college", "I am going to college and need a laptop"],
    ["bike light", "light for a bike"],
  ];
  for (const [plain, other] of same) {
    const found = await ids(database, plain);
    assertEquals(found.length, 1, plain);
    assertEquals(await ids(database, other), found, other);
  }
});

testBoth("a plural, a compound and a slip ask for the same as the plain words", async (test) => {
  await seed(test.database, [
    { id: "p1", kind: "phone", title: "A phone", quote: "One that does not break." },
    { id: "n1", kind: "mouse", title: "A mouse", quote: "Which one?" },
    { id: "s1", kind: "bookshelf", title: "A shelf", quote: "Which one?" },
    { id: "k1", kind: "keyboard", title: "A keyboard", quote: "Which one?" },
    { id: "t1", kind: "bike tire", title: "A tire", quote: "Which one?" },
    { id: "g1", kind: "sunglasses", title: "Shades", quote: "Which one?" },
    { id: "b1", kind: "backpack", title: "For school", quote: "Which one?" },
    { id: "r1", kind: "router", title: "For the house", quote: "Which one?" },
    { id: "c1", kind: "slow cooker", title: "For stews", quote: "Which one?" },
    { id: "w1", kind: "wool dryer ball", title: "For laundry", quote: "Which one?" },
  ]);
  const same: readonly (readonly [string, string])[] = [
    ["mobile phones", "p1"],
    ["cell phones", "p1"],
    ["phone that doesn't break", "p1"],
    ["mice", "n1"],
    ["computer mouse", "n1"],
    ["bookcases", "s1"],
    ["bookshelves", "s1"],
    ["book shelf", "s1"],
    ["keybord", "k1"],
    ["key board", "k1"],
    ["bicycle tyres", "t1"],
    ["sun glasses", "g1"],
    ["back packs", "b1"],
    ["wi-fi router", "r1"],
    ["slowcooker", "c1"],
    ["I am looking for a slow-cooker, which one should I get?", "c1"],
    // A product that no list has.
    ["wool dryer balls", "w1"],
  ];
  for (const [query, id] of same) assertEquals(await ids(test.database, query), [id], query);
});

testBoth("a sum and a measure are asked of the product", async (test) => {
  await seed(test.database, [
    { id: "h1", kind: "tv", title: "A tv", quote: "q", facts: [["price", "<=350 usd"]] },
    { id: "h2", kind: "tv", title: "A tv", quote: "q", facts: [["price", "~2000 usd"]] },
    { id: "h3", kind: "tv", title: "A tv", quote: "q", facts: [["spec", "55 inch"]] },
    { id: "h4", kind: "tv", title: "A tv", quote: "q", facts: [["price", "<=500 usd"]] },
    { id: "h5", kind: "tv", title: "A tv", quote: "q", facts: [["price", "~512 usd"]] },
  ]);
  assertEquals(await ids(test.database, "tv under $400"), ["h1"]);
  assertEquals(await ids(test.database, "tv for $450"), ["h1", "h4", "h5"]);
  assertEquals(await ids(test.database, "tv between $512 and $600"), ["h5"]);
  assertEquals(await ids(test.database, "tv over $1500"), ["h2"]);
  assertEquals(await ids(test.database, "55 inch tv"), ["h3"]);
  assertEquals(await ids(test.database, 'tv 55"'), ["h3"]);
});

testBoth(
  "a slip that some make is none where far more write it otherwise",
  async ({ database }) => {
    const monitors = Array.from({ length: 20 }, (_, i): Seed => ({
      id: `m${i}`,
      kind: "monitor",
      title: `Monitor ${i}`,
      quote: "Which one?",
    }));
    await seed(database, [
      ...monitors,
      { id: "x1", kind: "tv", title: "TV", quote: "A moniter or a TV?" },
    ]);
    const product = async (query: string) => (await readIn(database.sql, query)).product;
    assertEquals(await product("moniter 27 inch"), "monitor");
  },
);

testBoth(
  "what either will do of, and a noun of anything, restricts nothing",
  async ({ database }) => {
    const read = async (query: string) => {
      const { product, plan } = await readIn(database.sql, query);
      return [product, ...plan.wants.map(({ name }) => name)];
    };
    assertEquals(await read("sofa or zogbed"), ["sofa"]);
    assertEquals(await read("sofa or zogbed pillow"), ["pillow", "sofa or zogbed"]);
    assertEquals(await read("mincer unit"), ["mincer"]);
    assertEquals(await read("tent pls, not a hammock"), ["tent"]);
    assertEquals(await read("epilator 1 pc"), ["epilator"]);
  },
);

testBoth("a number without a unit is asked of the product", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "speakers", title: "Speakers", quote: "A 5.1 set, which one?" },
    { id: "s2", kind: "speakers", title: "Speakers", quote: "5 of them, 1 for each room." },
    { id: "h1", kind: "headlamp", title: "Headlamp", quote: "One that takes an 18650." },
    { id: "h2", kind: "headlamp", title: "Headlamp", quote: "Which one?" },
    { id: "n1", kind: "nas", title: "NAS", quote: "With 4 bays." },
    { id: "n2", kind: "nas", title: "NAS", quote: "How many bays are enough?" },
    { id: "n3", kind: "nas", title: "NAS", quote: "Which of these 4?" },
    { id: "c1", kind: "case", title: "Case", quote: "For a Nexus 7." },
    { id: "c2", kind: "case", title: "Case", quote: "For a Nexus." },
  ]);
  assertEquals(await ids(database, "5.1 speakers"), ["s1"]);
  assertEquals(await ids(database, "headlamp 18650"), ["h1"]);
  assertEquals(await ids(database, "nexus 7 case"), ["c1"]);
  // Who wants bays wants some number of them.
  assertEquals(await ids(database, "4 bay nas"), ["n1", "n2"]);
  const wants = async (query: string) =>
    (await readIn(database.sql, query)).plan.wants
      .map(({ name }) => name).sort();
  assertEquals(await wants("4 bay nas"), ["4 bay"]);
  assertEquals(await wants("top 10 headlamps 2013"), []);
});

testBoth("what would be paid is asked where it stands before the product", async ({ database }) => {
  const { plan } = await readIn(database.sql, "Would people pay $80 for a kettle that is quiet?");
  assertEquals(plan.wants.map(({ name }) => name), ["quiet", "$80"]);
});

testBoth("who does what the product is for says nothing of it", async ({ database: { sql } }) => {
  const { plan } = await readIn(sql, "sleeping bag for cold sleepers");
  assertEquals(plan.wants.map(({ name }) => name), ["cold"]);
});

testBoth("a word that is no product's name is not one with empty words before it", async (test) => {
  await seed(test.database, [
    { id: "t1", kind: "tv", title: "TV", quote: "Are you happy with yours?" },
  ]);
  assertEquals((await ask(test.database, "how to be happy")).funnel.askingForProduct, 0);
});

testBoth(
  "what a product is compared with is asked of it, and not asked for",
  async ({ database }) => {
    const { product } = await readIn(database.sql, "dutch oven cheaper than Le Creuset");
    assertEquals(product, "dutch oven");
  },
);

testBoth("what people have beside is not asked of the product", async ({ database: { sql } }) => {
  const asked = async (query: string) =>
    (await readIn(sql, query)).plan.wants
      .map(({ name }) => name);
  assertEquals(
    await asked("cooks with a toaster who gave up on plastic lids are looking for a kettle"),
    [],
  );
  assertEquals(
    await asked("people with a couch and a toaster would pay for a vacuum cleaner that is quiet"),
    ["quiet"],
  );
  assertEquals(await asked("women with big hands who are looking for gloves"), ["big hands"]);
});

testBoth("what is not wanted is asked of who wants none of it", async ({ database }) => {
  await seed(database, [
    { id: "k1", kind: "keyboard", title: "Keyboard", quote: "It must be wireless." },
    { id: "k2", kind: "keyboard", title: "Keyboard", quote: "Mine is too loud." },
    {
      id: "k3",
      kind: "keyboard",
      title: "Keyboard",
      quote: "It is not to be wireless.",
      ruledOut: ["wireless"],
    },
  ]);
  assertEquals(await ids(database, "keyboard that is not wireless"), ["k3"]);
  assertEquals(await ids(database, "keyboard that is not noisy"), ["k2"]);
});

testBoth(
  "a denial names all of what it denies, and weighs it in full",
  async ({ database: { sql } }) => {
    const wants = async (query: string) =>
      (await readIn(sql, query)).plan.wants
        .filter(({ aside }) => !aside);
    const [cast] = await wants("sunscreen that doesn't leave a white cast");
    assertEquals(cast?.name, "doesn't leave a white cast");
    const [denied, said] = [
      ...await wants("hammock that doesn't stretch"),
      ...await wants("stretch hammock"),
    ];
    assert((denied?.power ?? 0) > 2 * (said?.power ?? 1), String(denied?.power));
  },
);

testBoth("of two products or wants that any will do of, either counts", async ({ database }) => {
  await seed(database, [
    ...POSTS,
    { id: "f1", kind: "knife", title: "A knife for camping", quote: "q" },
    { id: "f2", kind: "knife", title: "A survival knife", quote: "q" },
    { id: "f3", kind: "knife", title: "A knife for bread", quote: "q" },
  ]);
  assertEquals(await ids(database, "laptop or toaster"), ["l1", "l2", "m1", "t1", "t2"]);
  assertEquals(await ids(database, "knife for camping, survival or bushcraft"), ["f1", "f2"]);
});

testBoth("what is asked of products is no product that anybody asks for", async ({ database }) => {
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
  const { demandTemperature, rationale } = await ask(database, "waterproof");
  assertEquals(demandTemperature, "cold");
  assertStringIncludes(rationale, 'asks for "waterproof" itself');
  assertStringIncludes(rationale, 'Nearest are 15 people who ask for "flashlight" and mention it.');
  assertEquals((await ask(database, "waterproof flashlight")).demandTemperature, "hot");
});

testBoth("a brand is read as its kind, and it is said so", async ({ database }) => {
  await seed(database, POSTS);
  const { funnel, rationale, topEvidence } = await ask(database, "macbook");
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

testBoth(
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
    ) assertEquals(await ids(test.database, query), [found], query);
    const { rationale, funnel } = await ask(test.database, "hd 598");
    assertStringIncludes(rationale, '"hd 598" was read as headphones.');
    assertEquals(funnel.wants, [{ want: "hd 598", count: 1 }]);
    assertEquals(findBrands(["razer"]).length, 1);
    // It makes anything, and a table is no brand.
    assertEquals(findBrands(["sony", "table"]), []);
  },
);

testBoth("a service about a product is no demand for the product", async ({ database }) => {
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
  ) assertEquals(await ids(database, query), [], query);
  assertEquals(await ids(database, "laptop recommendations"), ["l1", "l2", "m1"]);
  const { rationale, verdictScore } = await gaugeOn(database, { findKinds })
    .gauge({ query: "laptop rental", category: null }, NEVER);
  assertEquals(verdictScore, 0);
  assert(rationale.includes('no physical product ("rental")'), rationale);
});

testBoth("a narrower name needs the name, and another name for all does not", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await ids(test.database, "ukulele"), ["u1"]);
  assertEquals(await ids(test.database, "sofa"), ["s1"]);
  assertEquals(await ids(test.database, "keyboard"), ["k1", "k2"]);
  assertEquals(await ids(test.database, "phone"), ["p1"]);
});

testBoth("words behind a product's name say how it is", async ({ database }) => {
  await seed(database, [
    { id: "b1", kind: "belt", title: "A belt to keep", quote: "It should be full grain leather." },
    { id: "b2", kind: "belt", title: "Which belt?", quote: "Mine is too short." },
    { id: "u1", kind: "usb hub", title: "USB hub for a desk", quote: "It has to be powered." },
    { id: "u2", kind: "usb hub", title: "Which USB hub?", quote: "Four ports." },
    { id: "d1", kind: "docking station", title: "Docking station", quote: "Powered, for two." },
    { id: "w1", kind: "wallet", title: "Slim wallet", quote: "One that is slim." },
    { id: "w2", kind: "wallet", title: "Wallet", quote: "For the front pocket, and slim." },
    { id: "h1", kind: "gaming headset", title: "Gaming headset", quote: "It is for my ps3." },
    { id: "g1", kind: "game console", product: "ps3", title: "Which ps3?", quote: "For games." },
    { id: "e1", kind: "electric guitar", title: "Electric guitar", quote: "Which guitar?" },
    {
      id: "p1",
      kind: "guitar pedal",
      product: "delay pedal",
      title: "Delay?",
      quote: "For echoes.",
    },
    { id: "s1", kind: "sleeping bag", title: "Sleeping bag", quote: "I need a sleeping bag." },
  ]);
  assertEquals(await ids(database, "belt full grain leather"), ["b1"]);
  assertEquals(await ids(database, "usb hub powered"), ["u1"]);
  assertEquals(await ids(database, "wallet slim front pocket"), ["w2"]);
  assertEquals(await ids(database, "gaming headset ps3"), ["h1"]);
  assertEquals(await ids(database, "ps3"), ["g1"]);
  // What ends as its kind's name does is the product, and no model that the one before it is for.
  assertEquals(await ids(database, "guitar delay pedal"), ["p1"]);
  // "Nights" go without saying, so that "outdoors" behind them continues nothing that is asked.
  assertEquals(await ids(database, "sleeping bag for nights outdoors"), ["s1"]);
});

testBoth("a sentence asks for what the reader of posts finds, where no word asks", async (test) => {
  const read = (query: string) => readIn(test.database.sql, query);
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

testBoth("a noun is one of the kind whose name's rest stands elsewhere", async ({ database }) => {
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
    (await find(database, query)).filter(({ head }) => head > 0.5).map(({ postId }) => postId);
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

testBoth("a list of words asks for one of the products that it names", async ({ database }) => {
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
  const product = async (query: string) => (await readIn(database.sql, query)).product;
  // Two products that are one together: what those want who speak of both, if enough of them do.
  assertEquals(await ids(database, "laptop matte screen"), ["l1", "l2", "l3"]);
  assertEquals(await ids(database, "camera leather strap"), ["s1"]);
  assertEquals(await product("rice cooker electric countertop"), "rice cooker");
  // What a measure stands between is not one product.
  assertEquals(await ids(database, "waterproof backpack 15 inch laptop"), ["b1"]);
  assertEquals(await ids(database, "stroller canopy basket"), ["c2"]);
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

testBoth("what all products of a kind are restricts nothing", async ({ database }) => {
  await seed(database, [
    { id: "b1", kind: "blender", title: "Which blender?", quote: "For frozen fruit." },
    { id: "b2", kind: "blender", title: "Blender", quote: "It should be quiet." },
    { id: "t1", kind: "tent", title: "Tent", quote: "A solo tent, which one?" },
    { id: "t2", kind: "tent", title: "Tent", quote: "A tent for four people." },
  ]);
  assertEquals(await ids(database, "countertop blender"), ["b1", "b2"]);
  assertEquals(await ids(database, "quiet countertop blender"), ["b2"]);
  // Nor does it where other words stand beside it.
  assertEquals(await ids(database, "tent for solo camping"), ["t1"]);
  const { rationale, funnel } = await ask(database, "quiet countertop blender");
  assert(
    rationale.includes('"countertop" goes without saying and is not counted. 2 people'),
    rationale,
  );
  assertEquals(funnel.wants.map(({ want }) => want), ["quiet"]);
  assertEquals(await ids(database, "non electric blender"), []);
  // A part that is to be good is asked.
  const laptop = (await readIn(database.sql, "best keyboard laptop"))
    .plan;
  assertEquals(laptop.wants.map(({ name }) => name), ["keyboard"]);
  // What is ruled out is asked.
  const { wants } = (await ask(database, "blender that is not electric")).funnel;
  assertEquals(wants.map(({ want }) => want), ["not electric"]);
});

testBoth("a product is found under what it does and how it is written", async ({ database }) => {
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
    assertEquals(await ids(database, query), ["s1"], query);
  }
  assertEquals(await ids(database, "a tool that blows leaves"), ["b1"]);
  // What is done to the rest of a name, or to something beside it, names no product.
  for (const query of ["machine for shredding paper plates", "cleaning gel", "shipping labels"]) {
    const { product, service } = await readIn(database.sql, query);
    assert(service === null && !product.includes("shredder"), query);
  }
  assertEquals(await ids(database, "welding machine"), ["w1"]);
  // What two names share belongs to the second.
  assertEquals(await ids(database, "computer desk chair"), ["c1"]);
  assertEquals(await ids(database, "guitar delay effects pedal"), ["p1"]);
  // "ie" for "ei" is a mistake, even where posts have it; letters may be swapped in short words.
  assertEquals(await ids(database, "dsek"), ["d1"]);
  assertEquals(await ids(database, "av reciever"), ["r1", "r2", "r3"]);
  const { product } = await readIn(database.sql, "a/v reciever");
  assertEquals(product, "a v receiver");
});

testBoth("a measure is met in all ways to write its unit", async ({ database }) => {
  await seed(database, [
    { id: "t1", kind: "tent", title: "Tent", quote: "A 2-person tent." },
    { id: "t2", kind: "tent", title: "Tent", quote: "A 2 man tent." },
    { id: "t3", kind: "tent", title: "Tent", quote: "For 2 people." },
    { id: "t4", kind: "tent", title: "Tent", quote: "For 3 people." },
  ]);
  for (const query of ["two person tent", "2-man tent", "tent for 2 people"]) {
    assertEquals(await ids(database, query), ["t1", "t2", "t3"], query);
  }
});

testBoth("who asks for a part of a need is not met by its other parts", async ({ database }) => {
  const kind = "car stereo head unit";
  await seed(database, [
    { id: "c1", kind, title: "Head unit", quote: "It should have bluetooth." },
    { id: "c2", kind, title: "Head unit", quote: "It should have usb." },
  ]);
  assertEquals(await ids(database, "car stereo with bluetooth"), ["c1"]);
  assertEquals(await ids(database, "car stereo with usb"), ["c2"]);
});

testBoth("a noun that several kinds share is not the one that was named", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "space heater", title: "Space heater", quote: "Which space heater?" },
    { id: "w1", kind: "water heater", title: "Water heater", quote: "Which water heater?" },
    { id: "d1", kind: "dining table", title: "Dining table", quote: "Which dining table?" },
    { id: "d2", kind: "table", product: "folding table", title: "Folding table", quote: "Which?" },
  ]);
  assertEquals(await ids(database, "space heater"), ["s1"]);
  assertEquals(await ids(database, "dining table"), ["d1"]);
});

testBoth("words that belong together are one want, and one name", async ({ database: { sql } }) => {
  const read = async (query: string) => {
    const { plan, product } = await readIn(sql, query);
    return [product, ...plan.wants.map(({ name }) => name)];
  };
  assertEquals(await read("noise cancelling headphones"), ["headphones", "noise canceling"]);
  assertEquals(await read("in ear monitors for drummers"), ["in ear monitors", "drummers"]);
  assertEquals(await read("bike for commuting in the rain"), ["bike", "commuting", "rain"]);
  assertEquals(await read("monitor 120hz"), ["monitor", "120hz"]);
  // What is refused is no product that is asked for, and what says how one is names no other.
  assertEquals(await read("bed frame no box spring"), ["bedframe", "no box spring"]);
  assertEquals(await read("speakers not bookshelf"), ["speakers"]);
  assertEquals(await read("washing machine quiet"), ["washing machine", "quiet"]);
});

testBoth("what a product is for is not what is asked for", async ({ database }) => {
  await seed(database, [
    { id: "c1", kind: "camera", title: "Which camera?", quote: "For travelling." },
    { id: "l1", kind: "legs", title: "Carbon legs", quote: "They are for a camera." },
  ]);
  assertEquals(await ids(database, "legs for my camera"), ["l1"]);
  // No product is called so: it only asks.
  assertEquals(await ids(database, "opportunity for a camera"), ["c1"]);
});
