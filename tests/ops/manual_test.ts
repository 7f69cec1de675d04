/** What the executable tells of itself: its settings, its documents, and files for this machine. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { TOPICS } from "../../commands/help.ts";
import { settingsFile } from "../../commands/init.ts";
import { readable } from "../../commands/manual.ts";
import { SETTINGS } from "../../config.ts";
import { parseEnvFile, strangeLines } from "../../commands/environment.ts";
import { temporaryDirectory } from "../support/database.ts";
import { run } from "../support/program.ts";
import { VERSION } from "../../version.ts";

const SECRETS = {
  ADMIN_TOKEN: "hunter2hunter2hunter2",
  DATABASE_URL: "postgres://me:hunter2@db.example:5432/demand",
  RPC_URL: "https://rpc.example/v2/hunter2",
  SETTLEMENT_PRIVATE_KEY: `0x${"5ec2e7".padEnd(64, "0")}`,
};

Deno.test("the settings are printed with what is set, without secrets, and every wrong one is marked", async () => {
  const env = {
    ...SECRETS,
    PORT: "eighty",
    LOG_LEVEL: "loud",
    PAYTO: "x",
    // What the start finds, and no setting's form.
    X402_NETWORK: "base",
    FAMILY_FILE: "/no/file",
  };
  const { code, stdout, stderr } = await run(["settings"], env);
  assertEquals(code, 1);
  assertEquals(stderr.match(/^demand: [A-Z0-9_]+: .+$/gm)?.length, 4, stderr);
  assertStringIncludes(stderr, "demand: FAMILY_FILE: /no/file: no such file\n");
  for (const name of Object.keys(SETTINGS)) assertMatch(stdout, new RegExp(`^  ${name} = `, "m"));
  assert(!/hunter2|5ec2e7/.test(stdout), stdout);
  assertStringIncludes(stdout, "DATABASE_URL = postgres://db.example:5432/…");
  assertEquals(stdout.match(/WRONG: /g)?.length, 4);
  assertMatch(stdout, / X402_NETWORK = base\n +WRONG: should be eip155:/);
  assertMatch(stdout, / FAMILY_FILE = \/no\/file\n +WRONG: \/no\/file: no such file\n/);
  assertStringIncludes(stdout, "PAYTO is not a setting and changes nothing; did you mean PAY_TO?");
  const paid = {
    PAYMENT_MODE: "facilitator",
    FACILITATOR_KEY_ID: "id",
    FACILITATOR_KEY_SECRET: "short",
    PAY_TO: "0x1",
  };
  const { stdout: payments } = await run(["settings"], paid);
  for (const name of ["PAY_TO", "FACILITATOR_URL", "FACILITATOR_KEY_SECRET"]) {
    assertMatch(payments, new RegExp(`^  ${name} = .*\n +WRONG: `, "m"));
  }
  const right = await run(["settings", "--json"], SECRETS);
  assertEquals(right.code, 0);
  assert(!/hunter2|5ec2e7/.test(right.stdout));
  const { groups } = JSON.parse(right.stdout);
  assertEquals(groups[0].settings[1], {
    name: "PORT",
    set: null,
    default: "8402",
    about: "the port; 0 takes any",
    wrong: null,
  });
});

Deno.test("init writes files for this machine, for their owner where they hold secrets, and overwrites none", async () => {
  using directory = temporaryDirectory();
  const folder = join(directory.path, "setup");
  const env = { ...SECRETS, BASE_URL: "https://shop.example", PORT: "9000" };
  const { code, stdout, stderr } = await run(["init", folder], env);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, `install -m 600 ${folder}/demand.env /etc/demand.env`);
  assert(!stdout.includes("hunter2"));
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  assertEquals(statSync(join(folder, "demand.env")).mode & 0o777, 0o600);
  const { LOG_FORMAT, ...set } = parseEnvFile(read("demand.env"));
  assertEquals([LOG_FORMAT, set], ["json", { ...env, TRUSTED_PROXIES: "127.0.0.1,::1" }]);
  assertStringIncludes(read("nginx.conf"), "server_name shop.example;");
  assertStringIncludes(read("nginx.conf"), "server 127.0.0.1:9000 ");
  assertStringIncludes(read("Caddyfile"), "reverse_proxy 127.0.0.1:9000");
  assertMatch(read("demand.service"), /^ExecStart=\S*deno run -A \S+main\.ts serve$/m);
  assertMatch(read("demand-backup.service"), /main\.ts backup /);
  await Deno.writeTextFile(join(folder, "Caddyfile"), "mine");
  const again = await run(["init", folder], env);
  assertEquals([again.code, read("Caddyfile")], [0, "mine"]);
  assertStringIncludes(again.stdout, `was there  ${folder}/Caddyfile`);
});

Deno.test("init refuses what a start refuses, in the same words, and writes nothing", async () => {
  using directory = temporaryDirectory();
  const folder = join(directory.path, "setup");
  // Each has the form of its setting: what they lead to is wrong.
  const env = {
    PAYMENT_MODE: "onchain",
    OPENAI_API_KEY: "key",
    TRUSTED_PROXIES: "proxy",
    FAMILY_FILE: "/no/file",
    DATA_DIR: directory.path,
  };
  const refused = await run(["init", folder], env);
  assertEquals(refused.code, 1, refused.stdout);
  for (const name of ["PAY_TO", "OPENAI_MODEL", "TRUSTED_PROXIES", "/no/file"]) {
    assertStringIncludes(refused.stderr, name);
  }
  assertEquals(existsSync(folder), false);
  assertEquals(refused.stderr, (await run(["serve"], env)).stderr);
});

Deno.test("the sample of a settings file is what init makes, and every setting can be taken from it", () => {
  const sample = readFileSync(new URL("../../deploy/demand.env.example", import.meta.url), "utf8");
  const made = settingsFile({
    BASE_URL: "https://demand.example",
    TRUSTED_PROXIES: "127.0.0.1,::1",
  });
  assertEquals(sample, made);
  const offered = Object.keys(parseEnvFile(made.replaceAll(/^#(?=[A-Z0-9_]+=)/gm, "")));
  const left = Object.keys(SETTINGS).filter((name) => !offered.includes(name));
  assertEquals(left, ["DATA_DIR", "NO_COLOR"]);
});

Deno.test("a settings file gives back every value that it was made of", () => {
  const values = [
    `it's a "b" #c`,
    `it's C:\\new\\"x" and \\\\server\\`,
    "C:\\new",
    "-----BEGIN PRIVATE KEY-----\nMHc/+=\n-----END PRIVATE KEY-----",
    'a\\nb\nc\\\n"d"',
  ];
  for (const value of values) {
    const made = settingsFile({ CONTACT: value });
    assertEquals([parseEnvFile(made).CONTACT, strangeLines(made)], [value, []]);
  }
  assertEquals(parseEnvFile(settingsFile({ CONTACT: "a\r\nb\rc" })).CONTACT, "a\nb\nc");
});

Deno.test("every topic is a document that fits a terminal", async () => {
  for (const topic of Object.keys(TOPICS)) {
    const { code, stdout } = await run(["help", topic], {});
    assertEquals(code, 0, topic);
    assert(stdout.length > 500, topic);
    assert(!/\]\(/.test(stdout), `${topic} holds a link`);
    assert(!/^\|/m.test(stdout), `${topic} holds a table`);
  }
  for (const asked of ["settings", "import"]) {
    const { code, stderr } = await run(["help", asked, "extra"], {});
    assertEquals([code, stderr], [
      2,
      'demand: unexpected argument "extra"\nSee: demand --help\n',
    ]);
  }
  const text =
    "# A\n\na [b](running.md#c) `d`\ne\n\n- one\n  more\n- two\n\n| n | f |\n|--|--|\n| x | y |\n\n```sh\n[a](b)  c\n```\n";
  assertEquals(
    readable(text.replace("[a](b)", "ls")),
    "A\n\na b (demand help running) `d` e\n\n- one more\n- two\n\n  x\n    y\n\n  ls  c\n\n",
  );
});

Deno.test("the version has an entry in the changelog", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  assertMatch(changelog, new RegExp(`^## ${VERSION.replaceAll(".", "[.]")}( |$)`, "m"));
});
