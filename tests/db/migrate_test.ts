import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { migrate } from "../../db/migrate.ts";
import { MIGRATIONS, NEWEST_MIGRATION } from "../../db/migrations/mod.ts";
import { DRIVER } from "../../db/sql.ts";
import { emptyPostgres, postgresUrl, testBoth } from "../support/database.ts";

const noPostgres = postgresUrl === undefined;

testBoth("migrating a migrated database changes nothing", async ({ database }) => {
  const report = await migrate(database.sql);
  assertEquals(report.applied, []);
  assertEquals(report.version, NEWEST_MIGRATION);
});

Deno.test({
  name: "every earlier version is brought to the newest",
  ignore: noPostgres,
  fn: async () => {
    for (let from = 0; from <= MIGRATIONS.length; from++) {
      await using empty = await emptyPostgres();
      const { url } = empty;
      const sql = postgres(url, { ...DRIVER, max: 2 });
      await migrate(sql, MIGRATIONS.slice(0, from));
      const report = await migrate(sql);
      assertEquals(report.applied, MIGRATIONS.slice(from).map(({ id }) => id));
      const [row] = await sql<{ revision: number }[]>`select revision from corpus`;
      assertEquals(row?.revision, 0);
      await sql.end();
    }
  },
});

Deno.test({
  name: "many processes may migrate the same empty database at once",
  ignore: noPostgres,
  fn: async () => {
    await using empty = await emptyPostgres();
    const { url } = empty;
    const pools = Array.from(
      { length: 4 },
      () => postgres(url, { ...DRIVER, max: 1 }),
    );
    const reports = await Promise.all(pools.map((sql) => migrate(sql)));
    assertEquals(reports.flatMap(({ applied }) => applied), MIGRATIONS.map(({ id }) => id));
    await Promise.all(pools.map((sql) => sql.end()));
  },
});

Deno.test("migrations are numbered without gaps and each says what it is for", () => {
  MIGRATIONS.forEach(({ id, sql }, index) => {
    assertEquals(id, index + 1);
    assert(sql.startsWith("-- "));
  });
});
