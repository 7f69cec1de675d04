/**
 * `deno task test`: starts what the tests share (a Postgres where one is installed, migrated databases to
 * copy), runs them in parallel and stops what it started. Arguments go to `deno test`. The packages that
 * tests alone need stand in deno.test.json: this fetches them.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { openEmbedded } from "../db/embedded/mod.ts";
import { migrate } from "../db/migrate.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import { startCluster } from "./support/postgres_cluster.ts";

/** Runs statements on the server of `at`, outside the databases that tests use. */
async function administer(at: string, ...statements: readonly string[]): Promise<void> {
  const sql = postgres(at, { max: 1, onnotice: () => {} });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end();
}

/** Makes a migrated database to copy, which nobody stays connected to, of this name. */
async function makeTemplate(at: string, name: string): Promise<void> {
  await administer(at, `create database ${name}`);
  const copied = new URL(at);
  copied.pathname = `/${name}`;
  const database = await openPostgres({ url: copied.href });
  await migrate(database.sql);
  await database.close();
}

/** Runs the tests, and leaves nothing of what they share; resolves to the exit code of `deno test`. */
async function runTests(): Promise<number> {
  await using started = new AsyncDisposableStack();
  // A terminal's Ctrl-C reaches the child by itself; here it must not end what has still to clean up.
  Deno.addSignalListener("SIGINT", () => {});
  const given = Deno.env.get("TEST_DATABASE_URL");
  const cluster = given === undefined ? startCluster() : null;
  started.defer(() => cluster?.stop());
  const url = given ?? cluster?.url;
  if (url === undefined) {
    console.log("No Postgres server is installed here: testing the embedded database alone.");
  }

  // Whatever the tests and the programs they start leave behind, killed ones too, goes with this folder. Clusters
  // that tests start as root run as another user, who must get through it.
  const folder = mkdtempSync(join(tmpdir(), "demand-tests-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711);
  const template = join(folder, "template");
  mkdirSync(template);
  const database = await openEmbedded(template, { share: false, now: Date.now });
  await migrate(database.sql);
  await database.close();
  const postgresTemplate = `demand_template_${crypto.randomUUID().replaceAll("-", "")}`;
  if (url !== undefined) {
    started.defer(() =>
      administer(url, `drop database if exists ${postgresTemplate} with (force)`)
    );
    await makeTemplate(url, postgresTemplate);
  }

  const paths = Deno.args.some((arg) => arg.startsWith("tests/")) ? [] : ["tests/"];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--config",
      "deno.test.json",
      "--parallel",
      "--quiet",
      ...Deno.args,
      ...paths,
    ],
    env: {
      TMPDIR: folder,
      TEST_EMBEDDED_TEMPLATE: template,
      ...(url === undefined
        ? {}
        : { TEST_DATABASE_URL: url, TEST_POSTGRES_TEMPLATE: postgresTemplate }),
    },
    stdin: "null",
  }).spawn();
  Deno.addSignalListener("SIGTERM", () => child.kill("SIGTERM"));
  return (await child.status).code;
}

Deno.exit(await runTests());
