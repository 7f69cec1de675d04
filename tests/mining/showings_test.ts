import { assert, assertEquals, assertExists } from "@std/assert";
import { dayOf } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { firstStart } from "../../db/corpus/corpus.ts";
import { showingPosts } from "../../db/corpus/showings.ts";
import { loadCatalogue } from "../../mining/cards/catalogue.ts";
import { fullCard, sampleOpportunity } from "../../mining/cards/queries.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { demoRegistry } from "../../mining/demo/mod.ts";
import { saysMade, showsProduct } from "../../mining/opportunities/showing.ts";
import { mineDemo } from "../../mining/job/demo.ts";
import { forget } from "../../mining/job/forget.ts";
import { ingest } from "../../mining/job/ingest.ts";
import { mineAlone } from "../../mining/job/miner.ts";
import type { JudgeContext } from "../../mining/judge.ts";
import { removeDemand } from "../../mining/removal/delete_posts.ts";
import { applyEdit, rejudge } from "../../mining/removal/edit.ts";
import { confirmPosts, storedPosts } from "../../db/corpus/removal.ts";
import { testBoth } from "../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const KEY = "00".repeat(32);

Deno.test("what somebody built is told from what somebody might build, or makes in a way of speaking", () => {
  for (
    const sentence of [
      "I built a little mic travel case.",
      "After months of looking we ended up making our own out of plywood.",
      "So I modified the bracket and it fits.",
      "I've 3D printed a clip for it.",
      "Built a standing desk from two old doors",
      "Finally finished building my kayak",
      "My first hand made guitar!",
      "We just launched a lamp for readers.",
    ]
  ) assert(saysMade(sentence), sentence);
  for (
    const sentence of [
      "Need a new bed, thinking of building my own.",
      "Can I create an adapter?",
      "Has anybody built one?",
      "I made it through the whole night with no issues.",
      "I made the bed.",
      "Made a pot of chili yesterday.",
      "I could have built a better one.",
      "Should I have built my own?",
      "They made a good kettle once.",
    ]
  ) assert(!saysMade(sentence), sentence);
});

Deno.test("a showing is of the product that its post is of", () => {
  const title = "Desk for a small flat";
  const reading = {
    certainty: 0,
    product: "desk",
    kind: "desk",
    kindCertainty: 0.9,
    productSpan: { start: 0, end: 4 },
    facts: [],
  };
  assert(showsProduct("I built a desk out of two old doors.", title, reading));
  assert(showsProduct("In the end I built my own.", title, reading));
  assert(!showsProduct("I made a video as well.", title, reading));
  assert(!showsProduct("I built a desk.", title, { ...reading, kindCertainty: 0.3 }));
});

testBoth("a card shows who made what it wants, until their posts leave", async (test) => {
  const { sql } = test.database;
  const deps = {
    database: test.database,
    clock: { now: () => NOW },
    log: silentLog,
    sleep: () => Promise.resolve(),
    minAuthors: 5,
  };
  const load = () => loadCatalogue(sql, builtInRegistry(), NOW, null);
  await firstStart(sql, NOW);
  await mineDemo(deps, NOW, KEY);
  const [, before] = (await load()).cards;
  assertExists(before);
  assertEquals(fullCard(before, "").builderMomentum, null);
  const [want] = await sql<{ kind: string; value: string }[]>`
    select kind, value from wants where id = ${before.id}`;
  assertExists(want);
  const { kind } = want;
  const [community = ""] = (await sql<{ community: string }[]>`
    select community from posts where id = any(${[...before.evidenceIds]})`).map((row) =>
    row.community
  );
  const context: JudgeContext = {
    registry: demoRegistry(),
    origin: "archive",
    checkedAt: null,
    extractor: () => ({
      certainty: 0,
      product: kind,
      kind,
      kindCertainty: 0.9,
      productSpan: null,
      facts: [],
    }),
  };
  const wanted = want.value.replaceAll("\t", " and ");
  const quote = `I built a ${kind} for ${wanted} out of an old pan.`;
  const post = (id: string, author: string, title = "At last", body = `${quote} It works.`) => ({
    id,
    community,
    title,
    body,
    author,
    createdAt: NOW,
    upvotes: 7,
    comments: 0,
    permalink: `https://example.com/comments/${id}`,
  });
  const refreshed = async () => {
    await mineAlone(
      deps,
      { kind: "mine", patienceMs: 0, stats: () => ({}) },
      async (session) => void await session.finish(),
    );
    const card = (await load()).byId(before.id);
    assertExists(card);
    return fullCard(card, "").builderMomentum;
  };
  const posts = [
    post("aa", "ann"),
    post("bb", "bob"),
    post("cc", "Ann"),
    // The want is asked of another thing than what was made.
    post("dd", "dan", `Looking for ${wanted}`, `Last year I built a ${kind} out of a tin.`),
    post("ee", "eve", "At last", `I built a ${kind} out of a tin. Now something for ${wanted}.`),
  ];
  const { signals } = await ingest(test.database, posts, {
    context,
    authorHashKey: KEY,
    day: dayOf(NOW),
    within: () => Promise.resolve(),
  });
  assertEquals(signals, 0);
  const shown = await refreshed();
  assertEquals([shown?.makers, shown?.newest], [2, NOW.toISOString()]);
  assertEquals(
    shown?.evidence,
    ["aa", "bb"].map((id) => ({
      quote,
      permalink: `https://example.com/comments/${id}`,
      upvotes: 7,
      subreddit: community,
      postedAt: NOW.toISOString(),
    })),
  );
  const served = await sql`select from posts where served and id in ('aa', 'bb', 'cc', 'dd', 'ee')`;
  assertEquals(served.length, 2);
  assertEquals(sampleOpportunity(await load())?.builderMomentum, null);

  const touchedBy = async (id: string): Promise<string[]> => {
    await sql.begin((tx) => confirmPosts(tx, [{ id, upvotes: 9, comments: 0 }], NOW));
    const touched = await sql<{ id: string }[]>`select id from wants where dirty order by id`;
    return touched.map(({ id }) => id);
  };
  // The same kind has wants that these showings do not meet.
  const cards = await sql<{ id: string }[]>`
    select id from opportunities where card -> 'makers' -> 'postIds' ? 'aa' order by id`;
  assertEquals(await touchedBy("dd"), []);
  assertEquals(await touchedBy("aa"), cards.map(({ id }) => id));
  assertEquals((await refreshed())?.evidence.map(({ upvotes }) => upvotes), [9, 7]);

  // It may hold demand or none: what its author made stands.
  await sql.begin((tx) => removeDemand(tx, ["aa"]));
  assertEquals((await refreshed())?.makers, 2);
  assertEquals(await forget(deps, ["aa", "cc"]), 2);
  const left = (await load()).byId(before.id)?.makers;
  assertEquals([left?.makers, left?.postIds], [1, ["bb"]]);
  assertEquals(await showingPosts(sql, ["aa", "bb", "cc"]), new Set(["bb"]));

  // Edited so that it shows nothing any more.
  const [stored] = await storedPosts(sql, ["bb"]);
  assertExists(stored);
  const state = {
    state: "present",
    title: "Nothing",
    body: "No.",
    upvotes: 7,
    comments: 0,
  } as const;
  const edit = rejudge(stored, { ...state, nameless: false }, context);
  await sql.begin((tx) => applyEdit(tx, edit, NOW));
  assertEquals((await load()).byId(before.id)?.makers, null);
  assertEquals(await refreshed(), null);
  assertEquals((await storedPosts(sql, ["bb"])).length, 0);
});
