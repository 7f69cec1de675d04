/** Statements that a caller waits for, while the database goes silent without closing its connections. */
import { errorCode } from "../../../core/errors.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { type Database, isConnectionError } from "../../../db/sql.ts";
import { type SilentProxy, startSilentProxy } from "../../doubles/silent_proxy.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";

/** Long enough for a busy machine to open a connection and answer on it. */
const DEADLINE_MS = 2_000;
const ignore = postgresUrl === undefined;

async function withProxy(
  run: (database: Database, proxy: SilentProxy) => Promise<void>,
): Promise<void> {
  await using empty = await emptyPostgres();
  await using proxy = await startSilentProxy(empty.url);
  const database = await openPostgres({ url: proxy.url, deadlineMs: DEADLINE_MS });
  try {
    await run(database, proxy);
    proxy.heal();
  } finally {
    await database.close();
  }
}

Deno.test({
  name: "what a caller waits for fails soon where the database is silent, and heals at once",
  ignore,
  fn: () =>
    withProxy(async ({ withDeadline }, proxy) => {
      const one = withDeadline`1::int`;
      const ask = async () => [...await withDeadline<{ n: number }[]>`select ${one} as n`];
      const transact = () => withDeadline.begin(async (tx) => [...await tx`select 2 as n`]);
      assertEquals([await ask(), await transact()], [[{ n: 1 }], [{ n: 2 }]]);
      proxy.silence();
      const asked = [ask(), transact(), Promise.resolve(withDeadline.unsafe("select 3"))];
      const errors = await Promise.all(asked.map((one) => assertRejects(() => one)));
      assertEquals(errors.map(errorCode), Array(3).fill("ETIMEDOUT"));
      assert(errors.every(isConnectionError));
      // What went silent stays so: only connections made from now on are passed on.
      proxy.heal();
      assertEquals([await ask(), await transact()], [[{ n: 1 }], [{ n: 2 }]]);
    }),
});

Deno.test({
  name:
    "a database that goes silent as it lets a connection in fails what waited for it, and nothing else",
  ignore,
  fn: () =>
    withProxy(async ({ withDeadline }, proxy) => {
      proxy.silenceWhenReady();
      const error = await assertRejects(async () => void await withDeadline`select 1`);
      assertEquals(errorCode(error), "ETIMEDOUT");
      // The pool that it waited on is cut as long again later, which must reject nothing unheard.
      await new Promise((resolve) => setTimeout(resolve, 3 * DEADLINE_MS));
    }),
});

Deno.test({
  name: "a statement that takes too long is given up alone: what began beside it ends as it would",
  ignore,
  fn: () =>
    withProxy(async ({ withDeadline }) => {
      const sleep = async (seconds: number) => void await withDeadline`select pg_sleep(${seconds})`;
      const slow = assertRejects(() => sleep(3 * DEADLINE_MS / 1000));
      await sleep(DEADLINE_MS / 2000);
      const beside = sleep(DEADLINE_MS / 1600);
      assertEquals(errorCode(await slow), "ETIMEDOUT");
      await beside;
      const wrong = await assertRejects(async () => void await withDeadline`select nothing`);
      assertEquals(errorCode(wrong), "42703");
    }),
});

Deno.test({
  name: "a slow statement of a busy database gets no new connections, a silent connection does",
  ignore,
  fn: () =>
    withProxy(async ({ withDeadline, sql }, proxy) => {
      const ask = async () =>
        (await withDeadline<{ pid: number }[]>`
        select pg_backend_pid() as pid, pg_sleep(0.1)`)[0]?.pid ?? 0;
      const connections = async () =>
        (await sql<{ n: number }[]>`
        select count(*) as n from pg_stat_activity where datname = current_database()`)[0]?.n;
      const asked = async (until: number) => {
        const pids = new Set<number>();
        while (performance.now() < until) pids.add(await ask());
        return pids;
      };
      // What the server stops itself is answered.
      await Promise.all([ask(), ask()]);
      const before = await connections();
      const slow = assertRejects(async () => void await withDeadline`select pg_sleep(60)`);
      const first = await asked(performance.now() + 1.3 * DEADLINE_MS);
      assertEquals(errorCode(await slow), "ETIMEDOUT");
      assertEquals(await connections(), before);
      // Connections that went silent, among others that are made now and are not.
      proxy.silence();
      proxy.heal();
      const began = performance.now();
      const silent = [1, 2].map(() => assertRejects(async () => void await withDeadline`select 1`));
      const busy = await asked(began + 1.3 * DEADLINE_MS);
      assertEquals((await Promise.all(silent)).map(errorCode), ["ETIMEDOUT", "ETIMEDOUT"]);
      assert(busy.size > 0 && first.intersection(busy).size === 0);
      // What keeps them from answering is cut, after as long again.
      await asked(began + 2.2 * DEADLINE_MS);
      const later = await ask();
      assert(!busy.has(later));
    }),
});
