/**
 * The program as it is shipped: one suite over HTTP and the command line, for the sources and for every
 * executable that TEST_EXECUTABLES names (paths, separated by commas; .ci/run builds and names them).
 * An executable is copied into an empty folder and has nothing on its PATH.
 */
import {
  assert,
  assertEquals,
  assertGreater,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { lines, writeArchive } from "../support/archive.ts";
import { emptyPostgres, minedData, postgresUrl, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { commandOf, type Program, run, serve } from "../support/program.ts";
import { VERSION } from "../../version.ts";

const executables = (Deno.env.get("TEST_EXECUTABLES") ?? "").split(",").filter(Boolean)
  .map((path) => resolve(path));

/**
 * Calls `body` in an empty folder with the program to run there. An executable's are beside it: it may read nothing
 * below /dev, where the tests may keep their files.
 */
async function inEmptyFolder(
  executable: string | null,
  body: (program: Program, folder: string) => Promise<void>,
): Promise<void> {
  const beside = executable === null ? undefined : dirname(executable);
  using folder = temporaryDirectory(beside);
  if (executable === null) return await body("deno", folder.path);
  using program = temporaryDirectory(beside);
  const path = join(program.path, basename(executable));
  Deno.copyFileSync(executable, path);
  await body({ path, cwd: folder.path }, folder.path);
}

async function health(base: string): Promise<{ opportunities: number; signals: number }> {
  const response = await fetch(`${base}/health`);
  const body = await response.json();
  assertEquals([response.status, body.status], [200, "ok"]);
  return body.corpus;
}

for (const executable of [null, ...executables]) {
  const what = executable === null ? "the sources" : basename(executable);

  Deno.test(`${what}: says its version, its commands, and what is wrong`, () =>
    inEmptyFolder(executable, async (program, folder) => {
      const version = await run(["version"], {}, program);
      assertEquals(version.code, 0, version.stderr);
      const made = executable === null ? "run from its sources" : "[0-9a-f]{12}(-modified)?";
      assertMatch(
        version.stdout,
        new RegExp(`^${VERSION.replaceAll(".", "[.]")} \\(${made}\\)\n$`),
      );
      const manual = await run(["help", "running"], {}, program);
      assertStringIncludes(manual.stdout, "RUNNING THE SERVICE");
      assertEquals((await run(["init", join(folder, "setup")], {}, program)).code, 0);
      const help = await run(["--help"], {}, program);
      assertStringIncludes(help.stdout, "import archives of posts");
      const document = await run(["openapi"], {}, program);
      assertEquals(JSON.parse(document.stdout).info.version, VERSION);
      assertEquals(document.stderr, "", "a module that fails to load says so here");
      const wrong = await run(["serve"], { PORT: "eighty" }, program);
      assertEquals(wrong.code, 1);
      assertStringIncludes(wrong.stderr, "PORT: should be a whole number");
    }));

  Deno.test(`${what}: a first run, an import beside it, a kill and a restart, on the embedded database`, () =>
    inEmptyFolder(executable, async (program, folder) => {
      const env = { DATA_DIR: join(folder, "data") };
      const first = await serve(env, program);
      const demo = await health(first.base);
      assertGreater(demo.opportunities, 0);
      const sold = await createPayer().fetch(`${first.base}/v1/opportunities/trending`);
      const answer = await sold.json();
      assertEquals([sold.status, answer.charged], [200, true], JSON.stringify(answer));
      assertGreater(answer.opportunities.length, 0);

      const archive = join(folder, "posts.ndjson.gz");
      writeArchive(archive, lines(600));
      const imported = await run(["import", archive], env, program);
      assertEquals(imported.code, 0, imported.stderr);
      const doctor = await run(["doctor"], env, program);
      assertEquals(doctor.code, 0, doctor.stdout + doctor.stderr);
      assertMatch(doctor.stdout, /disk +\d.* free on the disk of/);
      const backup = join(folder, "all.backup.gz");
      assertEquals((await run(["backup", backup], env, program)).code, 0);
      first.running.kill("SIGKILL");
      await first.running.finished;

      const second = await serve(env, program);
      const real = await health(second.base);
      assert(real.signals > demo.signals, JSON.stringify({ demo, real }));
      const sample = await (await fetch(`${second.base}/v1/sample/opportunity`)).text();
      assertStringIncludes(sample, "BuyItForLife");
      await second[Symbol.asyncDispose]();
      const { code, stderr } = await second.running.finished;
      assertEquals(code, 0, stderr);
      assert(!stderr.includes("ENOENT"), stderr);
    }));

  Deno.test(`${what}: pays for a tool over stdio, and counts it below HOME`, () =>
    inEmptyFolder(executable, async (program, folder) => {
      const key = generatePrivateKey();
      const nowhere = { EVM_PRIVATE_KEY: key, HOME: "", XDG_STATE_HOME: "", APPDATA: "" };
      const refused = await run(["mcp"], nowhere, program);
      assertEquals([refused.code, refused.stderr.trimEnd().split("\n").length], [1, 1]);
      assertStringIncludes(refused.stderr, "HOME: not set");

      await using service = await serve({ DATA_DIR: minedData(folder) }, program);
      const [command = "", ...args] = [...commandOf(program), "mcp", service.base];
      const client = new Client({ name: "host", version: "1" });
      await client.connect(
        new StdioClientTransport({ command, args, env: { ...nowhere, HOME: folder } }),
      );
      const { structuredContent } = await client.callTool({ name: "getBrief" });
      await client.close();
      assertEquals(Object(structuredContent).charged, true, JSON.stringify(structuredContent));
      const spent = `spent-${privateKeyToAddress(key).toLowerCase()}`;
      const days = join(folder, ".local", "state", "demand", spent);
      const [day = ""] = readdirSync(days);
      const counted = Deno.readTextFileSync(join(days, day));
      assertMatch(counted, /^\d{4}-\d\d-\d\d 250000 [\w-]{36}\n\d{4}-\d\d-\d\d 0 \S+ [\w-]{36}\n$/);
    }));

  Deno.test({
    name: `${what}: serves on Postgres what it imported there`,
    ignore: postgresUrl === undefined,
    fn: () =>
      inEmptyFolder(executable, async (program, folder) => {
        await using empty = await emptyPostgres();
        const { url } = empty;
        const env = { DATABASE_URL: url };
        const archive = join(folder, "posts.ndjson");
        writeArchive(archive, lines(600));
        const imported = await run(["import", archive], env, program);
        assertEquals(imported.code, 0, imported.stderr);
        const backup = join(folder, "all.backup.gz");
        assertEquals((await run(["backup", backup], env, program)).code, 0);
        const restored = await run(["restore", backup, "--force"], env, program);
        assertEquals(restored.code, 0, restored.stderr);
        const service = await serve(env, program);
        assertGreater((await health(service.base)).opportunities, 0);
        await service[Symbol.asyncDispose]();
      }),
  });
}
