/** Who meets what a query asks of a product: with the real lexicon over a small corpus. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { matchCorpus } from "../../../gauge/match/corpus.ts";
import { testOnce } from "../../support/database.ts";
import { idsAsked, POSTS, readOn, type Seed, seed, wantsOn } from "../support/corpus.ts";
import { askOn } from "../support/gauge.ts";

testOnce("who wants the product and does not say the rest counts little", async ({ database }) => {
  await seed(database, POSTS);
  for (const query of ["edible laptop", "laptop with a wooden case"]) {
    assertEquals(await idsAsked(database, query), [], query);
  }
  assertEquals(await idsAsked(database, "laptop"), ["l1", "l2", "m1"]);
  assertEquals(await idsAsked(database, "best laptop, any recommendations?"), [
    "l1",
    "l2",
    "m1",
  ]);
  assertEquals(await idsAsked(database, "laptop for college students"), ["l1"]);
});

testOnce("years are no slip, and a need is met by what it is called elsewhere", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await idsAsked(test.database, "toaster that lasts"), ["t1"]);
  assertEquals(await idsAsked(test.database, "quiet keyboard"), ["k1"]);
});

testOnce("what is said in other words asks for the same", async ({ database }) => {
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
    const found = await idsAsked(database, plain);
    assertEquals(found.length, 1, plain);
    assertEquals(await idsAsked(database, other), found, other);
  }
});

testOnce("a plural, a compound and a slip ask for the same as the plain words", async (test) => {
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
    ["bycicle tyres", "t1"],
    ["sun glasses", "g1"],
    ["back packs", "b1"],
    ["wi-fi router", "r1"],
    ["slowcooker", "c1"],
    ["I am looking for a slow-cooker, which one should I get?", "c1"],
    // A product that no list has.
    ["wool dryer balls", "w1"],
  ];
  for (const [query, id] of same) assertEquals(await idsAsked(test.database, query), [id], query);
});

testOnce("a sum and a measure are asked of the product", async (test) => {
  await seed(test.database, [
    { id: "h1", kind: "tv", title: "A tv", quote: "q", facts: [["price", "<=350 usd"]] },
    { id: "h2", kind: "tv", title: "A tv", quote: "q", facts: [["price", "~2000 usd"]] },
    { id: "h3", kind: "tv", title: "A tv", quote: "q", facts: [["spec", "55 inch"]] },
    { id: "h4", kind: "tv", title: "A tv", quote: "q", facts: [["price", "<=500 usd"]] },
    { id: "h5", kind: "tv", title: "A tv", quote: "q", facts: [["price", "~512 usd"]] },
  ]);
  assertEquals(await idsAsked(test.database, "tv under $400"), ["h1"]);
  assertEquals(await idsAsked(test.database, "tv for $450"), ["h1", "h4", "h5"]);
  // Who would spend the lower end at most would not spend more.
  assertEquals(await idsAsked(test.database, "tv between $500 and $600"), ["h5"]);
  assertEquals(await idsAsked(test.database, "tv over $1500"), ["h2"]);
  assertEquals(await idsAsked(test.database, "55 inch tv"), ["h3"]);
  assertEquals(await wantsOn(test.database.sql, "tv of 55 inches or larger"), ["55 inches"]);
  assertEquals(await idsAsked(test.database, 'tv 55"'), ["h3"]);
});

testOnce("that it may cost little is asked, unless a sum says how little", async (test) => {
  await seed(test.database, [
    { id: "c1", kind: "kettle", title: "A cheap kettle", quote: "Which one?" },
    { id: "c2", kind: "kettle", title: "A kettle", quote: "Which one?" },
    { id: "c3", kind: "kettle", title: "An inexpensive kettle", quote: "Which one?" },
    { id: "c4", kind: "kettle", title: "A kettle", quote: "q", facts: [["price", "<=30 usd"]] },
  ]);
  for (
    const query of [
      "cheap kettle",
      "low-cost kettle",
      "kettle that won't break the bank",
      "money is tight, which kettle should I get?",
    ]
  ) assertEquals(await idsAsked(test.database, query), ["c1", "c3"], query);
  assertEquals(await idsAsked(test.database, "cheap kettle under $30"), ["c4"]);
});

testOnce("words that only fill a sentence ask nothing", async ({ database }) => {
  const wants = (query: string) => wantsOn(database.sql, query);
  await seed(database, POSTS);
  assertEquals(await wants("could you suggest a quiet keyboard"), ["quiet"]);
  assertEquals(await wants("a quiet keyboard to take"), ["quiet"]);
});

testOnce("words that are one thing together are not asked apart", async ({ database }) => {
  const wants = (query: string) => wantsOn(database.sql, query);
  await seed(database, [
    { id: "b1", kind: "boots", title: "Slip resistant boots", quote: "Which ones?" },
    { id: "w1", kind: "wallet", title: "A bi-fold wallet", quote: "Which one?" },
    { id: "s1", kind: "swimsuit", title: "For wide hips", quote: "Which one?" },
  ]);
  assertEquals(await wants("slip resistant footwear"), ["slip resistant"]);
  // A verb with its particle is no name: "carry on" of a suitcase.
  assertEquals(await wants("carry on suitcase"), ["carry on"]);
  assertEquals(await wants("Le Creuset dutch oven"), ["le creuset"]);
  assertEquals(await wants("Microsoft Surface tablet"), ["microsoft surface"]);
  assertEquals(await wants("tent they can carry on hikes"), ["hikes", "carry"]);
  assertEquals(await wants("backpack to carry on"), ["carry on"]);
  // By itself "footwear" means another kind than the whole name.
  assertEquals(await wants("minimalist footwear"), ["minimalist"]);
  assertEquals(await wants("bi-fold wallet"), ["bi fold"]);
  assertEquals(await wants("swimsuit for wide hips or a big bottom"), ["wide hips or big bottom"]);
});

testOnce(
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
    const product = async (query: string) => (await readOn(database.sql, query)).product;
    assertEquals(await product("moniter 27 inch"), "monitor");
  },
);

testOnce("of several words those count by which texts state something", async ({ database }) => {
  await seed(database, [
    { id: "f", kind: "sunscreen", title: "Sunscreen", quote: "For my face." },
    { id: "w", kind: "sunscreen", title: "Sunscreen", quote: "I wear one each day." },
  ]);
  assertEquals(await idsAsked(database, "sunscreen to wear on the face"), ["f"]);
  assertEquals(await wantsOn(database.sql, "sunscreen to wear on the face"), ["wear on the face"]);
  // A number counts nothing by itself, and "self" begins a compound.
  await seed(database, [
    { id: "b1", kind: "bike", title: "Bike", quote: "One of 7 speeds." },
    { id: "b2", kind: "bike", title: "Bike", quote: "I am number 7." },
    { id: "m1", kind: "mattress", title: "Mattress", quote: "A self inflating one." },
    { id: "m2", kind: "mattress", title: "Mattress", quote: "An inflatable one." },
  ]);
  assertEquals(await idsAsked(database, "bike with 7 speeds"), ["b1"]);
  assertEquals(await idsAsked(database, "mattress that is self inflating"), ["m1"]);
});

testOnce("a number without a unit is asked of the product", async ({ database }) => {
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
  assertEquals(await idsAsked(database, "5.1 speakers"), ["s1"]);
  assertEquals(await idsAsked(database, "headlamp 18650"), ["h1"]);
  assertEquals(await idsAsked(database, "nexus 7 case"), ["c1"]);
  // Who wants bays wants some number of them.
  assertEquals(await idsAsked(database, "4 bay nas"), ["n1", "n2"]);
  assertEquals(await wantsOn(database.sql, "4 bay nas"), ["4 bay"]);
  // What is counted may stand behind a word that goes without saying.
  assertEquals(await wantsOn(database.sql, "nas with 4 drive bays"), ["4 drive bays"]);
  assertEquals(await wantsOn(database.sql, "top 10 headlamps 2013"), []);
});

testOnce("a word that is no product's name is not one with empty words before it", async (test) => {
  await seed(test.database, [
    { id: "t1", kind: "tv", title: "TV", quote: "Are you happy with yours?" },
  ]);
  assertEquals((await askOn(test.database, "how to be happy")).funnel.askingForProduct, 0);
});

testOnce("what is not wanted is asked of who wants none of it", async ({ database }) => {
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
  assertEquals(await idsAsked(database, "keyboard that is not wireless"), ["k3"]);
  assertEquals(await idsAsked(database, "keyboard that is not noisy"), ["k2"]);
});

testOnce("who only looks for one asks nothing of its looks", async ({ database }) => {
  await seed(database, [
    { id: "b1", kind: "backpack", title: "Looking for a good backpack", quote: "For school." },
    { id: "b2", kind: "backpack", title: "A stylish backpack", quote: "Which one?" },
    { id: "h1", kind: "headphones", title: "Looking for good headphones", quote: "Which ones?" },
    { id: "h2", kind: "headphones", title: "Stylish headphones", quote: "Which ones?" },
  ]);
  for (const said of ["that isn't ugly", "that looks good", "that is nice looking"]) {
    assertEquals(await idsAsked(database, `backpack ${said}`), ["b2"], said);
  }
  for (const query of ["stylish headphones", "good looking headphones"]) {
    assertEquals(await idsAsked(database, query), ["h2"], query);
  }
});

testOnce("what is said and asks nothing that is looked for is told", async ({ database }) => {
  await seed(database, [
    { id: "p1", kind: "fountain pen", title: "A fountain pen", quote: "Which one?" },
    { id: "k1", kind: "keyboard", title: "A keyboard", quote: "Which one?" },
    { id: "t1", kind: "tent", title: "A tent", quote: "Which one?" },
    { id: "b1", kind: "bra", title: "A bra in 34G", quote: "Which one?" },
    { id: "b2", kind: "bra", title: "A bra", quote: "Which one?" },
    { id: "l1", kind: "boots", title: "Boots", quote: "No leather.", ruledOut: ["leather"] },
    { id: "l2", kind: "boots", title: "Leather boots", quote: "Which ones?" },
  ]);
  const untold = [
    ["expensive keyboard", "expensive"],
    ["Model M keyboard", "model m"],
    ["a tent, not a hammock", "not a hammock"],
    ["fountain pen with a fine nib", "fine"],
  ] as const;
  for (const [query, name] of untold) {
    const { rationale } = await askOn(database, query);
    assertStringIncludes(rationale, `"${name}" was not used to narrow the count.`);
  }
  for (const query of ["good keyboard, any recommendations?", "what keyboard do you all like"]) {
    assert(!(await askOn(database, query)).rationale.includes("not used"), query);
  }
  assertEquals(await idsAsked(database, "bras 34G"), ["b1"]);
  assertEquals(await idsAsked(database, "boots that are not leather"), ["l1"]);
});

testOnce("what never happens is denied, and a verb alone is half of what it says", async (test) => {
  await seed(test.database, [
    { id: "b1", kind: "boots", title: "Boots to wear to work", quote: "I could wear them daily." },
    { id: "b2", kind: "boots", title: "Durable boots", quote: "Which ones?" },
  ]);
  const wants = (query: string) => wantsOn(test.database.sql, query);
  assertEquals(await wants("phone that never freezes"), ["never freezes"]);
  assertEquals(await wants("boots that never wear out"), ["never wear out"]);
  assertEquals(await idsAsked(test.database, "boots that never wear out"), ["b2"]);
});

testOnce("of two products or wants that any will do of, either counts", async ({ database }) => {
  await seed(database, [
    ...POSTS,
    { id: "f1", kind: "knife", title: "A knife for camping", quote: "q" },
    { id: "f2", kind: "knife", title: "A survival knife", quote: "q" },
    { id: "f3", kind: "knife", title: "A knife for bread", quote: "q" },
  ]);
  assertEquals(await idsAsked(database, "laptop or toaster"), ["l1", "l2", "m1", "t1", "t2"]);
  assertEquals(await idsAsked(database, "knife for camping, survival or bushcraft"), ["f1", "f2"]);
  assertEquals(await wantsOn(database.sql, "torch for a pocket, on a belt or in a bag"), [
    "pocket or belt or bag",
  ]);
});

testOnce("words behind a product's name say how it is", async ({ database }) => {
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
  assertEquals(await idsAsked(database, "belt full grain leather"), ["b1"]);
  assertEquals(await idsAsked(database, "usb hub powered"), ["u1"]);
  assertEquals(await idsAsked(database, "wallet slim front pocket"), ["w2"]);
  assertEquals(await idsAsked(database, "gaming headset ps3"), ["h1"]);
  assertEquals(await idsAsked(database, "ps3"), ["g1"]);
  // What ends as its kind's name does is the product, and no model that the one before it is for.
  assertEquals(await idsAsked(database, "guitar delay pedal"), ["p1"]);
  // "Nights" go without saying, so that "outdoors" behind them continues nothing that is asked.
  assertEquals(await idsAsked(database, "sleeping bag for nights outdoors"), ["s1"]);
});

testOnce("what all products of a kind are restricts nothing", async ({ database }) => {
  await seed(database, [
    { id: "b1", kind: "blender", title: "Which blender?", quote: "For frozen fruit." },
    { id: "b2", kind: "blender", title: "Blender", quote: "It should be quiet." },
    { id: "t1", kind: "tent", title: "Tent", quote: "A solo tent, which one?" },
    { id: "t2", kind: "tent", title: "Tent", quote: "A tent for four people." },
  ]);
  assertEquals(await idsAsked(database, "countertop blender"), ["b1", "b2"]);
  assertEquals(await idsAsked(database, "quiet countertop blender"), ["b2"]);
  // Nor does it where other words stand beside it.
  assertEquals(await idsAsked(database, "tent for solo camping"), ["t1"]);
  const { rationale, funnel } = await askOn(database, "quiet countertop blender");
  assert(
    rationale.includes('"countertop" goes without saying for it. '),
    rationale,
  );
  assertEquals(funnel.wants.map(({ want }) => want), ["quiet"]);
  assertEquals(await idsAsked(database, "non electric blender"), []);
  // Whose it is narrows little, so that what goes without saying behind it continues nothing.
  const shaver = (await readOn(database.sql, "electric shaver for a man's face")).plan;
  const face = shaver.wants.filter(({ name }) => name === "face");
  assertEquals(face, []);
  // A part that is to be good is asked.
  const laptop = (await readOn(database.sql, "best keyboard laptop"))
    .plan;
  assertEquals(laptop.wants.map(({ name }) => name), ["keyboard"]);
  // What is ruled out is asked.
  const { wants } = (await askOn(database, "blender that is not electric")).funnel;
  assertEquals(wants.map(({ want }) => want), ["not electric"]);
});

testOnce("a measure is met in all ways to write its unit", async ({ database }) => {
  await seed(database, [
    { id: "t1", kind: "tent", title: "Tent", quote: "A 2-person tent." },
    { id: "t2", kind: "tent", title: "Tent", quote: "A 2 man tent." },
    { id: "t3", kind: "tent", title: "Tent", quote: "For 2 people." },
    { id: "t4", kind: "tent", title: "Tent", quote: "For 3 people." },
  ]);
  for (const query of ["two person tent", "2-man tent", "tent for 2 people"]) {
    assertEquals(await idsAsked(database, query), ["t1", "t2", "t3"], query);
  }
});

testOnce("who asks for a part of a need is not met by its other parts", async ({ database }) => {
  const kind = "car stereo head unit";
  await seed(database, [
    { id: "c1", kind, title: "Head unit", quote: "It should have bluetooth." },
    { id: "c2", kind, title: "Head unit", quote: "It should have usb." },
  ]);
  assertEquals(await idsAsked(database, "car stereo with bluetooth"), ["c1"]);
  assertEquals(await idsAsked(database, "car stereo with usb"), ["c2"]);
});

testOnce("a compound that begins with where it is, is asked as a whole", async ({ database }) => {
  const kind = "headphones";
  await seed(database, [
    { id: "h1", kind, title: "Which?", quote: "Mine.", facts: [["attribute", "over-ear"]] },
    { id: "h2", kind, title: "Which?", quote: "Mine.", facts: [["attribute", "in-ear"]] },
  ]);
  const { plan } = await readOn(database.sql, "over-ear headphones");
  assertEquals(plan.wants.map(({ name }) => name), ["over ear"]);
  const { matches } = await matchCorpus(
    database.sql,
    await readOn(database.sql, "over-ear headphones"),
    null,
  );
  assertEquals([...matches].sort((a, b) => b.relevance - a.relevance).map((one) => one.postId), [
    "h1",
    "h2",
  ]);
});
