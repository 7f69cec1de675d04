import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import postgres from "postgres";
import { completion } from "../../commands/completion.ts";
import { COMMAND_HELP, HELP, helpOf } from "../../commands/help.ts";
import { parseEnvFile } from "../../core/env_file.ts";
import { saveFailedReading, saveReading, setSourcePause } from "../../db/communities.ts";
import { migrate } from "../../db/migrate.ts";
import { openDatabase } from "../../db/mod.ts";
import { emptyPostgres, postgresUrl, temporaryDirectory } from "../support/database.ts";
import { commandOf, run, type RuntimeName, serve } from "../support/program.ts";
import { createPayer } from "../support/payer.ts";

Deno.test("a settings file is read as shells and container engines read it", () => {
  const text = `# comment
A=1
export B = two words # and a comment
C="quoted # not a comment"
D='single "inside"'
E=
F=a#b
  G=indented\r
not a line
H="line\\nbreak"
`;
  assertEquals(parseEnvFile(text), {
    A: "1",
    B: "two words",
    C: "quoted # not a comment",
    D: 'single "inside"',
    E: "",
    F: "a#b",
    G: "indented",
    H: "line\nbreak",
  });
});

Deno.test("every command is in the list, has its own help, and is completed with its options", () => {
  for (const name of Object.keys(COMMAND_HELP)) {
    assertStringIncludes(HELP, `  ${name} `);
    assertStringIncludes(helpOf(name), `demand `);
    assertStringIncludes(completion("bash"), ` ${name}) words=`);
    assertStringIncludes(completion("fish"), `-a ${name}`);
  }
  assertStringIncludes(completion("bash"), 'restore) words="--force --help --json"');
  assertStringIncludes(completion("zsh"), "#compdef demand");
});

Deno.test("bash takes the completion script and completes with it", async () => {
  const script = `${completion("bash")}
COMP_WORDS=(demand re); COMP_CWORD=1; _demand; echo "\${COMPREPLY[*]}"
COMP_WORDS=(demand doctor --); COMP_CWORD=2; _demand; echo "\${COMPREPLY[*]}"`;
  const { stdout, success } = await new Deno.Command("bash", { args: ["-c", script] }).output();
  assert(success);
  assertEquals(new TextDecoder().decode(stdout), "restore\n--help --json\n");
});

Deno.test("an operator's day on the embedded database: serve, doctor, health, backup, loss, restore", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data"), BASE_URL: "https://demand.example" };
  const file = join(directory.path, "all.backup.gz");
  const service = await serve(env);
  const port = new URL(service.base).port;
  const sold = await createPayer().fetch(`${service.base}/v1/opportunities/trending`);
  assertEquals(sold.status, 200);
  const categories = await (await fetch(`${service.base}/v1/categories`)).text();

  const healthy = await run(["healthcheck"], { ...env, PORT: port });
  assertEquals([healthy.code, JSON.parse(healthy.stdout).status], [0, "ok"]);

  const doctor = await run(["doctor", "--json"], env);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; level: string }[] };
  const levels = Object.fromEntries(checks.map(({ name, level }) => [name, level]));
  assertEquals(levels, {
    settings: "ok",
    database: "ok",
    migrations: "ok",
    settlements: "ok",
    mining: "ok",
    source: "warn",
    model: "warn",
    payTo: "ok",
    clock: "ok",
    proxies: "warn",
  });
  assertEquals(doctor.code, 0, doctor.stderr);

  const backup = await run(["backup", file, "--json"], env);
  assertEquals(backup.code, 0, backup.stderr);
  const { rows } = JSON.parse(backup.stdout);
  assertGreater(rows.posts, 100);
  assertEquals(rows.payments, 1);
  assertEquals(Deno.statSync(file).mode! & 0o777, 0o600);
  await service[Symbol.asyncDispose]();

  const other = { ...env, DATA_DIR: join(directory.path, "other") };
  const restored = await run(["restore", file], other);
  assertEquals(restored.code, 0, restored.stderr);
  assertStringIncludes(restored.stdout, "rows restored");
  const refused = await run(["restore", file], other);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, "--force");
  const again = await serve(other);
  const after = JSON.parse(await (await fetch(`${again.base}/v1/categories`)).text());
  assertEquals(after.categories, JSON.parse(categories).categories);
  await again[Symbol.asyncDispose]();

  const gone = await run(["healthcheck"], { ...env, PORT: port });
  assertEquals([gone.code, JSON.parse(gone.stdout).status], [1, "unreachable"]);
});

Deno.test("commands that look for what is stored make no database where there is none", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data") };
  const file = join(directory.path, "all.backup.gz");
  for (const args of [["backup", file], ["doctor"], ["forget", "t3_abc"]]) {
    const { code, stdout, stderr } = await run(args, env);
    assertEquals(code, 1, `${args[0]}: ${stdout}`);
    assertStringIncludes(stdout + stderr, `DATA_DIR: there is no database in ${env.DATA_DIR}`);
    assertEquals([...Deno.readDirSync(directory.path)], [], args[0]);
  }
});

Deno.test("a wrong file to restore makes no database and changes none", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data") };
  const file = join(directory.path, "wrong");
  const packed = gzipSync(
    `{"format":"demand-backup","formatVersion":1,"schema":1,"tables":[]}\n${"row\n".repeat(100)}`,
  );
  const flipped = packed.with(-6, (packed.at(-6) ?? 0) ^ 1);
  const cases: [string | Uint8Array | null, string][] = [
    [null, "no such file"],
    ["text", "this is no backup of ours"],
    ["", "the file is empty"],
    [gzipSync("lines\n"), "this is no backup of ours"],
    [packed.subarray(0, packed.length - 9), "the backup is cut short"],
    [flipped, "the backup is damaged"],
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

Deno.test({
  name: "a data directory of another user is not taken for an empty one",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn: async () => {
    using directory = temporaryDirectory();
    const dataDir = join(directory.path, "data");
    Deno.mkdirSync(dataDir, { mode: 0o700 });
    Deno.chownSync(dataDir, 65_534, 65_534);
    // Root without its right to read everything.
    const bound = ["--bounding-set=-dac_override,-dac_read_search", ...commandOf("deno")];
    const env = { DATA_DIR: dataDir, ...Deno.env.toObject() };
    const { code, stdout } = await run([...bound, "doctor"], env, {
      path: "setpriv",
      cwd: directory.path,
    });
    assertEquals(code, 1, stdout);
    assertStringIncludes(stdout, `DATA_DIR: ${dataDir} cannot be read by this user`);
  },
});

Deno.test("a backup that cannot be written says so in one line that names the file", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data") };
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

Deno.test({
  name: "a Postgres that nothing was started on is neither backed up nor filled with tables",
  ignore: postgresUrl === undefined,
  fn: async () => {
    using directory = temporaryDirectory();
    await using empty = await emptyPostgres();
    const { url } = empty;
    const file = join(directory.path, "all.backup.gz");
    const { code, stderr } = await run(["backup", file], { DATABASE_URL: url });
    assertEquals([code, [...Deno.readDirSync(directory.path)]], [1, []]);
    assertStringIncludes(stderr, "DATABASE_URL: the database holds nothing of the service");
    const sql = postgres(url, { max: 1 });
    assertEquals([...await sql`select tablename from pg_tables where schemaname = 'public'`], []);
    await sql.end();
  },
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
    REDDIT_USER_AGENT: "test",
    REDDIT_AUTH_URL: url,
  });
  assertEquals(code, 1);
  for (const name of ["source", "model", "facilitator", "chain", "payTo"]) {
    assert(new RegExp(`^FAIL  ${name} `, "m").test(stdout), `${name}: ${stdout}`);
  }
  assertStringIncludes(stdout, "check OPENAI_API_KEY");
  assert(!stdout.includes("sk-secret") && !stdout.includes("hidden"), stdout);
  assert(!stdout.includes("\x1b"), "no colours outside a terminal");
});

Deno.test("a wrong setting stops the start before anything is stored, and the doctor fails for it too", async () => {
  using directory = temporaryDirectory();
  const env = {
    DATA_DIR: join(directory.path, "data"),
    PORT: "0",
    BASE_URL: "https://demand.example",
  };
  const live = { PAYMENT_MODE: "facilitator", FACILITATOR_URL: "http://127.0.0.1:9" };
  const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const onchain = { PAYMENT_MODE: "onchain", PAY_TO: payTo, RPC_URL: "http://127.0.0.1:9" };
  const wrong: readonly [string, Readonly<Record<string, string>>][] = [
    ["ADMIN_TOKEN: should have at least", { ADMIN_TOKEN: "short" }],
    ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "abc" }],
    ["X402_NETWORK has no known USDC", { X402_NETWORK: "eip155:1" }],
    ["PAY_TO is missing", live],
    ["PAY_TO is missing", { PAYMENT_MODE: "onchain" }],
    ...["0", "f"].map((digit): [string, Readonly<Record<string, string>>] => [
      "SETTLEMENT_PRIVATE_KEY is not the key of a wallet\n",
      { ...onchain, SETTLEMENT_PRIVATE_KEY: `0x${digit.repeat(64)}` },
    ]),
    ["FAMILY_SLUG: /.well-known/x402 is another document", { FAMILY_SLUG: "x402" }],
  ];
  for (const [says, settings] of wrong) {
    const served = await run(["serve"], { ...env, ...settings });
    assertEquals(served.code, 1, served.stderr);
    assertStringIncludes(served.stderr, `demand: ${says}`);
    assertEquals([...Deno.readDirSync(directory.path)], [], says);
  }
  await using taken = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(),
  );
  const elsewhere: readonly [string, Readonly<Record<string, string>>, RuntimeName?][] = [
    ["METRICS_LISTEN: cannot listen on 127.0.0.1", { METRICS_LISTEN: `${taken.addr.port}` }],
    ["METRICS_LISTEN: cannot listen on 127.0.0.1", { PORT: "8499", METRICS_LISTEN: "8499" }],
    ["HOST: cannot listen on 999.1.1.1", { HOST: "999.1.1.1" }],
    ["HOST: cannot listen on 999.1.1.1", { HOST: "999.1.1.1" }, "bun"],
  ];
  for (const [says, settings, runtime] of elsewhere) {
    const served = await run(["serve"], { ...env, ...settings }, runtime);
    assertEquals(served.code, 1, served.stderr);
    assertStringIncludes(served.stderr, `demand: ${says}`);
    assertEquals([...Deno.readDirSync(directory.path)], [], says);
  }
  const doctor = await run(["doctor"], { ...env, ADMIN_TOKEN: "short" });
  assertEquals(doctor.code, 1);
  assertStringIncludes(doctor.stdout, "FAIL  settings      ADMIN_TOKEN: should have at least");
});

Deno.test("settings come from .env where the environment does not set them", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(join(directory.path, ".env"), "PORT=eighty\nLOG_LEVEL=silly\n");
  const program = { path: Deno.execPath(), cwd: directory.path };
  const main = join(import.meta.dirname ?? ".", "..", "..", "main.ts");
  const home = { HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
  const wrong = await run(["run", "-A", main, "openapi"], home, program);
  assertStringIncludes(wrong.stderr, "PORT: should be a number");
  const right = await run(["run", "-A", main, "openapi"], {
    ...home,
    PORT: "1",
    LOG_LEVEL: "info",
    BASE_URL: "https://demand.example",
  }, program);
  assertEquals(right.code, 0, right.stderr);
  const document = JSON.parse(right.stdout);
  assertEquals([document.openapi.slice(0, 3), document.servers[0].url], [
    "3.1",
    "https://demand.example",
  ]);
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a reader that leaves ends a command under ${runtime} without a word`, async () => {
    const { stdout, stderr, success } = await new Deno.Command("sh", {
      args: ["-c", '"$@" openapi | head -1', "sh", ...commandOf(runtime)],
    }).output();
    const decoder = new TextDecoder();
    assertEquals([decoder.decode(stdout), decoder.decode(stderr), success], ["{\n", "", true]);
  });
}

Deno.test("the doctor says which communities are closed, what was missed, and why the source is left alone", async () => {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, "data");
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
  await setSourcePause(database.sql, "reddit", { failures: 3, retryAt, reason: "blocked" });
  await database.close();
  const { stdout } = await run(["doctor"], {
    DATA_DIR: dataDir,
    COMMUNITIES_FILE: registry,
    REDDIT_CLIENT_ID: "id",
    REDDIT_CLIENT_SECRET: "hidden",
    REDDIT_USER_AGENT: "test",
    REDDIT_AUTH_URL: "http://127.0.0.1:9",
  });
  assertStringIncludes(
    stdout,
    "warn  pause         3 runs in a row failed: blocked; left alone until 2099-01-01T00:00Z",
  );
  assertStringIncludes(stdout, "1 refused: alpha (private, asked again 2099-01-01T00:00Z)");
  assertStringIncludes(stdout, "warn  missed        posts were missed in beta (");
});
