/** What callers are told while the ledger's database is away, though nobody has paid since it went. */
import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { silentLog } from "../../../core/log.ts";
import { migrate } from "../../../db/migrate.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import type { Database } from "../../../db/sql.ts";
import { watchLedger } from "../../../payment/sell/ledger_availability.ts";
import { startSilentProxy } from "../../doubles/silent_proxy.ts";
import { newAccount } from "../../support/accounts.ts";
import { emptyPostgres, postgresUrl, testBoth } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { pay } from "../support/sale.ts";
import { openShop, type Shop, TERMS } from "../support/shop.ts";
import { insist, read } from "../support/stage.ts";

/** The status, the error's code or word, and what is said to be charged. */
async function told(shop: Shop, headers?: Record<string, string>): Promise<unknown[]> {
  const { status, text } = await read(await shop.get("number", "?n=1", headers));
  const { error, charged } = JSON.parse(text);
  return [status, error?.code ?? error ?? null, charged];
}

const CLOSED = [503, "overloaded", false];
const CHALLENGE = [402, "payment_required", false];

/** Takes the database away and brings it back; nobody's call may be what finds either out. */
async function playAway(shop: Shop, away: () => unknown, back: () => unknown): Promise<void> {
  const bought = await pay();
  const answer = await read(await shop.get("number", "?n=1", bought));
  assertEquals(answer.status, 200);
  assertEquals(await told(shop), CHALLENGE);

  await away();
  const gone = performance.now();
  await until(() => !shop.payments.status().ledgerIsAvailable, "the loss is found");
  assert(performance.now() - gone < 10_000, "found late");
  assertEquals(await told(shop), CLOSED);
  const head = await fetch(`${shop.url}/v1/number`, { method: "HEAD" });
  assertEquals([head.status, head.headers.has("payment-required")], [503, false]);
  const fresh = await pay();
  assertEquals(await told(shop, fresh), CLOSED, "it reached no ledger and no chain");
  assertEquals(await told(shop, fresh), CLOSED);
  assertEquals(await told(shop, bought), [503, "settlement_pending", null], "the ledger knew it");
  assertEquals([await told(shop), shop.computed], [CLOSED, 1]);

  await back();
  await until(() => shop.payments.status().isSelling, "it is back");
  assertEquals(await told(shop), CHALLENGE);
  assertEquals((await insist(shop, "?n=1", fresh)).status, 200);
  assertEquals(await read(await shop.get("number", "?n=1", bought)), answer);
  assertEquals(shop.computed, 2);
}

Deno.test({
  name: "a database that takes no connections stops sales, and resumes them, without a buyer",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const database = await openPostgres({ url: empty.url });
    const name = new URL(empty.url).pathname.slice(1);
    const place = new URL(empty.url);
    place.pathname = "/postgres";
    const admin = postgres(place.href, { max: 1, onnotice: () => {} });
    const allow = async (isAllowed: boolean): Promise<void> => {
      await admin.unsafe(`alter database ${name} allow_connections ${isAllowed}`);
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    };
    try {
      await migrate(database.sql);
      await using shop = await openShop({ database });
      await playAway(shop, () => allow(false), () => allow(true));
    } finally {
      await admin.end();
      await database.close();
    }
  },
});

Deno.test({
  name: "a database that falls silent in a quiet hour stops sales, and resumes them",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    await using proxy = await startSilentProxy(empty.url);
    const database = await openPostgres({ url: proxy.url, shortMs: 1_200 });
    try {
      await migrate(database.sql);
      await using shop = await openShop({ database });
      await playAway(shop, proxy.silence, proxy.heal);
    } finally {
      await database.close();
    }
  },
});

/** A database whose statements fail late once `state.isAway`. */
function leaving(database: Database, state: { isAway: boolean }) {
  const unlessAway = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!state.isAway) return await work();
    await new Promise((resolve) => setTimeout(resolve, 200));
    throw Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
  };
  return {
    short: <T>(statement: Parameters<typeof database.short<T>>[0]) =>
      unlessAway(() => database.short(statement)),
    durable: () => unlessAway(() => database.durable()),
    answers: () => unlessAway(() => database.answers()),
  };
}

testBoth("a database that is gone stops sales, and resumes them", async ({ database }) => {
  const state = { isAway: false };
  await using shop = await openShop({ database: leaving(database, state) });
  await playAway(shop, () => state.isAway = true, () => state.isAway = false);
});

testBoth("what was charged is not said to be free beside a payment signed anew", async (test) => {
  const state = { isAway: false };
  await using shop = await openShop({ database: leaving(test.database, state) });
  const payer = newAccount();
  const bought = await payV2(payer, TERMS);
  assertEquals((await read(await shop.get("number", "?n=1", bought))).status, 200);
  state.isAway = true;
  const fresh = await payV2(payer, TERMS);
  const answers = await Promise.all([told(shop, fresh), told(shop, bought)]);
  assertEquals(answers, [CLOSED, [503, "settlement_pending", null]]);
});

Deno.test("a question that waits behind statements that are answered ends no availability", async () => {
  const database: Pick<Database, "short" | "durable" | "answers"> = {
    short: () => Promise.resolve(undefined as never),
    durable: () => Promise.resolve(),
    answers: () => Promise.reject(new Error("too slow")),
  };
  const ledger = watchLedger(database, silentLog);
  const asking = ledger.check();
  await ledger.database.short((sql) => sql`select 1`);
  await asking;
  assertEquals(ledger.isAvailable(), true);
  await ledger.check();
  assertEquals(ledger.isAvailable(), false);
});
