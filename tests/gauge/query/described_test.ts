/** What a query tells of without naming it: a kind, by all its words. */
import { assert, assertEquals } from "@std/assert";
import type { Database } from "../../../db/sql.ts";
import { askedNoun, readHead } from "../../../gauge/query/head.ts";
import { findKinds } from "../../../gauge/query/kinds.ts";
import { readQuery } from "../../../gauge/query/read.ts";
import { describedKinds, KindTable } from "../../../gauge/words/kind_table.ts";
import { testOnce } from "../../support/database.ts";
import { commonOf, learnDescribed } from "../../../tasks/train/described.ts";
import { idsOf, lookFor, type Seed, seed } from "../support/corpus.ts";

Deno.test("the noun of a query stands before what tells its purpose", () => {
  const words = (query: string) =>
    query.split(" ").map((word) => ({ word, stems: /^(an?|for)$/.test(word) ? [] : [word] }));
  const read = words("an echo zorbat for electric guitar");
  assertEquals(askedNoun(read, []), 2);
  assertEquals(askedNoun(words("people who want to pedal to work on a bike"), []), 9);
  assertEquals(askedNoun(words("best for a"), []), -1);
  // The product that a list knows stands behind it.
  const spans = findKinds(read.map(({ word }) => word));
  const last = (isProduct: boolean) =>
    readHead(read, spans, { isProduct: () => isProduct, ofList: null })?.last;
  assertEquals(last(false), 5);
  // Products are called by the word: what it is for is not what is asked for.
  assertEquals(last(true), 2);
});

Deno.test("what a product joins belongs to its name", () => {
  const noun = (query: string) => {
    const typed = query.split(" ");
    const words = typed.map((word) => ({ word, stems: /^(an?|to)$/.test(word) ? [] : [word] }));
    return typed[askedNoun(words, findKinds(typed))];
  };
  assertEquals(noun("hdmi to vga adapter"), "adapter");
  assertEquals(noun("xlr to usb cable"), "cable");
  assertEquals(noun("zorbat to charge a phone"), "zorbat");
  assertEquals(noun("something to plug headphones"), "something");
  assertEquals(noun("bag to carry a usb cable"), "bag");
});

Deno.test("a word that stands for a name is the noun", () => {
  const words = (query: string) => query.split(" ").map((word) => ({ word, stems: [word] }));
  assertEquals(askedNoun(words("something to type on"), []), 0);
  assertEquals(askedNoun(words("looking for a thing that cuts grass"), []), 3);
});

Deno.test("in a question the noun stands before its verb", () => {
  const words = (query: string) => query.split(" ").map((word) => ({ word, stems: [word] }));
  assertEquals(askedNoun(words("which bags do riders hang beside the wheel"), []), 1);
  assertEquals(askedNoun(words("which kettle does a hiker boil water with"), []), 1);
});

Deno.test("words that people say of a kind tell of it", () => {
  assertEquals(describedKinds().read(["facial", "hair", "clipper"])[0]?.kind, "beard trimmer");
  assertEquals(describedKinds().read(["zorbat"]), []);
});

Deno.test("a table of kinds says what was written to it, to a quarter", () => {
  const table = new KindTable(KindTable.write(
    new Map([["chop", [["knife", 3], ["axe", 1.3]]], ["wood", [["axe", 2]]]]),
  ));
  assertEquals(table.of("chop"), new Map([["knife", 3], ["axe", 1.25]]));
  assertEquals(table.of("soup"), new Map());
  assertEquals(table.read(["chop", "wood"]).map(({ kind, score }) => [kind, score]), [
    ["axe", 3.25],
    ["knife", 3],
  ]);
  assertEquals(table.read(["chop"], new Map(), new Set(["knife"]))[0]?.kind, "axe");
  // More that nothing is known of makes it less likely that one of the kinds is meant.
  const share = (stems: readonly string[]) => table.read(stems)[0]?.share ?? 0;
  assert(share(["chop"]) > share(["chop", "soup"]));
});

const POSTS: readonly Seed[] = [
  ["p1", "guitar pedal", "Which guitar pedal for echo?"],
  ["g1", "electric guitar", "First electric guitar"],
  ["k1", "keyboard", "Which keyboard?"],
  ["c1", "couch", "Which couch?"],
  ["d1", "dehumidifier", "Which dehumidifier?"],
  ["n1", "panniers", "Panniers that are waterproof"],
  ["n2", "panniers", "Any panniers"],
  ["l1", "lawn mower", "Which lawn mower?"],
  ["s1", "string trimmer", "Which string trimmer?"],
  ["m1", "moisturizer", "Moisturizer with spf"],
  ["u1", "sunscreen", "Which sunscreen?"],
  ["h1", "handheld gps", "Which handheld gps?"],
  ["b1", "bike", "Which bike?"],
  ["w1", "stroller", "Which stroller?"],
  ["w2", "blender", "Which blender?"],
  ["t1", "beard trimmer", "Which beard trimmer?"],
  ["t2", "hair clippers", "Which hair clippers?"],
  ["f1", "fountain pen", "Which fountain pen?"],
  ["f2", "pen", "Which pen?"],
].map(([id = "", kind = "", title = ""]) => ({ id, kind, title, quote: "Which one?" }));

async function find({ database }: { readonly database: Database }, query: string) {
  const { read, matches } = await lookFor(database, query, findKinds);
  return {
    product: read.product,
    readAs: read.readAs,
    service: read.service,
    found: idsOf(matches.filter(({ relevance }) => relevance >= 0.5)),
  };
}

testOnce("a description finds its kind, and says what was read as it", async (test) => {
  await seed(test.database, POSTS);
  const described: readonly (readonly [string, string, readonly string[]])[] = [
    ["something to type on from the couch", "keyboard", ["k1"]],
    ["machine that pulls moisture out of the air in a damp house", "dehumidifier", ["d1"]],
    ["an echo box to step on for an electric guitar", "guitar pedal", ["p1"]],
  ];
  for (const [query, product, ids] of described) {
    const read = await find(test, query);
    assertEquals(read.product, product);
    assertEquals(read.found, ids, query);
  }
  assertEquals(
    (await find(test, "something to type on from the couch")).readAs,
    "something to type on from the couch",
  );
});

testOnce("what a description asks besides what the kind is, is a want", async (test) => {
  await seed(test.database, POSTS);
  const { product, found } = await find(
    test,
    "bike saddle pouches for the rear rack that keep out rain",
  );
  assertEquals(product, "panniers");
  assertEquals(found, ["n1"]);
});

testOnce("of two kinds that are nearly as likely either counts", async (test) => {
  await seed(test.database, POSTS);
  const { product, found } = await find(test, "something to cut the grass");
  assertEquals(product, "string trimmer or lawn mower");
  assertEquals(found, ["l1", "s1"]);
});

testOnce("what is named stays what it is, whatever else is said", async (test) => {
  await seed(test.database, POSTS);
  for (
    const [query, product] of [
      ["electric guitar with an echo pedal", "electric guitar"],
      ["moisturizer with spf", "moisturizer"],
      ["quiet keyboard to type on from the couch", "keyboard"],
      ["bike with training wheels", "bike"],
      // Nobody wants one.
      ["fish finder with sonar for a small fishing boat", "fish finder"],
    ] as const
  ) assertEquals((await find(test, query)).product, product);
  // A service is none of the products that its words speak of.
  assertEquals((await find(test, "bike repair for a rusty chain")).service, "repair");
});

testOnce("what word lists have the noun for counts with what the other words say", async (test) => {
  await seed(test.database, POSTS);
  const read: readonly (readonly [string, string])[] = [
    ["which bags do riders hang on the rear rack of a bike", "panniers"],
    // The kind that the noun names by itself is one that nobody described.
    ["clippers to trim a goatee and stubble", "beard trimmer"],
    // "Pen" is chosen for a fountain pen by the nib beside it.
    ["pen with a broad nib and bottled ink", "fountain pen"],
  ];
  for (const [query, product] of read) {
    assertEquals((await find(test, query)).product, product, query);
  }
});

testOnce("of what a noun may mean that is meant of which alone it makes sense", async (test) => {
  await seed(test.database, [
    { id: "n1", kind: "notebook", title: "Notebook", quote: "Which one?" },
    { id: "l1", kind: "laptop", title: "Laptop", quote: "I edit videos, which one?" },
    { id: "b1", kind: "boots", title: "Boots", quote: "Which ones?" },
  ]);
  assertEquals((await find(test, "notebook that can edit videos")).product, "laptop");
  // "For school" makes sense of both, and "schoolwork and gaming" is said of laptops far more often.
  for (
    const query of [
      "notebook that can edit videos for school",
      "student notebook that does schoolwork and gaming",
    ]
  ) {
    assertEquals((await find(test, query)).product, "laptop", query);
  }
  assertEquals((await find(test, "notebook with lined paper")).product, "notebook");
  assertEquals((await find(test, "vegan boots")).product, "boots");
});

testOnce("a product right before the noun is none that the query tells of", async (test) => {
  await seed(test.database, POSTS);
  for (const query of ["stroller hook for a toddler's bags", "blender jug for ice smoothies"]) {
    assertEquals((await find(test, query)).readAs, null, query);
  }
});

testOnce("the one word that tells of a kind is asked of it", async ({ database: { sql } }) => {
  const query = { query: "hanging rack", category: null };
  const { plan, product } = await readQuery(sql, query, findKinds);
  assertEquals([product, ...plan.wants.map(({ name }) => name)], [
    "bike rack or cargo rack",
    "hanging",
  ]);
});

testOnce("what a product is for tells of none that is beside it", async (test) => {
  await seed(test.database, POSTS);
  assertEquals((await find(test, "woven band for a garmin gps watch")).product, "watch strap");
});

testOnce("a name behind a description is what is described", async (test) => {
  await seed(test.database, POSTS);
  const { product, found } = await find(
    test,
    "a machine for drying damp air at home (a dehumidifier)",
  );
  assertEquals({ product, found }, { product: "dehumidifier", found: ["d1"] });
});

testOnce("a product that no kind stands for has no data", async (test) => {
  await seed(test.database, POSTS);
  for (
    const query of [
      "mallets, balls and hoops for playing croquet on the lawn",
      "sonar gadget that shows anglers where the fish are under the boat",
    ]
  ) assertEquals((await find(test, query)).found, [], query);
});

Deno.test("a stem speaks of the kinds that texts with it are of, the more the rarer it is", () => {
  const posts = Array.from(
    { length: 400 },
    (_, i) =>
      i < 40
        ? ["good", "chop", "onion"]
        : i < 80
        ? ["good", "mow", "grass"]
        : ["good", `a${i % 9}`],
  );
  const speaking = learnDescribed([
    { kind: "knife", from: "query", stems: ["good", "chop", "onion"] },
    { kind: "lawn mower", from: "query", stems: ["good", "mow", "grass"] },
  ], commonOf(posts));
  assertEquals(speaking.get("chop")?.map(([kind]) => kind), ["knife"]);
  assertEquals(speaking.get("mow")?.map(([kind]) => kind), ["lawn mower"]);
  assertEquals(speaking.get("good"), undefined);
});
