/** Imports whose database goes away, and what they keep of what they left out. */
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { writeBackup } from "../../../db/backup/backup.ts";
import { openBackup, restoreBackup } from "../../../db/backup/restore.ts";
import type { Database, Tx } from "../../../db/sql.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { type FileResult, importFile } from "../../../mining/job/import.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { judgeInThreads } from "../../../mining/judging/threads.ts";
import { LeaseLost } from "../../../mining/session.ts";
import { lines, submission, writeArchive } from "../../support/archive.ts";
import { temporaryDirectory, testBoth, testOnce } from "../../support/database.ts";
import { HOUR, type Job, MINUTE, START, startJob } from "./support.ts";

/** The same database; `then` is called after each transaction that was committed, with their number. */
function committing(database: Database, then: (commits: number) => Promise<void>): Database {
  let commits = 0;
  const sql = new Proxy(database.sql, {
    get: (target, key) => {
      if (key !== "begin") return Reflect.get(target, key) as unknown;
      return async (work: (tx: Tx) => Promise<unknown>) => {
        const result = await target.begin(work);
        await then(++commits);
        return result;
      };
    },
  });
  return { ...database, sql };
}

/** The same database, of which every second transaction loses its connection after it was committed. */
const losing = (database: Database): Database =>
  committing(
    database,
    (commits) =>
      commits % 2 === 1
        ? Promise.resolve()
        : Promise.reject(Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" })),
  );

/** Imports a file under the lease. */
async function imported(deps: Job["deps"], file: string): Promise<FileResult | null> {
  const registry = builtInRegistry();
  const threads = judgeInThreads({ registry, origin: "archive", checkedAt: null }, 1);
  try {
    return await mineAlone(
      deps,
      { kind: "import", patienceMs: 0, stats: () => ({}) },
      (session) =>
        importFile(deps, session, file, {
          registry,
          authorHashKey: "00".repeat(32),
          judging: threads.judge,
          allCommunities: false,
          signal: new AbortController().signal,
          onProgress: () => {},
          onBadLine: () => {},
        }),
    );
  } finally {
    threads.close();
  }
}

testBoth("a batch whose commit was not answered is counted once", async ({ database }) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson.gz");
  writeArchive(file, lines(1_200));
  await using job = await startJob(database, { Alpha: [] });
  const result = await imported({ ...job.deps, database: losing(database) }, file);
  const [stored] = await database.sql<{ signals: number }[]>`
    select count(*)::int as signals from signals`;
  assertEquals(
    [result?.posts, result?.duplicates, result?.signals, result?.linesDone],
    [1_200, 0, stored?.signals, 1_200],
  );
});

testBoth("an import ends where a backup replaces what it stored", async ({ database }) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson.gz");
  writeArchive(file, lines(510));
  await using job = await startJob(database, { Alpha: [] });
  const backup: string[] = [];
  const about = { version: "0.1.0", now: job.time.now() };
  await writeBackup(database, about, (line) => Promise.resolve(void backup.push(line)));
  const empty = await openBackup({
    path: "empty",
    lines: async function* () {
      yield* await Promise.resolve(backup);
    },
  });
  const options = { force: true, now: job.time.now(), onProgress: () => {} };
  // The first transaction makes the corpus a real one, and each of the next two stores a batch.
  for (const replacedAt of [2, 3]) {
    const replaced = committing(database, async (commits) => {
      if (commits === replacedAt) await restoreBackup(database, empty, options);
    });
    await assertRejects(() => imported({ ...job.deps, database: replaced }, file), LeaseLost);
    const result = await imported(job.deps, file);
    assertEquals([result?.posts, result?.duplicates, result?.resumedAtLine], [510, 0, 0]);
    await restoreBackup(database, empty, options);
  }
});

testOnce(
  "a post from a clock half an hour ahead is taken, one two hours ahead is a bad line",
  async (
    { database },
  ) => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "posts.ndjson");
    const ahead = [30 * MINUTE, 2 * HOUR].map((ms, n) =>
      JSON.stringify(submission(n, { created_utc: (START + ms) / 1000 }))
    );
    writeArchive(file, `${ahead.join("\n")}\n`);
    await using job = await startJob(database, { Alpha: [] });
    const result = await imported(job.deps, file);
    assertEquals([result?.posts, result?.badLines], [1, [
      { line: 2, why: "created_utc: lies in the future" },
    ]]);
  },
);

testBoth("of communities not followed, a finished file keeps those with the most posts", async (
  { database },
) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson.gz");
  const left = Array.from(
    { length: 24 },
    (_, n) =>
      Array.from({ length: n < 3 ? 3 - n : 1 }, (_, i) =>
        JSON.stringify(submission(i, {
          id: `z${n.toString(36)}${i}`,
          subreddit: `Elsewhere${String.fromCharCode(65 + n)}`,
        }))),
  ).flat();
  writeArchive(file, `${left.join("\n")}\n${lines(1)}`);
  await using job = await startJob(database, { Alpha: [] });
  for (const time of ["first", "again"]) {
    const result = await imported(job.deps, file);
    const { unfollowed, notFollowed = {} } = result ?? {};
    assertEquals(unfollowed, 27, time);
    assertEquals(Object.entries(notFollowed).slice(0, 3), [
      ["ElsewhereA", 3],
      ["ElsewhereB", 2],
      ["ElsewhereC", 1],
    ]);
    assertEquals(Object.keys(notFollowed).at(-1), "ElsewhereT", time);
    assertEquals(Object.keys(notFollowed).length, 20, time);
    const [kept] = await database.sql`select count(*)::int as n from import_communities`;
    assertEquals(kept, { n: 20 }, time);
  }
});
