import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWalSync } from "../../../db/embedded/durable.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { temporaryDirectory, testEmbedded } from "../../support/database.ts";

const segment = (number: number): string => number.toString(16).toUpperCase().padStart(24, "0");

Deno.test("the segments that were written to are flushed, wherever they stand among the names", () => {
  using directory = temporaryDirectory();
  const write = (number: number, at: number): void => {
    const path = join(directory.path, segment(number));
    writeFileSync(path, "x");
    utimesSync(path, at, at);
  };
  for (const number of [1, 2, 3, 4, 5]) write(number, 1_000 + number);
  writeFileSync(join(directory.path, "archive_status"), "");
  const sync = createWalSync(directory.path);
  assertEquals(sync().length, 5);
  write(2, 2_000);
  assertEquals(sync().toSorted(), [segment(2), segment(5)]);
  // Again within the same tick of the clock, on through the next segment, and after the clock went back.
  assertEquals(sync(), [segment(2)]);
  write(3, 3_000);
  assert(sync().includes(segment(3)));
  write(3, 500);
  assertEquals(sync(), [segment(3)]);
});

Deno.test("a log that could not be flushed is not said to be flushed later", () => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, segment(1)), "x");
  let broken = true;
  const sync = createWalSync(directory.path, () => {
    if (broken) throw new Error("EIO");
  });
  assertThrows(sync, Error, "EIO");
  broken = false;
  assertThrows(sync, Error, "EIO");
});

Deno.test({
  name: "the log's current segment is flushed after a checkpoint made segments for later",
  fn: async () => {
    await using test = await testEmbedded();
    const { sql } = test.database;
    const log = join(test.env.DATA_DIR ?? "", "postgres", "pg_wal");
    await sql`create table filler as
      select repeat(md5(g::text), 30) from generate_series(1, 50000) g`;
    await sql`checkpoint`;
    const sync = createWalSync(log);
    sync();
    await sql`create table more as select 1 as one`;
    const [row] = await sql<{ name: string }[]>`
      select pg_walfile_name(pg_current_wal_lsn()) as name`;
    const all = [...Deno.readDirSync(log)].map(({ name }) => name).filter((n) =>
      /^[0-9A-F]{24}$/.test(n)
    );
    assert(all.toSorted().indexOf(row?.name ?? "") < all.length - 2, "nothing was made for later");
    assertEquals(sync(), [row?.name ?? ""]);
  },
});

Deno.test({
  name: "a command beside the owner has the owner flush the log, and hears when it could not",
  fn: async () => {
    await using test = await testEmbedded();
    const directory = test.env.DATA_DIR ?? "";
    const other = await openEmbedded(directory, { share: true, now: Date.now });
    await other.sql`create table notes (text text)`;
    await other.durable();
    const [log, away] = [join(directory, "postgres", "pg_wal"), join(directory, "away")];
    renameSync(log, away);
    await assertRejects(() => other.durable(), Error, "could not flush");
    renameSync(away, log);
    await other.durable();
    await other.close();
  },
});
