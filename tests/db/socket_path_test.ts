/** Where the owner of a data directory listens for other commands. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { OperatorError } from "../../core/errors.ts";
import { openEmbedded } from "../../db/embedded/mod.ts";
import { temporaryDirectory } from "../support/database.ts";

const open = (path: string, share: boolean) => openEmbedded(path, { share, now: Date.now });

/** Runs `body` with an empty folder for temporary files. */
async function inTemporary(body: (folder: string) => Promise<void>): Promise<void> {
  using folder = temporaryDirectory();
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder.path;
  try {
    assertEquals(tmpdir(), folder.path);
    await body(folder.path);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

Deno.test("a path too long for a socket leaves no folder behind, whoever opens it", async () => {
  await inTemporary(async (folder) => {
    const dataDir = join(folder, "d".repeat(100));
    const owner = await open(dataDir, true);
    const beside = await open(dataDir, true);
    assertEquals([owner.owner, beside.owner], [true, false]);
    await beside.close();
    await assertRejects(() => open(dataDir, false), OperatorError, "is in use by");
    assertEquals(readdirSync(folder).filter((name) => name.startsWith("demand-")).length, 1);
    await owner.close();
    assertEquals(readdirSync(folder), ["d".repeat(100)]);
  });
});

Deno.test("a socket's path is measured in bytes: other commands reach a folder of letters of two", async () => {
  await inTemporary(async (folder) => {
    const name = "é".repeat(40);
    const dataDir = join(folder, name);
    assert(join(dataDir, "demand.sock").length < 100, "by its characters it would fit");
    const owner = await open(dataDir, true);
    const beside = await open(dataDir, true);
    assertEquals(beside.owner, false);
    await beside.close();
    await owner.close();
    assertEquals(readdirSync(folder), [name]);
  });
});
