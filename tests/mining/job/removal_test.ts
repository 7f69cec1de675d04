/** Posts that are taken back, edited or not confirmed at their source. */
import { assert, assertEquals, assertGreater, assertThrows } from "@std/assert";
import { ServiceError } from "../../../core/errors.ts";
import { storeVerdict, takeVerdictLease, verdictKey } from "../../../db/corpus/verdicts.ts";
import type { Database } from "../../../db/sql.ts";
import { ingest } from "../../../mining/job/ingest.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { dueForCheck } from "../../../mining/removal/check.ts";
import { loadCatalogue } from "../../../mining/cards/catalogue.ts";
import { oneCard, sampleOpportunity } from "../../../mining/cards/queries.ts";
import type { Post } from "../../../mining/types.ts";
import { testBothInTurn as testBoth, testEmbedded, testOnce } from "../../support/database.ts";
import { HOUR, type Job, MINUTE, shown, shows, START, startJob, stored, wants } from "./support.ts";

/** Everything the database holds, as text. */
async function everything(database: Database): Promise<string> {
  const tables = ["posts", "signals", "opportunities", "sample", "payment_answers"];
  const texts: string[] = [];
  for (const table of tables) {
    const rows = await database.sql`select row_to_json(t)::text as row from ${
      database.sql(table)
    } t`;
    texts.push(...rows.map(({ row }) => String(row)));
  }
  return texts.join("\n");
}

async function storeAnswer(database: Database, id: number, evidenceIds: string[]): Promise<void> {
  await database.sql`
    insert into payments (id, rail, payer, nonce, fingerprint, pay_to, state, owner, fence,
      lease_until, created_at, route, live, amount, valid_before)
    overriding system value
    values (${id}, 'test', '\\x01', ${`\\x0${id}`}, '\\x02', '\\x03', 'settled', 'me', 1, now(),
      now(), '/v1/opportunity', false, 1, 1)`;
  await database.sql`
    insert into payment_answers (payment_id, body, evidence_ids, stored_at)
    values (${id}, 'the answer', ${evidenceIds}, now())`;
}

testBoth(
  "what is deleted, removed or marked as adult at the source is gone after the next run",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 12, "a") });
    await job.mined();
    const before = await job.catalogue();
    const [first, second, third] = before.sample?.card.evidenceIds ?? [];
    assert(first && second && third);
    await storeAnswer(database, 1, [first]);
    await storeAnswer(database, 2, ["unrelated"]);
    // A list is known by its cards.
    await storeAnswer(database, 3, [before.sample?.card.id ?? ""]);
    const texts = await database.sql<{ body: string }[]>`
    select body from posts where id in ${database.sql([first, second, third])}`;
    const held = await everything(database);
    assert(texts.length === 3 && texts.every(({ body }) => held.includes(body)));
    job.double.store.edit(second, { over_18: true });
    job.double.store.delete(first);
    job.double.store.remove(third);

    job.time.advance(30 * MINUTE);
    const report = await job.mined();
    assertEquals([report.removed, report.errors], [3, {}]);
    const gone = [first, second, third];
    for (const id of gone) assertEquals(await shows(job, id), false, id);
    const left = await stored(database);
    assertEquals(left.posts.length, 9);
    const after = await job.catalogue();
    assertEquals(after.signalCount, 9);
    const kept = await everything(database);
    assert(texts.every(({ body }) => !kept.includes(body)));
    assert(gone.every((id) => !kept.includes(`"${id}"`) && !kept.includes(`/${id}/`)));
    // The sample showed them: another card is frozen in its place.
    assert(after.sample !== null && after.sample.cardAsOf !== before.sample?.cardAsOf);
    const answers = await database.sql<{ id: number; body: string | null }[]>`
    select payment_id as id, body from payment_answers order by payment_id`;
    assertEquals(answers.map(({ id, body }) => [id, body]), [[1, null], [2, "the answer"], [
      3,
      null,
    ]]);

    // It does not come back: not from the listing, not from an archive.
    const tombstones = await database.sql`select 1 from seen_posts where forgotten`;
    assertEquals(tombstones.length, 3);
    await importPosts(job, gone);
    assertEquals((await stored(database)).posts.length, 9);
  },
);

/** Stores posts as an import does: never confirmed by the source. */
async function importPosts(job: Job, ids: readonly string[], community = "Alpha"): Promise<void> {
  const posts = ids.map((id, n): Post => {
    const made = wants(community, ids.length, "x")[n];
    return {
      id,
      community,
      title: made?.title ?? "",
      body: made?.selftext ?? "",
      author: `importer_${id}`,
      createdAt: new Date(START - HOUR),
      upvotes: 3,
      comments: 1,
      permalink: `https://www.reddit.com/r/${community}/comments/${id}/looking/`,
    };
  });
  await mineAlone(
    job.deps,
    { kind: "import", patienceMs: 0, stats: () => ({}) },
    async (session) => {
      const { registry, hashKey } = job.deps;
      await ingest(job.deps.database, posts, {
        context: { registry, origin: "archive", checkedAt: null },
        authorHashKey: await hashKey(),
        day: "2026-11-20",
        within: (tx) => session.assertLease(tx),
      });
      await session.makeReal("archive");
      await session.finish();
    },
  );
}

testBoth(
  "a post taken back by its author without a trace but its empty text is gone too",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 4, "a") });
    await job.mined();
    job.double.store.deleteAccount("a0");
    job.double.store.deleteAccount("a1");
    job.double.store.edit("a1", { selftext: "" });
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).removed, 1);
    assertEquals((await stored(database)).posts, ["a0", "a2", "a3"]);
  },
);

testBoth(
  "a post the source does not know is believed to be gone at the second look",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 6, "a") });
    await job.mined();
    job.double.store.forget("a2");
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).removed, 0);
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).removed, 1);
    assertEquals(await shows(job, "a2"), false);

    // Most of a batch at once is more likely the source's own trouble.
    for (const id of ["a0", "a1", "a3", "a4"]) job.double.store.forget(id);
    job.time.advance(30 * MINUTE);
    await job.mined();
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).removed, 0);
    job.time.advance(6 * HOUR);
    assertEquals((await job.mined()).removed, 4);
    assertEquals((await stored(database)).posts, ["a5"]);
  },
);

testOnce("a post that comes back is known again, and not gone at the next look without it", async (
  { database },
) => {
  const posts = wants("Alpha", 6, "a");
  await using job = await startJob(database, { Alpha: posts });
  await job.mined();
  const looked = async (): Promise<number> => {
    job.time.advance(30 * MINUTE);
    return (await job.mined()).removed;
  };
  job.double.store.forget("a2");
  assertEquals(await looked(), 0);
  job.double.store.add(posts);
  assertEquals(await looked(), 0);
  job.double.store.forget("a2");
  assertEquals(await looked(), 0);
  assertEquals(await looked(), 1);
});

testOnce("a post that a verdict showed is looked up with the rest once that has expired", async (
  { database },
) => {
  const { sql } = database;
  await using job = await startJob(database, { Alpha: wants("Alpha", 12, "a") });
  await job.mined();
  const [other] = await sql<{ id: string }[]>`select id from posts where not served order by id`;
  assert(other !== undefined, "the cards show every post");
  const isServed = async () =>
    (await sql`select from posts where id = ${other.id} and served`).count === 1;
  const key = verdictKey("headphones|");
  const taken = await takeVerdictLease(sql, key, "a", job.time.now(), 30);
  assert(taken.state === "taken", taken.state);
  const expiresAt = new Date(job.time.ms + HOUR);
  await storeVerdict(sql, taken.lease, { evidenceIds: [other.id] }, [other.id], expiresAt);
  job.time.advance(30 * MINUTE);
  await job.mined();
  assert(await isServed());
  job.time.advance(HOUR);
  await job.mined();
  assertEquals(await isServed(), false);
});

testBoth(
  "an edited post is judged anew: its old quote leaves, its new one counts",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a") });
    await job.mined();
    const old = await everything(database);
    assert(old.includes("My third pair"));
    for (const n of [0, 1, 2, 3]) {
      job.double.store.edit(`a${n}`, {
        selftext: `Which headphones would you buy? Reworded ${n}.`,
      });
    }
    job.double.store.edit("a4", { selftext: "Never mind." });
    job.time.advance(30 * MINUTE);
    const report = await job.mined();
    assertEquals(report.edited, 5);
    const now = await everything(database);
    assert(!now.includes("My third pair"), "the old text is still there");
    assert(now.includes("Reworded 2"));
    const quotes = await database.sql<{ stands: boolean }[]>`
    select position(s.quote in p.title || E'\n' || p.body) > 0 as stands
    from signals s join posts p on p.id = s.post_id`;
    assertGreater(quotes.length, 0);
    assert(quotes.every(({ stands }) => stands));
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).edited, 0);
  },
);

testBoth("votes are refreshed on the way, in the cards too", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a") });
  await job.mined();
  job.double.store.vote("a1", 500);
  job.time.advance(30 * MINUTE);
  await job.mined();
  const card = (await job.catalogue()).cards.find(({ evidenceIds }) => evidenceIds.includes("a1"));
  const votes = card?.evidence[card.evidenceIds.indexOf("a1")]?.upvotes ?? 0;
  assertGreater(votes, 499);
});

testBoth(
  "a quote unconfirmed for 36 hours is withheld until it is confirmed",
  async ({ database }) => {
    await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a") });
    await job.mined();
    const before = shown(await job.catalogue());
    assertGreater(before.length, 4);
    // The site answers for communities and not for look-ups.
    job.double.fail("/api/info", { kind: "5xx" }, 100_000);
    for (let n = 0; n < 35; n++) {
      job.time.advance(HOUR);
      await job.mined();
    }
    assertEquals(shown(await job.catalogue()).length, before.length);
    job.time.advance(2 * HOUR);
    const late = await job.catalogue();
    assertEquals(shown(late), []);
    const [bare] = late.cards;
    assert(bare !== undefined);
    // Its evidence is what a card is bought for.
    assertThrows(() => oneCard(late, { slug: bare.slug }), ServiceError, "could not be confirmed");
    assertThrows(() => sampleOpportunity(late), ServiceError, "could not be confirmed");
    job.double.heal();
    job.time.advance(5 * MINUTE);
    await job.mined();
    assertEquals(shown(await job.catalogue()).length, before.length);
  },
);

testBoth(
  "imported posts, and those of a restored backup, are shown once they were looked up",
  async ({ database }) => {
    const posts = wants("Alpha", 8, "a");
    await using job = await startJob(database, { Alpha: [] });
    const ids = posts.map(({ id }) => id);
    await importPosts(job, ids);
    assertEquals(shown(await job.catalogue()), []);
    const all = await loadCatalogue(database.sql, job.deps.registry, job.time.now(), null);
    assertGreater(shown(all).length, 0);
    // The archive is older than the site: one of its posts was taken back since.
    const now = await database.sql<{ id: string; title: string; body: string }[]>`
    select id, title, body from posts`;
    job.double.store.add(
      now.map(({ id, title, body }) => ({ id, subreddit: "Alpha", title, selftext: body })),
    );
    job.double.store.delete("a3");
    job.time.advance(MINUTE);
    const report = await job.mined();
    assertEquals([report.removed, report.edited], [1, 0]);
    assertGreater(shown(await job.catalogue()).length, 0);
    assertEquals(await shows(job, "a3"), false);
  },
);

Deno.test("posts behind served quotes are looked up within a day, and all others in turn", async () => {
  await using test = await testEmbedded();
  const { sql } = test.database;
  await using job = await startJob(test.database, { Alpha: [] });
  const now = job.time.ms;
  const at = (hours: number): Date => new Date(now - hours * HOUR);
  // 300,000 posts would take long to make: a thousand, checked at times spread over two days.
  await sql`
    insert into posts (id, community, title, body, upvotes, comments, permalink, created_at, origin,
      checked_at, served)
    select 'p' || n, 'Alpha', '', '', 0, 0, '', ${at(100)}, 'live',
      ${job.time.now()}::timestamptz - n * interval '173 seconds', n % 10 = 0
    from generate_series(1, 1000) as n`;
  const due = await dueForCheck(job.deps, {
    elapsedMs: 30 * MINUTE,
    requests: 120,
    startedAt: new Date(now - MINUTE),
  });
  const served = (id: string): boolean => Number(id.slice(1)) % 10 === 0;
  const ageHours = (id: string): number => Number(id.slice(1)) * 173 / 3600;
  const late = Array.from({ length: 1000 }, (_, n) => `p${n + 1}`).filter((id) =>
    ageHours(id) > (served(id) ? 18 : 20)
  );
  assertEquals(late.filter((id) => !due.includes(id)), []);
  const firstOther = due.findIndex((id) => !served(id));
  assertEquals(due.slice(0, firstOther).length, late.filter(served).length);
});
