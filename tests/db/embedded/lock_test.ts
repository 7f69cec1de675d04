/** The lock of a data directory: a file that says nothing, and one that another process took. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCK_FILE, takeLock } from "../../../db/embedded/lock.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { copyData, temporaryDirectory } from "../../support/database.ts";
import { until } from "../../support/time.ts";

for (
  const [kind, words] of [
    ["empty", ""],
    ["half-written", '{"pid": 12'],
    ["of another form", '{"pid": "12", "host": "h", "started": "", "token": "t", "socket": ""}'],
  ] as const
) {
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
  fn: async () => {
    using directory = temporaryDirectory();
    copyData(directory.path);
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

Deno.test({
  name:
    "an owner that stopped for too long ends once another has the directory, and leaves it alone",
  fn: async () => {
    using directory = temporaryDirectory();
    copyData(directory.path);
    const open = (share: boolean, ahead: number) =>
      openEmbedded(directory.path, { share, now: () => Date.now() + ahead });
    // To the second, the first is one that gave no sign of life for a minute.
    const first = await open(false, 0);
    await first.sql`create table notes (text text)`;
    await first.durable();
    let ended = "";
    first.ended?.then(({ message }) => ended = message);
    const second = await open(false, 60_000);
    const path = join(directory.path, LOCK_FILE);
    const lock = readFileSync(path, "utf8");
    await until(() => Promise.resolve(ended !== ""), "the first learns of it");
    assertStringIncludes(ended, "another process took the directory");
    await assertRejects(async () => void await first.sql`insert into notes values ('lost')`);
    await first.close();
    assertEquals(readFileSync(path, "utf8"), lock);
    const beside = await open(true, 0);
    assertEquals([second.owner, beside.owner], [true, false]);
    await beside.sql`insert into notes values ('kept')`;
    assertEquals([...await second.sql`select text from notes`], [{ text: "kept" }]);
    await beside.close();
    await second.close();
    assert(!existsSync(path));
  },
});

Deno.test({
  name: "an owner whose lock is gone ends: whoever took it in between may have written",
  fn: async () => {
    using directory = temporaryDirectory();
    const dataDir = join(directory.path, "data");
    const losses: readonly [string, () => void][] = [
      ["its lock, demand.lock, was removed", () => rmSync(join(dataDir, LOCK_FILE))],
      ["the folder was moved or removed", () => renameSync(dataDir, `${dataDir}.gone`)],
    ];
    copyData(dataDir);
    for (const [says, lose] of losses) {
      const database = await openEmbedded(dataDir, { share: false, now: Date.now });
      let ended = "";
      database.ended?.then(({ message }) => ended = message);
      lose();
      await until(() => Promise.resolve(ended !== ""), "it learns of it");
      assertStringIncludes(ended, says);
      await database.close();
    }
  },
});
