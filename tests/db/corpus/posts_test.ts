import { assertEquals } from "@std/assert";
import { markSeen } from "../../../db/corpus/posts.ts";
import { readFacts } from "../../../db/corpus/signals.ts";
import type { Sql } from "../../../db/sql.ts";
import { postgresUrl, testPostgres } from "../../support/database.ts";

/** Resolves when `count` statements of this database wait for a lock. */
async function waiting(sql: Sql, count: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ n: number }[]>`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if ((row?.n ?? 0) >= count) return;
  }
}

Deno.test({
  name: "two that read the same posts in different orders do not wait for each other",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    const mark = (ids: readonly string[]) => sql.begin((tx) => markSeen(tx, ids, "2026-11-20"));
    const marked = await sql.begin(async (tx) => {
      // Both stop at the post in the middle, with their first one in hand.
      await markSeen(tx, ["m"], "2026-11-20");
      const one = mark(["z", "m", "a"]);
      const other = mark(["a", "m", "z"]);
      await waiting(sql, 2);
      return [one, other];
    });
    const found = await Promise.all(marked);
    assertEquals(found.flatMap((ids) => [...ids]).sort(), ["a", "z"]);
  },
});

Deno.test("facts that another version stored are read as far as this one knows them", () => {
  const fact = { t: "use", v: "running", s: 3, e: 10, c: 0.9 };
  const read = { type: "use", value: "running", start: 3, end: 10, certainty: 0.9 };
  assertEquals(readFacts([fact, { ...fact, o: "Sony" }]), [read, { ...read, owner: "Sony" }]);
  assertEquals(readFacts([{ ...fact, later: true }]).length, 1);
  assertEquals(readFacts([{ ...fact, c: "much" }]), []);
  assertEquals(readFacts(null), []);
});
