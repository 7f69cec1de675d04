import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { readFileSync } from "node:fs";
import { readConfig, SETTING_GROUPS, SETTINGS } from "../../config.ts";
import { OperatorError } from "../../core/errors.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";

Deno.test("nothing set is enough for a first run", () => {
  const config = readConfig({});
  assertEquals([config.host, config.port, config.baseUrl], [
    "127.0.0.1",
    8402,
    "http://127.0.0.1:8402",
  ]);
  assertEquals([config.payment.mode, config.reddit, config.mineOnStart], ["test", null, true]);
  assertEquals([config.minAuthors, config.rateLimits], [5, RATE_LIMITS]);
});

const KEY = "ab".repeat(32);

Deno.test("a whole set of settings is read", () => {
  const config = readConfig({
    BASE_URL: "https://demand.example/",
    AUTHOR_HASH_KEY: KEY,
    OPENAI_API_KEY: "k",
    OPENAI_MODEL: "m",
    LLM_DAILY_BUDGET_USD: "5",
    LLM_PRICE_IN_USD_PER_M: "0.4",
    MINE_CRON: "5,35 */2 1-15 jan-jun mon-fri",
    RATE_LIMITS: "categories=60, free=10",
  });
  assertEquals(config.baseUrl, "https://demand.example");
  assertEquals([config.authorHashKey, config.model.dailyBudgetUsd], [KEY, 5]);
  assertEquals(config.mineCron, "5,35 */2 1-15 jan-jun mon,tue,wed,thu,fri");
  assertEquals(config.rateLimits, { ...RATE_LIMITS, categories: 60, free: 10 });
});

Deno.test("an IPv6 address is taken with and without brackets, and stands in them in addresses", () => {
  for (const HOST of ["::1", "[::1]"]) {
    const { host, baseUrl } = readConfig({ HOST });
    assertEquals([host, baseUrl], ["::1", "http://[::1]:8402"]);
  }
});

Deno.test("an address of the machine or its name is taken to listen on", () => {
  for (const HOST of ["0.0.0.0", "localhost", "my_box", "a-1.example.org.", "fe80::1%eth0"]) {
    assertEquals(readConfig({ HOST, METRICS_LISTEN: "localhost:1" }).host, HOST);
  }
});

Deno.test("a public address is taken however it is written", () => {
  const written = [
    "https://demand.example//",
    "HTTPS://Demand.Example",
    "https://demand.example:443",
  ];
  for (const BASE_URL of written) {
    assertEquals(readConfig({ BASE_URL }).baseUrl, "https://demand.example");
  }
});

const WRONG: readonly [string, Readonly<Record<string, string>>][] = [
  ["PORT", { PORT: "80 80" }],
  ["PORT", { PORT: "65536" }],
  ["MIN_AUTHORS", { MIN_AUTHORS: "1.5" }],
  ["BASE_URL", { BASE_URL: "demand.example" }],
  ["BASE_URL", { BASE_URL: "https://demand.example/?a=1" }],
  ["BASE_URL", { BASE_URL: "https://demand.example/#a" }],
  ["BASE_URL", { BASE_URL: "https://demand.example/api" }],
  ["BASE_URL", { BASE_URL: "https://demand.example/api/" }],
  ["BASE_URL", { BASE_URL: "https://me:hunter2@demand.example" }],
  ["DATABASE_URL", { DATABASE_URL: "mysql://me:hunter2@h/d" }],
  ["PAYMENT_MODE", { PAYMENT_MODE: "live" }],
  ["OPENAI_MODEL", { OPENAI_API_KEY: "hunter2" }],
  ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "api" }],
  ["LLM_TIMEOUT_MS", { LLM_TIMEOUT_MS: "60000" }],
  ["LLM_DAILY_BUDGET_USD", { LLM_DAILY_BUDGET_USD: "5" }],
  ["LLM_DAILY_BUDGET_USD", { LLM_DAILY_BUDGET_USD: "-5", LLM_PRICE_IN_USD_PER_M: "1" }],
  ["LLM_PRICE_IN_USD_PER_M", { LLM_PRICE_IN_USD_PER_M: "cheap" }],
  ["SOURCE", { SOURCE: "twitter" }],
  ["REDDIT_CLIENT_ID", {
    SOURCE: "reddit",
    REDDIT_CLIENT_SECRET: "hunter2",
    REDDIT_USER_AGENT: "a:b:1 (by /u/abc)",
  }],
  ["REDDIT_USER_AGENT", { REDDIT_CLIENT_ID: "a", REDDIT_CLIENT_SECRET: "hunter2" }],
  ["REDDIT_USER_AGENT", { REDDIT_USER_AGENT: "Mozilla/5.0 (X11; Linux)" }],
  ["SETTLEMENT_PRIVATE_KEY", { SETTLEMENT_PRIVATE_KEY: "hunter2" }],
  ["SETTLEMENT_PRIVATE_KEY", { SETTLEMENT_PRIVATE_KEY: "0x12", PAYMENT_MODE: "onchain" }],
  ["HOST", { HOST: "bad_host!" }],
  ["HOST", { HOST: "999.1.1.1" }],
  ["HOST", { HOST: "1.2.3" }],
  ["HOST", { HOST: "http://127.0.0.1" }],
  ["METRICS_LISTEN", { METRICS_LISTEN: "999.1.1.1:9464" }],
  ["MINE_CRON", { MINE_CRON: "every hour" }],
  ["MINE_CRON", { MINE_CRON: "30-5 * * * *" }],
  ["MINE_ON_START", { MINE_ON_START: "yes" }],
  ["RATE_LIMITS", { RATE_LIMITS: "categories" }],
  ["RATE_LIMITS", { RATE_LIMITS: "categories=0" }],
  ["RATE_LIMITS", { RATE_LIMITS: "categories=1,categories=2" }],
  ["RATE_LIMITS", { RATE_LIMITS: "constructor=1" }],
  ["PAYER_IN_FLIGHT", { PAYER_IN_FLIGHT: "every=1" }],
  ["ADMIN_TOKEN", { ADMIN_TOKEN: "hunter2" }],
  ["METRICS_LISTEN", { METRICS_LISTEN: "nine" }],
  ["AUTHOR_HASH_KEY", { AUTHOR_HASH_KEY: "hunter2" }],
  ["AUTHOR_HASH_KEY", { AUTHOR_HASH_KEY: "abcd" }],
  ["FAMILY_SLUG", { FAMILY_SLUG: "a/b" }],
  ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
  ["FACILITATOR_URL", { FACILITATOR_URL: "https://me:hunter2@f.example" }],
  ["FACILITATOR_URL", { FACILITATOR_URL: "https://f.example/x402?key=hunter2" }],
  ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "http://127.0.0.1:1/v1?key=hunter2" }],
  ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "http://127.0.0.1:1/v1#hunter2" }],
  ["RPC_URL", { RPC_URL: "https://hunter2@rpc.example/v1" }],
  ["OPENAI_BASE_URL", { OPENAI_BASE_URL: "http://:hunter2@127.0.0.1:1/v1" }],
  ["OPENAI_API_KEY", { OPENAI_API_KEY: "hunter2\nhunter2", OPENAI_MODEL: "m" }],
  ["FACILITATOR_TOKEN", { FACILITATOR_TOKEN: "hunter2\u20ac" }],
  ["REDDIT_CLIENT_SECRET", {
    SOURCE: "none",
    REDDIT_CLIENT_ID: "a",
    REDDIT_CLIENT_SECRET: "hunter2 hunter2",
  }],
];

Deno.test("a setting that is wrong is one line that names it and repeats no secret", () => {
  for (const [name, environment] of WRONG) {
    const said = JSON.stringify(environment);
    const error = assertThrows(() => readConfig(environment), OperatorError);
    assertMatch(error.message, new RegExp(`^${name}: [^\n]+$`), said);
    assert(!error.message.includes("hunter2"), error.message);
  }
});

Deno.test("an address that is none is told how one begins", () => {
  const rule = "should be an absolute address starting with";
  for (
    const [name, schemes] of [
      ["DATABASE_URL", "postgres:// or postgresql://"],
      ["RPC_URL", "http:// or https://"],
      ["FACILITATOR_URL", "http:// or https://"],
    ] as const
  ) {
    const error = assertThrows(() => readConfig({ [name]: "nowhere" }), OperatorError);
    assertEquals(error.message, `${name}: ${rule} ${schemes}`);
  }
});

Deno.test("a User-Agent has the site's form", () => {
  for (
    const REDDIT_USER_AGENT of [
      "server:com.example.demand:1.0.0-rc.1 (by /u/Some-One_1)",
      "linux:x:v1 (by /u/abc)",
    ]
  ) {
    const client = { REDDIT_CLIENT_ID: "id", REDDIT_CLIENT_SECRET: "secret" };
    const { reddit } = readConfig({ ...client, REDDIT_USER_AGENT });
    assertEquals(reddit?.userAgent, REDDIT_USER_AGENT);
  }
  for (
    const REDDIT_USER_AGENT of [
      "curl/8.0",
      "server:app:v1",
      "server:app (by /u/someone)",
      "server:app:v1 (by someone)",
      "server:app:v1 (by /u/<name>)",
      "server:app:v1 (by /u/a b)",
      "server:app:v1 (by /u/someone)\r\nX: y",
      "sërver:app:v1 (by /u/someone)",
    ]
  ) {
    const rule = "REDDIT_USER_AGENT: should have the form <platform>:<app id>:<version> ";
    assertThrows(() => readConfig({ REDDIT_USER_AGENT }), OperatorError, rule);
  }
});

Deno.test("every wrong setting is told at once, each in a line, and none twice", () => {
  const environment = { PORT: "x", OPENAI_MODEL: "m", OPENAI_API_KEY: "a b", SOURCE: "reddit" };
  const error = assertThrows(() => readConfig(environment), OperatorError);
  assertEquals(error.message.split("\n").map((line) => line.split(":")[0]), [
    "PORT",
    "OPENAI_API_KEY",
    "REDDIT_CLIENT_ID",
    "REDDIT_CLIENT_SECRET",
    "REDDIT_USER_AGENT",
  ]);
});

Deno.test("a name that looks like a setting that is not set is pointed out, and others are not", () => {
  const misspelled = (environment: Record<string, string>) => readConfig(environment).misspelled;
  assertEquals(misspelled({ PAYTO: "x", FACILITATOR_URI: "y", log_level: "debug" }), [
    { name: "PAYTO", meant: "PAY_TO" },
    { name: "FACILITATOR_URI", meant: "FACILITATOR_URL" },
    { name: "log_level", meant: "LOG_LEVEL" },
  ]);
  const usual = {
    HOME: "/",
    PATH: "/bin",
    DENO_DIR: "/d",
    BASH_ENV: "/b",
    HOSTNAME: "h",
    TZ: "UTC",
  };
  assertEquals(misspelled(usual), []);
  assertEquals(misspelled({ PAY_TO: "x", PAYTO: "x" }), []);
});

Deno.test("the address of a database may hold its password", () => {
  const url = "postgres://me:hunter2@127.0.0.1/demand";
  const { storage } = readConfig({ DATABASE_URL: url });
  assertEquals(JSON.stringify(storage).includes("hunter2"), true);
});

Deno.test("payments come by both wires unless one is off, and a short key is refused", () => {
  assertEquals(readConfig({}).payment.mpp, true);
  assertEquals(readConfig({ MPP: "off" }).payment.mpp, false);
  assertEquals(readConfig({ MPP_SECRET_KEY: KEY }).payment.mppSecretKey, KEY);
  assertThrows(() => readConfig({ MPP: "yes" }), OperatorError, "MPP");
  const short = assertThrows(() => readConfig({ MPP_SECRET_KEY: "short" }), OperatorError);
  assertEquals(short.message, "MPP_SECRET_KEY: should have 32 characters or more");
});

Deno.test("docs/configuration.md has every setting as the table has it", () => {
  const text = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const inDocument = text.split(/^## /m).slice(1).map((section) => {
    const rows = [...section.matchAll(/^\| `([A-Z0-9_]+)` +\| (.*?) +\| (.*?) +\|$/gm)];
    return [section.split("\n")[0], rows.map(([, ...cells]) => cells)];
  });
  const inTable = Object.entries(SETTING_GROUPS).map(([title, group]) => [
    title,
    Object.entries(group).map(([name, { shown, about }]) => [name, shown, about]),
  ]);
  assertEquals(inDocument, inTable);
  const grouped = Object.values(SETTING_GROUPS).flatMap((group) => Object.keys(group));
  assertEquals(Object.keys(SETTINGS), grouped);
});

Deno.test("a number that has to be whole is called that, whatever is wrong with it", () => {
  for (const MIN_AUTHORS of ["1.5", "1", "five"]) {
    const rule = `MIN_AUTHORS: should be a whole number from 2 to 1000, not "${MIN_AUTHORS}"`;
    assertThrows(() => readConfig({ MIN_AUTHORS }), OperatorError, rule);
  }
});
