/** Statements that wait for a lock longer than their caller does. */
import { errorCode } from "../../../core/errors.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { DRIVER, isConnectionError, type Sql } from "../../../db/sql.ts";
import { startStrictPooler } from "../../doubles/strict_pooler.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";

/** Long enough for a busy machine to open a connection and answer on it. */
const DEADLINE_MS = 2_500;
const ROUNDS = 4;
const ignore = postgresUrl === undefined;

/** A database with a table that is locked until `run` has ended. */
async function withLock(run: (url: string, watcher: Sql) => Promise<void>): Promise<void> {
  await using empty = await emptyPostgres();
  const { url } = empty;
  const watcher: Sql = postgres(url, { ...DRIVER, max: 2 });
  const release = Promise.withResolvers<void>();
  try {
    await watcher`create table notes (text text)`;
    const locked = Promise.withResolvers<void>();
    const lock = watcher.begin(async (tx) => {
      await tx`lock table notes in access exclusive mode`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    try {
      await run(url, watcher);
    } finally {
      release.resolve();
      await lock;
    }
  } finally {
    await watcher.end();
  }
}

const backends = async (watcher: Sql): Promise<number> =>
  Number(
    (await watcher`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)[0]?.n,
  );

Deno.test({
  name: "the server gives up what waits for a lock, so that its backends do not pile up",
  ignore,
  fn: () =>
    withLock(async (url, watcher) => {
      const database = await openPostgres({ url, shortMs: DEADLINE_MS, deadlineMs: DEADLINE_MS });
      const before = await backends(watcher);
      for (let round = 0; round < ROUNDS; round++) {
        const waiting = [
          ...[1, 2, 3].map(() => database.short((sql) => sql`select from notes`)),
          database.withDeadline`select from notes`,
          database.withDeadline.begin((tx) => tx`select from notes`),
        ].map((statement) => assertRejects(async () => void await statement));
        // The first round has nothing else that is answered meanwhile.
        if (round > 0) await database.answers();
        const errors = await Promise.all(waiting);
        assertEquals(errors.map(errorCode), Array(5).fill("ETIMEDOUT"));
        assert(errors.every(isConnectionError));
      }
      // The two pools, full: four and six. One that was replaced may end yet.
      const allowed = before + 10;
      for (let tries = 0; await backends(watcher) > allowed && tries < 100; tries++) {
        await new Promise((wake) => setTimeout(wake, 100));
      }
      const now = await backends(watcher);
      assert(now <= allowed, `${before} backends became ${now}`);
      await database.close();
    }),
});

Deno.test({
  name: "a pooler that refuses the server's own deadlines is used without them",
  ignore,
  fn: () =>
    withLock(async (direct) => {
      await using pooler = await startStrictPooler(direct);
      const database = await openPostgres({ url: pooler.url, shortMs: DEADLINE_MS });
      await database.answers();
      assertEquals(pooler.refused, ["statement_timeout"]);
      assertEquals([...await database.withDeadline`select 1 as n`], [{ n: 1 }]);
      const error = await assertRejects(() => database.short((sql) => sql`select from notes`));
      assertEquals(errorCode(error), "ETIMEDOUT");
      await database.answers();
      await database.close();
    }),
});
