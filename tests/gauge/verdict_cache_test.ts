import { assertEquals, assertRejects } from "@std/assert";
import { ServiceError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import type { Sql } from "../../db/sql.ts";
import { createVerdictCache } from "../../gauge/verdict_cache.ts";
import { testBoth } from "../support/database.ts";
import { NOW } from "./support/corpus.ts";
import { VERDICT } from "./support/gauge.ts";
import { NEVER } from "../support/time.ts";

/** The same handle, whose statements that begin with `text` fail where `fails` says so, by their number. */
function failing(sql: Sql, text: string, fails: (nth: number) => boolean): Sql {
  let nth = 0;
  return new Proxy(sql, {
    apply: (target, self, args) => {
      const [words] = args as [readonly string[]];
      if (words[0]?.trim().startsWith(text) && fails(++nth)) {
        return Promise.reject(new Error("the connection is gone"));
      }
      return Reflect.apply(target, self, args) as unknown;
    },
  });
}

const cacheOn = (sql: Sql) =>
  createVerdictCache({
    sql,
    clock: { now: () => NOW },
    log: silentLog,
    random: () => "one",
    shownSince: () => null,
    modelTimeoutMs: 0,
  });

const compute = () => Promise.resolve({ verdict: VERDICT, postIds: [] });

testBoth("a database that fails while the right to compute is held gives it back", async (test) => {
  const { sql } = test.database;
  // The first look finds nothing; the second, with the lease in hand, fails.
  const cache = cacheOn(failing(sql, "select verdict", (nth) => nth === 2));
  await assertRejects(() => cache.get("q|", compute, NEVER), Error, "connection is gone");
  assertEquals(
    (await cache.get("q|", compute, NEVER)).cache,
    "miss",
    "nobody waits for the lease to end",
  );
});

testBoth("who shares a failure is told the same, and as long to wait", async (test) => {
  const details = { retryAfterSeconds: 300 };
  const failure = () =>
    Promise.reject(new ServiceError("model_unavailable", "No language model.", details));
  for (const who of ["who computes", "who comes after"]) {
    const told = await assertRejects(
      () => cacheOn(test.database.sql).get("q|", failure, NEVER),
      ServiceError,
    );
    assertEquals([told.code, told.message, told.retryAfterSeconds], [
      "model_unavailable",
      "No language model.",
      300,
    ], who);
  }
});
