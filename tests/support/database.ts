/** Fresh, migrated databases of both kinds for tests. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { migrate } from "../../db/migrate.ts";
import { EMBEDDED_DIRECTORY } from "../../db/embedded/directory.ts";
import { openEmbedded } from "../../db/embedded/mod.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import type { Database } from "../../db/sql.ts";
import { putBack, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** Where tests/run.ts put a Postgres, or undefined: then only the embedded database is tested. */
export const postgresUrl: string | undefined = Deno.env.get("TEST_DATABASE_URL");

/** A migrated embedded directory and a migrated Postgres database, made once by tests/run.ts to be copied. */
const embeddedTemplate = Deno.env.get("TEST_EMBEDDED_TEMPLATE");
const postgresTemplate = Deno.env.get("TEST_POSTGRES_TEMPLATE") ?? "template1";

/** The same with the demonstration corpus mined, for services that need some catalogue. */
const minedTemplate = Deno.env.get("TEST_EMBEDDED_MINED");
const minedPostgresTemplate = Deno.env.get("TEST_POSTGRES_MINED") ?? "template1";

export interface TestDatabase extends AsyncDisposable {
  readonly database: Database;
  /** For a second process or pool on the same data: DATABASE_URL or DATA_DIR. */
  readonly env: Readonly<Record<string, string>>;
}

/** An empty Postgres database of its own, not migrated, that is dropped on dispose. */
export const emptyPostgres = () => copyPostgres("template1");

/** The like with the demonstration corpus, mined as this run of the tests began. */
export const minedPostgres = () => copyPostgres(minedPostgresTemplate);

/** A copy of a Postgres database that nobody is connected to. */
async function copyPostgres(
  template: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  if (postgresUrl === undefined) throw new Error("TEST_DATABASE_URL is not set");
  const name = `demand_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = postgres(postgresUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${template}`);
  await admin.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      const again = postgres(postgresUrl, { max: 1, onnotice: () => {} });
      await again.unsafe(`drop database if exists ${name} with (force)`);
      await again.end();
    },
  };
}

/** The address of a database by way of a server on this machine that passes on what it gets. */
export function throughPort(url: string, server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it does not listen");
  const through = new URL(url);
  through.host = `127.0.0.1:${address.port}`;
  return through.href;
}

/** A temporary directory, below `parent`, that is removed on dispose. */
export function temporaryDirectory(parent: string = tmpdir()): { path: string } & Disposable {
  const path = mkdtempSync(join(parent, "demand-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A fresh, migrated Postgres database. */
export async function testPostgres(): Promise<TestDatabase> {
  const copy = await copyPostgres(postgresTemplate);
  const database = await openPostgres({ url: copy.url, max: 8 });
  await migrate(database.sql);
  return {
    database,
    env: { DATABASE_URL: copy.url },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await copy[Symbol.asyncDispose]();
    },
  };
}

function copyEmbedded(path: string, template: string | undefined): void {
  if (template === undefined || !existsSync(template)) return;
  cpSync(template, path, { recursive: true });
}

/**
 * Puts a migrated database into the data directory `path`, for tests of anything but its making, which takes PGlite
 * four seconds of a processor.
 */
export const copyData = (path: string): void => copyEmbedded(path, embeddedTemplate);

/** The like for what opens PGlite itself: Postgres's own files. */
export function copyCluster(path: string): void {
  if (embeddedTemplate !== undefined) {
    copyEmbedded(path, join(embeddedTemplate, EMBEDDED_DIRECTORY));
  }
}

/** DATA_DIR in `folder` for a program whose first start is not what is tested: it has its schema, and nothing else. */
export function preparedData(folder: string): string {
  const path = join(folder, "data");
  copyData(path);
  return path;
}

/** The like with the demonstration corpus, so that a start in mode `test` mines nothing. */
export function minedData(folder: string): string {
  const path = join(folder, "data");
  copyEmbedded(path, minedTemplate);
  return path;
}

/**
 * PGlite's code, held by each thread that opens embedded databases: V8 shares what it compiled of a module among
 * the threads of a process, and forgets it when nobody has the module. Each database has a thread of its own,
 * so that all after the first find the code as the others left it, optimised.
 */
let heldCode: Promise<WebAssembly.Module> | undefined;

async function compileCode(): Promise<WebAssembly.Module> {
  const path = new URL("./pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  return await WebAssembly.compile(await readFile(path));
}

/** A fresh, migrated embedded database in a directory of its own. */
export async function testEmbedded(): Promise<TestDatabase> {
  await (heldCode ??= compileCode());
  const directory = temporaryDirectory();
  copyData(directory.path);
  const database = await openEmbedded(directory.path, { share: false, now: Date.now });
  await migrate(database.sql);
  return {
    database,
    env: { DATA_DIR: directory.path },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      directory[Symbol.dispose]();
    },
  };
}

/** A fresh, migrated database of the kind that is made sooner: Postgres where there is one. */
export const testDatabase = (): Promise<TestDatabase> =>
  postgresUrl === undefined ? testEmbedded() : testPostgres();

/** Registers `body` with a maker of such databases, all of which are gone afterwards. */
export function testWithDatabases(
  name: string,
  body: (fresh: () => Promise<TestDatabase>) => Promise<void>,
): void {
  Deno.test({
    name,
    fn: async () => {
      await using opened = new AsyncDisposableStack();
      await body(async () => opened.use(await testDatabase()));
    },
  });
}

type Body = (test: TestDatabase, t: Deno.TestContext) => Promise<void>;

function registerBoth(name: string, embedded: () => Promise<TestDatabase>, body: Body): void {
  const kinds = [["embedded", embedded], ["Postgres", testPostgres]] as const;
  for (const [kind, open] of kinds) {
    Deno.test({
      name: `${name} (${kind})`,
      ignore: kind === "Postgres" && postgresUrl === undefined,
      fn: async (t) => {
        await using test = await open();
        await body(test, t);
      },
    });
  }
}

/** Registers `body` once for each kind of database there is; it may make steps of its cases. */
export function testBoth(name: string, body: Body): void {
  registerBoth(name, testEmbedded, body);
}

/** The embedded database of this file's `testBothInTurn`, as it was opened. */
let kept: { readonly test: TestDatabase; readonly fresh: Snapshot } | null = null;
let closesKept = false;

async function keptEmbedded(): Promise<TestDatabase> {
  if (kept === null) {
    const test = await testEmbedded();
    kept = { test, fresh: await takeSnapshot(test.database) };
  }
  const { test, fresh } = kept;
  await putBack(test.database, fresh);
  return { ...test, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/**
 * `testBoth` for tests that change rows alone, and that leave nothing at work when they end: those of
 * one file share an embedded database, which holds no row of the last one. To open one takes longer
 * than most of them.
 */
export function testBothInTurn(name: string, body: Body): void {
  if (!closesKept) Deno.test.afterAll(async () => await kept?.test[Symbol.asyncDispose]());
  closesKept = true;
  registerBoth(name, keptEmbedded, body);
}

/** Registers `body` on the kind of database that is made sooner: what it tests is no matter of the database. */
export function testOnce(name: string, body: (test: TestDatabase) => Promise<void>): void {
  testWithDatabases(name, async (fresh) => await body(await fresh()));
}

/** What a test of a command on an empty Postgres is given. */
export interface CommandScene {
  readonly url: string;
  readonly directory: { readonly path: string };
}

/** Registers a test with an empty Postgres database and a directory of its own, where there is a Postgres. */
export function testOnPostgres(name: string, body: (scene: CommandScene) => Promise<void>): void {
  Deno.test({
    name,
    ignore: postgresUrl === undefined,
    fn: async () => {
      using directory = temporaryDirectory();
      await using empty = await emptyPostgres();
      await body({ url: empty.url, directory });
    },
  });
}
