import { assert, assertEquals, assertExists, assertGreater } from "@std/assert";
import { type Clock, DAY_MS } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { corpusState, firstStart, setOrigin } from "../../db/corpus/corpus.ts";
import type { Database } from "../../db/sql.ts";
import { loadCatalogue } from "../../mining/cards/catalogue.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { builtInRegistry, parseRegistry } from "../../mining/communities/registry.ts";
import { demoPosts } from "../../mining/demo/mod.ts";
import { mineDemo, removeDemo } from "../../mining/job/demo.ts";
import { mineAlone } from "../../mining/job/miner.ts";
import { LeaseLost, type MinerDeps } from "../../mining/session.ts";
import { testBothInTurn as testBoth, testEmbedded } from "../support/database.ts";
import { putBack, type Snapshot, takeSnapshot } from "../support/snapshot.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const KEY = "00".repeat(32);

function minerOf(database: Database, now: () => Date = () => NOW): MinerDeps {
  const clock: Clock = { now };
  return { database, clock, log: silentLog, sleep: () => Promise.resolve(), minAuthors: 5 };
}

/** Of each kind of database, once the demonstration is first mined in it. */
const snapshots = new Map<Database["kind"], Snapshot>();

/** Mined in the first of the tests that start from it; the others get the same rows put back. */
async function copiedDemo(database: Database): Promise<Catalogue> {
  const snapshot = snapshots.get(database.kind);
  if (snapshot === undefined) {
    const catalogue = await minedDemo(database);
    snapshots.set(database.kind, await takeSnapshot(database));
    return catalogue;
  }
  await putBack(database, snapshot);
  return await loadCatalogue(database.sql, builtInRegistry(), NOW, null);
}

async function minedDemo(database: Database): Promise<Catalogue> {
  await firstStart(database.sql, NOW);
  const result = await mineDemo(minerOf(database), NOW, KEY);
  assertExists(result);
  return await loadCatalogue(database.sql, builtInRegistry(), NOW, null);
}

testBoth("a demonstration that replaces an earlier one is dated by its own start", async (test) => {
  const { sql } = test.database;
  const before = await copiedDemo(test.database);
  const later = new Date(NOW.getTime() + 100 * DAY_MS);
  const started = await firstStart(sql, later);
  assertEquals(started, NOW);
  assertExists(
    await mineDemo(minerOf(test.database, () => later), started, KEY, { replace: true }),
  );
  const { asOf, firstStartedAt } = await corpusState(sql);
  assertEquals([asOf, firstStartedAt], [later, later]);
  const rows = await sql<{ id: string; createdAt: Date }[]>`
    select id, created_at as "createdAt" from posts order by id`;
  const dates = new Map(demoPosts(later).map(({ id, createdAt }) => [id, createdAt]));
  assertGreater(rows.length, 100);
  assertEquals([...rows], rows.map(({ id }) => ({ id, createdAt: dates.get(id) ?? NOW })));
  const after = await loadCatalogue(sql, builtInRegistry(), later, null);
  assertEquals(after.cards.length, before.cards.length);
});

testBoth("the demonstration corpus becomes cards whose quotes are in its posts", async (test) => {
  const catalogue = await copiedDemo(test.database);
  const posts = new Map(demoPosts(NOW).map((post) => [post.id, post]));
  assertGreater(catalogue.cards.length, 20);
  for (const card of catalogue.cards) {
    assert(card.signalCount >= 3 && card.distinctAuthors >= 3);
    card.evidence.forEach(({ quote, permalink, subreddit }, index) => {
      const post = posts.get(card.evidenceIds[index] ?? "");
      assertExists(post);
      assert(post.title.includes(quote) || post.body.includes(quote), quote);
      assertEquals(permalink, post.permalink);
      assertEquals(subreddit, post.community);
      assert(!/[\w.]+@[\w.]+|\bu\/\w+|555-\d{4}/.test(quote), quote);
    });
  }
  assertEquals(catalogue.sample?.card.id, catalogue.cards[0]?.id);
  // Every route answers, whichever category it is asked for.
  const empty = catalogue.categories.filter(({ opportunityCount }) => opportunityCount === 0);
  assertEquals(empty.map(({ slug }) => slug), []);
  const counted = catalogue.categories.reduce((sum, c) => sum + c.opportunityCount, 0);
  assertEquals(counted, catalogue.cards.length);
});

testBoth(
  "cards of categories that the registry lost are left out, and it is said which",
  async (test) => {
    const all = await copiedDemo(test.database);
    const registry = parseRegistry("category audio Audio\ncommunity Alpha audio=1\n", "test");
    let strange: readonly string[] = [];
    const less = await loadCatalogue(test.database.sql, registry, NOW, null, (left) => {
      strange = left.categories;
    });
    const [audio, others] = [
      all.cards.filter(({ category }) => category === "audio"),
      all.cards.filter(({ category }) => category !== "audio"),
    ];
    assertGreater(audio.length, 0);
    assertEquals(less.cards, audio);
    assertEquals(strange, [...new Set(others.map(({ category }) => category))].sort());
    assertEquals(less.byId(others[0]?.id ?? ""), undefined);
  },
);

testBoth("a card that this version cannot read is left out, and it is said which", async (test) => {
  const { sql } = test.database;
  const all = await copiedDemo(test.database);
  const [first] = all.cards;
  await sql`
    update opportunities set card = card - 'evidence' where id = ${first?.id ?? ""}`;
  let strange: readonly string[] = [];
  const less = await loadCatalogue(sql, builtInRegistry(), NOW, null, (left) => {
    strange = left.cards;
  });
  assertEquals(less.cards, all.cards.slice(1));
  assertEquals(strange, [first?.id ?? ""]);
});

testBoth("mining is deterministic: two databases serve the same catalogue", async (test) => {
  await using other = await testEmbedded();
  const [first, second] = [await minedDemo(test.database), await minedDemo(other.database)];
  assertEquals(JSON.stringify(second), JSON.stringify(first));
});

testBoth("mining the same posts again changes nothing but the revision", async (test) => {
  const first = await minedDemo(test.database);
  const second = await minedDemo(test.database);
  assertEquals(JSON.stringify(second.cards), JSON.stringify(first.cards));
  assertEquals(second.categories, first.categories);
});

testBoth("the demonstration leaves nothing behind when it is removed", async (test) => {
  await copiedDemo(test.database);
  const { sql } = test.database;
  await sql`insert into verdicts (key, verdict, post_ids, expires_at)
    values ('\\x00', '{}', '{}', 'infinity')`;
  assertEquals(await removeDemo(minerOf(test.database)), true);
  assertEquals((await sql`select from verdicts`).count, 0);
  const empty = await loadCatalogue(test.database.sql, builtInRegistry(), NOW, null);
  assertEquals([empty.cards.length, empty.signalCount, empty.sample], [0, 0, null]);
  assertEquals((await corpusState(test.database.sql)).origin, "none");
  assertEquals(await removeDemo(minerOf(test.database)), false);
});

testBoth(
  "a corpus is warming until cards are first made of it, whether there are any or not",
  async ({ database }) => {
    const isWarming = async (): Promise<boolean> =>
      (await loadCatalogue(database.sql, builtInRegistry(), NOW, null)).warming;
    assertEquals(await isWarming(), true);
    await copiedDemo(database);
    assertEquals(await isWarming(), false);
    assertEquals(await removeDemo(minerOf(database)), true);
    assertEquals(await isWarming(), true, "nothing is there again");
    await mineAlone(
      minerOf(database),
      { kind: "import", patienceMs: 0, stats: () => ({}) },
      async (session) => {
        await session.makeReal("archive");
        assertEquals(await isWarming(), true, "an import is under way");
        await session.finish();
      },
    );
    assertEquals(await isWarming(), false);
  },
);

testBoth("a corpus that becomes real while the demonstration is to leave stays", async (test) => {
  const { sql } = test.database;
  await setOrigin(sql, "demo", "archive");
  const deps = minerOf(test.database);
  const waits = Promise.withResolvers<void>();
  const imported = Promise.withResolvers<void>();
  const sleep = (): Promise<void> => {
    waits.resolve();
    return imported.promise;
  };
  const run = await mineAlone(
    deps,
    { kind: "import", patienceMs: 0, stats: () => ({}) },
    async (session) => {
      const removing = removeDemo({ ...deps, sleep });
      await waits.promise;
      await session.makeReal("archive");
      return { removing };
    },
  );
  imported.resolve();
  assertEquals(await run?.removing, false);
  assertEquals((await corpusState(sql)).origin, "real");
  assertEquals(await mineDemo(deps, NOW, KEY, { replace: true }), null);
  assertEquals((await corpusState(sql)).origin, "real");
});

testBoth("what a category had is not unmade when the demonstration goes", async (test) => {
  const before = await copiedDemo(test.database);
  const later = new Date(NOW.getTime() + 3_600_000);
  assertEquals(await removeDemo(minerOf(test.database, () => later)), true);
  const after = await loadCatalogue(test.database.sql, builtInRegistry(), later, null);
  for (const [n, { slug, lastUpdated }] of after.categories.entries()) {
    assert(lastUpdated >= (before.categories[n]?.lastUpdated ?? ""), slug);
    assert(lastUpdated <= after.builtAt, slug);
  }
});

testBoth("a day later ages have moved on, and a card can go dormant", async (test) => {
  const first = await copiedDemo(test.database);
  await setOrigin(test.database.sql, "demo", "wall");
  const later = new Date(NOW.getTime() + 200 * DAY_MS);
  await mineAlone(
    minerOf(test.database, () => later),
    { kind: "mine", patienceMs: 0, stats: () => ({}) },
    async (session) => void await session.finish(),
  );
  const after = await loadCatalogue(test.database.sql, builtInRegistry(), later, null);
  assertGreater(first.cards.length, 0);
  assertEquals(after.cards.length, 0);
});

testBoth("a card goes dormant at its 90th day's hour, whichever run comes first", async (test) => {
  const [first] = (await copiedDemo(test.database)).cards;
  assertExists(first);
  await setOrigin(test.database.sql, "demo", "wall");
  const silent = new Date(first.lastSeen).getTime() + 90 * DAY_MS;
  const listedAt = async (time: number): Promise<boolean> => {
    const now = new Date(time);
    await mineAlone(
      minerOf(test.database, () => now),
      { kind: "mine", patienceMs: 0, stats: () => ({}) },
      async (session) => void await session.finish(),
    );
    const { cards } = await loadCatalogue(test.database.sql, builtInRegistry(), now, null);
    return cards.some(({ id }) => id === first.id);
  };
  assertEquals(await listedAt(silent - 1), true);
  assertEquals(await listedAt(silent), false);
});

testBoth(
  "only one miner works at a time, and one that lost its lease writes nothing",
  async (test) => {
    let now = NOW;
    const deps = minerOf(test.database, () => now);
    const options = { kind: "mine", patienceMs: 0, stats: () => ({}) } as const;
    const error = await mineAlone(deps, options, async (session) => {
      assertEquals(await mineAlone(deps, options, () => Promise.resolve(1)), null);
      now = new Date(NOW.getTime() + 120_000);
      assertEquals(await mineAlone(deps, options, () => Promise.resolve(2)), 2);
      return await test.database.sql.begin((tx) => session.assertLease(tx)).then(
        () => null,
        (e) => e,
      );
    });
    assert(error instanceof LeaseLost);
  },
);
