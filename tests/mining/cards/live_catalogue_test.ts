import { assertEquals, assertGreater, assertRejects } from "@std/assert";
import { systemClock } from "../../../core/clock.ts";
import { silentLog } from "../../../core/log.ts";
import { publishRevision } from "../../../db/corpus/corpus.ts";
import type { Database, Sql } from "../../../db/sql.ts";
import { watchCatalogue } from "../../../mining/cards/live_catalogue.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { testBoth } from "../../support/database.ts";
import { HOUR, shown, startJob, wants } from "../job/support.ts";

/**
 * The same database, whose answers to polls for the revision are held back until `open` resolves. It is
 * polled every ten seconds and never tells of a change by itself, so that the test's own calls are all.
 */
function slow(
  database: Database,
  open: Promise<void>,
): { database: Database; asked: () => number } {
  let asked = 0;
  const prompt = new Proxy(database.withDeadline, {
    apply: (target, self, args) => {
      const query = () => Reflect.apply(target, self, args) as Promise<unknown>;
      const [text] = args as [readonly string[]];
      if (text[0] !== "select revision from corpus") return query();
      asked++;
      return open.then(query);
    },
  }) as Sql;
  const listen = () => Promise.reject(new Error("there is a pooler in between"));
  const sql = { listen } as unknown as Sql;
  return {
    database: { ...database, kind: "postgres", sql, withDeadline: prompt },
    asked: () => asked,
  };
}

testBoth("polls of a database that is slow do not pile up, and none is missed", async (test) => {
  const { promise: open, resolve } = Promise.withResolvers<void>();
  const { database, asked } = slow(test.database, open);
  const catalogue = await watchCatalogue({
    database,
    registry: builtInRegistry(),
    clock: systemClock,
    log: silentLog,
    withholdAfterMs: null,
  });
  const { revision } = catalogue.current();
  const first = catalogue.refresh();
  const now = new Date();
  await publishRevision(test.database.sql, {
    builtAt: now,
    lastMinedAt: null,
    scoredOn: "2026-11-20",
    readVersion: null,
    minAuthors: null,
  });
  const others = Array.from({ length: 20 }, () => catalogue.refresh());
  resolve();
  await first;
  const found = await Promise.all(others);
  assertEquals(new Set(found.map((one) => one.revision)), new Set([revision + 1]));
  assertEquals(asked(), 2, "one for the first, and one for all who asked during it");
  await catalogue.stop();
});

testBoth("quotes come of age though the first look at them fails", async ({ database }) => {
  await using job = await startJob(database, { Alpha: wants("Alpha", 5, "a") });
  await job.mined();
  let isGone = false;
  const withDeadline = new Proxy(database.withDeadline, {
    get: (target, key) =>
      key === "begin" && isGone
        ? () => Promise.reject(new Error("gone"))
        : Reflect.get(target, key) as unknown,
  });
  const catalogue = await watchCatalogue({
    database: { ...database, withDeadline },
    registry: job.deps.registry,
    clock: job.time,
    log: silentLog,
    withholdAfterMs: 36 * HOUR,
  });
  assertGreater(shown(catalogue.current()).length, 0);
  job.time.advance(37 * HOUR);
  isGone = true;
  await assertRejects(() => catalogue.refresh(), Error, "gone");
  isGone = false;
  assertEquals(shown(await catalogue.refresh()), []);
  await catalogue.stop();
});
