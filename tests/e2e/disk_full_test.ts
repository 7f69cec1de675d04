import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import postgres from "postgres";
import { lines, writeArchive } from "../support/archive.ts";
import { temporaryDirectory } from "../support/database.ts";
import { run, serve } from "../support/program.ts";

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
      writeArchive(file, lines(16_000));
      const env = { DATA_DIR: join(disk, "data") };
      const full = await run(["import", file], env);
      assertEquals(full.code, 1, full.stderr);
      assertStringIncludes(full.stderr, "the disk of the database is full");
      assert(system("mount", "-o", "remount,size=400m", disk));
      const again = await run(["import", file], env);
      assertEquals(again.code, 0, again.stderr);
      assert(/posts read\s+16,000\n/.test(again.stdout), again.stdout);
    } finally {
      system("umount", disk);
    }
  },
});

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
      const env = { DATA_DIR: join(disk, "data") };
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
