import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../../core/errors.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { temporaryDirectory } from "../../support/database.ts";
import { until } from "../../support/time.ts";

const open = (path: string) => openEmbedded(path, { share: false, now: Date.now });
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

Deno.test("somebody's folder is refused as a data directory, and left as it is", async () => {
  using directory = temporaryDirectory();
  chmodSync(directory.path, 0o755);
  for (const name of ["photo.jpg", "letters"]) writeFileSync(join(directory.path, name), "mine");
  const error = await assertRejects(() => open(directory.path), OperatorError);
  assertStringIncludes(error.message, `DATA_DIR: ${directory.path} holds files but no database`);
  assertStringIncludes(error.message, "(letters, photo.jpg)");
  assertEquals(readdirSync(directory.path).sort(), ["letters", "photo.jpg"]);
  assertEquals(modeOf(directory.path), "755");
});

Deno.test("a file is no data directory, nor is what lies in one", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "file");
  writeFileSync(file, "mine");
  for (const dataDir of [file, join(file, "data")]) {
    const error = await assertRejects(() => open(dataDir), OperatorError);
    const rule = "it is or lies in a file: name a folder";
    assertStringIncludes(error.message, `DATA_DIR: cannot use ${dataDir}: ${rule}`);
  }
});

Deno.test("a folder that was there keeps its mode, and the database in it is its user's alone", async () => {
  using directory = temporaryDirectory();
  const volume = join(directory.path, "volume");
  mkdirSync(join(volume, "lost+found"), { recursive: true });
  for (const name of [".gitkeep", "demand.env", "service.log", "old.backup.gz"]) {
    writeFileSync(join(volume, name), "");
  }
  chmodSync(volume, 0o755);
  await (await open(volume)).close();
  assertEquals([modeOf(volume), modeOf(join(volume, "postgres"))], ["755", "700"]);
  assertEquals(readdirSync(volume).filter((name) => /sock|lock/.test(name)), []);
  // What came later is no matter where there is a database.
  writeFileSync(join(volume, "notes.txt"), "");
  await (await open(volume)).close();

  const fresh = join(directory.path, "a", "b");
  await (await open(fresh)).close();
  assertEquals([modeOf(fresh), modeOf(join(fresh, "postgres"))], ["700", "700"]);
});

/** An empty folder in which nobody may make a file, whoever runs the tests. */
const SEALED = "/proc/tty/ldisc";

Deno.test({
  name: "a data directory that cannot be written is named in one line",
  ignore: !existsSync(SEALED),
  fn: async () => {
    const error = await assertRejects(() => open(SEALED), OperatorError);
    assertStringIncludes(error.message, `DATA_DIR: cannot use ${SEALED}: `);
  },
});

Deno.test("an opening that is ended makes no database, and the next one begins it again", async () => {
  using directory = temporaryDirectory();
  const abort = new AbortController();
  const reason = new Error("stopped");
  const opening = openEmbedded(directory.path, {
    share: false,
    now: Date.now,
    signal: abort.signal,
  });
  const made = join(directory.path, "postgres.new");
  await until(() => existsSync(made), "the database is being made");
  abort.abort(reason);
  assertEquals(await opening.catch((error) => error), reason);
  assertEquals(readdirSync(directory.path), ["postgres.new"], "no lock, no socket");
  const database = await open(directory.path);
  assertEquals((await database.sql`select 1 as n`)[0], { n: 1 });
  await database.close();
});
