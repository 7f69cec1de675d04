/** Transactions that change the corpus beside whoever mines: they take turns, whatever each locks. */
import { assertEquals } from "@std/assert";
import { type Log, silentLog } from "../../../core/log.ts";
import type { Sql } from "../../../db/sql.ts";
import { forget } from "../../../mining/job/forget.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { readAgain } from "../../../mining/job/reread.ts";
import { NEVER } from "../../support/time.ts";
import { postgresUrl, testPostgres } from "../../support/database.ts";
import { startJob, stored, wants } from "./support.ts";

/** Resolves when so many transactions of this database wait for a lock. */
async function waiting(sql: Sql, count: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if ((row?.n ?? 0) >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test({
  name: "a removal by hand and a batch that is read again take turns",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    await using job = await startJob(test.database, { Alpha: wants("Alpha", 8, "a") });
    await job.mined();
    await sql`update signals set versions = 'before'`;
    const warned: string[] = [];
    const log: Log = { ...silentLog, warn: (event) => void warned.push(event) };
    const deps = { ...job.deps, log };

    // Whoever reads again locks the posts up to the last one, and has locked no want yet.
    let release = (): void => {};
    const released = new Promise<void>((resolve) => release = resolve);
    const holding = sql.begin(async (tx) => {
      await tx`select from posts where id = 'a7' for update`;
      await released;
    });
    const reading = mineAlone(
      deps,
      { kind: "reread", patienceMs: 0, stats: () => ({}) },
      async (session) => await readAgain(deps, session, deps, NEVER),
    );
    await waiting(sql, 1);
    const forgetting = forget(deps, ["a2"]);
    await waiting(sql, 2);
    release();
    await holding;
    assertEquals([(await reading)?.read, await forgetting], [8, 1]);
    assertEquals(warned, []);
    assertEquals((await stored(test.database)).posts, ["a0", "a1", "a3", "a4", "a5", "a6", "a7"]);
  },
});
