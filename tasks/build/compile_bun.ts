/**
 * `deno task compile:bun [--target NAME]… [--all]`: the service as one executable in dist/, made by Bun
 * from the same sources.
 */
import { join } from "node:path";
import { ASSETS } from "../../db/embedded/assets.ts";
import { DIST, outputName, report, run, stage, targetsOf, WORKERS } from "./stage.ts";
import { runTask } from "../run_task.ts";

const TARGETS = [
  "bun-linux-x64",
  "bun-linux-arm64",
  "bun-darwin-x64",
  "bun-darwin-arm64",
  "bun-windows-x64",
];

/** The version that the tests run under. */
const BUN = "bun@1.4.4";

await runTask(async () => {
  const folder = await stage("bundle-bun", { packed: true });
  for (const target of targetsOf(Deno.args, TARGETS)) {
    const output = join(DIST, outputName("demand-bun", target));
    run("npx", [
      "-y",
      BUN,
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      "--loader",
      ".bin:file",
      "--asset-naming",
      "[name].[ext]",
      ...(target === null ? [] : [`--target=${target}`]),
      "--outfile",
      output,
      "main.ts",
      ...WORKERS.map((worker) => `${worker}.ts`),
      ...Object.values(ASSETS),
    ], folder);
    report(output);
  }
});
