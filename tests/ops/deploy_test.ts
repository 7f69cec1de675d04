/**
 * The files of deploy/, compose.yaml and the Dockerfile: against each other, against the settings that
 * exist, and as the programs they are for read them. A program that is not installed leaves its test
 * out, which the run's last line counts.
 */
import { assert, assertEquals } from "@std/assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { longestCallMs } from "../../commands/serve/mod.ts";
import { COMMAND_HELP } from "../../commands/help.ts";
import { readConfig, SETTINGS } from "../../config.ts";
import { systemClock } from "../../core/clock.ts";
import { parseEnvFile, strangeLines } from "../../commands/environment.ts";
import { silentLog } from "../../core/log.ts";
import { createPayments, type PaymentSettings } from "../../payment/mod.ts";
import { parseDockerfile, type Stage } from "../../tasks/build/dockerfile.ts";
import { TEST_SETTINGS } from "../payment/support/shop.ts";
import { minedData, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { metricsOf, serve } from "../support/program.ts";
import { find, nginxFile } from "../support/proxy.ts";

const ROOT = join(import.meta.dirname ?? ".", "..", "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** Of the C library, not of ours. */
const FOREIGN = /^MALLOC_[A-Z_]+$/;

function assertSettings(names: readonly string[]): void {
  assert(names.length > 0);
  for (const name of names) {
    assert(Object.hasOwn(SETTINGS, name) || FOREIGN.test(name), `${name} is no setting`);
  }
}

Deno.test("the sample of an environment file names settings that exist, and starts as it is", () => {
  const text = read("deploy/demand.env.example");
  const config = readConfig(parseEnvFile(text));
  assertEquals([config.payment.mode, config.hasBaseUrl, config.misspelled], ["test", true, []]);
  assertEquals(strangeLines(text), []);
  const offered = parseEnvFile(text.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
  assertSettings(Object.keys(offered));
});

function finalStage(): Stage {
  const stage = parseDockerfile(read("Dockerfile")).at(-1);
  assert(stage !== undefined);
  return stage;
}

/** Runs a program over a file that it is to find nothing wrong with; gives what it says. */
function inspect(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = new Deno.Command(program, { args: [...args], env })
    .outputSync();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return { code, said };
}

const service = z.looseObject({
  image: z.string(),
  restart: z.literal("unless-stopped"),
  environment: z.record(z.string(), z.string()),
});
const compose = z.strictObject({
  services: z.strictObject({
    demand: service.extend({
      build: z.literal("."),
      ports: z.array(z.string()).length(1),
      depends_on: z.strictObject({
        postgres: z.strictObject({ condition: z.literal("service_healthy") }),
      }),
      stop_grace_period: z.string().regex(/^\d+s$/),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal("ALL")]),
    }),
    postgres: service.extend({
      volumes: z.tuple([z.string()]),
      healthcheck: z.looseObject({ test: z.array(z.string()) }),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});

Deno.test("the compose file fits the image, the settings and its own database", async () => {
  const text = read("compose.yaml").replace(/\$\{\w+:-([^}]*)\}/g, "$1");
  const { services: { demand, postgres }, volumes } = compose.parse(parse(text));
  const { exposed, env } = finalStage();
  assertEquals(demand.ports, [`127.0.0.1:${exposed}:${env.PORT}`]);
  assertSettings(Object.keys(demand.environment));
  const url = new URL(demand.environment.DATABASE_URL ?? "");
  assertEquals([url.hostname, url.port], ["postgres", "5432"]);
  assertEquals(postgres.environment, {
    POSTGRES_USER: url.username,
    POSTGRES_PASSWORD: url.password,
    POSTGRES_DB: url.pathname.slice(1),
  });
  const [image, version] = postgres.image.split(":");
  assertEquals(image, "postgres");
  assert(Number(version) >= 14, "DATABASE_URL asks for Postgres 14 or later");
  assertEquals(postgres.healthcheck.test, ["CMD", "pg_isready", "-U", url.username]);
  const [volume, path] = postgres.volumes[0].split(":");
  assertEquals([Object.keys(volumes), path], [[volume], "/var/lib/postgresql/data"]);
  assert(
    parseInt(demand.stop_grace_period) > await drainSeconds() + CLOSING_SECONDS,
    "a paid call would be cut",
  );
});

/** For closing the database and the listeners afterwards. */
const CLOSING_SECONDS = 5;

/** How long the service takes at the most to finish what is in flight, in whatever mode of payment. */
async function drainSeconds(): Promise<number> {
  const modes: readonly Partial<PaymentSettings>[] = [
    { mode: "facilitator", facilitatorUrl: "http://127.0.0.1:1" },
    { mode: "onchain", settlementPrivateKey: "1".repeat(64), rpcUrl: "http://127.0.0.1:1" },
  ];
  const drains = await Promise.all(modes.map(async (settings) =>
    longestCallMs(
      await createPayments({
        settings: { ...TEST_SETTINGS, ...settings },
        database: { short: unused, durable: unused, answers: unused },
        clock: systemClock,
        log: silentLog,
        fetch: unused,
        random: (bytes) => new Uint8Array(bytes),
        ticks: () => 0,
      }),
    )
  ));
  return Math.max(...drains) / 1000;
}

const unused = (): never => {
  throw new Error("nothing is asked for");
};

Deno.test("the image sets settings that exist and runs commands that exist", () => {
  const { env, entrypoint, command, healthcheck, user, exposed } = finalStage();
  assertSettings(Object.keys(env));
  assertEquals([env.HOST, env.PORT, env.DATA_DIR], ["0.0.0.0", exposed, "/data"]);
  assertEquals(user, "nonroot");
  assertEquals(entrypoint, [healthcheck[0]]);
  for (const word of [command[0], healthcheck[1]]) {
    assert(word !== undefined && word in COMMAND_HELP);
  }
});

Deno.test("the unit sets settings that exist, and waits for the drain", async () => {
  const unit = read("deploy/demand.service");
  const names = [...unit.matchAll(/^Environment=(.*)$/gm)]
    .flatMap(([, pairs = ""]) => pairs.split(" ").map((pair) => pair.split("=")[0] ?? ""));
  assertSettings(names);
  assert(
    Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > await drainSeconds() + CLOSING_SECONDS,
  );
});

Deno.test("proxies ask the port that the service listens on, and wait for a live verdict", async () => {
  const { port } = readConfig({});
  for (const file of ["deploy/nginx.conf", "deploy/Caddyfile"]) {
    const text = read(file);
    assert(text.includes(`127.0.0.1:${port}`), file);
    assert(Number(/read_timeout (\d+)s/.exec(text)?.[1]) > await drainSeconds(), file);
    const names = [...text.matchAll(/\b([A-Z_]{4,})=/g)].map(([, name = ""]) => name);
    assertSettings(names);
  }
});

const analyze = find("systemd-analyze");
Deno.test({
  name: "systemd-analyze finds nothing wrong with the units",
  ignore: analyze === undefined,
  fn: () => {
    using folder = temporaryDirectory();
    const unit = join(folder.path, "demand.service");
    // It looks for the program, which is not installed here.
    const text = read("deploy/demand.service")
      .replace("ExecStart=/usr/local/bin/demand", "ExecStart=/bin/true");
    writeFileSync(unit, text);
    assertEquals(inspect(analyze ?? "", ["verify", unit]), { code: 0, said: "" });
    writeFileSync(unit, text.replace("ProtectHome=", "ProtectHouse="));
    assert(inspect(analyze ?? "", ["verify", unit]).said.includes("ProtectHouse"));
    writeFileSync(unit, text);
    const backup = ["demand-backup.service", "demand-backup.timer"].map((name) => {
      const file = join(folder.path, name);
      writeFileSync(file, read(`deploy/${name}`));
      return file;
    });
    assertEquals(inspect(analyze ?? "", ["verify", ...backup]), { code: 0, said: "" });
  },
});

const nginx = find("nginx");
const openssl = find("openssl");
Deno.test({
  name: "nginx takes its configuration",
  ignore: nginx === undefined || openssl === undefined,
  fn: () => {
    using folder = temporaryDirectory();
    const check = (file: string) =>
      inspect(nginx ?? "", ["-t", "-q", "-e", "stderr", "-p", folder.path, "-c", file]);
    const { code, said } = check(nginxFile(folder.path));
    // Newer ones would like HTTP/2 switched on by another word, and take this one.
    assertEquals(code, 0, said);
    assert(!/\[(emerg|error|crit)\]/.test(said), said);
    const wrong = nginxFile(
      folder.path,
      (text) => text.replace("client_header_timeout", "client_head_timeout"),
    );
    assertEquals(check(wrong).code, 1);
  },
});

const caddy = find("caddy");
Deno.test({
  name: "Caddy takes its configuration, and would not write it otherwise",
  ignore: caddy === undefined,
  fn: () => {
    using folder = temporaryDirectory();
    const env = { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
    const check = (file: string) =>
      inspect(caddy ?? "", ["validate", "--adapter", "caddyfile", "--config", file], env);
    const own = join(ROOT, "deploy", "Caddyfile");
    const { code, said } = check(own);
    assertEquals(code, 0, said);
    assert(!said.includes("is not formatted"), said);
    const wrong = join(folder.path, "Caddyfile");
    writeFileSync(wrong, read("deploy/Caddyfile").replace("read_header", "read_head"));
    assertEquals(check(wrong).code, 1);
  },
});

const rules = z.strictObject({
  groups: z.array(z.strictObject({
    name: z.string(),
    rules: z.array(z.strictObject({
      alert: z.string().regex(/^Demand[A-Za-z]+$/),
      expr: z.string(),
      for: z.string().regex(/^\d+[mh]$/).optional(),
      labels: z.strictObject({ severity: z.enum(["warning", "critical"]) }),
      annotations: z.strictObject({ summary: z.string() }),
    })),
  })),
});

const dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.int().min(36),
  templating: z.object({
    list: z.array(z.object({ name: z.literal("datasource"), type: z.literal("datasource") }))
      .length(1),
  }),
  panels: z.array(z.object({
    id: z.int(),
    title: z.string(),
    type: z.literal("timeseries"),
    datasource: z.strictObject({ type: z.literal("prometheus"), uid: z.literal("${datasource}") }),
    gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() })
      .refine(({ x, w }) => x + w <= 24),
    targets: z.array(z.strictObject({
      refId: z.string(),
      expr: z.string(),
      legendFormat: z.string(),
    })).min(1),
  })),
});

/** Everything that the files for Prometheus ask of it. */
function expressions(): string[] {
  const alerts = rules.parse(parse(read("deploy/prometheus-rules.yml"))).groups[0]?.rules ?? [];
  const { panels } = dashboard.parse(JSON.parse(read("deploy/grafana-dashboard.json")));
  assertEquals(new Set(panels.map(({ id }) => id)).size, panels.length);
  return [...alerts, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
}

Deno.test("alerts and dashboard ask for metrics that the service has", async () => {
  using folder = temporaryDirectory();
  await using service = await serve({
    DATA_DIR: minedData(folder.path),
    METRICS_LISTEN: "127.0.0.1:0",
  });
  await (await fetch(`${service.base}/v1/gauge`, { method: "POST" })).text();
  await createPayer().fetch(`${service.base}/v1/opportunities/trending`);
  const text = await metricsOf(service);
  const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
  for (const expr of expressions()) {
    for (const [name] of expr.matchAll(/\b(demand|process)_[a-z_]+/g)) {
      assert(there.has(name.replace(/_bucket$/, "")), `${name} is no metric of ours`);
    }
  }
});

const promtool = find("promtool");
Deno.test({
  name: "promtool takes the alerts, and every expression of the dashboard",
  ignore: promtool === undefined,
  fn: () => {
    const check = (file: string) => inspect(promtool ?? "", ["check", "rules", file]);
    const { code, said } = check(join(ROOT, "deploy", "prometheus-rules.yml"));
    assertEquals(code, 0, said);
    using folder = temporaryDirectory();
    const file = join(folder.path, "rules.yml");
    const asRules = (exprs: readonly string[]) =>
      writeFileSync(
        file,
        JSON.stringify({
          groups: [{ name: "x", rules: exprs.map((expr, n) => ({ record: `x:${n}`, expr })) }],
        }),
      );
    asRules(expressions());
    assertEquals(check(file).code, 0, check(file).said);
    asRules(["sum by (("]);
    assertEquals(check(file).code, 1);
  },
});
