import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { lines, writeArchive } from "../support/archive.ts";
import { temporaryDirectory } from "../support/database.ts";
import { run } from "../support/program.ts";

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
