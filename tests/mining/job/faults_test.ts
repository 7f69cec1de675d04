import { assert, assertEquals, assertGreater } from "@std/assert";
import { mine } from "../../../mining/job/mine.ts";
import type { Source } from "../../../mining/sources/types.ts";
import type { Fault } from "../../doubles/reddit.ts";
import { HASTY } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { testBoth, testDatabase, testEmbedded } from "../../support/database.ts";
import { HOUR, MINUTE, shown, START, startJob, stored, wants } from "./support.ts";

const MANUAL = { signal: NEVER, patienceMs: 0, scheduled: false } as const;

/** What each fault, met on the second page of one community, makes of the run. */
const FAULTS: readonly {
  readonly name: string;
  readonly fault: Fault;
  readonly times?: number;
  /** Counted in the run's record; null where the client gets over it. */
  readonly kind: string | null;
}[] = [
  { name: "a 429 with Retry-After", fault: { kind: "429", retryAfter: 30 }, kind: null },
  { name: "a 429 with a used-up period", fault: { kind: "429", reset: 200 }, kind: null },
  { name: "a 429 without a word", fault: { kind: "429" }, kind: null },
  { name: "a 401 in the middle of a run", fault: { kind: "401" }, kind: null },
  { name: "a 403", fault: { kind: "403", reason: "private" }, kind: "forbidden" },
  { name: "a 403 of the gate", fault: { kind: "403", html: true }, kind: "forbidden" },
  { name: "a 404", fault: { kind: "404" }, kind: "not_found" },
  { name: "a 451", fault: { kind: "451" }, kind: "forbidden" },
  { name: "a 503 page", fault: { kind: "5xx" }, kind: null },
  { name: "503 pages without end", fault: { kind: "5xx" }, times: 4, kind: "unavailable" },
  { name: "a page of HTML with status 200", fault: { kind: "html" }, kind: null },
  { name: "HTML without end", fault: { kind: "html" }, times: 4, kind: "malformed" },
  { name: "truncated JSON", fault: { kind: "truncated" }, kind: null },
  { name: "a hang", fault: { kind: "hang" }, kind: null },
  { name: "hangs without end", fault: { kind: "hang" }, times: 4, kind: "timeout" },
  { name: "a broken connection", fault: { kind: "cut" }, kind: null },
  { name: "a listing that begins again", fault: { kind: "restart" }, kind: null },
  { name: "a listing that runs in a circle", fault: { kind: "after", after: "" }, kind: null },
];

Deno.test("whatever happens to a page, the run goes on, and the next one has lost nothing and nothing twice", async () => {
  await using test = await testDatabase();
  for (const [n, { name, fault, times = 1, kind }] of FAULTS.entries()) {
    // Communities of its own for each: one database does for all.
    const prefix = `f${n.toString(36)}x`;
    const alpha = `Alpha${n}`;
    await using job = await startJob(test.database, {
      [alpha]: wants(alpha, 110, prefix),
      [`Beta${n}`]: wants(`Beta${n}`, 5, `${prefix}b`),
    }, { client: HASTY });
    // The first page is read; the fault meets the second.
    const pages = job.deps.source;
    let armed = false;
    const source: Source = {
      ...pages,
      newPosts: async function* (...args) {
        for await (const page of pages.newPosts(...args)) {
          const met = fault.kind === "after" ? { ...fault, after: `t3_${prefix}6` } : fault;
          if (!armed) job.double.fail(`/r/${alpha}/new`, met, times);
          armed = true;
          yield page;
        }
      },
    };
    const report = await mine({ ...job.deps, source }, MANUAL);
    assert(report !== null, name);
    assertEquals(report.errors, kind === null ? {} : { [kind]: 1 }, name);
    assertEquals(report.read, kind === null ? 2 : 1, name);
    assertEquals(report.outage, null, name);
    assertEquals(job.double.heal(), 0, name);
    // A closed community is asked for again a day later.
    job.time.advance(25 * HOUR);
    const again = await job.mined();
    assertEquals([again.errors, again.read], [{}, 2], name);
    const { seen, posts } = await stored(test.database);
    assertEquals(seen.filter((id) => id.startsWith(prefix)).length, 115, name);
    assertEquals(posts.filter((id) => id.startsWith(prefix)).length, 115, name);
  }
});

Deno.test("a site that allows no more requests ends the run, and is left alone until it does", async () => {
  await using test = await testEmbedded();
  await using job = await startJob(test.database, { Alpha: wants("Alpha", 5, "a"), Beta: [] });
  job.double.fail(/new$/, { kind: "429", retryAfter: 4000 }, 1000);
  const report = await job.mined({ scheduled: true });
  assertEquals(report.errors, { rate_limited: 1 });
  job.time.advance(60 * MINUTE);
  assertEquals(await job.run({ scheduled: true }), null);
  job.double.heal();
  job.time.advance(10 * MINUTE);
  assertEquals((await job.mined({ scheduled: true })).posts, 5);
});

Deno.test("a wait beyond a day that the site names is kept for a day", async () => {
  await using test = await testEmbedded();
  const faults: readonly Fault[] = [
    { kind: "429", retryAfter: "Wed, 21 Oct 2099 07:28:00 GMT" },
    { kind: "429", reset: 1e15 },
  ];
  for (const [n, fault] of faults.entries()) {
    await using job = await startJob(test.database, { Alpha: wants("Alpha", 5, `${n}a`) });
    job.time.advance(n * 48 * HOUR);
    job.double.fail(/new$/, fault, 1000);
    assertEquals((await job.mined({ scheduled: true })).errors, { rate_limited: 1 });
    job.double.heal();
    job.time.advance(23 * HOUR);
    assertEquals(await job.run({ scheduled: true }), null);
    job.time.advance(2 * HOUR);
    assertEquals((await job.mined({ scheduled: true })).read, 1);
  }
});

Deno.test("look-ups that fail leave posts unconfirmed, and the run goes on to make its cards", async () => {
  await using test = await testEmbedded();
  await using job = await startJob(test.database, { Alpha: wants("Alpha", 5, "a") });
  await job.mined();
  job.time.advance(30 * MINUTE);
  job.double.store.add(wants("Alpha", 5, "c", job.time.ms));
  job.double.fail("/api/info", { kind: "html" }, 1000);
  const report = await job.mined();
  assertEquals([report.posts, report.checked, report.errors], [5, 0, { malformed: 1 }]);
  assertGreater(report.cardsChanged, 0);
  job.double.heal();
  job.time.advance(30 * MINUTE);
  assertEquals((await job.mined()).checked, 10);
});

Deno.test("look-ups that fail twice in a row are left to the next run", async () => {
  await using test = await testEmbedded();
  await using job = await startJob(test.database, { Alpha: [] }, { client: HASTY });
  // Four look-ups of a hundred are due.
  await test.database.sql`
    insert into posts (id, community, title, body, upvotes, comments, permalink, created_at, origin)
    select 'p' || n, 'Alpha', '', '', 0, 0, '', ${job.time.now()}, 'live'
    from generate_series(1, 400) as n`;
  job.double.fail("/api/info", { kind: "html" }, 1000);
  assertEquals((await job.mined()).errors, { malformed: 2 });
  job.double.heal();
  const before = job.double.callsTo("/api/info").length;
  job.time.advance(30 * MINUTE);
  assertEquals((await job.mined()).errors, {});
  assertEquals(job.double.callsTo("/api/info").length - before, 4);
});

testBoth(
  "strange posts harm nobody: nulls, gaps, 40,000 characters, twins, clocks ahead",
  async ({ database }) => {
    const [plain, nulls, gaps, long, twin, early] = wants("Alpha", 6, "a");
    assert(plain && nulls && gaps && long && twin && early);
    const text = `${long.selftext ?? ""} ${"x".repeat(40_000)}`.slice(0, 40_000);
    const raw = { title: null, selftext: null, author: null, score: null, permalink: null };
    const missing = { selftext: undefined, author: undefined, num_comments: undefined };
    await using job = await startJob(database, {
      Alpha: [
        plain,
        { ...nulls, raw },
        { ...gaps, raw: missing },
        { ...long, selftext: text },
        { ...early, created_utc: Math.floor(START / 1000) + 5 * 3600 },
      ],
      // The same text under another id, and the same id again.
      Beta: [{ ...plain, id: "b0", subreddit: "Beta" }, twin],
    });
    const report = await job.mined();
    assertEquals([report.errors, report.read, report.outage], [{}, 2, null]);
    const { seen } = await stored(database);
    assertEquals(
      seen,
      ["a0", "a1", "a2", "a3", "a4", "a5", "b0"].filter((id) => seen.includes(id)),
    );
    assertEquals(seen.length, 7);
    const [row] = await database.sql<{ ahead: boolean; long: number }[]>`
    select bool_or(created_at > ${job.time.now()}) as ahead, max(length(body)) as long from posts`;
    assertEquals([row?.ahead, row?.long], [false, 40_000]);
    // A copy counts once.
    const [copies] = await database.sql<{ n: number }[]>`
    select count(*) - count(distinct text_key) as n from signals`;
    const catalogue = await job.catalogue();
    const links = shown(catalogue);
    assertEquals(new Set(links.filter((link) => /comments\/(a0|b0)\//.test(link))).size <= 1, true);
    assertGreater(copies?.n ?? 0, 0);
    job.time.advance(30 * MINUTE);
    assertEquals((await job.mined()).posts, 0);
  },
);
