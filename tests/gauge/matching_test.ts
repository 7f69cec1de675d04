import { assert, assertEquals } from "@std/assert";
import { BOUNDS } from "../../db/matching/mod.ts";
import type { Database } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { funnelOf, grantedIn } from "../../gauge/match/funnel.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { ABOUT_FROM, keys, type PlanLevel } from "../../db/matching/plan.ts";
import { communitiesGranting } from "../../gauge/words/granted.ts";
import { findKinds as findKindsByLexicon } from "../../gauge/query/kinds.ts";
import type { Match } from "../../gauge/types.ts";
import { testBothInTurn as testBoth } from "../support/database.ts";
import { findKinds, idsOf, lookFor, type Seed, seed } from "./support/corpus.ts";

const find = async (
  database: Database,
  query: string,
  category: string | null = null,
  bounds = BOUNDS,
): Promise<readonly Match[]> =>
  (await lookFor(database, query, findKinds, category, bounds)).matches;

/** Those that are about the product, and near what was asked. */
const about = async (...asked: Parameters<typeof find>): Promise<readonly Match[]> =>
  (await find(...asked)).filter(({ head, relevance }) => head >= ABOUT_FROM && relevance >= 0.3);

const KETTLE: Seed = {
  id: "k1",
  kind: "kettle",
  title: "Another kettle that leaks at the base",
  quote: "This is the third kettle that leaks.",
};

testBoth("words that a slash joins are found", async (test) => {
  await seed(test.database, [{
    id: "k1",
    kind: "kettle",
    product: "gooseneck/wobbly kettle",
    title: "A quiet/slim one?",
    quote: "Something for noodles/soup.",
  }]);
  for (const want of ["gooseneck", "wobbly", "quiet", "slim", "noodles", "soup"]) {
    const [match] = await find(test.database, `kettle for ${want}`);
    assertEquals(match?.met, 1, want);
  }
});

testBoth("a stem, a synonym of the kind and a typing error all find the signal", async (test) => {
  await seed(test.database, [
    KETTLE,
    {
      id: "e1",
      kind: "earphones",
      product: "in-ear monitor",
      title: "Monitors that stay in while running",
      quote: "Mine fall out all the time.",
    },
    {
      id: "e2",
      kind: "earphones",
      product: "earbud",
      title: "Earbuds for small ears",
      quote: "Every pair hurts.",
    },
    { id: "h1", kind: "headphones", title: "Headphones broke again", quote: "The band snapped." },
    { id: "h2", kind: "headphones", title: "Headphones to keep", quote: "I want some that last." },
  ]);
  assertEquals(idsOf(await about(test.database, "kettles leaking")), ["k1"]);
  assertEquals(idsOf(await about(test.database, "earbuds")), ["e1", "e2"]);
  for (const query of ["hedphones", "headpohnes", "head phones", "head-phones"]) {
    assertEquals(idsOf(await about(test.database, query)), ["h1", "h2"], query);
  }
});

testBoth("a slip is looked for by its letters, and not in a word with marks", async (test) => {
  const asking: Seed = { id: "z1", kind: "zorblebrim", title: "A zorblebrim", quote: "Which?" };
  await seed(test.database, [asking, { ...asking, id: "z2", title: "Some zorblebrim" }]);
  assertEquals(idsOf(await about(test.database, "zorblbrim")), ["z1", "z2"]);
  assertEquals(idsOf(await about(test.database, "zorbl\u035cbrim")), []);
});

testBoth("who asks for a set asks for what the set's text names", async (test) => {
  await seed(test.database, [
    {
      ...KETTLE,
      id: "s1",
      kind: "kitchen equipment",
      product: "kitchen equipment",
      title: "A kettle",
    },
    {
      ...KETTLE,
      id: "s2",
      kind: "kitchen equipment",
      product: "kitchen equipment",
      title: "Which pans?",
      quote: "Pans.",
    },
    {
      ...KETTLE,
      id: "t1",
      kind: "toaster",
      product: "toaster",
      title: "A toaster beside my kettle",
    },
  ]);
  assertEquals(idsOf(await about(test.database, "kettle")), ["s1"]);
});

testBoth(
  "a product named in several words is found beside many with its last word",
  async (test) => {
    const tool: Seed = {
      id: "b1",
      kind: "tool kit",
      product: "bike tool kit",
      title: "Which bike tool kit?",
      quote: "I want a bike tool kit.",
      ageDays: 300,
    };
    const others = Array.from({ length: 300 }, (_, i): Seed => ({
      id: `s${i}`,
      kind: "sewing kit",
      product: "sewing kit",
      title: "Which sewing kit?",
      quote: "I want a sewing kit.",
      ageDays: 1,
    }));
    await seed(test.database, [tool, ...others]);
    const few = { found: 20, target: 20, graded: 10, authors: 10 };
    const input = { query: "bike tool kit", category: null };
    const read = await readQuery(test.database.sql, input, findKindsByLexicon);
    const { matches } = await matchCorpus(test.database.sql, read, null, few);
    assertEquals(idsOf(matches.filter(({ head }) => head >= ABOUT_FROM)), ["b1"]);
  },
);

testBoth("kinds are counted under every name that a query's kind has", async (test) => {
  await seed(test.database, [
    { ...KETTLE, kind: "media player", product: "media player", title: "A media player" },
  ]);
  const input = { query: "streaming box", category: null };
  const { terms } = await readQuery(test.database.sql, input, findKindsByLexicon);
  assertEquals(terms.counts.get("k/media player")?.signals, 1);
  assert(terms.absent.has("k/tv box"));
});

testBoth("either of two wants will do only where the query says so", async (test) => {
  const wants = async (query: string) => {
    const { sql } = test.database;
    const { plan } = await readQuery(sql, { query, category: null }, findKindsByLexicon);
    return plan.wants.filter(({ power }) => power > 0.2).map(({ name }) => name);
  };
  assertEquals((await wants("sleeping bag for festivals or travel")).length, 1);
  assertEquals((await wants("sleeping bag for festivals and travel")).length, 2);
  assertEquals((await wants("laptop with backlit keyboard")).length, 2);
  assertEquals((await wants("laptop with good keyboard for programmers")).length, 2);
});

testBoth("a signal that shares only a common word is far from the query", async (test) => {
  await seed(test.database, [
    KETTLE,
    {
      id: "m1",
      kind: "computer mouse",
      title: "Small mouse for a small desk",
      quote: "Looking for a good small mouse.",
    },
    {
      id: "r1",
      kind: "router",
      title: "Wireless router keeps dropping",
      quote: "My wireless router is the worst thing I own.",
    },
  ]);
  for (
    const query of [
      "wireless kettle for desk lamps and gardens",
      "small business accounting",
      "good thing",
      "looking for the best",
      "quantum flux kettle inducer",
      "dog walking service near me",
    ]
  ) assertEquals(idsOf(await about(test.database, query)), [], query);
  assertEquals(idsOf(await about(test.database, "small mouse")), ["m1"]);
});

testBoth("a word in the text of another product does not make it that product", async (test) => {
  await seed(test.database, [
    KETTLE,
    {
      id: "b1",
      kind: "boots",
      title: "Boots soaked by a leaking kettle",
      quote: "My boots smell.",
      category: "footwear",
    },
  ]);
  assertEquals(idsOf(await about(test.database, "kettle")), ["k1"]);
  assertEquals(idsOf(await about(test.database, "boots")), ["b1"]);
});

testBoth("a category keeps others out, and an unknown word finds nothing", async (test) => {
  await seed(test.database, [
    KETTLE,
    { ...KETTLE, id: "k2", category: "outdoor-gear", authorKey: "other" },
  ]);
  assertEquals(idsOf(await find(test.database, "kettle")), ["k1", "k2"]);
  assertEquals(idsOf(await find(test.database, "kettle", "kitchen")), ["k1"]);
  assertEquals(idsOf(await find(test.database, "kettle", "audio")), []);
  assertEquals(idsOf(await find(test.database, "xqzzt vlorp")), []);
});

testBoth(
  "what a post states, tells in its title, or says in its body counts in this order",
  async (test) => {
    await seed(test.database, [
      { id: "a", kind: "kettle", title: "Which?", quote: "Any.", facts: [["attribute", "quiet"]] },
      { id: "b", kind: "kettle", title: "A quiet one?", quote: "Any." },
      { id: "c", kind: "kettle", title: "Which?", quote: "Any.", body: "Any. It has to be quiet." },
      { id: "d", kind: "kettle", title: "Which?", quote: "Any." },
    ]);
    const found = await find(test.database, "quiet kettle");
    assertEquals(found.map(({ postId }) => postId), ["a", "b", "c", "d"]);
    assertEquals(found.map(({ met }) => met), [1, 1, 1, 0]);
  },
);

testBoth(
  "what goes without saying in a community is asked by whoever writes there",
  async (test) => {
    const bag = (id: string, community: string, more: Partial<Seed> = {}): Seed => ({
      id,
      community,
      kind: "sleeping bag",
      title: "Which sleeping bag?",
      quote: "I need a warm one.",
      ...more,
    });
    await seed(test.database, [
      bag("said", "things", { facts: [["use", "backpacking"]] }),
      bag("there", "Backpacking"),
      bag("elsewhere", "things"),
      bag("not", "Backpacking", { ruledOut: ["backpack"] }),
    ]);
    const stating = async (query: string): Promise<unknown[]> => {
      const { read, matches } = await lookFor(test.database, query, findKindsByLexicon);
      const { wants, communities } = grantedIn(read.plan, matches);
      const told = [...wants.flatMap(({ want, people }) => [want, people]), ...communities];
      return [...idsOf(matches.filter(({ met }) => met === 1)), ...told];
    };
    const granted = ["backpacking", 1, "Backpacking"];
    assertEquals(await stating("sleeping bag for backpacking"), ["said", "there", ...granted]);
    assertEquals(await stating("sleeping bag for cabins or backpacking"), [
      "said",
      "there",
      "cabins or backpacking",
      1,
      "Backpacking",
    ]);
    // What is denied goes without saying nowhere.
    assertEquals(await stating("sleeping bag not for backpacking"), ["not"]);
    assertEquals(await stating("sleeping bag rather than backpacking"), ["not"]);
    assertEquals(await stating("sleeping bag instead of backpacking"), ["not"]);
  },
);

testBoth(
  "a product's noun is its name in a community where the rest goes without saying",
  async (test) => {
    const printer = (id: string, community: string, kind = "printer"): Seed => ({
      id,
      community,
      kind,
      title: "Which one?",
      quote: "I am looking for my first one.",
    });
    await seed(test.database, [
      printer("named", "things", "3d printer"),
      printer("there", "3Dprinting"),
      printer("elsewhere", "things"),
      printer("other", "3Dprinting", "filament"),
      printer("light", "flashlight", "light"),
    ]);
    const about = async (query: string): Promise<string[]> => {
      const { matches } = await lookFor(test.database, query, findKindsByLexicon);
      return idsOf(matches.filter(({ head }) => head >= 0.5));
    };
    assertEquals(await about("3d printer"), ["named", "there"]);
    assertEquals(await about("label printer"), []);
    // Where the community has the product's name.
    assertEquals(await about("torch"), ["light"]);
  },
);

testBoth("who asks for a set and names the product by any of its names wants it", async (test) => {
  const furniture = (id: string, quote: string): Seed => ({
    id,
    kind: "furniture",
    title: "A new home",
    quote,
  });
  await seed(test.database, [
    furniture("f1", "We need a sofa and a table."),
    furniture("f2", "Where is a good couch?"),
    furniture("f3", "Where is a good opener?"),
    furniture("f4", "Which lamps?"),
  ]);
  const about = async (query: string): Promise<string[]> => {
    const { matches } = await lookFor(test.database, query, findKindsByLexicon);
    return idsOf(matches.filter(({ head }) => head >= ABOUT_FROM)).sort();
  };
  assertEquals(await about("settee"), ["f1", "f2"]);
  // Of its name nothing but the noun can be looked for.
  assertEquals(await about("can opener"), []);
});

Deno.test("nothing is looked for by its community alone, however few signals that has", () => {
  const level: PlanLevel = {
    groups: [["k/printer", "r/3dprinting"]],
    place: "summary",
    quality: 0.9,
  };
  assertEquals(keys([level], (term) => term === "k/printer" ? 9_000 : 10), ["k/printer"]);
});

Deno.test("words go without saying where phrases of the list say all of them", () => {
  const isGranted = (...words: string[]) => communitiesGranting(words).includes("backpacking");
  assert(isGranted("backpackers"));
  assert(isGranted("multi", "day"));
  assert(isGranted("multi", "day", "camping"));
  assert(!isGranted("multi"));
  assert(!isGranted("camping", "dogs"));
  assertEquals(communitiesGranting([]), []);
});

testBoth("query syntax, quotes, slashes and other scripts are words or nothing", async (test) => {
  await seed(test.database, [KETTLE]);
  for (
    const query of [
      "kettle' | 'x",
      "kettle & !leaks",
      "kettle:*A",
      "kettle \\ leaks",
      "'; drop table --kettle leaks",
    ]
  ) assertEquals(idsOf(await find(test.database, query)), ["k1"], query);
  for (
    const query of ["k/kettle", "h/700", "c/kitchen", "r/things", "سماعات لاسلكية", "नमस्ते दुनिया"]
  ) {
    await find(test.database, query);
  }
  assertEquals(idsOf(await find(test.database, "c/kitchen h/700 r/things")), []);
});

testBoth("each author is there once, with its strongest signal", async (test) => {
  await seed(test.database, [
    { ...KETTLE, authorKey: "v", ageDays: 300 },
    { ...KETTLE, id: "k2", authorKey: "v", ageDays: 3 },
    { ...KETTLE, id: "k3", authorKey: "w" },
  ]);
  assertEquals(idsOf(await find(test.database, "kettle")), ["k2", "k3"]);
});

testBoth("reading only the hottest finds what reading all would have put first", async (test) => {
  const seeds = Array.from({ length: 420 }, (_, i): Seed => ({
    ...KETTLE,
    id: `k${i}`,
    title: i % 3 === 0 ? "A kettle for camping" : "A kettle for the kitchen",
    ageDays: (i * 131) % 900,
    upvotes: (i * 89) % 300,
  }));
  // Words have slices from their 100th signal on: the first ones are there before the rest.
  await seed(test.database, seeds);
  const narrow = { found: 150, graded: 150, target: 80, authors: 200 };
  for (const query of ["kettle", "camping kettle"]) {
    const best = (await find(test.database, query)).slice(0, 5);
    const bounded = await find(test.database, query, null, narrow);
    const all = new Set(idsOf(bounded));
    assert(bounded.length < 420);
    assert(best.filter(({ postId }) => all.has(postId)).length >= 4, query);
  }
});

testBoth(
  "of a frequent product a category's few are all found, and none is told besides",
  async (test) => {
    const kettle = (id: string, category: string, ageDays: number): Seed => ({
      ...KETTLE,
      id,
      category,
      ageDays,
    });
    await seed(test.database, [
      ...Array.from({ length: 60 }, (_, i) => kettle(`k${i}`, "kitchen", i)),
      ...Array.from({ length: 4 }, (_, i) => kettle(`c${i}`, "outdoor-gear", 300 + i)),
    ]);
    const narrow = { found: 30, graded: 20, target: 10, authors: 20 };
    const { sql } = test.database;
    const read = await readQuery(sql, { query: "kettle", category: "outdoor-gear" }, findKinds);
    const found = await matchCorpus(sql, read, null, narrow);
    assertEquals(found.matches.length, 4);
    assertEquals(funnelOf(read, { ...found, live: [] }, 4).askingForProduct, 4);
  },
);

testBoth("who states all that is asked hides nobody who states most of it", async (test) => {
  const said = (id: string, words: string, ageDays: number): Seed => ({
    ...KETTLE,
    id,
    title: "Kettle",
    quote: `I want a ${words} kettle.`,
    ageDays,
  });
  const older = Array.from({ length: 6 }, (_, i) => said(`o${i}`, "copper whistling", 170 + i));
  await seed(test.database, [
    // Words have slices from their 100th signal on.
    ...Array.from({ length: 110 }, (_, i) => said(`k${i}`, "nice", 20 + i)),
    ...older,
  ]);
  const narrow = { found: 30, graded: 20, target: 10, authors: 40 };
  const query = "kettle gooseneck and copper and whistling";
  for (let all = 0; all < 4; all++) {
    await seed(test.database, [said(`a${all}`, "copper whistling gooseneck", all)]);
    const found = new Set(idsOf(await find(test.database, query, null, narrow)));
    assert(older.every(({ id }) => found.has(id)), `${all + 1} state all of it`);
  }
});

testBoth(
  "an index row follows its signal: changed, moved, voted on, removed",
  async (test) => {
    const { database } = test;
    const { sql } = database;
    await seed(database, [KETTLE, { ...KETTLE, id: "k2" }]);
    const count = async (term: string) => {
      const [row] = await sql<{ signals: number }[]>`
      select signals from search_terms where term = ${term}`;
      return row?.signals ?? 0;
    };
    assertEquals(await count("kettl"), 2);
    await sql`update signals set quote = 'The samovar drips.' where post_id = 'k2'`;
    assertEquals(await count("samovar"), 1);
    await sql`update signals set facts = '[{"t": "use", "v": "tea parties", "s": 0, "e": 1, "c": 1}]'
      where post_id = 'k2'`;
    assertEquals([await count("parti"), await count("p/kettl"), await count("e/kettl")], [1, 2, 2]);
    assertEquals(await count("kettl"), 2);
    assertEquals(idsOf(await about(database, "samovar kettle")), ["k2"]);
    await sql`delete from posts where id = 'k2'`;
    assertEquals(await count("samovar"), 0);
    assertEquals(await count("kettl"), 1);
    const [left] = await sql<{ n: number }[]>`select count(*) as n from signal_index`;
    assertEquals(left?.n, 1);
    await sql`delete from signals`;
    const [terms] = await sql<{ n: number }[]>`select count(*) as n from search_terms`;
    assertEquals(terms?.n, 0);
  },
);
