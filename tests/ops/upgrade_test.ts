/**
 * A rolling upgrade: the newest earlier version in the history whose schema is older than today's sells
 * beside this one, before, during and after this one's migrations, and after it is gone again.
 */
import { assert, assertEquals } from "@std/assert";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { emptyPostgres, postgresUrl, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { type Program, serve, type Service } from "../support/program.ts";
import { MIGRATIONS, NEWEST_MIGRATION } from "../../db/migrations/mod.ts";

const ROOT = join(import.meta.dirname ?? ".", "..", "..");
const TRENDING = "/v1/opportunities/trending";

function git(...args: string[]): string | null {
  const { success, stdout } = new Deno.Command("git", { args, cwd: ROOT, stderr: "null" })
    .outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : null;
}

/** The newest migration of the version before this one. */
const RELEASED = 19;

/** The commit before this version's first migration came; null where the history does not reach back to it. */
function previousVersion(): string | null {
  const { id = 0, name = "" } = MIGRATIONS.find((migration) => migration.id > RELEASED) ?? {};
  const file = `db/migrations/${String(id).padStart(4, "0")}_${name}.sql`;
  const added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", file);
  return added === null || added === "" ? null : git("rev-parse", "--verify", `${added}^`);
}

const previous = previousVersion();

/** Buys once; the same payment again where the answer says so. Gives the number of askings. */
async function buy(base: string): Promise<number> {
  const url = `${base}${TRENDING}`;
  const headers = await createPayer().header(url);
  for (let asked = 1; asked <= 50; asked++) {
    const response = await fetch(url, { headers });
    const body = await response.json();
    if (response.status === 200) {
      assertEquals(body.charged, true);
      return asked;
    }
    assert([409, 503].includes(response.status), JSON.stringify(body));
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error("never delivered");
}

Deno.test({
  name: "the previous version sells while this one migrates, and after it has gone again",
  ignore: postgresUrl === undefined || previous === null,
  fn: async () => {
    using folder = temporaryDirectory();
    const sources = join(folder.path, "previous");
    assert(git("worktree", "add", "--detach", "--force", sources, previous ?? "") !== null);
    await using empty = await emptyPostgres();
    const { url } = empty;
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const env = { DATABASE_URL: url, RATE_LIMITS: "challenges=100000" };
    const home = { HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
    const services: Service[] = [];
    let selling = true;
    try {
      symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
      const start = join(sources, "start.sh");
      Deno.writeTextFileSync(start, `#!/bin/sh\nexec "${Deno.execPath()}" run -A main.ts "$@"\n`, {
        mode: 0o755,
      });
      const old: Program = { path: start, cwd: sources };
      const before = await serve({ ...home, ...env }, old);
      services.push(before);
      const schema = async () =>
        Number((await sql`select max(id)::int as id from schema_migrations`)[0]?.id);
      const oldSchema = await schema();
      assert(oldSchema < NEWEST_MIGRATION, "the previous version has an older schema");

      // Sells all the while.
      let sold = 0;
      const load = (async () => {
        while (selling) {
          await buy(before.base);
          sold++;
        }
      })();
      let failed = false;
      load.catch(() => failed = true);
      const now = await serve(env);
      services.push(now);
      assertEquals(await schema(), NEWEST_MIGRATION);
      const migrated = sold;
      for (let n = 0; n < 3; n++) await buy(now.base);
      while (sold < migrated + 3 && !failed) await new Promise((wake) => setTimeout(wake, 50));
      selling = false;
      await load;
      // What the previous version says of categories; this one may say more.
      const catalogues = await Promise.all(
        [before, now].map(async ({ base }) => {
          const { categories } = await (await fetch(`${base}/v1/categories`)).json();
          return (categories as Record<string, unknown>[]).map((
            { slug, opportunityCount, topScore, lastUpdated },
          ) => ({ slug, opportunityCount, topScore, lastUpdated }));
        }),
      );
      assertEquals(catalogues[0], catalogues[1]);

      // And back: this version goes, the previous one starts again on the newer schema.
      now.running.kill("SIGTERM");
      assertEquals((await now.running.finished).code, 0);
      const again = await serve({ ...home, ...env }, old);
      services.push(again);
      await buy(again.base);
      const [ledger] = await sql`select count(*) filter (where state = 'settled')::int as settled,
        count(*) filter (where state <> 'settled')::int as others from payments`;
      assertEquals(ledger, { settled: sold + 4, others: 0 });
      assert(!before.running.output().stderr.includes('"level":"error"'));
    } finally {
      selling = false;
      for (const { running } of services) {
        try {
          running.kill("SIGTERM");
        } catch {
          // It ended in the test.
        }
        await running.finished;
      }
      await sql.end();
      git("worktree", "remove", "--force", sources);
    }
  },
});
