import { assert, assertEquals, assertMatch } from "@std/assert";
import { copyFileSync, cpSync, fsyncSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { checkpoint, close } from "../../../db/embedded/checkpoint.ts";
import { createWalSync } from "../../../db/embedded/durable.ts";
import { FLUSH_PARAMETERS, FlushedFiles } from "../../../db/embedded/files.ts";
import { BackendGate } from "../../../db/embedded/session.ts";
import { copyCluster, temporaryDirectory, testEmbedded } from "../../support/database.ts";

const MB = 1024 * 1024;
const startParams = [...PGlite.defaultStartParams, ...FLUSH_PARAMETERS];
/** So few pages are kept in memory that the others are written as soon as they change. */
const crowded = [...startParams, "-c", "shared_buffers=512kB"];

Deno.test("a checkpoint flushes the log, then the data, and at last what says that it was made", async () => {
  using directory = temporaryDirectory();
  copyCluster(directory.path);
  const flushes: string[] = [];
  const files = new FlushedFiles(directory.path, false, {
    file: (file, path) => {
      flushes.push(path);
      fsyncSync(file);
    },
    log: () => flushes.push("the log that was written to"),
  });
  const backend = await PGlite.create({ fs: files, startParams });
  files.eager = false;
  const options = { backend, gate: new BackendGate(), files, afterBytes: 4 * MB };

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
  await close(backend, files);
  assertEquals(flushes[0], "the log that was written to");
  assert(flushes.some((path) => path.endsWith(`/${table?.path}`)));
  assertMatch(flushes.at(-1) ?? "", /pg_control$|pg_wal/);
});

Deno.test("a first start waits for no disk, and the first to rely on it has all of it flushed", async () => {
  using directory = temporaryDirectory();
  const flushes: string[] = [];
  const files = new FlushedFiles(directory.path, true, {
    file: (file, path) => {
      flushes.push(path);
      fsyncSync(file);
    },
  });
  const backend = await PGlite.create({ fs: files, startParams: crowded });
  files.eager = false;
  await backend.exec("create table notes as select repeat('x', 400) from generate_series(1, 3000)");
  assertEquals(flushes, []);
  files.flushLog();
  for (const name of ["PG_VERSION", "global/pg_control", "pg_wal", "base"]) {
    assert(flushes.includes(join(directory.path, name)), name);
  }
  flushes.length = 0;
  files.flushLog();
  assertEquals(flushes, []);
  await close(backend, files);
  assert(flushes.some((path) => path.endsWith("/pg_control")));
});

Deno.test("no page reaches the disk before the log that tells how it came about", async () => {
  using directory = temporaryDirectory();
  using crashed = temporaryDirectory();
  copyCluster(directory.path);
  const [log, durableLog] = [directory.path, crashed.path].map((path) => join(path, "pg_wal"));
  const sync = createWalSync(log ?? "");
  let powered = true;
  const files = new FlushedFiles(directory.path, false, {
    log: () => {
      const written = powered ? sync() : [];
      for (const name of written) copyFileSync(join(log ?? "", name), join(durableLog ?? "", name));
    },
  });
  const backend = await PGlite.create({ fs: files, startParams: crowded });
  await backend.exec(`create table notes (id integer primary key, version integer, text text);
    insert into notes select n, 0, repeat('x', 400) from generate_series(1, 3000) n; checkpoint`);
  cpSync(directory.path, crashed.path, { recursive: true });
  files.eager = false;
  await backend.exec("update notes set version = 1");
  powered = false;
  // The power is gone: the system had written every page of the tables, and of the log what was flushed.
  rmSync(join(crashed.path, "base"), { recursive: true });
  cpSync(join(directory.path, "base"), join(crashed.path, "base"), { recursive: true });
  await close(backend, files);

  const again = await PGlite.create({
    fs: new FlushedFiles(crashed.path, false),
    startParams: crowded,
  });
  await again.exec("insert into notes values (0, 0, '')");
  await again.exec("vacuum notes");
  const { rows } = await again.query<{ notes: number; versions: number }>(
    `select count(*)::int as notes, count(distinct version)::int as versions from notes where id > 0`,
  );
  assertEquals(rows, [{ notes: 3000, versions: 1 }]);
  await again.close();
});

Deno.test({
  name: "the log stays short however much is written",
  fn: async () => {
    await using test = await testEmbedded();
    const { sql } = test.database;
    await sql`create table filler (n integer, text text)`;
    const length = async () => {
      const [row] = await sql<{ bytes: number }[]>`
        select (pg_current_wal_lsn() - redo_lsn)::bigint as bytes from pg_control_checkpoint()`;
      return row?.bytes ?? NaN;
    };
    const written = async () => {
      const [row] = await sql<{ bytes: number }[]>`
        select (pg_current_wal_lsn() - '0/0')::bigint as bytes`;
      return row?.bytes ?? NaN;
    };
    const before = await written();
    for (let part = 0; part < 10; part++) {
      await sql`insert into filler
        select ${part}::integer, repeat(md5(g::text), 30) from generate_series(1, 20000) g`;
    }
    assert(await written() - before > 128 * MB, "too little was written to tell");
    for (let tries = 0; await length() > 64 * MB && tries < 300; tries++) {
      await new Promise((wake) => setTimeout(wake, 100));
    }
    assert(await length() < 64 * MB);
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from filler`;
    assertEquals(row?.count, 200_000);
  },
});
