/**
 * The servers that bench/payment.ts compares, one a process: `facilitator` says yes at once, `official`
 * sells through @x402/hono, `ours` through payment/, `static` answers for free. Prints its port, then its
 * CPU time in microseconds for every line it reads.
 */
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { declarePaymentIdentifierExtension } from "@x402/extensions/payment-identifier";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import { Hono } from "hono";
import process from "node:process";
import { systemClock } from "../core/clock.ts";
import { silentLog } from "../core/log.ts";
import { migrate } from "../db/migrate.ts";
import { openPostgres } from "../db/postgres.ts";
import { createPayments, type PaidOffer } from "../payment/mod.ts";
import { renderError } from "../routes/errors.ts";
import { TEST_SETTINGS } from "../tests/payment/shop.ts";

export const PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const NETWORK = "eip155:8453";

/** About 1.4 KB, like a short list of cards. */
export const ANSWER = {
  opportunities: Array.from({ length: 7 }, (_, i) => ({
    id: `opp_${"abcdefghijklmnop".slice(i)}${"x".repeat(i)}`,
    slug: "headphones-whose-cable-does-not-fray",
    title: "Headphones whose cable does not fray",
    category: "audio",
    score: 71.5,
    signalCount: 42,
    lastSeen: "2025-01-31T12:00:00.000Z",
  })),
  fetchedAt: "2025-01-31T12:00:00.000Z",
};

const offer: PaidOffer = {
  method: "GET",
  path: "/paid",
  priceUsd: "0.01",
  description: "A list",
  mimeType: "application/json",
  computeBudgetMs: 5_000,
  computeCosts: false,
  bazaar: { input: {}, inputSchema: { properties: {} }, output: { opportunities: [] } },
};

type Handler = (request: Request) => Response | Promise<Response>;

function facilitator(): Handler {
  const settled = JSON.stringify({
    success: true,
    transaction: `0x${"ab".repeat(32)}`,
    network: NETWORK,
  });
  const headers = { "content-type": "application/json" };
  const supported = {
    kinds: [{ x402Version: 2, scheme: "exact", network: NETWORK }],
    extensions: [],
    signers: {},
  };
  return async (request) => {
    if (request.url.endsWith("/supported")) return Response.json(supported);
    await request.text();
    if (request.url.endsWith("/verify")) return new Response('{"isValid":true}', { headers });
    return new Response(settled, { headers });
  };
}

function official(url: string): Handler {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
    .register(NETWORK, new ExactEvmScheme());
  const app = new Hono();
  app.use(paymentMiddleware(
    {
      "GET /paid": {
        accepts: { scheme: "exact", price: "$0.01", network: NETWORK, payTo: PAY_TO },
        description: "A list",
        mimeType: "application/json",
        extensions: {
          ...declareDiscoveryExtension({
            input: {},
            inputSchema: { properties: {} },
            output: { example: { opportunities: [] } },
          }),
          "payment-identifier": declarePaymentIdentifierExtension(),
        },
      },
    },
    server,
  ));
  app.get("/paid", (c) => c.json({ ...ANSWER, charged: true }));
  return (request) => app.fetch(request);
}

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
  if (kind === "facilitator") return facilitator();
  if (kind === "official") return official(facilitatorUrl);
  if (kind === "ours") return await ours(facilitatorUrl, databaseUrl);
  return plain();
}

if (import.meta.main) {
  const [kind = "static", ...rest] = Deno.args;
  const handler = await choose(kind, ...rest);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  console.log(server.addr.port);
  for await (const _ of Deno.stdin.readable) {
    const { user, system } = process.cpuUsage();
    console.log(user + system);
  }
  Deno.exit(0);
}
