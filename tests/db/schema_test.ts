import { readFileSync } from "node:fs";
import { assertEquals } from "@std/assert";
import { dumpSchema } from "../../tasks/check/schema.ts";
import { testBoth } from "../support/database.ts";

testBoth("db/schema.sql is the schema of a migrated database", async ({ database: { sql } }) => {
  const written = readFileSync(new URL("../../db/schema.sql", import.meta.url), "utf8");
  assertEquals(await dumpSchema(sql), written, "run `deno task schema`");
  await sql`alter table posts add column surplus integer`;
  assertEquals((await dumpSchema(sql)).includes("surplus integer"), true);
});
