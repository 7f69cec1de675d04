/** An import whose database goes away. */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import type { Database, Tx } from "../../../db/sql.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { importFile } from "../../../mining/job/import.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { judgeInThreads } from "../../../mining/judging/threads.ts";
import { lines, writeArchive } from "../../support/archive.ts";
import { temporaryDirectory, testBoth } from "../../support/database.ts";
import { startJob } from "./support.ts";

/** The same database, of which every second transaction loses its connection after it was committed. */
function losing(database: Database): Database {
  let calls = 0;
  const sql = new Proxy(database.sql, {
    get: (target, key) => {
      if (key !== "begin") return Reflect.get(target, key) as unknown;
      return async (work: (tx: Tx) => Promise<unknown>) => {
        const result = await target.begin(work);
        if (calls++ % 2 === 0) return result;
        throw Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
      };
    },
  });
  return { ...database, sql };
}

testBoth("a batch whose commit was not answered is counted once", async ({ database }) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson.gz");
  writeArchive(file, lines(1_200));
  await using job = await startJob(database, { Alpha: [] });
  const deps = { ...job.deps, database: losing(database) };
  const registry = builtInRegistry();
  const threads = judgeInThreads(
    { registry, authorHashKey: "00".repeat(32), origin: "archive", checkedAt: null },
    1,
  );
  try {
    const result = await mineAlone(
      deps,
      { kind: "import", patienceMs: 0, stats: () => ({}) },
      (session) =>
        importFile(deps, session, file, {
          registry,
          judging: threads.judge,
          allCommunities: false,
          signal: new AbortController().signal,
          onProgress: () => {},
          onBadLine: () => {},
        }),
    );
    const [stored] = await database.sql<{ signals: number }[]>`
      select count(*)::int as signals from signals`;
    assertEquals(
      [result?.posts, result?.duplicates, result?.signals, result?.linesDone],
      [1_200, 0, stored?.signals, 1_200],
    );
  } finally {
    threads.close();
  }
});
