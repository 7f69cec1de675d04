import { assert, assertEquals, assertMatch } from "@std/assert";
import { fsyncSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { checkpoint, close } from "../../db/embedded/checkpoint.ts";
import { FLUSH_PARAMETERS, FlushedFiles } from "../../db/embedded/files.ts";
import { Gate } from "../../db/embedded/session.ts";
import { temporaryDirectory, testEmbedded } from "../support/database.ts";

const MB = 1024 * 1024;

Deno.test("a checkpoint flushes the log, then the data, and at last what says that it was made", async () => {
  using directory = temporaryDirectory();
  const flushes: string[] = [];
  const files = new FlushedFiles(directory.path, (file, path) => {
    flushes.push(path);
    fsyncSync(file);
  });
  const startParams = [...PGlite.defaultStartParams, ...FLUSH_PARAMETERS];
  const backend = await PGlite.create({ fs: files, startParams });
  files.flushesLog = false;
  const flushLog = () => flushes.push("the log that was written to");
  const options = { backend, gate: new Gate(), files, flushLog, afterBytes: 4 * MB };

  flushes.length = 0;
  await backend.exec(
    "create table notes as select repeat(md5(g::text), 9) as text from generate_series(1, 999) g",
  );
  assertEquals(flushes, [], "a commit waits for no disk");
  assertEquals(await checkpoint(options), false);
  assertEquals(flushes, []);

  await backend.exec(
    "insert into notes select repeat(md5(g::text), 9) from generate_series(1, 20000) g",
  );
  assertEquals(await checkpoint(options), true);
  const { rows: [table] } = await backend.query<{ path: string }>(
    "select pg_relation_filepath('notes') as path",
  );
  assertEquals(flushes[0], "the log that was written to");
  const data = flushes.findIndex((path) => path.endsWith(`/${table?.path}`));
  const control = flushes.findIndex((path) => path.endsWith("/pg_control"));
  const log = flushes.slice(0, control).findLastIndex((path) => path.includes("/pg_wal/"));
  assert(0 < data && data < log && log < control, flushes.join("\n"));
  assertEquals(await checkpoint(options), false, "it was made");

  flushes.length = 0;
  await backend.exec("insert into notes values ('last words')");
  await close(options);
  assertEquals(flushes[0], "the log that was written to");
  assert(flushes.some((path) => path.endsWith(`/${table?.path}`)));
  assertMatch(flushes.at(-1) ?? "", /pg_control$|pg_wal/);
});

Deno.test({
  name: "the log stays short however much is written",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using test = await testEmbedded();
    const { sql } = test.database;
    await sql`create table filler (n integer, text text)`;
    const length = async () => {
      const [row] = await sql<{ bytes: number }[]>`
        select (pg_current_wal_lsn() - redo_lsn)::bigint as bytes from pg_control_checkpoint()`;
      return row?.bytes ?? NaN;
    };
    let longest = 0;
    for (let part = 0; part < 10; part++) {
      await sql`insert into filler
        select ${part}::integer, repeat(md5(g::text), 30) from generate_series(1, 20000) g`;
      longest = Math.max(longest, await length());
    }
    assert(longest > 64 * MB, "too little was written to tell");
    for (let tries = 0; await length() > 64 * MB && tries < 300; tries++) {
      await new Promise((wake) => setTimeout(wake, 100));
    }
    assert(await length() < 64 * MB);
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from filler`;
    assertEquals(row?.count, 200_000);
  },
});
