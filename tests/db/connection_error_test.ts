/** Which errors say that the database is away. */
import { assertEquals, assertRejects } from "@std/assert";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { isConnectionError } from "../../db/sql.ts";
import { temporaryDirectory } from "../support/database.ts";

Deno.test("a socket whose file is missing is a lost database, any other missing file is none", async () => {
  using directory = temporaryDirectory();
  const missing = join(directory.path, "missing");
  const { promise: refused, resolve } = Promise.withResolvers<Error>();
  connect(missing).once("error", resolve);
  assertEquals(isConnectionError(await refused), true);
  assertEquals(isConnectionError(await assertRejects(() => readFile(missing))), false);
});
