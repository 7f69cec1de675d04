import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { communityStates } from "../../../db/corpus/communities.ts";
import { corpusState } from "../../../db/corpus/corpus.ts";
import { recentRuns } from "../../../db/corpus/runs.ts";
import { mine } from "../../../mining/job/mine.ts";
import { authorHash } from "../../../mining/authors.ts";
import type { Source } from "../../../mining/sources/types.ts";
import { NEVER } from "../../support/time.ts";
import { testBothInTurn as testBoth, testEmbedded } from "../../support/database.ts";
import { HOUR, MINUTE, shown, START, startJob, stored, wants } from "./support.ts";

const ids = (posts: readonly { readonly id: string }[]): string[] =>
  posts.map(({ id }) => id).sort();

testBoth("a run reads every community, the next one only what is new", async ({ database }) => {
  const first = { Alpha: wants("Alpha", 120, "a"), Beta: wants("Beta", 7, "b"), Empty: [] };
  await using job = await startJob(database, first);
  const report = await job.mined();
  assertEquals([report.read, report.posts, report.duplicates, report.outage], [3, 127, 0, null]);
  assertEquals((await stored(database)).seen, ids([...first.Alpha, ...first.Beta]));
  assertGreater(report.signals, 100);
  assertGreater(report.cardsChanged, 0);

  job.time.advance(30 * MINUTE);
  const more = wants("Beta", 5, "c", job.time.ms);
  job.double.store.add(more);
  const second = await job.mined();
  assertEquals([second.posts, second.errors], [5, {}]);
  assertEquals(job.double.callsTo("/r/Alpha/new").length, 3);
  const third = await job.mined();
  assertEquals(third.posts, 0);

  const states = await communityStates(database.sql);
  assertEquals(states.get("beta")?.readTo, new Date((more.at(-1)?.created_utc ?? 0) * 1000));
  assertEquals(states.get("empty")?.readTo, null);
  const catalogue = await job.catalogue();
  assertGreater(shown(catalogue).length, 0);
  assertEquals(catalogue.asOf, new Date(job.time.ms).toISOString());
});

testBoth(
  "authors are hashed under the key that is there when a run begins, as after a restore",
  async ({ database: { sql }, database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 1, "a") });
    await job.mined();
    const restored = "cd".repeat(32);
    await sql`update corpus set author_hash_key = decode(${restored}, 'hex')`;
    job.time.advance(30 * MINUTE);
    const [late] = wants("Alpha", 1, "b", job.time.ms);
    assert(late?.author != null);
    job.double.store.add([late]);
    await job.mined();
    const [row] = await sql`select encode(author_hash, 'hex') as hash from posts where id = 'b0'`;
    assertEquals(row?.hash, authorHash(late.author, restored));
  },
);

testBoth(
  "a post that moderators approve hours later is read at its old place",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 150, "a") });
    await job.mined();
    const [late] = wants("Alpha", 1, "late", START - 90 * MINUTE);
    assert(late !== undefined);
    job.double.store.add([late]);
    job.time.advance(30 * MINUTE);
    const pages = (await job.mined()).pages;
    assertEquals(pages, 1);
    job.time.advance(6 * HOUR);
    const report = await job.mined();
    assertEquals([report.posts, report.pages], [1, 2]);
  },
);

testBoth("a run's record says what it read, made and failed at", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a"), Beta: [] });
  job.double.store.close("Beta", "private");
  await job.mined();
  const [run] = await recentRuns(database.sql, 1);
  assertEquals([run?.kind, run?.error], ["mine", null]);
  assert(run?.finishedAt !== null);
  const { posts, signals, read, closed, errors } = run?.stats as Record<string, unknown>;
  assertEquals({ posts, signals, read, closed }, { posts: 5, signals: 5, read: 1, closed: 1 });
  assertEquals(errors, { forbidden: 1 });
});

testBoth(
  "a run that dies between two pages is done again: nothing lost, nothing twice",
  async (test) => {
    const posts = wants("Alpha", 350, "a");
    await using job = await startJob(test.database, { Alpha: posts });
    await job.mined();
    await using other = await testEmbedded();
    await using broken = await startJob(other.database, { Alpha: posts });
    // The process dies, as far as the database can tell, when the third page arrives.
    const { source } = broken.deps;
    let pages = 0;
    const dying: Source = {
      ...source,
      newPosts: async function* (...args) {
        for await (const page of source.newPosts(...args)) {
          if (++pages === 3) throw new Error("killed");
          yield page;
        }
      },
    };
    const options = { signal: NEVER, patienceMs: 0, scheduled: false };
    const died = await mine({ ...broken.deps, source: dying }, options).then(() => null, (e) => e);
    assertEquals(died?.message, "killed");
    const half = await stored(other.database);
    assertEquals(half.seen.length, 200);
    assertEquals((await communityStates(other.database.sql)).get("alpha")?.readTo ?? null, null);

    await broken.mined();
    assertEquals(await stored(other.database), await stored(test.database));
    assertEquals(
      JSON.stringify((await broken.catalogue()).cards.map(({ id, score }) => [id, score])),
      JSON.stringify((await job.catalogue()).cards.map(({ id, score }) => [id, score])),
    );
    const [, first] = await recentRuns(other.database.sql, 2);
    assertEquals(first?.error, "killed");
  },
);

testBoth(
  "a signal ends the run after the page in hand, before its cards, and the record says so",
  async ({ database }) => {
    await using job = await startJob(database, {
      Alpha: wants("Alpha", 5, "a"),
      Beta: wants("Beta", 5, "b"),
    });
    const abort = new AbortController();
    const report = await job.mined({ signal: abort.signal, onProgress: () => abort.abort() });
    assertEquals([report.interrupted, report.posts, report.cardsChanged], [true, 5, 0]);
    const [run] = await recentRuns(database.sql, 1);
    assertEquals([run?.error, run?.stats["interrupted"]], [null, true]);
    const next = await job.mined();
    assertEquals(next.posts, 5);
    assertGreater(next.cardsChanged, 0);
  },
);

testBoth(
  "a source's outage leaves the catalogue and its age as they were, and backs off",
  async ({ database }) => {
    const names = ["Alpha", "Beta", "Gamma", "Delta"];
    const posts = Object.fromEntries(
      names.map((name, n) => [name, wants(name, 5, "abcd"[n] ?? "")]),
    );
    await using job = await startJob(database, posts);
    await job.mined();
    const before = await job.catalogue();
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      // Past the pause, and past midnight: not even the ages move.
      job.time.advance(3 * HOUR);
      job.double.fail(/new$/, { kind: "5xx" }, 1000);
      const report = await job.mined({ scheduled: true });
      assertEquals([report.read, report.outage?.split(":")[0]], [0, "unavailable"]);
      assertEquals(report.errors, { unavailable: 3 });
      job.double.heal();
      const [pause] = await database.sql<{ at: Date }[]>`select retry_at as at from source_pauses`;
      pauses.push(Math.round(((pause?.at.getTime() ?? 0) - job.time.ms) / MINUTE));
      assertEquals(await job.run({ scheduled: true }), null);
    }
    assertEquals(pauses, [2, 4, 8, 16]);
    const after = await job.catalogue();
    assertEquals(after.lastMinedAt, before.lastMinedAt);
    assertEquals(after.builtAt, before.builtAt);
    assertEquals(JSON.stringify(after.cards), JSON.stringify(before.cards));

    job.time.advance(3 * HOUR);
    const healed = await job.mined({ scheduled: true });
    assertEquals([healed.read, healed.outage], [4, null]);
    assertEquals((await database.sql`select 1 from source_pauses`).length, 0);
    assert((await job.catalogue()).lastMinedAt !== before.lastMinedAt);
  },
);

testBoth("what was read before an outage is kept and served", async ({ database }) => {
  const names = ["Alpha", "Beta", "Gamma", "Delta"];
  const posts = Object.fromEntries(names.map((name, n) => [name, wants(name, 5, "abcd"[n] ?? "")]));
  await using job = await startJob(database, posts);
  job.double.fail(/^\/r\/(Beta|Gamma|Delta)\/new$/, { kind: "5xx" }, 1000);
  const report = await job.mined();
  assertEquals([report.read, report.posts], [1, 5]);
  assert(report.outage !== null);
  const catalogue = await job.catalogue();
  assertGreater(shown(catalogue).length, 0);
  assertEquals(catalogue.lastMinedAt, null);
});

testBoth("refused credentials end the run at once", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a"), Beta: [] });
  job.double.fail("/api/v1/access_token", { kind: "401" }, 1000);
  const report = await job.mined();
  assertEquals(report.errors, { unauthorized: 1 });
  assert(report.outage?.startsWith("unauthorized"));
  assertEquals((await corpusState(database.sql)).origin, "none");
});

testBoth(
  "a closed community is left alone for a day and then asked for again",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: [], Beta: wants("Beta", 3, "b") });
    job.double.store.close("Beta", "banned");
    const asked = () => job.double.callsTo("/r/Beta/new").length;
    assertEquals((await job.mined()).closed, 1);
    const state = (await communityStates(database.sql)).get("beta");
    assertEquals([state?.closedReason, state?.retryAt], ["banned", new Date(START + 24 * HOUR)]);
    job.time.advance(23 * HOUR);
    await job.mined();
    assertEquals(asked(), 1);
    job.double.store.reopen("Beta");
    job.time.advance(2 * HOUR);
    assertEquals((await job.mined()).posts, 3);
    assertEquals((await communityStates(database.sql)).get("beta")?.closedReason, null);
  },
);

testBoth(
  "after a long pause it catches up as far as the source lists, and says what was missed",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 3, "a") }, {
      listingLimit: 500,
    });
    await job.mined();
    job.time.advance(48 * HOUR);
    job.double.store.add(wants("Alpha", 700, "c", job.time.ms));
    const report = await job.mined();
    assertEquals([report.posts, report.missed], [500, ["Alpha"]]);
    assert((await communityStates(database.sql)).get("alpha")?.missedAt !== null);
    assertEquals((await job.mined()).missed, []);
  },
);

testBoth(
  "of two runs at the same time one mines and the other does nothing",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 150, "a") });
    const reports = await Promise.all([job.run({ scheduled: true }), job.run({ scheduled: true })]);
    assertEquals(reports.filter((report) => report !== null).length, 1);
    assertEquals(job.double.callsTo("/r/Alpha/new").length, 2);
    // The clock of another replica is a little late.
    assertEquals(await job.run({ scheduled: true }), null);
    job.time.advance(MINUTE);
    assertLess((await job.mined({ scheduled: true })).posts, 1);
  },
);

testBoth(
  "82 communities stay within 4 requests a minute on average and 100 in any minute",
  async ({ database }) => {
    const names = Array.from({ length: 82 }, (_, n) => `Community${n}`);
    const posts = Object.fromEntries(
      names.map((name, n) => [name, wants(name, 20, `p${n.toString(36)}x`)]),
    );
    await using job = await startJob(database, posts);
    const runs = 4;
    for (let n = 0; n < runs; n++) {
      const began = job.time.ms;
      const report = await job.mined();
      assertEquals([report.read, report.outage], [82, null]);
      job.time.advance(Math.max(0, began + 30 * MINUTE - job.time.ms));
    }
    const times = job.double.calls.map(({ at }) => at);
    assertLess(times.length / (runs * 30), 4.0001);
    const most = Math.max(
      ...times.map((at, n) => times.slice(n).filter((t) => t < at + MINUTE).length),
    );
    assertLess(most, 101);
  },
);
