/** Where the owner of a data directory listens for other commands. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../../../core/errors.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { copyData, temporaryDirectory } from "../../support/database.ts";

const open = (path: string, share: boolean) => openEmbedded(path, { share, now: Date.now });

/** The folders for sockets, and not the sockets of lives: no other test has a path too long for one. */
const socketFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => /^demand-[0-9a-f-]{36}$/.test(name));

Deno.test("a path too long for a socket leaves no folder behind, whoever opens it", async () => {
  using folder = temporaryDirectory();
  const before = socketFolders();
  const dataDir = join(folder.path, "d".repeat(100));
  copyData(dataDir);
  const owner = await open(dataDir, true);
  const beside = await open(dataDir, true);
  assertEquals([owner.owner, beside.owner], [true, false]);
  await beside.close();
  await assertRejects(() => open(dataDir, false), OperatorError, "is in use by");
  assertEquals(socketFolders().length, before.length + 1);
  await owner.close();
  assertEquals(socketFolders(), before);
  assertEquals(readdirSync(folder.path), ["d".repeat(100)]);
});

Deno.test("a socket's path is measured in bytes: other commands reach a folder of letters of two", async () => {
  using folder = temporaryDirectory();
  const name = "é".repeat(35);
  const dataDir = join(folder.path, name);
  assert(join(dataDir, "demand.sock").length < 100, "by its characters it would fit");
  copyData(dataDir);
  const owner = await open(dataDir, true);
  const beside = await open(dataDir, true);
  assertEquals(beside.owner, false);
  await beside.close();
  await owner.close();
  assertEquals(readdirSync(folder.path), [name]);
});
