/** The lock of a data directory whose file says nothing. */
import { assert, assertEquals } from "@std/assert";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCK_FILE, takeLock } from "../../../db/embedded/lock.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { temporaryDirectory } from "../../support/database.ts";

for (const [kind, words] of [["empty", ""], ["half-written", '{"pid": 12']] as const) {
  Deno.test(`a lock file that is ${kind} names nobody, until it is old`, () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, LOCK_FILE);
    writeFileSync(path, words);
    let now = Date.now();
    assertEquals(takeLock(directory.path, "", () => now), { held: false, owner: null });
    now += 60_000;
    const result = takeLock(directory.path, "", () => now);
    assert(result.held);
    result.lock.release();
    assert(!existsSync(path));
  });
}

Deno.test({
  name: "whoever waits for an empty lock to get old leaves the process its time",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    using directory = temporaryDirectory();
    writeFileSync(join(directory.path, LOCK_FILE), "");
    let ahead = 0;
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks === 10) ahead = 12_000;
    }, 20);
    const database = await openEmbedded(directory.path, {
      share: false,
      now: () => Date.now() + ahead,
    });
    clearInterval(timer);
    assert(ticks >= 10);
    assertEquals([...await database.sql`select 1 as n`], [{ n: 1 }]);
    await database.close();
  },
});
