/** The two servers that bench/serving.ts compares, in one process each; prints its port. */
import { Hono } from "hono";
import { systemClock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { firstStart } from "../../db/corpus/corpus.ts";
import { migrate } from "../../db/migrate.ts";
import { openEmbedded } from "../../db/embedded/mod.ts";
import { loadCatalogue } from "../../mining/cards/catalogue.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { mineDemo } from "../../mining/job/demo.ts";
import { createApp } from "../../routes/app.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { currentRuntime, type FetchHandler } from "../../runtime/mod.ts";
import { temporaryDirectory } from "../../tests/support/database.ts";

const UNLIMITED = Object.fromEntries(Object.keys(RATE_LIMITS).map((name) => [name, 1e9]));

const directory = temporaryDirectory();
const database = await openEmbedded(directory.path, { share: false, now: Date.now });
await migrate(database.sql);
const now = await firstStart(database.sql, new Date());
const sleep = (): Promise<void> => Promise.resolve();
await mineDemo({ database, clock: systemClock, log: silentLog, sleep }, now, "00".repeat(32));
const catalogue = await loadCatalogue(database.sql, builtInRegistry(), now);
await database.close();
directory[Symbol.dispose]();

const ours = createApp({
  catalogue: () => catalogue,
  health: () => Promise.resolve({ database: true, ledger: true, sales: true, accepting: true }),
  settings: {
    hasSource: false,
    hasModel: true,
    mppCurrency: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    contact: null,
    version: "0",
    baseUrl: "http://127.0.0.1",
    paymentMode: "test",
    trustedProxies: [],
    rateLimits: UNLIMITED as unknown as typeof RATE_LIMITS,
    maxAtOnce: 1_000,
    familySlug: "family",
    family: null,
    changelog: "",
  },
  clock: systemClock,
  log: silentLog,
  requestId: () => crypto.randomUUID(),
});
const bare = new Hono();
for (const path of ["/v1/categories", "/v1/sample/opportunity"]) {
  const answer = await ours.fetch(new Request(`http://127.0.0.1${path}`), { remoteAddress: "::1" });
  const body = await answer.text();
  bare.get(path, (c) => c.body(body, 200, { "content-type": "application/json" }));
}
const handler: FetchHandler = Deno.args[0] === "bare"
  ? (request) => bare.fetch(request)
  : (request, peer) => ours.fetch(request, peer);
const server = await currentRuntime().serve({
  hostname: "127.0.0.1",
  port: 0,
  handler,
  onError: () => new Response(null, { status: 500 }),
  onRefusing: console.error,
});
console.log(server.port);
