import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { giveLifeSign, isKnownDead, refusesCalls } from "../../core/life_sign.ts";
import { temporaryDirectory } from "../support/database.ts";
import { type RuntimeName, start } from "../support/program.ts";
import { until } from "../support/time.ts";

Deno.test("a process that lives, and one that cannot be seen, are not known to be dead", async () => {
  const sign = await giveLifeSign();
  assertEquals(await isKnownDead(sign?.name ?? ""), false);
  sign?.stop();
  assertEquals(await isKnownDead(sign?.name ?? ""), false);
  assertEquals(await isKnownDead(randomUUID()), false);
  assertEquals(await isKnownDead("../../etc/passwd"), false);
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`of a process under ${runtime} that was killed the sign tells, and it is removed`, async () => {
    using directory = temporaryDirectory();
    const env = { TMPDIR: directory.path };
    const program = { script: "tests/core/life_sign_program.ts", runtime };
    const running = start([], env, program);
    await running.saw("ready");
    const [socket = ""] = [...Deno.readDirSync(directory.path)].map(({ name }) => name)
      .filter((name) => name.endsWith(".sock"));
    const path = join(directory.path, socket);
    assertEquals(await refusesCalls(path), false);
    running.kill("SIGKILL");
    await running.finished;
    await until(() => refusesCalls(path), "the socket refuses");
    const name = running.output().stderr.replace(/^ready /, "").trim();
    const other = start([name], env, program);
    assertEquals((await other.finished).stdout, "true\n");
    assertEquals(existsSync(path), false);
  });
}
