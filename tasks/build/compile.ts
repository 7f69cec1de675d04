/**
 * `deno task compile [--target NAME]… [--all]`: the service as one executable in dist/, made by Deno.
 *
 * The sources are bundled first and the bundle is compiled: with node_modules inside, the executable
 * would be twice as large and start three times slower. DENO_FOR_COMPILE names another Deno to
 * compile with; DENORT_BIN, which `deno compile` itself reads, a runtime base that is already here.
 */
import { join } from "node:path";
import { ASSETS } from "../../db/embedded/assets.ts";
import { DIST, outputName, report, ROOT, run, stage, targetsOf, WORKERS } from "./stage.ts";
import { runTask } from "../run_task.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/**
 * What the service may do: it starts no process, loads no native library and no code; of the system it asks
 * the name of the host, and how much room is on the disk of the data. Hosts and paths are the operator's
 * settings, which are not known here; docs/running.md says how to narrow them too.
 */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys=hostname,statfs",
];

/**
 * Flags of V8. Young objects in 4 MB and not 16, and an old generation that grows by steps of 30 percent:
 * less resident, for more collections. A WebAssembly function is optimised when it has run eight times as
 * long as usual: the embedded database starts sooner, since optimising its largest functions takes long.
 * bench/start.ts shows what they do on a machine.
 */
const V8_FLAGS = [
  "--max-semi-space-size=4",
  "--initial-old-space-size=1",
  "--heap-growing-percent=30",
  "--wasm-tiering-budget=100000000",
];

await runTask(async () => {
  const folder = await stage("bundle-deno", { packed: false });
  const bundle = (...output: string[]): void =>
    run(Deno.execPath(), ["bundle", "--quiet", "--minify", "--platform", "deno", ...output], ROOT);
  // In chunks: a command loads what it needs, workers share them, and modules are evaluated in the order of their sources.
  const entries = ["main.ts", ...WORKERS.map((worker) => `${worker}.ts`)];
  bundle("--code-splitting", "--outdir", folder, ...entries.map((name) => join(folder, name)));

  const included = [...WORKERS.map((worker) => `${worker}.js`), ...Object.values(ASSETS)];
  for (const target of targetsOf(Deno.args, TARGETS)) {
    const output = join(DIST, outputName("demand", target));
    run(Deno.env.get("DENO_FOR_COMPILE") ?? Deno.execPath(), [
      "compile",
      "--quiet",
      "--no-check",
      "--no-config",
      "--unstable-cron",
      ...PERMISSIONS,
      `--v8-flags=${V8_FLAGS.join(",")}`,
      ...included.flatMap((file) => ["--include", file]),
      ...(target === null ? [] : ["--target", target]),
      "--output",
      output,
      "main.js",
    ], folder);
    report(output);
  }
});
