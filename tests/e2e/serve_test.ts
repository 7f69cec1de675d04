import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { minedData, temporaryDirectory, testOnPostgres } from "../support/database.ts";
import { run, type RuntimeName, serve, start } from "../support/program.ts";
import { until } from "../support/time.ts";

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a first run under ${runtime} mines the demonstration corpus, serves it and stops cleanly`, async () => {
    using directory = temporaryDirectory();
    const env = { DATA_DIR: join(directory.path, "data") };
    const service = await serve(env, runtime);
    const health = await (await fetch(`${service.base}/health`)).json();
    assertEquals([health.status, health.paymentMode], ["ok", "test"]);
    assert(health.corpus.opportunities > 0, JSON.stringify(health));
    const categories = await (await fetch(`${service.base}/v1/categories`)).json();
    assertEquals(categories.categories.length, 24);
    const sample = await (await fetch(`${service.base}/v1/sample/opportunity`)).json();
    const [shown] = sample.evidence;
    assert(shown.subreddit.startsWith("demo_"), JSON.stringify(shown));
    await service[Symbol.asyncDispose]();
    const { code } = await service.running.finished;
    const { stderr } = service.running.output();
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "making the embedded database");

    const again = await serve(env, runtime);
    assertStringIncludes(again.running.output().stderr, "opening the embedded database");
    const second = await (await fetch(`${again.base}/v1/categories`)).json();
    assertEquals(second, categories);
    await again[Symbol.asyncDispose]();
  });
}

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a signal during the first start under ${runtime} stops it, and the next start goes on`, async () => {
    using directory = temporaryDirectory();
    const env = { DATA_DIR: join(directory.path, "data"), PORT: "0" };
    // While the database is made, and while the demonstration is mined.
    for (const step of ['"event":"starting"', "mining the built-in demonstration corpus"]) {
      const running = start(["serve"], env, runtime);
      await running.saw(step);
      running.kill("SIGINT");
      await running.saw("stopping: finishing what is in flight");
      const { code, stderr } = await running.finished;
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, '"event":"stopped"');
      assert(!stderr.includes("demonstration corpus mined"), stderr);
      assert(!stderr.includes('"event":"serving"'), stderr);
    }
    await using service = await serve(env, runtime);
    const health = await (await fetch(`${service.base}/health`)).json();
    assert(health.corpus.opportunities > 0, JSON.stringify(health));
  });
}

testOnPostgres("a second signal during the start ends it at once", async ({ url }) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    // As another replica holds it while it migrates the database, "demand" as a number.
    await sql`select pg_advisory_lock(${0x64656d616e64})`;
    const running = start(["serve"], { DATABASE_URL: url, PORT: "0" });
    await running.saw('"event":"starting"');
    const waiting = async () =>
      (await sql`
        select from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`).count > 0;
    await until(waiting, "the start waits for the lock");
    running.kill("SIGINT");
    await running.saw("stopping: finishing what is in flight");
    // One that follows at once is the same Ctrl-C, passed on by `deno task`.
    running.kill("SIGINT");
    await new Promise((wake) => setTimeout(wake, 250));
    running.kill("SIGINT");
    const { code, stderr } = await running.finished;
    assertEquals(code, 130);
    assertEquals(stderr.match(/stopping/g)?.length, 1, stderr);
  } finally {
    await sql.end();
  }
});

Deno.test("a wrong setting stops the start with one line that names it", async () => {
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{ PORT: "eighty" }, "PORT: should be a whole number"],
    [{ PAYMENT_MODE: "free" }, "PAYMENT_MODE: should be one of"],
    [{ DATABASE_URL: "mysql://x" }, "DATABASE_URL: should be"],
    [{ COMMUNITIES_FILE: "no-such-file.txt" }, "COMMUNITIES_FILE: no-such-file.txt: no such file"],
    [{ RATE_LIMITS: "categoriez=3" }, 'RATE_LIMITS: there is no group "categoriez"'],
    [{ RATE_LIMITS: "free=3,free=4" }, 'RATE_LIMITS: names the group "free" twice'],
  ];
  using directory = temporaryDirectory();
  for (const [env, expected] of cases) {
    const { code, stderr } = await run(["serve"], { DATA_DIR: directory.path, ...env });
    assertEquals(code, 1, stderr);
    const errors = stderr.split("\n").filter((line) => line.startsWith("demand: "));
    assertEquals(errors.length, 1, stderr);
    assertStringIncludes(errors[0] ?? "", expected);
  }
});

Deno.test("a second service on the same directory is refused", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: minedData(directory.path) };
  await using _service = await serve(env);
  const { code, stderr } = await run(["serve"], { ...env, PORT: "0" });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "is in use by process");
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`under ${runtime} a port that is taken stops the start before anything is stored`, async () => {
    using directory = temporaryDirectory();
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const env = {
      DATA_DIR: join(directory.path, "data"),
      PORT: String(taken.addr.port),
      PAYTO: "0x0000000000000000000000000000000000000001",
    };
    const { code, stderr } = await run(["serve"], env, runtime);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `demand: PORT: cannot listen on 127.0.0.1:${env.PORT}`);
    assertStringIncludes(stderr, "PAYTO is not a setting");
    assertEquals(existsSync(env.DATA_DIR), false);
  });
}

Deno.test("wrong usage exits with 2 and points to the help", async () => {
  const cases = [
    [["fly"], 'demand: there is no command "fly"\nSee: demand --help\n'],
    [["help", "fly"], 'demand: "fly" is neither a command nor one of the topics running, '],
    [["import"], "demand import: name at least one FILE\nSee: demand import --help\n"],
    [["import", "--fast", "x"], "demand import: Unknown option '--fast'\nSee: demand import"],
    [["import", "-"], "demand import: standard input is not read: name a file"],
    [["import", "--as-of", "never", "x"], "demand import: --as-of: should be a day"],
    [["serve", "x"], 'demand serve: unexpected argument "x"\nSee: demand serve --help\n'],
  ] as const;
  for (const [args, expected] of cases) {
    const { code, stderr } = await run(args, {});
    assertEquals(code, 2, stderr);
    assert(stderr.startsWith(expected), stderr);
  }
  const { code, stdout } = await run(["help", "import"], {});
  assertEquals(code, 0);
  assertStringIncludes(stdout, "Usage: demand import FILE");
});
