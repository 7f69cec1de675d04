/** A database's address that accepts connections and closes them, as a proxy with no server behind it does. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { startSilentProxy } from "../../doubles/silent_proxy.ts";
import { minedPostgres, postgresUrl } from "../../support/database.ts";
import { metricsOf, run, type RuntimeName, serve } from "../../support/program.ts";
import { until } from "../../support/time.ts";

const ignore = postgresUrl === undefined;

Deno.test({
  name: "a start on it ends with a line, as on one that refuses",
  ignore,
  fn: async () => {
    await using proxy = await startSilentProxy(postgresUrl ?? "");
    proxy.slam();
    const { code, stderr } = await run(["serve"], { DATABASE_URL: proxy.url, PORT: "0" });
    assertEquals(code, 1);
    assertMatch(stderr, /demand: DATABASE_URL: cannot connect: .*closed it before a word\n$/);
    assert(proxy.accepted < 10, `${proxy.accepted} connections`);
  },
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test({
    name: `under ${runtime} a running service tries it now and then, says so, and hears a signal`,
    ignore,
    fn: async () => {
      await using mined = await minedPostgres();
      await using proxy = await startSilentProxy(mined.url);
      const env = { DATABASE_URL: proxy.url, METRICS_LISTEN: "127.0.0.1:0" };
      await using service = await serve(env, runtime);
      proxy.slam();
      assertMatch(await metricsOf(service), /^demand_database_up\{.*\} 0$/m);
      const before = proxy.accepted;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const paced = proxy.accepted - before;
      // Unpaced it was thousands a second.
      assert(paced < 50, `${paced} connections in a second`);

      proxy.heal();
      // A connection that the outage closed may be reset under the first request.
      const answers = () => fetch(`${service.base}/health`).then(({ ok }) => ok, () => false);
      await until(answers, "it finds the database again");
      proxy.slam();
      service.running.kill("SIGTERM");
      const { code } = await service.running.finished;
      assertEquals(code, 0, service.running.output().stderr);
    },
  });
}
