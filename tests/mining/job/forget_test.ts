/** Posts that an operator has forgotten. */
import { assert, assertEquals } from "@std/assert";
import { mineAlone } from "../../../mining/job/miner.ts";
import { refreshCards } from "../../../mining/cards/refresh.ts";
import { forget, postIdOf } from "../../../mining/job/forget.ts";
import { removePosts } from "../../../mining/removal/delete_posts.ts";
import { testBoth, testWithDatabases } from "../../support/database.ts";
import { HOUR, MIN_AUTHORS, shown, shows, startJob, stored, wants } from "./support.ts";

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
  const within = () => Promise.resolve();
  const now = job.time.now();
  await refreshCards(database, {
    asOf: now,
    now,
    minAuthors: MIN_AUTHORS,
    moved: false,
    within,
  });
  const before = (await job.catalogue()).revision;
  assertEquals(await forget(job.deps, ["a2"]), 0);
  assertEquals((await job.catalogue()).revision, before + 1);
});
