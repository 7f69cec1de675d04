/**
 * `deno task bench [NAME…]`: runs the benchmarks, each a script of its own that prints ratios against a
 * named rival or floor measured in the same run. Starts a Postgres for those that want one, unless
 * BENCH_DATABASE_URL names one.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { startCluster } from "../tests/support/postgres_cluster.ts";
import { TEST_CONFIG } from "../tests/support/program.ts";

const directory = import.meta.dirname ?? ".";
const all = readdirSync(directory)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .map((name) => basename(name, ".ts")).sort();
const unknown = Deno.args.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}", only ${all.join(", ")}.`);
  Deno.exit(2);
}

const given = Deno.env.get("BENCH_DATABASE_URL");
const cluster = given === undefined ? startCluster({ fsync: true }) : null;
const url = given ?? cluster?.url;
let failed = false;
for (const name of Deno.args.length > 0 ? Deno.args : all) {
  console.log(`\n== ${name}`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--config", TEST_CONFIG, join(directory, `${name}.ts`)],
    env: url === undefined ? {} : { BENCH_DATABASE_URL: url },
  }).spawn().status;
  failed ||= !success;
}
cluster?.stop();
Deno.exit(failed ? 1 : 0);
