/** Verdicts are about what was asked: with the real lexicon over a small corpus. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import type { Database } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { namingWords, otherNames } from "../../gauge/query/same.ts";
import { plural, singular } from "../../mining/want/grammar.ts";
import type { Match } from "../../gauge/types.ts";
import { testBoth } from "../support/database.ts";
import { AS_OF, gaugeOn, NOW, type Seed, seed } from "./support.ts";

async function find(database: Database, query: string): Promise<readonly Match[]> {
  const read = await readQuery(database.sql, { query, category: null }, findKinds);
  return (await matchCorpus(database.sql, read)).matches;
}

const ids = async (database: Database, query: string): Promise<string[]> =>
  (await find(database, query)).map(({ postId }) => postId).sort();

const POSTS: readonly Seed[] = [
  { id: "l1", kind: "laptop", title: "Laptop for college", quote: "I need one that is light." },
  { id: "l2", kind: "laptop", title: "My laptop is slow", quote: "It takes minutes to start." },
  { id: "m1", kind: "laptop", title: "A new MacBook?", quote: "The hinge of my macbook broke." },
  { id: "g1", kind: "electric guitar", title: "First guitar", quote: "Which guitar for 200?" },
  {
    id: "u1",
    kind: "electric guitar",
    product: "ukulele",
    title: "Ukulele that stays in tune",
    quote: "Mine never does.",
  },
  { id: "c1", kind: "phone case", title: "Phone case", quote: "Every phone case cracks." },
  { id: "p1", kind: "phone", title: "Phone with big keys", quote: "For my father." },
  { id: "t1", kind: "toaster", title: "A toaster to keep", quote: "I want one built to last." },
  { id: "t2", kind: "toaster", title: "Toaster for bagels", quote: "The slots are narrow." },
  { id: "s1", kind: "couch", title: "Couch for two", quote: "Where do I find one?" },
  { id: "k1", kind: "mechanical keyboard", title: "Silent switches", quote: "Mine is too loud." },
  { id: "k2", kind: "keyboard", title: "Keyboard for a tv", quote: "It must be wireless." },
  {
    id: "b1",
    kind: "backpack",
    title: "Backpack for college",
    quote: "It should be waterproof and durable.",
  },
];

testBoth("an attribute that nobody speaks of matches nothing", async ({ database }) => {
  await seed(database, POSTS);
  for (const query of ["edible laptop", "laptop with a wooden case", "edible college laptop"]) {
    assertEquals(await ids(database, query), [], query);
  }
  assertEquals(await ids(database, "laptop"), ["l1", "l2", "m1"]);
  assertEquals(await ids(database, "best cheap laptop under 500 dollars"), ["l1", "l2", "m1"]);
  assertEquals(await ids(database, "laptop for college students"), ["l1"]);
});

testBoth("an attribute is met by the need that it speaks of, and years are none", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await ids(test.database, "toaster that lasts 20 years"), ["t1"]);
  assertEquals(await ids(test.database, "quiet keyboard"), ["k1"]);
});

testBoth(
  "a need told elsewhere in a post counts, after those that say it where it shows",
  async (test) => {
    const title = "Which headphones?";
    await seed(test.database, [
      { id: "h1", kind: "headphones", title, quote: "Any will do.", spoken: ["noise-isolation"] },
      { id: "h2", kind: "headphones", title, quote: "With good noise canceling, please." },
      { id: "h3", kind: "headphones", title, quote: "For the gym." },
    ]);
    for (const query of ["noise cancelling headphones", "noise canceling headphones"]) {
      const found = await find(test.database, query);
      const ranked = found.toSorted((a, b) => b.relevance - a.relevance);
      assertEquals(ranked.map(({ postId }) => postId), ["h2", "h1"], query);
    }
    await test.database.sql`update signals set spoken = '{}' where post_id = 'h1'`;
    assertEquals(await ids(test.database, "noise cancelling headphones"), ["h2"]);
  },
);

testBoth("a plural, a contraction and a slip ask for the same as the plain words", async (test) => {
  await seed(test.database, [
    { id: "p1", kind: "phone", title: "A phone", quote: "One that does not break." },
    { id: "n1", kind: "computer mouse", title: "A mouse", quote: "Which one?" },
    { id: "s1", kind: "bookshelf", title: "A shelf", quote: "Which one?" },
    { id: "k1", kind: "keyboard", title: "A keyboard", quote: "Which one?" },
    { id: "t1", kind: "bike tire", title: "A tire", quote: "Which one?" },
  ]);
  const same: readonly (readonly [string, string])[] = [
    ["mobile phones", "p1"],
    ["cell phones", "p1"],
    ["phone that doesn't break", "p1"],
    ["mice", "n1"],
    ["bookcases", "s1"],
    ["bookshelves", "s1"],
    ["keybord", "k1"],
    ["bicycle tyres", "t1"],
  ];
  for (const [query, id] of same) assertEquals(await ids(test.database, query), [id], query);
});

testBoth("a need is asked for however common its words are, and a price is not", async (test) => {
  await seed(test.database, [
    { id: "h1", kind: "headphones", title: "Headphones", quote: "They should last for years." },
    { id: "h2", kind: "headphones", title: "Headphones", quote: "For the train." },
  ]);
  assertEquals(await ids(test.database, "headphones that last"), ["h1"]);
  assertEquals(await ids(test.database, "headphones under $50"), ["h1", "h2"]);
});

testBoth("what is not wanted is not asked for", async ({ database }) => {
  await seed(database, [
    { id: "k1", kind: "keyboard", title: "Keyboard", quote: "It must be wireless." },
    { id: "k2", kind: "keyboard", title: "Keyboard", quote: "Mine is too loud." },
  ]);
  assertEquals(await ids(database, "keyboard that is not wireless"), ["k1", "k2"]);
  assertEquals(await ids(database, "keyboard that is not loud"), ["k2"]);
});

testBoth("of two products that any will do of, either counts", async ({ database }) => {
  await seed(database, POSTS);
  assertEquals(await ids(database, "laptop or toaster"), ["l1", "l2", "m1", "t1", "t2"]);
  assertEquals(await ids(database, "couch and keyboard"), ["k1", "k2", "s1"]);
});

testBoth("a brand alone is asked for by its name", async ({ database }) => {
  await seed(database, [
    { id: "b1", kind: "headphones", product: "bose headphones", title: "Which?", quote: "Any." },
    { id: "b2", kind: "headphones", title: "Which?", quote: "My friend has a bose." },
  ]);
  assertEquals(await ids(database, "Bose"), ["b1"]);
});

testBoth("a name that is a need and a product is met by both said apart", async ({ database }) => {
  await seed(database, [
    { id: "s1", kind: "scissors", title: "Scissors", quote: "I am left handed." },
    { id: "s2", kind: "scissors", title: "Scissors", quote: "They rust.", spoken: ["left-handed"] },
    { id: "s3", kind: "scissors", title: "Scissors", quote: "They rust." },
  ]);
  assertEquals(await ids(database, "left-handed scissors"), ["s1", "s2"]);
});

testBoth("a rationale tells how many voices meet nearly all of the query", async ({ database }) => {
  await seed(database, [
    { id: "k1", kind: "keyboard", title: "Keyboard", quote: "A quiet backlit one." },
    { id: "k2", kind: "keyboard", title: "Keyboard", quote: "A quiet one." },
  ]);
  const said = async (query: string): Promise<string> => {
    const { rationale } = await gaugeOn(database, { findKinds })
      .gauge({ query, category: null }, new AbortController().signal);
    return rationale;
  };
  assertStringIncludes(await said("quiet backlit keyboard"), "1 of them nearly all that it asks");
  assert(!(await said("quiet keyboard")).includes("nearly all"));
});

testBoth("a query that nothing matches is told which of its words no signal has", async (test) => {
  await seed(test.database, POSTS);
  const { rationale } = await gaugeOn(test.database, { findKinds })
    .gauge({ query: "edible laptop", category: null }, new AbortController().signal);
  assert(rationale.includes('No signal has the word "edible"; posts are in English.'), rationale);
});

/** Alone they name other things; at the end of a longer name they are this product ("gaming notebook"). */
const AT_ENDS = new Set(["notebook"]);

Deno.test("every other name of a product is one that the lexicon knows, in either number", () => {
  for (const { kind, names } of otherNames()) {
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

testBoth("a long query is met by a fair part of it", async ({ database }) => {
  await seed(database, POSTS);
  const query = "durable waterproof backpack for college students who bike to work in winter";
  const [match, ...others] = await find(database, query);
  assertEquals([match?.postId, others.length], ["b1", 0]);
  assert((match?.relevance ?? 0) > 0.8, `${match?.relevance}`);
});

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
    ]
  ) assertEquals(await ids(database, query), [], query);
  assertEquals(await ids(database, "laptop recommendations"), ["l1", "l2", "m1"]);
  const { rationale, verdictScore } = await gaugeOn(database, { findKinds })
    .gauge({ query: "laptop rental", category: null }, new AbortController().signal);
  assertEquals(verdictScore, 0);
  assert(rationale.includes('no physical product ("rental")'), rationale);
});

testBoth("a narrower name needs the name, and another name for all does not", async (test) => {
  await seed(test.database, POSTS);
  assertEquals(await ids(test.database, "macbook"), ["m1"]);
  assertEquals(await ids(test.database, "ukulele"), ["u1"]);
  assertEquals(await ids(test.database, "sofa"), ["s1"]);
  assertEquals(await ids(test.database, "keyboard"), ["k1", "k2"]);
  assertEquals(await ids(test.database, "phone"), ["p1"]);
});

testBoth("a category's verdict counts the category's signals", async ({ database }) => {
  await seed(database, [...POSTS, { ...POSTS[0], id: "a1", category: "audio" } as Seed]);
  const { rationale } = await gaugeOn(database, { findKinds })
    .gauge({ query: "chess set", category: "audio" }, new AbortController().signal);
  assert(rationale.includes("among 1 signal of the category audio."), rationale);
});

testBoth("a kept verdict has its fields in the order of a fresh one", async ({ database }) => {
  await seed(database, POSTS);
  const gauge = gaugeOn(database, { findKinds });
  const ask = () => gauge.gauge({ query: "laptop", category: null }, new AbortController().signal);
  const fresh = await ask();
  const kept = await ask();
  assertEquals(kept.cache, "hit");
  assertEquals(JSON.stringify({ ...kept, cache: "miss" }), JSON.stringify(fresh));
});

testBoth("ages of an archive say what they are counted from", async ({ database }) => {
  await seed(database, POSTS);
  const said = async (now: Date) => {
    const gauge = gaugeOn(database, { findKinds, clock: { now: () => now } });
    return (await gauge.gauge({ query: "couch", category: null }, new AbortController().signal))
      .rationale;
  };
  assert(!(await said(NOW)).includes("As of"));
  const later = new Date(AS_OF.getTime() + 30 * DAY_MS);
  const archive = await said(later);
  assert(archive.includes("As of 2030-06-01, 1 distinct voice"), archive);
  assert(!archive.includes("most frequent"), archive);
});
