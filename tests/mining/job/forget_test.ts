/** Posts that an operator has forgotten. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createLog } from "../../../core/log.ts";
import type { Database, Tx } from "../../../db/sql.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { refreshCards } from "../../../mining/cards/refresh.ts";
import { forget, postIdOf } from "../../../mining/job/forget.ts";
import type { Extractor } from "../../../mining/judge.ts";
import { readAgain } from "../../../mining/job/reread.ts";
import { removePosts } from "../../../mining/removal/delete_posts.ts";
import { NEVER } from "../../support/time.ts";
import { testBothInTurn as testBoth, testWithDatabases } from "../../support/database.ts";
import { HOUR, type Job, MIN_AUTHORS, shown, shows, startJob, stored, wants } from "./support.ts";

testBoth("forgetting by hand needs no source and no pause in mining", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 8, "a") });
  await job.mined();
  // Two posts whose quotes are shown.
  const ids = new Set(shown(await job.catalogue()).map((link) => link.split("/").at(-3) ?? ""));
  const [first = "", second = ""] = ids;
  assert(ids.size >= 2);
  const result = await mineAlone(
    job.deps,
    { kind: "mine", patienceMs: 0, stats: () => ({}) },
    () => forget(job.deps, [first, second, "never"]),
  );
  assertEquals(result, 2);
  const catalogue = await job.catalogue();
  assertEquals([await shows(job, first), await shows(job, second)], [false, false]);
  assertEquals(catalogue.signalCount, 6);
  assert(catalogue.sample !== null);
  // The site still lists them, and one that was forgotten before it was ever read.
  job.double.store.add([{ ...wants("Alpha", 1, "never")[0], id: "never", subreddit: "Alpha" }]);
  job.time.advance(7 * HOUR);
  assertEquals((await job.mined()).posts, 0);
  assertEquals((await stored(database)).posts.length, 6);
});

/** The same database, of which every transaction loses its connection once. */
function flaky(database: Database): Database {
  let calls = 0;
  const sql = new Proxy(database.sql, {
    get: (target, key) => {
      if (key !== "begin") return Reflect.get(target, key) as unknown;
      return (work: (tx: Tx) => Promise<unknown>) => {
        if (calls++ % 2 === 1) return target.begin(work);
        return Promise.reject(Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" }));
      };
    },
  });
  return { ...database, sql };
}

testBoth("forgetting outlasts a lost connection to its end", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 8, "a") });
  await job.mined();
  const before = await job.catalogue();
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format: "text",
    now: () => job.time.now(),
    write: (line) => lines.push(line),
  });
  const deps = { ...job.deps, database: flaky(database), log };
  assertEquals(await forget(deps, ["a2", "a3"]), 2);
  const after = await job.catalogue();
  assertEquals([after.signalCount, await shows(job, "a2")], [6, false]);
  assert(after.revision > before.revision);
  assertEquals((await database.sql`select from wants where dirty`).count, 0);
  // Each loss is said once, and its end once.
  const told = (what: string): number => lines.filter((line) => line.includes(what)).length;
  assertEquals([told("trying again") > 2, told("trying again")], [true, told("answers again")]);
});

testBoth("replicas hear of a removal whose process died after it", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 8, "a") });
  await job.mined();
  const before = await job.catalogue();
  // The first transaction removes; what follows dies with the process.
  let calls = 0;
  const sql = new Proxy(database.sql, {
    get: (target, key) => {
      if (key !== "begin") return Reflect.get(target, key) as unknown;
      return (work: (tx: Tx) => Promise<unknown>) =>
        calls++ === 0 ? target.begin(work) : Promise.reject(new Error("killed"));
    },
  });
  await assertRejects(() => forget({ ...job.deps, database: { ...database, sql } }, ["a2"]));
  const after = await job.catalogue();
  assert(after.revision > before.revision);
  assertEquals(await shows(job, "a2"), false);
});

Deno.test("posts are named by id, full name or permalink", () => {
  assertEquals(postIdOf("1abc9"), "1abc9");
  assertEquals(postIdOf(" t3_1ABC9 "), "1abc9");
  assertEquals(postIdOf("https://www.reddit.com/r/tools/comments/1abc9/what/"), "1abc9");
  assertEquals(postIdOf("https://www.reddit.com/r/tools/comments/1abc9?x=1"), "1abc9");
  for (const wrong of ["", "no such thing", "t1_abc", "../etc", "a'; drop table posts"]) {
    assertEquals(postIdOf(wrong), null, wrong);
  }
});

testWithDatabases("forgetting again tells what a process that died has changed", async (fresh) => {
  const { database } = await fresh();
  await using job = await startJob(database, { Alpha: wants("Alpha", 6, "a") });
  await job.mined();
  await database.sql.begin((tx) => removePosts(tx, ["a2"], "2026-11-20"));
  const now = job.time.now();
  await refreshCards({
    asOf: now,
    now,
    minAuthors: MIN_AUTHORS,
    moved: false,
    transaction: async (work) => await database.sql.begin(work) as never,
  });
  const before = (await job.catalogue()).revision;
  assertEquals(await forget(job.deps, ["a2"]), 0);
  assertEquals((await job.catalogue()).revision, before + 1);
});

/** Reads what other versions read again, by a reader of today. */
const readingAgain = async (
  job: Job,
  database: Database,
  reader: { readonly extractor?: Extractor } = {},
) =>
  await readAgain(
    { ...job.deps, database },
    { assertLease: () => Promise.resolve() },
    { ...job.deps, ...reader },
    NEVER,
  );

testBoth("a post is forgotten whole while stored posts are read again", async ({ database }) => {
  const { sql } = database;
  await using job = await startJob(database, { Alpha: wants("Alpha", 12, "a") });
  await job.mined();
  const [id = ""] = (await job.catalogue()).cards[0]?.evidenceIds ?? [];
  assert(await shows(job, id));
  const [maker = "", ...others] = (await stored(database)).posts.filter((one) => one !== id);
  await sql`update opportunities set card = jsonb_set(card, '{makers}', jsonb_build_object(
      'makers', 1, 'newest', '', 'evidence', '[]'::jsonb,
      'postIds', jsonb_build_array(${maker}::text)))
    where card is not null`;
  await sql`update signals set versions = 'before' where post_id = any(${[id, maker]})`;
  await sql`update corpus set read_version = 'before'`;
  assertEquals((await readingAgain(job, database, { extractor: () => null })).read, 2);
  await sql`update signals set versions = 'before' where post_id = any(${others})`;
  assertEquals(await forget(job.deps, [id, maker]), 2);
  assertEquals(await shows(job, id), false);
  assertEquals((await job.catalogue()).cards.filter(({ makers }) => makers), []);
  const quoting = await sql`
    select from opportunities where card -> 'evidenceIds' ? ${id} or card -> 'makers' <> 'null'`;
  assertEquals(quoting.count, 0);
});

testBoth("reading stored posts again leaves out one that is forgotten meanwhile", async (test) => {
  const { database } = test;
  await using job = await startJob(database, { Alpha: wants("Alpha", 8, "a") });
  await job.mined();
  await database.sql`update signals set versions = 'before'`;
  let isFirst = true;
  const sql = new Proxy(database.sql, {
    get: (target, key) => {
      if (key !== "begin" || !isFirst) return Reflect.get(target, key) as unknown;
      isFirst = false;
      return async (work: (tx: Tx) => Promise<unknown>) => {
        await target.begin((tx) => removePosts(tx, ["a2"], "2026-11-20"));
        return await target.begin(work);
      };
    },
  });
  assertEquals(await readingAgain(job, { ...database, sql }), {
    read: 7,
    signals: 7,
    interrupted: false,
  });
  assertEquals((await stored(database)).posts, ["a0", "a1", "a3", "a4", "a5", "a6", "a7"]);
});
