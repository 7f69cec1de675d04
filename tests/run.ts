/**
 * `deno task test`: starts what the tests share (a Postgres where one is installed, migrated databases to
 * copy), runs them in parallel and stops what it started. Arguments go to `deno test`. The packages that
 * tests alone need stand in deno.test.json: this fetches them.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { systemClock } from "../core/clock.ts";
import { silentLog } from "../core/log.ts";
import { authorHashKey, firstStart } from "../db/corpus/corpus.ts";
import { openEmbedded } from "../db/embedded/mod.ts";
import { migrate } from "../db/migrate.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import type { Database } from "../db/sql.ts";
import { mineDemo } from "../mining/job/demo.ts";
import { startCluster } from "./support/postgres_cluster.ts";

/** Runs statements on the server of `at`, outside the databases that tests use. */
async function administer(at: string, ...statements: readonly string[]): Promise<void> {
  const sql = postgres(at, { max: 1, onnotice: () => {} });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end();
}

type Filling = (database: Database) => Promise<void>;

const migrated: Filling = async ({ sql }) => void await migrate(sql);

/** As a first start that is allowed the demonstration leaves a database: dated to now, since ages count. */
async function mined(database: Database): Promise<void> {
  const started = await firstStart(database.sql, systemClock.now());
  const key = await authorHashKey(database.sql, randomBytes(32).toString("hex"));
  const sleep = () => Promise.resolve();
  const deps = { database, clock: systemClock, log: silentLog, sleep, minAuthors: 5 };
  await mineDemo(deps, started, key);
}

/** Makes a database to copy, which nobody stays connected to, of this name and out of that one. */
async function makeTemplate(at: string, name: string, out: string, fill: Filling): Promise<void> {
  await administer(at, `create database ${name} template ${out}`);
  const copied = new URL(at);
  copied.pathname = `/${name}`;
  const database = await openPostgres({ url: copied.href });
  await fill(database);
  await database.close();
}

async function fillEmbedded(folder: string, fill: Filling): Promise<void> {
  const database = await openEmbedded(folder, { share: false, now: Date.now });
  await fill(database);
  await database.close();
}

/** The files of tests at or below this path, by name; the path itself where it is no folder. */
function testFiles(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path).sort().flatMap((name) => testFiles(join(path, name)))
    .filter((file) => file.endsWith("_test.ts"));
}

/** True if a test of this file copies what is mined, which takes seconds and few files need. */
function copiesMined(file: string): boolean {
  return existsSync(file) && /mined(Data|Postgres)\(/.test(readFileSync(file, "utf8"));
}

/**
 * The order in which files run: those of each folder of tests/ spread evenly over the whole. By name, files that
 * compute (e2e, mining, gauge) would run beside each other, and those that mostly wait for a chain or a
 * deadline (payment) beside each other after them, with the cores idle. No file depends on the order.
 */
function spread(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => file.split("/")[1]);
  const placed = [...folders.values()].flatMap((own) =>
    own.map((file, i) => ({ file, place: i / own.length }))
  );
  return placed.sort((a, b) => a.place - b.place).map(({ file }) => file);
}

const MEMORY_FOLDER = "/dev/shm";
/** The tests never held 2 GB at a time in files; their programs need the rest. */
const ENOUGH_MEMORY = 8 * 1024 ** 3;

/**
 * Where the tests keep their files: in memory where there is plenty, unless TMPDIR says where. Nearly every test makes
 * a database of a thousand files and deletes it, which is a third of what opening one costs on a disk.
 */
function parentFolder(): string {
  if (Deno.env.has("TMPDIR") || Deno.build.os !== "linux") return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const room = Math.min(bavail * bsize, Deno.systemMemoryInfo().available);
    return room >= ENOUGH_MEMORY && runsPrograms(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Containers tend to mount that folder without: some tests run a program of theirs. */
function runsPrograms(folder: string): boolean {
  const probe = mkdtempSync(join(folder, "demand-probe-"));
  try {
    const program = join(probe, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    return new Deno.Command(program).outputSync().success;
  } finally {
    rmSync(probe, { recursive: true });
  }
}

/** Runs the tests, and leaves nothing of what they share; resolves to the exit code of `deno test`. */
async function runTests(): Promise<number> {
  await using started = new AsyncDisposableStack();
  // A terminal's Ctrl-C reaches the child by itself; here it must not end what has still to clean up.
  Deno.addSignalListener("SIGINT", () => {});
  // Whatever the tests and the programs they start leave behind, killed ones too, goes with this folder. Clusters
  // started as root run as another user, who must get through it.
  const folder = mkdtempSync(join(parentFolder(), "demand-tests-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711);
  Deno.env.set("TMPDIR", folder);
  const given = Deno.env.get("TEST_DATABASE_URL");
  const cluster = given === undefined ? startCluster() : null;
  started.defer(() => cluster?.stop());
  const url = given ?? cluster?.url;
  if (url === undefined) {
    console.log("No Postgres server is installed here: testing the embedded database alone.");
  }

  const template = join(folder, "template");
  mkdirSync(template);
  await fillEmbedded(template, migrated);
  const postgresTemplate = `demand_template_${crypto.randomUUID().replaceAll("-", "")}`;
  const minedPostgres = `${postgresTemplate}_mined`;
  if (url !== undefined) {
    started.defer(() =>
      administer(
        url,
        `drop database if exists ${postgresTemplate} with (force)`,
        `drop database if exists ${minedPostgres} with (force)`,
      )
    );
    await makeTemplate(url, postgresTemplate, "template1", migrated);
  }

  const isPath = (arg: string): boolean => arg.startsWith("tests/");
  const named = Deno.args.filter(isPath);
  const files = spread((named.length > 0 ? named : ["tests/"]).flatMap(testFiles));
  const minedTemplate = join(folder, "mined");
  if (files.some(copiesMined)) {
    cpSync(template, minedTemplate, { recursive: true });
    await fillEmbedded(minedTemplate, mined);
    if (url !== undefined) await makeTemplate(url, minedPostgres, postgresTemplate, mined);
  }
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--config",
      "deno.test.json",
      "--parallel",
      "--quiet",
      ...Deno.args.filter((arg) => !isPath(arg)),
      ...files,
    ],
    env: {
      TEST_EMBEDDED_TEMPLATE: template,
      TEST_EMBEDDED_MINED: minedTemplate,
      ...(url === undefined ? {} : {
        TEST_DATABASE_URL: url,
        TEST_POSTGRES_TEMPLATE: postgresTemplate,
        TEST_POSTGRES_MINED: minedPostgres,
      }),
    },
    stdin: "null",
  }).spawn();
  Deno.addSignalListener("SIGTERM", () => {
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended: `timeout` sends its signal to both. What this started has still to be stopped.
    }
  });
  return (await child.status).code;
}

Deno.exit(await runTests());
