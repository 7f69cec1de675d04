/**
 * What a paid answer costs beside the payment: each read, and a verdict from the cache, against the same
 * payment around a handler that returns a constant. In process, on Postgres, in payment mode `test`; the
 * calls are taken in turns, so that a busy machine hurts all alike.
 */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { systemClock } from "../core/clock.ts";
import { silentLog } from "../core/log.ts";
import { migrate } from "../db/migrate.ts";
import { firstStart } from "../db/corpus/corpus.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import { findKinds } from "../gauge/query/kinds.ts";
import { createGauge } from "../gauge/mod.ts";
import { loadCatalogue } from "../mining/cards/catalogue.ts";
import { builtInRegistry } from "../mining/communities/registry.ts";
import { demoSearch } from "../mining/demo/search.ts";
import { mineDemo } from "../mining/job/demo.ts";
import { createPayments, type PaidHandler } from "../payment/mod.ts";
import { PAID_ROUTES } from "../routes/all.ts";
import { handlerOf, offerOf } from "../routes/pipeline/paid.ts";
import { encode, sign } from "../tests/payment/support/buyer.ts";
import { TEST_SETTINGS } from "../tests/payment/support/shop.ts";
import { median } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";

const CALLS = Number(Deno.env.get("BENCH_CALLS") ?? 300);
const WARM_UP = 60;
const HOST = "http://127.0.0.1";

const own = await ownDatabase("paid_reads");
const database = await openPostgres({ url: own.url });
await migrate(database.sql);
const now = await firstStart(database.sql, new Date());
const miner = { database, clock: systemClock, log: silentLog, sleep: () => Promise.resolve() };
await mineDemo(miner, now, "00".repeat(32));
const catalogue = await loadCatalogue(database.sql, builtInRegistry(), now);
const verdicts = createGauge({
  database,
  catalogue: () => catalogue,
  model: null,
  allowExtractive: true,
  source: demoSearch(database.sql),
  findKinds,
  readLive: () => [],
  inRegistry: () => false,
  storeLivePosts: () => Promise.resolve(),
  clock: systemClock,
  log: silentLog,
  random: (bytes) => crypto.randomUUID().replaceAll("-", "").slice(0, bytes * 2),
});
const payments = await createPayments({
  settings: { ...TEST_SETTINGS, payTo: null, baseUrl: HOST },
  database,
  clock: systemClock,
  log: silentLog,
  fetch,
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  ticks: () => performance.now(),
});

const constant: PaidHandler = {
  prepare: () => ({ compute: () => ({ body: { answer: "the same" }, charge: true }) }),
};
const deps = { catalogue: () => catalogue, verdicts, settings: { hasModel: true } };
const card = catalogue.cards[0];
if (card === undefined) throw new Error("the demonstration has no card");
const query = JSON.stringify({ query: card.title });

interface Course {
  readonly name: string;
  readonly answer: ReturnType<typeof payments.paid>;
  readonly amount: number;
  readonly accepted: unknown;
  readonly request: (headers: Record<string, string>) => Request;
}

function course(name: string, path: string, search: string, handler?: PaidHandler): Course {
  const route = PAID_ROUTES.find(({ row }) => row.path === path);
  if (route === undefined) throw new Error(path);
  const offer = offerOf(route, catalogue);
  const { amount, requirements } = payments.paymentRequired(offer);
  const isPost = route.row.method === "POST";
  return {
    name,
    answer: payments.paid(offer, handler ?? handlerOf(route, deps)),
    amount,
    accepted: requirements,
    request: (headers) =>
      new Request(`${HOST}${path}${search}`, {
        method: route.row.method,
        headers: isPost ? { ...headers, "content-type": "application/json" } : headers,
        ...(isPost ? { body: query } : {}),
      }),
  };
}

const READS = "/v1/opportunities/trending";
const courses = [
  course("constant", READS, "", constant),
  course("trending", READS, ""),
  course("opportunities", "/v1/opportunities", `?category=${card.category}`),
  course("opportunity", "/v1/opportunity", `?id=${card.id}`),
  course("brief", "/v1/brief", ""),
  course("gauge, cached", "/v1/gauge", ""),
];

/** Milliseconds for one paid call of a fresh payer. */
async function call({ answer, amount, accepted, request }: Course): Promise<number> {
  const payer = privateKeyToAccount(generatePrivateKey());
  const payload = await sign(payer, { payTo: payments.status().payTo, amount });
  const payment = encode({ x402Version: 2, accepted, payload });
  const sent = request({ "payment-signature": payment });
  const started = performance.now();
  const response = await answer(sent, {
    statusOf: () => 500,
    headers: {},
    error: (error) => {
      throw error;
    },
  });
  await response.arrayBuffer();
  const took = performance.now() - started;
  if (response.status !== 200) throw new Error(`a paid call was answered ${response.status}`);
  return took;
}

const times = new Map(courses.map(({ name }) => [name, [] as number[]]));
for (let n = 0; n < WARM_UP + CALLS; n++) {
  for (const each of courses) {
    const took = await call(each);
    if (n >= WARM_UP) times.get(each.name)?.push(took);
  }
}
const floor = median(times.get("constant") ?? []);
for (const [name, values] of times) {
  const ms = median(values);
  console.log(`${name.padEnd(15)} ${ms.toFixed(2)} ms, ${(ms / floor).toFixed(2)} of the constant`);
}
console.log("wanted: reads at most 1.10; the cached verdict a read and one indexed query");
await payments.stop();
await database.close();
await own.drop();
Deno.exit(0);
