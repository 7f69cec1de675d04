/** The embedded Postgres after a disk that cannot be written: it has ended, and says so. */
import { assertEquals, assertRejects } from "@std/assert";
import { PGlite } from "@electric-sql/pglite";
import { asError, FLUSH_PARAMETERS, FlushedFiles } from "../../../db/embedded/files.ts";
import { stopAtEnd } from "../../../db/embedded/panic.ts";
import { copyCluster, temporaryDirectory } from "../../support/database.ts";

const startParams = [...PGlite.defaultStartParams, ...FLUSH_PARAMETERS];

Deno.test("a Postgres that cannot write its log fails every statement and spins on none", async () => {
  using directory = temporaryDirectory();
  copyCluster(directory.path);
  let isBroken = false;
  const flush = (): void => {
    if (isBroken) throw new Error("EIO");
  };
  const files = new FlushedFiles(directory.path, false, { file: flush, log: flush });
  const backend = await PGlite.create({ fs: files, startParams });
  const ends: string[] = [];
  stopAtEnd(backend, ({ message }) => ends.push(message));
  await backend.exec("create table notes (id int primary key); insert into notes values (1)");
  await assertRejects(() => backend.exec("insert into notes values (1)"), Error, "duplicate key");
  assertEquals((await backend.query("select id from notes")).rows, [{ id: 1 }]);
  assertEquals(ends, [], "a statement that fails ends nothing");

  isBroken = true;
  files.eager = true;
  for (const statement of ["insert into notes values (2)", "select 1", "rollback"]) {
    await assertRejects(() => backend.exec(statement), Error, "Postgres stopped");
  }
  assertEquals(ends.length, 1);
});

Deno.test("what Emscripten throws is told in words", () => {
  const error = new Error("an error stays what it is");
  assertEquals(asError(error), error);
  assertEquals(asError({ name: "ErrnoError", errno: 51 }).message, "no space left on device");
  assertEquals(asError({ name: "ErrnoError", errno: 3 }).message, "WASI's error 3");
  const exit = { name: "ExitStatus", message: "Program terminated with exit(1)", status: 1 };
  assertEquals(asError(exit).message, exit.message);
  assertEquals(asError("text").message, "text");
});
