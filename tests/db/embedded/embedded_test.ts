import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../../../core/errors.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { takeLock } from "../../../db/embedded/lock.ts";
import { copyData, temporaryDirectory, testEmbedded } from "../../support/database.ts";

Deno.test({
  name: "concurrent transactions on the embedded database lose no update",
  fn: async () => {
    await using test = await testEmbedded();
    const { sql } = test.database;
    await sql`create table counter (n integer not null)`;
    await sql`insert into counter values (0)`;
    await Promise.all(Array.from({ length: 50 }, () =>
      sql.begin(async (tx) => {
        const [row] = await tx<{ n: number }[]>`select n from counter`;
        await tx`update counter set n = ${(row?.n ?? 0) + 1}`;
      })));
    assertEquals((await sql`select n from counter`)[0]?.n, 50);
  },
});

Deno.test({
  name:
    "a second process reaches an owned directory through its socket, and its failure rolls back",
  fn: async () => {
    await using test = await testEmbedded();
    const directory = test.env.DATA_DIR ?? "";
    const other = await openEmbedded(directory, { share: true, now: Date.now });
    assertEquals(other.owner, false);
    await other.sql`create table notes (text text)`;
    await assertRejects(() =>
      other.sql.begin(async (tx) => {
        await tx`insert into notes values ('lost')`;
        throw new Error("changed my mind");
      })
    );
    await other.sql`insert into notes values ('kept')`;
    await other.close();
    assertEquals([...await test.database.sql`select text from notes`], [{ text: "kept" }]);
  },
});

Deno.test({
  name: "a directory that is owned is refused to a process that may not share it",
  fn: async () => {
    await using test = await testEmbedded();
    const error = await assertRejects(
      () => openEmbedded(test.env.DATA_DIR ?? "", { share: false, now: Date.now }),
      OperatorError,
    );
    assertStringIncludes(error.message, `in use by process ${Deno.pid}`);
  },
});

Deno.test({
  name: "durable resolves after the write-ahead log was flushed, and the lock goes with its owner",
  fn: async () => {
    await using test = await testEmbedded();
    await Promise.all([test.database.durable(), test.database.durable()]);
    const lock = join(test.env.DATA_DIR ?? "", "demand.lock");
    assert(existsSync(lock));
    await test.database.close();
    assert(!existsSync(lock));
  },
});

const DEAD = { pid: 2 ** 22 + 1, host: hostname(), started: "1", token: "t", socket: "s" };
const ours = Deno.build.os === "linux" ? readlinkSync("/proc/self/ns/pid") : "";

Deno.test("a lock left by a dead process is taken over, one of a living process is not", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "demand.lock");
  writeFileSync(path, JSON.stringify({ ...DEAD, pidNamespace: ours }));
  const first = takeLock(directory.path, "socket", Date.now);
  assert(first.held);
  const second = takeLock(directory.path, "socket", Date.now);
  assert(!second.held);
  assertEquals(second.owner?.pid, Deno.pid);
  first.lock.release();
  assert(!existsSync(path));
});

for (
  const [kind, words] of [
    ["of another PID namespace", { pidNamespace: "pid:[1]" }],
    ["that cannot say its PID namespace", { pidNamespace: null }],
    ["of an earlier version", {}],
  ] as const
) {
  Deno.test(`a lock of this host ${kind} is stale only when its heartbeat stopped`, () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "demand.lock");
    writeFileSync(path, JSON.stringify({ ...DEAD, ...words }));
    assert(!takeLock(directory.path, "socket", Date.now).held);
    const later = takeLock(directory.path, "socket", () => Date.now() + 60_000);
    assert(later.held);
    later.lock.release();
  });
}

Deno.test("a lock from another host is stale only when its heartbeat stopped", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "demand.lock");
  writeFileSync(
    path,
    JSON.stringify({ pid: 1, host: "elsewhere", started: "1", token: "t", socket: "s" }),
  );
  assert(!takeLock(directory.path, "socket", Date.now).held);
  const later = takeLock(directory.path, "socket", () => Date.now() + 60_000);
  assert(later.held);
  assertEquals(JSON.parse(readFileSync(path, "utf8")).host, hostname());
  later.lock.release();
});

Deno.test("damaged files are said to be damaged, and files that are no database are left alone", async () => {
  using directory = temporaryDirectory();
  const open = (path: string) => openEmbedded(path, { share: false, now: Date.now });
  const other = join(directory.path, "other");
  mkdirSync(join(other, "postgres"), { recursive: true });
  writeFileSync(join(other, "postgres", "letters.txt"), "mine");
  await assertRejects(() => open(other), OperatorError, "holds files but no database");
  assertEquals(readFileSync(join(other, "postgres", "letters.txt"), "utf8"), "mine");

  const damaged = join(directory.path, "damaged");
  copyData(damaged);
  await (await open(damaged)).close();
  writeFileSync(join(damaged, "postgres", "global", "pg_control"), "?".repeat(8192));
  await assertRejects(
    () => open(damaged),
    OperatorError,
    "restore a backup into an empty DATA_DIR",
  );
});

Deno.test({
  name: "a busy database is said to answer, a closed one is not",
  fn: async () => {
    await using test = await testEmbedded();
    const { database } = test;
    await database.answers();
    let isBusy = true;
    const long = database.sql`
      do $$ declare until timestamptz := clock_timestamp() + interval '3 seconds';
      begin while clock_timestamp() < until loop end loop; end $$`
      .then(() => void (isBusy = false));
    const asked = performance.now();
    await database.answers();
    const waited = performance.now() - asked;
    assert(isBusy && waited < 2_000, `${isBusy ? "busy" : "idle"} after ${waited} ms`);
    await long;
    const other = await openEmbedded(test.env.DATA_DIR ?? "", { share: true, now: Date.now });
    await other.answers();
    await other.close();
    await assertRejects(() => other.answers());
  },
});
