/** Three replicas on one Postgres behind a small proxy, and the plug pulled in several places. */
import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { emptyPostgres, postgresUrl } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { startCluster } from "../support/postgres_cluster.ts";
import { serve, type Service } from "../support/program.ts";
import { until } from "../support/time.ts";

const onPostgres = { ignore: postgresUrl === undefined };
const TRENDING = "/v1/opportunities/trending";

/** Ends a replica, or takes note that it is gone already. */
async function end({ running }: Service): Promise<void> {
  try {
    running.kill("SIGTERM");
  } catch {
    // Killed by the test.
  }
  await running.finished;
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** The status of an answer, or null if there is none. */
async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  const response = await fetch(url, { headers }).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? null;
}

/** Sends each request to the next replica, and to another one where that one cannot be reached. */
function startProxy(replicas: readonly Service[]): { base: string } & AsyncDisposable {
  let turn = 0;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const first = turn++;
      for (let tried = 0; tried < replicas.length; tried++) {
        const replica = replicas[(first + tried) % replicas.length];
        const answer = await fetch(`${replica?.base}${pathname}${search}`, {
          headers: request.headers,
        }).catch(() => null);
        if (answer !== null) return new Response(answer.body, answer);
      }
      return Response.json({ error: "no replica" }, { status: 502 });
    },
  );
  return {
    base: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const tags = (replicas: readonly Service[]): Promise<(string | null)[]> =>
  Promise.all(replicas.map(async ({ base }) => {
    const response = await fetch(`${base}/v1/categories`);
    await response.body?.cancel();
    return response.headers.get("etag");
  }));

Deno.test({
  name:
    "three replicas: one mines, all serve the same, one payment buys once, killing them loses nothing",
  ...onPostgres,
  fn: async () => {
    await using empty = await emptyPostgres();
    const { url } = empty;
    const env = { DATABASE_URL: url, RATE_LIMITS: "categories=100000" };
    const replicas = await Promise.all([serve(env), serve(env), serve(env)]);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await until(
        async () => new Set(await tags(replicas)).size === 1,
        "the same catalogue everywhere",
      );
      const runs = await sql`select kind from mining_runs where error is null`;
      assertEquals(runs.length, 1, "one replica alone mined the demonstration");

      const proxy = startProxy(replicas);
      const payer = createPayer();
      const payment = await payer.header(`${proxy.base}${TRENDING}`);
      const same = replicas.flatMap(({ base }) => [base, base]).map(async (base) => {
        const response = await fetch(`${base}${TRENDING}`, { headers: payment });
        return { status: response.status, body: await response.json() };
      });
      const answers = await Promise.all(same);
      const delivered = answers.filter(({ status }) => status === 200);
      assert(delivered.length > 0, JSON.stringify(answers));
      assertEquals(new Set(delivered.map(({ body }) => JSON.stringify(body))).size, 1);
      for (const { status } of answers) {
        assert([200, 409, 503].includes(status), `status ${status}`);
      }
      const [paid] = await sql`select count(*)::int as n, sum(amount)::int as units from payments
        where state = 'settled'`;
      assertEquals(paid, { n: 1, units: 10_000 });

      // One after another is killed in the middle of paid calls; the others answer.
      let bought = 1;
      for (const replica of replicas.slice(0, 2)) {
        const calls = Array.from({ length: 6 }, async () => {
          const url = `${proxy.base}${TRENDING}`;
          // A buyer of its own each: the same one would be given what it has bought.
          const headers = await createPayer().header(url);
          for (;;) {
            const response = await fetch(url, { headers });
            const body = await response.json();
            if (response.status === 200) return body.charged;
            assert([409, 502, 503].includes(response.status), JSON.stringify(body));
            await pause(200);
          }
        });
        replica.running.kill("SIGKILL");
        assertEquals(await Promise.all(calls), Array.from({ length: 6 }, () => true));
        bought += 6;
      }
      const [after] = await sql`select count(*) filter (where state = 'settled')::int as settled,
        count(*) filter (where state = 'settling')::int as open from payments`;
      assertEquals(after, { settled: bought, open: 0 });

      // What is mined elsewhere reaches the last one by notification.
      const [before] = await tags(replicas.slice(2));
      await sql`update corpus set built_at = now(), revision = revision + 1
        returning pg_notify('demand_revision', revision::text)`;
      await until(async () => (await tags(replicas.slice(2)))[0] !== before, "the new revision");
      await proxy[Symbol.asyncDispose]();

      // A newer version was here: this one goes on, and starts, beside it.
      await sql`insert into schema_migrations (id, name) values (9999, 'of a newer version')`;
      replicas.push(await serve(env));
      await until(
        async () => new Set(await tags(replicas.slice(2))).size === 1,
        "the same catalogue",
      );
    } finally {
      await sql.end();
      await Promise.all(replicas.map(end));
    }
  },
});

Deno.test({
  name:
    "Postgres restarting under load: every answer is named, nothing is charged wrongly, the service heals",
  ...onPostgres,
  fn: async () => {
    const cluster = startCluster();
    assert(cluster !== null, "no server binaries for a cluster of its own");
    const service = await serve({ DATABASE_URL: cluster.url, RATE_LIMITS: "challenges=100000" });
    const url = `${service.base}${TRENDING}`;
    let stop = false;
    const seen = new Map<string, number>();
    let delivered = 0;
    const buyer = async (): Promise<void> => {
      while (!stop) {
        // While the ledger is away nobody is asked to sign.
        // The same buyer would be given what it has bought.
        const headers = await createPayer().header(url).catch((error) => {
          assert(error.message.startsWith("503 and not 402"), error.message);
          return null;
        });
        if (headers === null) {
          await pause(100);
          continue;
        }
        const response = await fetch(url, { headers });
        const body = await response.json();
        const key = `${response.status} ${body.error?.code ?? ""}`.trim();
        seen.set(key, (seen.get(key) ?? 0) + 1);
        if (response.status === 200) delivered++;
        else if (response.status !== 402) {
          assert([409, 429, 503, 504].includes(response.status), JSON.stringify(body));
          await pause(100);
          // The same payment again: bought once, whatever happened to the first asking.
          await until(async () => {
            const again = await statusOf(url, headers);
            if (again === 200) delivered++;
            return again === 200;
          }, "the payment's outcome");
        }
      }
    };
    try {
      const restart = async (): Promise<void> => {
        await pause(1_000);
        cluster.restart();
        await until(async () => await statusOf(`${service.base}/health`) === 200, "health");
        const healed = delivered;
        await until(() => delivered > healed + 5, "sales again");
        stop = true;
      };
      await Promise.all([buyer(), buyer(), buyer(), restart()]);
      const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
      const [row] = await sql`select count(*) filter (where state = 'settled')::int as settled,
        count(*) filter (where state = 'settling')::int as open from payments`;
      await sql.end();
      assertEquals(row, { settled: delivered, open: 0 }, JSON.stringify([...seen]));
    } finally {
      stop = true;
      await end(service);
      cluster.stop();
    }
  },
});
