/** Cards that the next start or run makes: of a run that ended early, or for another number of authors. */
import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { corpusState, setAsOf, setOrigin } from "../../../db/corpus/corpus.ts";
import type { Database } from "../../../db/sql.ts";
import { loadCatalogue } from "../../../mining/cards/catalogue.ts";
import { refreshCards } from "../../../mining/cards/refresh.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { demoPosts, demoRegistry } from "../../../mining/demo/mod.ts";
import { demoReading } from "../../../mining/demo/readings.ts";
import { mineDemo } from "../../../mining/job/demo.ts";
import { CATALOGUE_VERSION, refreshAndPublish } from "../../../mining/job/finish.ts";
import { ingest } from "../../../mining/job/ingest.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { moveOver } from "../../../mining/job/reread.ts";
import { LeaseLost, type MinerDeps } from "../../../mining/session.ts";
import { testBothInTurn as testBoth, testDatabase } from "../../support/database.ts";
import { NEVER } from "../../support/time.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const KEY = "00".repeat(32);
const MIN_AUTHORS = 5;

const depsOf = (database: Database): MinerDeps => ({
  database,
  clock: { now: () => NOW },
  log: silentLog,
  sleep: () => Promise.resolve(),
  minAuthors: MIN_AUTHORS,
});

const cardsOf = async ({ sql }: Database): Promise<readonly string[]> =>
  (await loadCatalogue(sql, builtInRegistry(), NOW, null)).cards.map(({ id }) => id);

/** Stores the demonstration posts and makes no cards of them. */
async function storeDemo(database: Database): Promise<void> {
  const context = {
    registry: demoRegistry(),
    origin: "demo",
    checkedAt: null,
    extractor: demoReading,
  } as const;
  await ingest(database, demoPosts(NOW), {
    context,
    authorHashKey: KEY,
    day: "2026-11-20",
    within: async (tx) => {
      await setOrigin(tx, "demo", "archive");
      await setAsOf(tx, NOW);
    },
  });
}

/**
 * Stores the demonstration posts in a corpus that this version made cards of today, and makes theirs, up to the
 * transaction that folds them.
 */
async function dieBeforeFolding(database: Database): Promise<void> {
  await storeDemo(database);
  await database
    .sql`update corpus set read_version = ${CATALOGUE_VERSION}, scored_on = '2026-11-20'`;
  const refreshed = refreshCards({
    asOf: NOW,
    now: NOW,
    minAuthors: MIN_AUTHORS,
    moved: false,
    transaction: async (work) =>
      await database.sql.begin(async (tx) => {
        const dirty = await tx`select from wants where dirty limit 1`;
        if (dirty.count === 0) throw new LeaseLost("killed");
        return await work(tx);
      }) as never,
  });
  await assertRejects(() => refreshed, LeaseLost);
  assertEquals(await cardsOf(database), []);
}

/** The cards of a corpus that nothing interrupted: the same for every test here. */
let wholeCards: Promise<readonly string[]> | undefined;
const expected = (): Promise<readonly string[]> => wholeCards ??= mineWhole();

async function mineWhole(): Promise<readonly string[]> {
  await using other = await testDatabase();
  await mineDemo(depsOf(other.database), NOW, KEY);
  const cards = await cardsOf(other.database);
  assertGreater(cards.length, 20);
  return cards;
}

testBoth("the next start folds the cards that a killed run made", async ({ database }) => {
  await dieBeforeFolding(database);
  const move = (signal = NEVER) =>
    moveOver(depsOf(database), { registry: builtInRegistry() }, signal);
  assertEquals((await move(AbortSignal.abort()))?.interrupted, true);
  assertEquals(await cardsOf(database), []);
  assert(await move() !== null);
  assertEquals(await cardsOf(database), await expected());
  assertEquals(await move(), null);
});

testBoth("the next run folds and publishes them, whatever it reads", async ({ database }) => {
  await dieBeforeFolding(database);
  const { revision } = await corpusState(database.sql);
  await mineAlone(
    depsOf(database),
    { kind: "mine", patienceMs: 0, stats: () => ({}) },
    (session) => session.finish({ mined: false }),
  );
  assertEquals(await cardsOf(database), await expected());
  assertEquals((await corpusState(database.sql)).revision, revision + 1);
});

testBoth(
  "the next start makes the cards of a first start that was interrupted",
  async ({ database }) => {
    await storeDemo(database);
    const abort = new AbortController();
    const reason = new Error("interrupted");
    const making = mineAlone(
      depsOf(database),
      { kind: "demo", patienceMs: 0, stats: () => ({}) },
      ({ assertLease }) =>
        refreshAndPublish(depsOf(database), {
          mined: true,
          signal: abort.signal,
          // Once the first transaction has begun.
          within: async (tx) => {
            await assertLease(tx);
            abort.abort(reason);
          },
        }),
    );
    assertEquals(await making.catch((error) => error), reason);
    assertEquals(await cardsOf(database), []);
    const context = { registry: builtInRegistry() };
    assert(await moveOver(depsOf(database), context, NEVER) !== null);
    assertEquals(await cardsOf(database), await expected());
  },
);

testBoth("the next start makes the cards for another number of authors", async ({ database }) => {
  const deps = depsOf(database);
  await mineDemo(deps, NOW, KEY);
  const before = await cardsOf(database);
  const cardsFor = async (minAuthors: number): Promise<readonly string[]> => {
    const changed = { ...deps, minAuthors };
    const context = { registry: builtInRegistry() };
    assert(await moveOver(changed, context, NEVER) !== null);
    assertEquals(await moveOver(changed, context, NEVER), null, "once is enough");
    return await cardsOf(database);
  };
  const many = await cardsFor(8);
  assert(many.length > 0 && many.length < before.length, `${many.length} of ${before.length}`);
  assertEquals(await cardsFor(1_000), []);
  assertEquals(await cardsFor(MIN_AUTHORS), before);
});
