/**
 * The servers that bench/payment.ts compares, one a process: `official` sells through @x402/hono, `ours`
 * through payment/, `static` answers for free. Prints its port, then its CPU time in microseconds for
 * every line it reads.
 */
import { Hono } from "hono";
import process from "node:process";
import { systemClock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { migrate } from "../../db/migrate.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import { createPayments, type PaidOffer } from "../../payment/mod.ts";
import { ERRORS } from "../../core/errors.ts";
import { renderError } from "../../routes/pipeline/errors.ts";
import { currentRuntime } from "../../runtime/mod.ts";
import { TEST_SETTINGS } from "../../tests/payment/support/shop.ts";
import { ANSWER, NETWORK, officialApp, PAY_TO } from "./payment_official.mjs";

const offer: PaidOffer = {
  method: "GET",
  path: "/paid",
  priceUsd: "0.01",
  description: "A list",
  mimeType: "application/json",
  computeBudgetMs: 5_000,
  compute: "memory",
  bazaar: { input: {}, inputSchema: { properties: {} }, output: { opportunities: [] } },
};

type Handler = (request: Request) => Response | Promise<Response>;

async function ours(facilitatorUrl: string, databaseUrl: string): Promise<Handler> {
  const database = await openPostgres({ url: databaseUrl });
  await migrate(database.sql);
  const payments = await createPayments({
    settings: {
      ...TEST_SETTINGS,
      mode: "facilitator",
      payTo: PAY_TO,
      network: NETWORK,
      rpcUrl: "http://127.0.0.1:1",
      facilitatorUrl,
    },
    database,
    clock: systemClock,
    log: silentLog,
    fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    ticks: () => performance.now(),
  });
  await payments.start();
  const route = payments.paid(offer, {
    prepare: () => ({ compute: () => ({ body: ANSWER, charge: true }) }),
  });
  const app = new Hono();
  app.get("/paid", (c) =>
    route(c.req.raw, {
      headers: {},
      error: (thrown) => {
        const { status, body, headers } = renderError({ requestId: "b", log: silentLog }, thrown);
        return Response.json(body, { status, headers });
      },
      statusOf: (code) => ERRORS[code].status,
    }));
  return (request) => app.fetch(request);
}

function plain(): Handler {
  const app = new Hono();
  const body = JSON.stringify(ANSWER);
  app.get("/paid", () => new Response(body, { headers: { "content-type": "application/json" } }));
  return (request) => app.fetch(request);
}

async function choose(kind: string, facilitatorUrl = "", databaseUrl = ""): Promise<Handler> {
  if (kind === "official") {
    const app = officialApp(facilitatorUrl);
    return (request) => app.fetch(request);
  }
  if (kind === "ours") return await ours(facilitatorUrl, databaseUrl);
  return plain();
}

const [kind = "static", ...rest] = process.argv.slice(2);
const handler = await choose(kind, ...rest);
const onError = (): Response => new Response(null, { status: 500 });
const server = await currentRuntime().serve({
  hostname: "127.0.0.1",
  port: 0,
  handler,
  onError,
  onRefusing: console.error,
});
console.log(server.port);
process.stdin.on("data", () => {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpu: user + system }));
});
process.stdin.on("end", () => process.exit(0));
