/** The command line: its help, its settings, and an operator at work with it. */
import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { COMMAND_HELP, type CommandName, HELP, helpOf } from "../../commands/help.ts";
import { parseEnvFile } from "../../commands/environment.ts";
import { minedData, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { commandOf, run, type RuntimeName, serve, start } from "../support/program.ts";

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
I=#x
J= # a comment
K=#a # a comment
L = '#y' # a comment
M="C:\\\\new, C:\\temp and \\"x\\"" # a comment
N='C:\\\\new'
O=C:\\\\new
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
    I: "#x",
    J: "",
    K: "#a",
    L: "#y",
    M: 'C:\\new, C:\\temp and "x"',
    N: "C:\\\\new",
    O: "C:\\\\new",
  });
});

Deno.test("every command is in the list and has its own help", () => {
  for (const name of Object.keys(COMMAND_HELP) as CommandName[]) {
    assertStringIncludes(HELP, `  ${name} `);
    assertStringIncludes(helpOf(name), `demand `);
  }
  for (const word of ["PORT ", "DATA_DIR ", "demand settings"]) {
    assertStringIncludes(helpOf("serve"), word);
  }
});

Deno.test("an operator's day on the embedded database: serve, doctor, health, backup, loss, restore", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: minedData(directory.path), BASE_URL: "https://demand.example" };
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
    disk: "ok",
    ledger: "ok",
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
  assert(/^100% {2}[\d,]+ rows/m.test(restored.stdout), restored.stdout);
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
    ["ADMIN_TOKEN: should have 16 characters", { ADMIN_TOKEN: "short" }],
    ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "abc" }],
    ["X402_NETWORK: should be eip155:8453 or", { X402_NETWORK: "eip155:1" }],
    ["PAY_TO: is needed", live],
    ["PAY_TO: is needed", { PAYMENT_MODE: "onchain" }],
    ...["0", "f"].map((digit): [string, Readonly<Record<string, string>>] => [
      "SETTLEMENT_PRIVATE_KEY: is zero or too large to be the key of a wallet\n",
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
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const free = `${closed.addr.port}`;
  closed.close();
  const elsewhere: readonly [string, Readonly<Record<string, string>>, RuntimeName?][] = [
    ["METRICS_LISTEN: cannot listen on 127.0.0.1", { METRICS_LISTEN: `${taken.addr.port}` }],
    ["METRICS_LISTEN: cannot listen on 127.0.0.1", { PORT: free, METRICS_LISTEN: free }],
    [
      `PORT: cannot listen on 127.0.0.1:${taken.addr.port}: another program`,
      { PORT: `${taken.addr.port}` },
    ],
    ["HOST: cannot listen on 192.0.2.1:0: this machine has no such", { HOST: "192.0.2.1" }],
    ["HOST: cannot listen on 192.0.2.1:0: this machine has no such", { HOST: "192.0.2.1" }, "bun"],
  ];
  for (const [says, settings, runtime] of elsewhere) {
    const served = await run(["serve"], { ...env, ...settings }, runtime);
    assertEquals(served.code, 1, served.stderr);
    assertStringIncludes(served.stderr, `demand: ${says}`);
    assertEquals([...Deno.readDirSync(directory.path)], [], says);
  }
  const many = {
    PORT: "x",
    ADMIN_TOKEN: "short",
    TRUSTED_PROXIES: "abc",
    FAMILY_FILE: "/no/file",
    SETTLEMENT_PRIVATE_KEY: "abc",
    USDC_ADDRESS: "foo",
    REDDIT_USER_AGENT: "Mozilla",
    ...live,
  };
  const { stderr } = await run(["serve"], { ...env, ...many });
  const named = [
    ...["PORT", "SETTLEMENT_PRIVATE_KEY", "REDDIT_USER_AGENT", "ADMIN_TOKEN", "FAMILY_FILE"],
    ...["TRUSTED_PROXIES", "PAY_TO", "USDC_ADDRESS"],
  ];
  assertEquals(
    stderr.trim().split("\n").map((line) => /^demand: ([A-Z_]+)/.exec(line)?.[1]),
    named,
    stderr,
  );
  const doctor = await run(["doctor"], { ...env, ADMIN_TOKEN: "short" });
  assertEquals(doctor.code, 1);
  assertStringIncludes(doctor.stdout, "FAIL  settings      ADMIN_TOKEN: should have 16 characters");
});

Deno.test("a command that has nothing to finish ends at the first signal", async () => {
  using directory = temporaryDirectory();
  const asked = Promise.withResolvers<void>();
  await using silent = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      asked.resolve();
      await new Promise<void>((gone) => request.signal.addEventListener("abort", () => gone()));
      return new Response();
    },
  );
  const doctor = start(["doctor"], {
    DATA_DIR: directory.path,
    OPENAI_API_KEY: "k",
    OPENAI_MODEL: "m",
    OPENAI_BASE_URL: `http://127.0.0.1:${silent.addr.port}`,
  });
  await asked.promise;
  doctor.kill("SIGTERM");
  assertEquals((await doctor.finished).code, 130);
});

Deno.test("settings come from .env where the environment does not set them", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(join(directory.path, ".env"), "PORT=eighty\nLOG_LEVEL=silly\n");
  const program = { path: Deno.execPath(), cwd: directory.path };
  const main = join(import.meta.dirname ?? ".", "..", "..", "main.ts");
  const home = { HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
  const wrong = await run(["run", "-A", main, "openapi"], home, program);
  assertStringIncludes(wrong.stderr, "PORT: should be a whole number");
  const right = await run(["run", "-A", main, "openapi"], {
    ...home,
    PORT: "1",
    LOG_LEVEL: "info",
    BASE_URL: "https://demand.example",
  }, program);
  assertEquals(right.code, 0, right.stderr);
  Deno.removeSync(join(directory.path, ".env"));
  Deno.mkdirSync(join(directory.path, ".env"));
  const folder = await run(["run", "-A", main, "openapi"], home, program);
  assertEquals([folder.code, folder.stderr], [1, "demand: .env: is a directory, not a file\n"]);
  const document = JSON.parse(right.stdout);
  assertEquals([document.openapi.slice(0, 3), document.servers[0].url], [
    "3.1",
    "https://demand.example",
  ]);
  assert("/v1/gauge/live" in document.paths, "a first run searches the demonstration posts");
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
