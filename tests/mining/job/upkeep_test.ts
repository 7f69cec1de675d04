/** What is forgotten by the clock where no live source is mined. */
import { assertEquals } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { startPruning } from "../../../commands/serve/mod.ts";
import { DAY_MS } from "../../../core/clock.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import type { MinerDeps } from "../../../mining/session.ts";
import { testBoth } from "../../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

testBoth("an import forgets ids that are 90 days old, once a day", async ({ database }) => {
  const { sql } = database;
  const importing = async (now: Date): Promise<string[]> => {
    const deps: MinerDeps = {
      database,
      clock: { now: () => now },
      log: silentLog,
      sleep: () => Promise.resolve(),
      minAuthors: 5,
    };
    const run = { kind: "import", patienceMs: 0, stats: () => ({}) } as const;
    await mineAlone(deps, run, () => Promise.resolve(true));
    const rows = await sql<{ id: string }[]>`select id from seen_posts order by id`;
    return rows.map(({ id }) => id);
  };
  const seen = (id: string, day: string, forgotten = false) =>
    sql`insert into seen_posts (id, seen_on, forgotten) values (${id}, ${day}::date, ${forgotten})`;
  await seen("new", "2026-11-19");
  await seen("old", "2026-08-01");
  await seen("tomb", "2026-08-01", true);
  assertEquals(await importing(NOW), ["new", "tomb"]);
  await seen("older", "2026-07-01");
  assertEquals(await importing(new Date(NOW.getTime() + 3_600_000)), ["new", "older", "tomb"]);
  assertEquals(await importing(new Date(NOW.getTime() + DAY_MS)), ["new", "tomb"]);
});

testBoth(
  "a serving process forgets verdicts that ended, and who failed at one",
  async ({ database }) => {
    const { sql } = database;
    for (const hours of [-1, 1]) {
      const at = new Date(NOW.getTime() + hours * 3_600_000);
      const key = new Uint8Array([hours + 1]);
      await sql`insert into verdicts (key, verdict, post_ids, expires_at) values (${key}, '{}', '{}', ${at})`;
      await sql`insert into verdict_leases (key, owner, fence, expires_at, failure)
      values (${key}, 'o', 1, ${at}, '{}')`;
    }
    const upkeep = startPruning({ database, clock: { now: () => NOW }, log: silentLog }, 20);
    const left = async () => {
      const [row] = await sql<{ n: number }[]>`
      select (select count(*) from verdicts) + (select count(*) from verdict_leases) as n`;
      return row?.n;
    };
    for (let tries = 0; await left() !== 2 && tries < 200; tries++) {
      await new Promise((wake) => setTimeout(wake, 20));
    }
    upkeep.stop();
    assertEquals(await left(), 2);
  },
);
