import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { lines, writeArchive } from "../support/archive.ts";
import { minedData, postgresUrl, preparedData, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { startCluster } from "../support/postgres_cluster.ts";
import { metricsOf, run, serve } from "../support/program.ts";
import { until } from "../support/time.ts";

const system = (program: string, ...args: string[]): boolean =>
  new Deno.Command(program, { args, stderr: "null" }).outputSync().success;

/** A small disk of its own: only root may mount one. */
function smallDisk(path: string, megabytes: number): boolean {
  return Deno.build.os === "linux" && Deno.uid() === 0 &&
    system("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path);
}

function canMount(): boolean {
  using probe = temporaryDirectory();
  return smallDisk(probe.path, 1) && system("umount", probe.path);
}

Deno.test({
  name: "a full disk ends an import with a clear line, and more room lets it go on",
  ignore: !canMount(),
  fn: async () => {
    using directory = temporaryDirectory();
    const disk = join(directory.path, "disk");
    const file = join(directory.path, "posts.ndjson");
    Deno.mkdirSync(disk);
    assert(smallDisk(disk, 64));
    try {
      writeArchive(file, lines(3_000));
      const env = { DATA_DIR: preparedData(disk) };
      // So little is left that a short import finds it full.
      leave(disk, 4);
      const full = await run(["import", file], env);
      assertEquals(full.code, 1, full.stderr);
      assertStringIncludes(full.stderr, "the disk of the database is full");
      assert(system("mount", "-o", "remount,size=400m", disk));
      const again = await run(["import", file], env);
      assertEquals(again.code, 0, again.stderr);
      assert(/posts read\s+3,000\n/.test(again.stdout), again.stdout);
    } finally {
      system("umount", disk);
    }
  },
});

Deno.test({
  name:
    "a disk without room for a database stops the first start with one line, and more room begins it again",
  ignore: !canMount(),
  fn: async () => {
    using directory = temporaryDirectory();
    const disk = join(directory.path, "disk");
    Deno.mkdirSync(disk);
    assert(smallDisk(disk, 20));
    try {
      const env = { DATA_DIR: join(disk, "data") };
      const full = await run(["migrate"], env);
      assertEquals(full.code, 1, full.stderr);
      const told = full.stderr.split("\n").filter((line) => line.startsWith("demand: "));
      assertEquals(told, [
        "demand: DATA_DIR: the embedded database failed: no space left on device. " +
        "The disk is full: free some room (50 MB or more) and start again; nothing is lost",
      ]);
      assert(system("mount", "-o", "remount,size=90m", disk));
      const again = await run(["migrate"], env);
      assertEquals(again.code, 0, again.stderr);
    } finally {
      system("umount", disk);
    }
  },
});

/** Takes what is left of the disk, but for so many megabytes. */
function leave(path: string, megabytes: number): void {
  const { bavail, bsize } = statfsSync(path);
  Deno.writeFileSync(join(path, "others"), new Uint8Array(bavail * bsize - megabytes * 1_048_576));
}

/** Takes every byte that is left. */
function fill(path: string): void {
  const block = new Uint8Array(65_536);
  using file = Deno.openSync(path, { create: true, write: true });
  try {
    for (;;) file.writeSync(block);
  } catch {
    // Full.
  }
}

Deno.test({
  name: "a service whose log finds no room ends, says what to do, and starts again with more",
  ignore: !canMount(),
  fn: async () => {
    using directory = temporaryDirectory();
    const disk = join(directory.path, "disk");
    Deno.mkdirSync(disk);
    assert(smallDisk(disk, 90));
    try {
      const env = { DATA_DIR: minedData(disk) };
      const service = await serve(env);
      fill(join(disk, "others"));
      const sql = postgres({
        path: join(env.DATA_DIR, "demand.sock"),
        user: "postgres",
        database: "postgres",
        ssl: false,
        max: 1,
        fetch_types: false,
      });
      // 40 MB of log and of nothing else: a segment is 16 MB.
      for (let i = 0; i < 40; i++) {
        const said = await sql`
          select pg_logical_emit_message(false, 'x', repeat('x', 1000000))`.catch(() => null);
        if (said === null) break;
      }
      const { code, stderr } = await service.running.finished;
      assertEquals(code, 1, stderr);
      assertStringIncludes(
        stderr,
        "Postgres stopped, as it does where it cannot write to its disk",
      );
      await sql.end({ timeout: 1 });

      const still = await run(["serve"], { ...env, PORT: "0" });
      assertEquals(still.code, 1);
      assert(/disk (of .*)?is full/.test(still.stderr), still.stderr);
      Deno.removeSync(join(disk, "others"));
      await using again = await serve(env);
      assertEquals((await fetch(`${again.base}/health`)).status, 200);
    } finally {
      system("umount", disk);
    }
  },
});

/** A disk that will be full, and the settings of a service whose ledger lies on it. */
interface FullDisk {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What the doctor says then. */
const NOT_WRITTEN = /FAIL {2}ledger {8}payments cannot be written down/;
/** Or, after an autovacuum of its catalogue, which nobody can time: Postgres has a file to write for a new connection. */
const NOT_CONNECTED = /FAIL {2}database {6}DATABASE_URL: cannot connect: could not write init file/;

/** Sells until the disk is full, and sees to it that everything says so, and that room ends it. */
async function sellUntilFull({ path, env }: FullDisk): Promise<void> {
  await using service = await serve({
    ...{ RATE_LIMITS: "challenges=100000", METRICS_LISTEN: "127.0.0.1:0" },
    ...env,
  });
  const url = `${service.base}/v1/brief`;
  const port = new URL(service.base).port;
  assert((await createPayer().fetch(url)).ok);
  const left = await createPayer().header(url);
  fill(join(path, "others"));

  let last: Response | null = null;
  for (let sales = 0; sales < 2_000; sales++) {
    last = await createPayer().fetch(url).catch(() => null);
    if (last?.status !== 200) break;
    await last.body?.cancel();
  }
  // The payment was taken and could not be written down, or was not asked for any more.
  assertEquals(last === null ? 503 : last.status, 503);
  await last?.body?.cancel();

  await until(async () => {
    const unpaid = await fetch(url);
    await unpaid.body?.cancel();
    return unpaid.status === 503;
  }, "nobody is asked to pay any more");
  const ready = await fetch(`${service.base}/readyz`);
  assertEquals([ready.status, (await ready.json()).reason], [503, "ledger"]);
  assert(/^demand_ledger_writable 0$/m.test(await metricsOf(service)));
  const health = await run(["healthcheck"], { ...env, PORT: port });
  assertEquals(health.code, 1);
  assertStringIncludes(health.stdout, '"sales":"stopped"');
  const doctor = await run(["doctor"], env);
  assertEquals(doctor.code, 1);
  const told = env["DATABASE_URL"] === undefined ? [NOT_WRITTEN] : [NOT_WRITTEN, NOT_CONNECTED];
  assert(told.some((line) => line.test(doctor.stdout)), doctor.stdout);

  Deno.removeSync(join(path, "others"));
  await until(async () => {
    const unpaid = await fetch(url);
    await unpaid.body?.cancel();
    return unpaid.status === 402;
  }, "it sells again");
  const sold = await fetch(url, { headers: left });
  assertEquals([sold.status, (await sold.json()).charged], [200, true]);
  const well = await run(["doctor"], env);
  assert(/ok {4}ledger/.test(well.stdout), well.stdout);
}

Deno.test({
  name: "a disk that is full under the embedded ledger stops sales until there is room",
  ignore: !canMount(),
  fn: async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "disk");
    Deno.mkdirSync(path);
    assert(smallDisk(path, 100));
    try {
      await sellUntilFull({ path, env: { DATA_DIR: minedData(path) } });
    } finally {
      system("umount", path);
    }
  },
});

Deno.test({
  name: "a disk that is full under the ledger in Postgres stops sales until there is room",
  ignore: postgresUrl === undefined || !canMount(),
  fn: async () => {
    using directory = temporaryDirectory();
    // The server's own user must get there.
    Deno.chmodSync(directory.path, 0o755);
    const path = join(directory.path, "disk");
    Deno.mkdirSync(path);
    assert(smallDisk(path, 64));
    const space = join(path, "space");
    Deno.mkdirSync(space);
    assert(system("chown", "postgres:postgres", space));
    // A server of its own: while a disk is full no checkpoint succeeds, and other tests drop databases.
    const cluster = startCluster();
    assert(cluster !== null);
    try {
      const admin = postgres(cluster.url, { max: 1, onnotice: () => {} });
      await admin.unsafe(`create tablespace full_disk location '${space}'`);
      await admin.unsafe("create database full_disk tablespace full_disk");
      await admin.end();
      const url = new URL(cluster.url);
      url.pathname = "/full_disk";
      await sellUntilFull({ path, env: { DATABASE_URL: url.href } });
    } finally {
      cluster.stop();
      system("umount", path);
    }
  },
});
