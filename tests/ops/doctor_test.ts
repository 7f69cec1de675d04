/** The doctor: what it says of settings, of the source, and of what goes wrong in the middle. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { saveFailedReading, saveReading, setSourcePause } from "../../db/corpus/communities.ts";
import { beginRun, endRun } from "../../db/corpus/runs.ts";
import { migrate } from "../../db/migrate.ts";
import { openDatabase } from "../../db/mod.ts";
import {
  emptyPostgres,
  postgresUrl,
  preparedData,
  temporaryDirectory,
  throughPort,
} from "../support/database.ts";
import { run } from "../support/program.ts";

/** A way to the Postgres at `direct` that is cut where a client says `word`; `url` leads there. */
async function startCutter(
  direct: string,
  word: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const { hostname, port } = new URL(direct);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      open.add(one);
      one.on("error", () => one.destroy());
      one.on("close", () => void (open.delete(one) && other.destroy()));
    }
    near.on("data", (bytes) => bytes.includes(word) ? near.destroy() : far.write(bytes));
    far.on("data", (bytes) => near.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: throughPort(direct, server),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

Deno.test({
  name: "a database that leaves while it is looked at is a finding, and the rest is looked at",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    await using cutter = await startCutter(empty.url, "'server_version')");
    const { code, stdout } = await run(["doctor"], { DATABASE_URL: cutter.url });
    assertEquals(code, 1);
    assertMatch(stdout, /^FAIL {2}database /m);
    assertMatch(stdout, /^ok {4}proxies /m);
  },
});

Deno.test("the doctor asks for a token where mining does: the whole address may be given", async () => {
  using directory = temporaryDirectory();
  await using site = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      const headers = { date: "some day" };
      return new URL(request.url).pathname === "/api/v1/access_token"
        ? Response.json({ access_token: "t", expires_in: 3600 }, { headers })
        : new Response(null, { status: 404, headers });
    },
  );
  const { stdout } = await run(["doctor"], {
    DATA_DIR: directory.path,
    REDDIT_CLIENT_ID: "id",
    REDDIT_CLIENT_SECRET: "hidden",
    REDDIT_USER_AGENT: "test:org.example.demand:v0.1 (by /u/tester)",
    REDDIT_AUTH_URL: `http://127.0.0.1:${site.addr.port}/api/v1/access_token`,
  });
  const { port } = site.addr;
  assertStringIncludes(stdout, `source        http://127.0.0.1:${port} gives a token`);
  assertStringIncludes(stdout, `not compared: 127.0.0.1:${port} does not tell its time`);
});

Deno.test("the doctor names what is wrong with each party outside, and fails", async () => {
  using directory = temporaryDirectory();
  await using refuser = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response('{"error": "no"}', { status: 401 }),
  );
  const url = `http://127.0.0.1:${refuser.addr.port}`;
  const { code, stdout } = await run(["doctor"], {
    DATA_DIR: directory.path,
    PAYMENT_MODE: "facilitator",
    PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    FACILITATOR_URL: url,
    RPC_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "sk-secret",
    OPENAI_MODEL: "m",
    OPENAI_BASE_URL: url,
    REDDIT_CLIENT_ID: "id",
    REDDIT_CLIENT_SECRET: "hidden",
    REDDIT_USER_AGENT: "test:org.example.demand:v0.1 (by /u/tester)",
    REDDIT_AUTH_URL: url,
  });
  assertEquals(code, 1);
  for (const name of ["source", "model", "facilitator", "chain"]) {
    assert(new RegExp(`^FAIL  ${name} `, "m").test(stdout), `${name}: ${stdout}`);
  }
  assertStringIncludes(stdout, "check OPENAI_API_KEY");
  assert(!stdout.includes("sk-secret") && !stdout.includes("hidden"), stdout);
  assert(!stdout.includes("\x1b"), "no colours outside a terminal");
});

Deno.test("a chain that does not answer fails once: what asks it is not looked up", async () => {
  using directory = temporaryDirectory();
  const settings = {
    DATA_DIR: directory.path,
    PAYMENT_MODE: "onchain",
    SETTLEMENT_PRIVATE_KEY: `0x${"11".repeat(32)}`,
    RPC_URL: "http://127.0.0.1:9",
  };
  const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
  const { stdout } = await run(["doctor"], { ...settings, PAY_TO: payTo });
  assertMatch(stdout, /^FAIL {2}chain /m);
  assertMatch(stdout, /^warn {2}payTo {9}not looked up: the check of the chain failed$/m);
  assertMatch(stdout, /^warn {2}clock {9}not compared: 127\.0\.0\.1:9 does not answer/m);
});

Deno.test("the doctor says which communities are closed, what was missed, and why the source is left alone", async () => {
  using directory = temporaryDirectory();
  const dataDir = preparedData(directory.path);
  const registry = join(directory.path, "communities.txt");
  Deno.writeTextFileSync(registry, "community Alpha audio=1\ncommunity Beta audio=1\n");
  const database = await openDatabase({ databaseUrl: null, dataDir }, {
    share: false,
    now: Date.now,
  });
  await migrate(database.sql);
  const now = new Date();
  const retryAt = new Date("2099-01-01T00:00:00Z");
  await saveFailedReading(database.sql, "Alpha", now, { reason: "private", retryAt });
  await saveReading(database.sql, { community: "Beta", readTo: now, now, missed: true });
  const began = new Date(now.getTime() - 5 * 3_600_000);
  const id = await beginRun(database.sql, "mine", began);
  await endRun(database.sql, id, { now: began, stats: null, error: null });
  await setSourcePause(database.sql, "reddit", { failures: 3, retryAt, reason: "blocked" });
  await database.close();
  const { stdout } = await run(["doctor"], {
    DATA_DIR: dataDir,
    COMMUNITIES_FILE: registry,
    MINE_CRON: "0 0 * * *",
    REDDIT_CLIENT_ID: "id",
    REDDIT_CLIENT_SECRET: "hidden",
    REDDIT_USER_AGENT: "test:org.example.demand:v0.1 (by /u/tester)",
    REDDIT_AUTH_URL: "http://127.0.0.1:9",
  });
  assertStringIncludes(
    stdout,
    "warn  pause         3 runs in a row failed: blocked; left alone until 2099-01-01T00:00Z",
  );
  assertStringIncludes(stdout, "1 refused: alpha (private, asked again 2099-01-01T00:00Z)");
  assertStringIncludes(stdout, "warn  missed        posts were missed in beta (");
  // Five hours are many half hours, and no day.
  assertStringIncludes(stdout, `ok    mining        last mine at ${began.toISOString()}`);
});

Deno.test("the doctor reports a setting that nothing can start with, in JSON too", async () => {
  const plain = await run(["doctor"], { PORT: "eighty" });
  assertEquals(plain.code, 1);
  assertStringIncludes(plain.stdout, "FAIL  settings      PORT: should be a whole number");
  const { code, stdout } = await run(["doctor", "--json"], { COMMUNITIES_FILE: "/etc/passwd" });
  assertEquals(code, 1);
  const { ok, checks: [check] } = JSON.parse(stdout);
  assertEquals([ok, check.name, check.level], [false, "settings", "fail"]);
  assertStringIncludes(check.says, "COMMUNITIES_FILE: /etc/passwd:1: expected");
  assert(!check.says.includes("/bin"), check.says);
});
