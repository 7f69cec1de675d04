/** What a buyer is told while the database has gone: silent without closing its connections, or stopped. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createLog, silentLog } from "../../../core/log.ts";
import { migrate } from "../../../db/migrate.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { watchLedger } from "../../../payment/sell/ledger_availability.ts";
import { USDC } from "../../doubles/chain.ts";
import { type SilentProxy, startSilentProxy } from "../../doubles/silent_proxy.ts";
import { newAccount } from "../../support/accounts.ts";
import { emptyPostgres, postgresUrl, testEmbedded } from "../../support/database.ts";
import { startCluster } from "../../support/postgres_cluster.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { createModelChain, type ModelChain } from "../support/purchase_model.ts";
import { openShop, PAY_TO, QUICK, type Shop } from "../support/shop.ts";
import { insist, read } from "../support/stage.ts";

const BRIEF_MS = 1_200;
/** Well above what the deadlines add up to, and well below what a connection's own would be. */
const BOUND_MS = 25_000;

interface Scene {
  readonly proxy: SilentProxy;
  readonly chain: ModelChain;
  readonly shop: Shop;
  /** What happens while an answer is computed, and when the facilitator has settled. */
  during: () => void;
  after: () => void;
  headers(): Promise<Record<string, string>>;
}

async function withScene(
  run: (scene: Scene) => Promise<void>,
  given: string | null = null,
): Promise<void> {
  await using empty = given === null ? await emptyPostgres() : null;
  const url = given ?? empty?.url ?? "";
  await using proxy = await startSilentProxy(url);
  const database = await openPostgres({ url: proxy.url, shortMs: BRIEF_MS });
  try {
    await migrate(database.sql);
    const chain = createModelChain(USDC.toLowerCase());
    const scene = { proxy, chain, during: () => {}, after: () => {} };
    await using shop = await openShop({
      database,
      settings: { mode: "facilitator", facilitatorUrl: "http://f.test", rpcUrl: "http://r.test" },
      timing: { ...QUICK, leaseMs: 1_500 },
      onCompute: () => Promise.resolve(scene.during()),
      fetch: async (input, init) => {
        const response = await chain.fetch(String(input), init ?? {});
        if (String(input).endsWith("/settle")) scene.after();
        return response;
      },
    });
    const headers = async (): Promise<Record<string, string>> => {
      const account = newAccount();
      chain.balances.set(account.address.toLowerCase(), 1_000_000n);
      return await payV2(account, { payTo: PAY_TO, amount: 10_000 });
    };
    const warm = await shop.get("number", "?n=1", await headers());
    assertEquals([warm.status, (await warm.json()).charged], [200, true]);
    await run(Object.assign(scene, { shop, headers }));
    proxy.heal();
  } finally {
    await database.close();
  }
}

/** A call that meets the silence, answered within its bound. */
async function timed(response: Promise<Response>): Promise<{ status: number; text: string }> {
  const started = performance.now();
  const answer = await read(await response);
  assert(performance.now() - started < BOUND_MS, "answered late");
  return answer;
}

/** The outcome is open: the ledger may know the payment. */
function assertOpen({ status, text }: { status: number; text: string }): void {
  const { error, charged } = JSON.parse(text);
  assertEquals([status, error.code, charged], [503, "settlement_pending", null]);
}

/** The call charged nothing, with a payment that this process never saw in the ledger. */
function assertNotCharged({ status, text }: { status: number; text: string }): void {
  const { error, charged } = JSON.parse(text);
  assertEquals([status, error.code, error.retryable, charged], [503, "overloaded", true, false]);
}

const ignore = postgresUrl === undefined;

Deno.test({
  name: "a ledger that is silent at the claim computes and charges nothing, and heals",
  ignore,
  fn: () =>
    withScene(async ({ proxy, chain, shop, headers }) => {
      const payment = await headers();
      proxy.silence();
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      assertEquals([shop.computed, chain.uses.size], [1, 1]);
      proxy.heal();
      const answer = await insist(shop, "?n=2", payment);
      assertEquals([answer.status, JSON.parse(answer.text).n], [200, "2"]);
      assertEquals([shop.computed, chain.uses.size], [2, 2]);
    }),
});

Deno.test({
  name: "a ledger that falls silent during the computation charges nothing, and heals",
  ignore,
  fn: () =>
    withScene(async (scene) => {
      const { proxy, chain, shop } = scene;
      const payment = await scene.headers();
      scene.during = () => {
        proxy.silence();
        scene.during = () => {};
      };
      assertOpen(await timed(shop.get("number", "?n=2", payment)));
      assertEquals([shop.computed, chain.uses.size], [2, 1]);
      proxy.heal();
      const answer = await insist(shop, "?n=2", payment);
      assertEquals([answer.status, JSON.parse(answer.text).charged], [200, true]);
      assertEquals(chain.uses.size, 2);
    }),
});

Deno.test({
  name: "a ledger that falls silent after the charge keeps no one from the answer, then or later",
  ignore,
  fn: () =>
    withScene(async (scene) => {
      const { proxy, chain, shop } = scene;
      const payment = await scene.headers();
      scene.after = () => {
        proxy.silence();
        scene.after = () => {};
      };
      const paid = await timed(shop.get("number", "?n=2", payment));
      assertEquals([paid.status, chain.uses.size], [200, 2]);
      proxy.heal();
      assertEquals(await insist(shop, "?n=2", payment), paid);
      assertEquals([shop.computed, chain.uses.size], [2, 2]);
    }),
});

/** Nobody is asked to sign a payment that could not be taken. */
async function assertClosed(shop: Shop): Promise<void> {
  const { status, text } = await read(await shop.get("number", "?n=2"));
  const { error, charged } = JSON.parse(text);
  assertEquals([status, error.code, charged], [503, "overloaded", false]);
}

async function assertOpens(shop: Shop): Promise<void> {
  const started = performance.now();
  await until(async () => {
    const { status } = await read(await shop.get("number", "?n=2"));
    return status === 402;
  }, "sales resume");
  assert(performance.now() - started < 10_000, "sales resumed late");
}

Deno.test({
  name: "sales stop while the ledger is silent, and what is sent with a payment goes on",
  ignore,
  fn: () =>
    withScene(async ({ proxy, chain, shop, headers }) => {
      const payment = await headers();
      assertEquals((await read(await shop.get("number", "?n=2"))).status, 402);
      proxy.silence();
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      await assertClosed(shop);
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      await assertClosed(shop);
      proxy.heal();
      await assertOpens(shop);
      assertEquals((await insist(shop, "?n=2", payment)).status, 200);
      assertEquals([shop.computed, chain.uses.size], [2, 2]);
    }),
});

const cluster = ignore ? null : startCluster();
addEventListener("unload", () => cluster?.stop());

Deno.test({
  name: "sales stop while the database is stopped, and resume when it is back",
  ignore: cluster === null,
  fn: () =>
    withScene(async ({ proxy, chain, shop, headers }) => {
      const payment = await headers();
      cluster?.halt();
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      await assertClosed(shop);
      // Often enough for the driver's own pauses to grow.
      const { accepted } = proxy;
      await until(() => proxy.accepted >= accepted + 5, "five more connections are tried");
      await assertClosed(shop);
      assertNotCharged(await timed(shop.get("number", "?n=2", payment)));
      cluster?.resume();
      await assertOpens(shop);
      assertEquals((await insist(shop, "?n=2", payment)).status, 200);
      assertEquals([shop.computed, chain.uses.size], [2, 2]);
    }, cluster?.url),
});

Deno.test("a ledger that cannot be flushed is logged once when it begins and once when it ends", async () => {
  await using test = await testEmbedded();
  const { database } = test;
  let fault: Error | null = null;
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    now: () => new Date(),
    write: (line) => lines.push(line),
  });
  await using shop = await openShop({
    database: {
      short: (statement) => database.short(statement),
      durable: () => fault === null ? database.durable() : Promise.reject(fault),
      answers: () => database.answers(),
    },
    log,
  });
  const pay = async (): Promise<number> => {
    const account = newAccount();
    const payment = await payV2(account, { payTo: PAY_TO, amount: 10_000 });
    return (await read(await shop.get("number", "?n=1", payment))).status;
  };
  assertEquals(await pay(), 200);
  lines.length = 0;
  // What the compiled program tells of a file that it may not open.
  fault = new Error("Permission denied (os error 13): open 'pg_wal/000000010000000000000001'");
  assertEquals([await pay(), await pay(), await pay()], [503, 503, 503]);
  fault = null;
  await until(() => Promise.resolve(lines.length > 1), "it sells again");
  assertEquals(await pay(), 200);
  assertEquals(lines.map((line) => JSON.parse(line).event), [
    "ledger cannot be written to: calls without a payment get 503 until a write succeeds",
    "ledger can be written to again",
  ]);
  assert(!lines.join().includes("stack"), lines.join("\n"));
});

Deno.test("one statement that was too slow ends availability for a look alone", async () => {
  let asked = 0;
  const slow = Object.assign(new Error("too slow"), { code: "ETIMEDOUT" });
  const ledger = watchLedger({
    short: () => asked++ === 0 ? Promise.reject(slow) : new Promise<never>((_, no) => refuse = no),
    durable: () => Promise.resolve(),
    answers: () => Promise.resolve(),
  }, silentLog);
  let refuse = (_: unknown): void => {};
  await assertRejects(() => ledger.database.short((sql) => sql`select 1`), Error, "too slow");
  assertEquals([ledger.isAvailable(), asked], [false, 2]);
  refuse(slow);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(ledger.isAvailable(), false);
  let looks = 0;
  const answering = watchLedger({
    short: () => ++looks === 1 ? Promise.reject(slow) : Promise.resolve(undefined as never),
    durable: () => Promise.resolve(),
    answers: () => Promise.resolve(),
  }, silentLog);
  await assertRejects(() => answering.database.short((sql) => sql`select 1`), Error, "too slow");
  await until(answering.isAvailable, "it answers again");
});
