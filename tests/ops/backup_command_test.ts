/** Backups and restores as an operator calls for them. */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTENTS } from "../../commands/backup/mod.ts";
import { MAX_HEADER_BYTES, MAX_ROW_BYTES } from "../../db/backup/backup.ts";
import { OWN_TABLES } from "../../db/backup/tables.ts";
import { gzipSync } from "node:zlib";
import postgres from "postgres";
import { lines, writeArchive } from "../support/archive.ts";
import { backupOfNothing } from "../support/backup.ts";
import { preparedData, temporaryDirectory, testOnPostgres } from "../support/database.ts";
import { run, serve } from "../support/program.ts";

Deno.test("a wrong file to restore makes no database and changes none", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data") };
  const file = join(directory.path, "wrong");
  const [header = "", ...rest] = backupOfNothing();
  const packed = gzipSync([header, ...rest, ""].join("\n"));
  const flipped = packed.with(-6, (packed.at(-6) ?? 0) ^ 1);
  const lacksRow = [header, ...rest].join("\n").replace('"posts":0', '"posts":1234');
  const cases: [string | Uint8Array | null, string][] = [
    [null, "no such file"],
    ["text", "this is no backup of ours"],
    ["", "the file is empty"],
    [gzipSync("lines\n"), "this is no backup of ours"],
    [packed.subarray(0, packed.length - 9), "the backup is cut short"],
    [flipped, "the backup is damaged"],
    [gzipSync(""), "the file is empty"],
    [gzipSync(header), "this is no backup of ours"],
    [gzipSync(`${lacksRow}\n`), "the backup is not complete: it has 0 rows"],
    // Lines that no memory could hold are few bytes when they are packed.
    [gzipSync(new Uint8Array(MAX_HEADER_BYTES + 100_000)), "this is no backup of ours"],
    [gzipSync(`${header}\n${"x".repeat(MAX_ROW_BYTES + 100_000)}`), "the backup is damaged"],
  ];
  for (const [content, why] of cases) {
    if (content !== null) writeFileSync(file, content);
    const { code, stderr } = await run(["restore", file], env);
    assertEquals(code, 1, why);
    assertStringIncludes(stderr, why);
    assertStringIncludes(stderr, file);
    assertEquals(existsSync(env.DATA_DIR), false, why);
  }
});

Deno.test("a backup's summary has a word for every table", () => {
  assertEquals(Object.values(CONTENTS).flat().sort(), [...OWN_TABLES].sort());
});

Deno.test("a backup that cannot be written says so in one line that names the file", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: preparedData(directory.path) };
  assertEquals((await run(["migrate"], env)).code, 0);
  const nowhere = join(directory.path, "nowhere", "x.gz");
  const missing = await run(["backup", nowhere], env);
  assertEquals([missing.code, missing.stderr], [
    1,
    `demand: ${nowhere}: its folder does not exist\n`,
  ]);
  const folder = await run(["backup", directory.path], env);
  assertEquals([folder.code, folder.stderr], [
    1,
    `demand: ${directory.path}: is a directory, not a file\n`,
  ]);
});

testOnPostgres(
  "a Postgres that nothing was started on is neither backed up nor filled with tables",
  async ({ url, directory }) => {
    const file = join(directory.path, "all.backup.gz");
    const { code, stderr } = await run(["backup", file], { DATABASE_URL: url });
    assertEquals([code, [...Deno.readDirSync(directory.path)]], [1, []]);
    assertStringIncludes(stderr, "DATABASE_URL: the database holds nothing of the service");
    const sql = postgres(url, { max: 1 });
    assertEquals([...await sql`select tablename from pg_tables where schemaname = 'public'`], []);
    await sql.end();
  },
);

testOnPostgres("a backup replaces an older one, and no other file", async ({ url, directory }) => {
  const env = { DATABASE_URL: url };
  assertEquals((await run(["migrate"], env)).code, 0);
  const letters = join(directory.path, "letters.txt");
  writeFileSync(letters, "mine");
  const refused = await run(["backup", letters], env);
  assertEquals([refused.code, refused.stderr], [
    1,
    `demand: ${letters}: is there and is no backup of ours: name another file, or move it away\n`,
  ]);
  assertEquals(Deno.readTextFileSync(letters), "mine");
  const file = join(directory.path, "all.backup.gz");
  for (const _ of [1, 2]) assertEquals((await run(["backup", file], env)).code, 0);
  assertEquals(readdirSync(directory.path).sort(), ["all.backup.gz", "letters.txt"]);
});

testOnPostgres(
  "a sample whose post was forgotten is chosen anew at the end of a restore, and at a start",
  async ({ url, directory }) => {
    const env = { DATABASE_URL: url };
    const archive = join(directory.path, "posts.ndjson");
    const file = join(directory.path, "all.backup.gz");
    writeArchive(archive, lines(600));
    assertEquals((await run(["import", archive], env)).code, 0);
    assertEquals((await run(["backup", file], env)).code, 0);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const quoted = async (): Promise<string[]> => {
      const [row] = await sql<{ ids: string[] }[]>`select card -> 'evidenceIds' as ids from sample`;
      return row?.ids ?? [];
    };
    const [first = ""] = await quoted();
    assertNotEquals(first, "");
    assertEquals((await run(["forget", first], env)).code, 0);

    const restored = await run(["restore", file, "--force"], env);
    assertEquals(restored.code, 0, restored.stderr);
    const after = await quoted();
    assert(after.length > 0 && !after.includes(first), after.join());

    await sql`delete from sample`;
    await using service = await serve(env);
    const response = await fetch(`${service.base}/v1/sample/opportunity`);
    assertEquals(response.status, 200, await response.text());
    await sql.end();
    await service[Symbol.asyncDispose]();
  },
);
