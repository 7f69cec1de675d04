/** Connections that the server ends while a transaction is open; whatever is not caught ends the test. */
import { errorCode } from "../../../core/errors.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { isConnectionError, type Tx } from "../../../db/sql.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";

type Kill = (tx: Tx) => Promise<void>;

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

const WORK: Readonly<Record<string, (tx: Tx, kill: Kill) => Promise<unknown>>> = {
  "between two statements": async (tx, kill) => {
    await kill(tx);
    await pause(100);
    await tx`select 1`;
  },
  "after the last statement": async (tx, kill) => {
    await kill(tx);
    await pause(100);
  },
  "in the middle of a statement": async (tx, kill) => {
    await kill(tx);
    await tx`select pg_sleep(5)`;
  },
  "in a savepoint, whose failure is caught": async (tx, kill) => {
    const inside = tx.savepoint(async (point) => {
      await kill(tx);
      await point`select pg_sleep(5)`;
    });
    await inside.catch(() => {});
    await tx`select 2`;
  },
  "in a cursor": async (tx, kill) => {
    await kill(tx);
    const rows = tx`select pg_sleep(0.02) from generate_series(1, 50)`.cursor(1);
    for await (const row of rows) assertEquals(row.length, 1);
  },
};

for (const [when, work] of Object.entries(WORK)) {
  Deno.test({
    name: `a connection lost ${when} fails its transaction, and nothing else`,
    ignore: postgresUrl === undefined,
    fn: async () => {
      await using empty = await emptyPostgres();
      const { url } = empty;
      const database = await openPostgres({ url, max: 1 });
      const other = await openPostgres({ url, max: 1 });
      await database.sql`create table notes (text text)`;
      let killed: Promise<unknown> | undefined;
      const kill: Kill = async (tx) => {
        if (killed !== undefined) return;
        await tx`insert into notes values ('lost')`;
        const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        killed = pause(20).then(() => other.sql`select pg_terminate_backend(${row?.pid ?? 0})`);
      };
      const error = await assertRejects(() => database.sql.begin((tx) => work(tx, kill)));
      assertEquals(isConnectionError(error), true, String(error));
      await killed;
      // The driver gives the server's last words to the first statement on the next connection.
      await database.sql`select 1`.catch((last) => assertEquals(errorCode(last), "57P01"));
      assertEquals([...await database.sql`select text from notes`], []);
      await database.sql.begin((tx) => tx`insert into notes values ('kept')`);
      assertEquals([...await database.sql`select text from notes`], [{ text: "kept" }]);
      await Promise.all([database.close(), other.close()]);
    },
  });
}
