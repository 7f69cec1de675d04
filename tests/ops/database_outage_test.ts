/** A Postgres that goes silent without closing its connections: the alarm comes, and the process still ends. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { startSilentProxy } from "../doubles/silent_proxy.ts";
import { minedPostgres, postgresUrl } from "../support/database.ts";
import { metricsOf, type RuntimeName, serve } from "../support/program.ts";

/** Above what the deadlines add up to, and far below the quarter of an hour that a connection would take. */
const BOUND_MS = 45_000;

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test({
    name: `under ${runtime} metrics tell of a silent database, and a signal ends the service`,
    ignore: postgresUrl === undefined,
    fn: async () => {
      await using mined = await minedPostgres();
      await using proxy = await startSilentProxy(mined.url);
      const env = { DATABASE_URL: proxy.url, METRICS_LISTEN: "127.0.0.1:0" };
      await using service = await serve(env, runtime);
      proxy.silence();
      const asked = performance.now();
      assertMatch(await metricsOf(service), /^demand_database_up\{.*\} 0$/m);
      assert(performance.now() - asked < 10_000, "the scrape waited for the database");
      const began = performance.now();
      service.running.kill("SIGTERM");
      const { code } = await service.running.finished;
      assert(performance.now() - began < BOUND_MS, "the end waited for the database");
      assertEquals(code, 0, service.running.output().stderr);
    },
  });
}
