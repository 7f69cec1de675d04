import { assertEquals, assertRejects } from "@std/assert";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";

Deno.test({
  name: "the pool counts queries and transactions that have a connection, and those that wait",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const { url } = empty;
    const database = await openPostgres({ url, max: 2 });
    const { sql } = database;
    const idle = { max: 4, inUse: 0, waiting: 0 };
    assertEquals(database.pool(), idle);

    // A fragment is part of a query, and a query that nobody asks for is not sent.
    const one = sql`1::int`;
    void sql`select 2`;
    const release = Promise.withResolvers<void>();
    const transaction = sql.begin(async (tx) => {
      await tx`select ${one} as n`;
      await release.promise;
    });
    const slow = [1, 2, 3].map(async () => void await sql`select pg_sleep(0.05), ${one} as n`);
    await Promise.resolve();
    assertEquals(database.pool(), { max: 4, inUse: 2, waiting: 2 });
    await Promise.all(slow);
    assertEquals(database.pool(), { max: 4, inUse: 1, waiting: 0 });
    release.resolve();
    await transaction;
    assertEquals(database.pool(), idle);

    await assertRejects(async () => void await sql`select nothing`);
    await assertRejects(async () => void await sql.unsafe("select nothing"));
    const [row] = await sql.unsafe("select 3 as n");
    assertEquals([row?.n, database.pool()], [3, idle]);
    await database.close();
  },
});
