/**
 * `deno task test`: starts what the tests share (a Postgres where one is installed, a migrated embedded
 * directory), runs them in parallel and stops what it started. Arguments go to `deno test`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../db/embedded/mod.ts";
import { migrate } from "../db/migrate.ts";
import { startCluster } from "./support/postgres_cluster.ts";

const given = Deno.env.get("TEST_DATABASE_URL");
const cluster = given === undefined ? startCluster() : null;
const url = given ?? cluster?.url;
if (url === undefined) {
  console.log("No Postgres server is installed here: testing the embedded database alone.");
}

const template = mkdtempSync(join(tmpdir(), "demand-template-"));
const database = await openEmbedded(template, { share: false, now: Date.now });
await migrate(database.sql);
await database.close();

const paths = Deno.args.some((arg) => arg.startsWith("tests/")) ? [] : ["tests/"];
const child = new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--parallel", "--quiet", ...Deno.args, ...paths],
  env: {
    TEST_EMBEDDED_TEMPLATE: template,
    ...(url === undefined ? {} : { TEST_DATABASE_URL: url }),
  },
  stdin: "null",
}).spawn();
const { code } = await child.status;
cluster?.stop();
rmSync(template, { recursive: true, force: true });
Deno.exit(code);
