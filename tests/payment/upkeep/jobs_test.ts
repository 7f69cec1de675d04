/** What payment does by itself: it hinders neither the start nor each other, however slow the chain is. */
import { assert, assertEquals } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { openLedger } from "../../../db/ledger/mod.ts";
import { cleanUpLedger, createLedgerCleanup } from "../../../db/ledger/cleanup.ts";
import { openReconciliation } from "../../../db/ledger/reconciliation.ts";
import { createChainReader } from "../../../payment/evm/chain.ts";
import { ChainUnavailable } from "../../../payment/evm/rpc.ts";
import { reconcile } from "../../../payment/upkeep/reconcile.ts";
import { USDC } from "../../doubles/chain.ts";
import { startFacilitator } from "../../doubles/facilitator.ts";
import { startRpc } from "../../doubles/rpc.ts";
import { testBoth, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { newClaim, openSettlements, takeClaim } from "../support/claims.ts";
import { openShop, QUICK } from "../support/shop.ts";

const RAIL = `eip155:8453/${USDC.toLowerCase()}`;

/** A pass over what is due on a chain that proves by `prove`. */
function pass({ database }: TestDatabase, prove: () => Promise<never>, stopping = () => false) {
  const away = { call: () => Promise.reject(new ChainUnavailable("away")) };
  return reconcile({
    ledger: openLedger(database),
    reconciliation: openReconciliation(database, RAIL),
    chain: { ...createChainReader(away, USDC), prove },
    owner: "reconciler",
    log: silentLog,
    nowSeconds: () => Math.floor(Date.now() / 1000),
    stopping,
  });
}

const CASES: Record<string, (test: TestDatabase) => Promise<void>> = {
  "a start does not wait for open settlements, nor ask a chain that hangs for each": async (
    { database },
  ) => {
    await openSettlements(database, RAIL, 60);
    await using facilitator = await startFacilitator(null);
    await using rpc = startRpc(null);
    rpc.fault = "hang";
    const started = performance.now();
    await using shop = await openShop({
      database,
      settings: { mode: "facilitator", facilitatorUrl: facilitator.url, rpcUrl: rpc.url },
      timing: { ...QUICK, rpcMs: 1_000 },
    });
    // One deadline for the chain's id, and none for sixty payments.
    assert(performance.now() - started < 10_000, "the start waited");
    assertEquals((await shop.get("number", "?n=1")).status, 402);
    await until(async () => {
      const [row] = await database.sql<{ asked: number; taken: number }[]>`
        select count(*) filter (where checks > 0)::int as asked,
          count(*) filter (where lease_until > clock_timestamp())::int as taken from payments`;
      return row?.asked === 1 && row.taken === 0;
    }, "the first pass begins at once, and ends with its first payment");
    assert(rpc.methods.length < 10, `asked ${rpc.methods.length} times`);
    assertEquals((await shop.unresolved()).settling, 60);
  },

  "a pass ends where the chain is away, and what is left is due as before": async (test) => {
    const { sql } = test.database;
    await openSettlements(test.database, RAIL, 30);
    let asked = 0;
    const away = () => Promise.reject(new ChainUnavailable(`away for ${++asked}`));
    assertEquals((await pass(test, away)).looked, 1);
    assertEquals(asked, 1);
    const [left] = await sql`
    select count(*)::int as due from payments
    where lease_until <= clock_timestamp() and check_at <= clock_timestamp()`;
    assertEquals(left?.["due"], 29, "the one that was asked for is put off, the others are not");
    const seen: number[] = [];
    assertEquals((await pass(test, away, () => seen.push(1) > 0)).looked, 0, "a stop ends it too");
    const [again] = await sql`
    select count(*)::int as due from payments
    where lease_until <= clock_timestamp() and check_at <= clock_timestamp()`;
    assertEquals(again?.["due"], 29);
  },

  "a pass that takes long looks at each payment once": async (test) => {
    const { sql } = test.database;
    await openSettlements(test.database, RAIL, 45);
    const slow = async (): Promise<never> => {
      // What was postponed is due again by the time the next batch is taken.
      await sql`update payments set check_at = now() where checks > 0`;
      throw new Error("nonsense");
    };
    assertEquals((await pass(test, slow)).looked, 45);
  },

  "a payment that was checked very often stops no pass": async (test) => {
    const { sql } = test.database;
    await openSettlements(test.database, RAIL, 2);
    const nonsense = () => Promise.reject(new Error("nonsense"));
    for (const checks of [10, 1_024, 1_000_000]) {
      await sql`update payments set checks = ${checks}, check_at = now()`;
      assertEquals((await pass(test, nonsense)).looked, 2);
      const waits = await sql<{ minutes: number }[]>`
        select round(extract(epoch from check_at - now()) / 60)::int as minutes from payments`;
      assertEquals(waits.map(({ minutes }) => minutes), [60, 60]);
    }
  },

  "a removed quote is forgotten in time while the chain hangs": async ({ database }) => {
    const { sql } = database;
    await openSettlements(database, RAIL, 5);
    await using facilitator = await startFacilitator(null);
    await using rpc = startRpc(null);
    rpc.fault = "hang";
    await using _shop = await openShop({
      database,
      settings: { mode: "facilitator", facilitatorUrl: facilitator.url, rpcUrl: rpc.url },
      timing: { ...QUICK, rpcMs: 20_000, reconcileMs: 50, cleanupMs: 50 },
      fetch: (input, init) => {
        // The start asks for the chain's id; what is looked at afterwards hangs.
        return String(init?.body).includes("eth_chainId")
          ? Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result: "0x2105" }))
          : fetch(input, init);
      },
    });
    await until(() => rpc.methods.includes("eth_getBlockByNumber"), "a pass is under way");
    await sql`insert into seen_posts (id, seen_on, forgotten) values ('gone', now(), true)`;
    await sql`update payment_answers set evidence_ids = '{gone}'`;
    await until(async () => {
      const [row] =
        await sql`select count(*)::int as n from payment_answers where body is not null`;
      return row?.["n"] === 0;
    }, "the answers are dropped");
  },

  "the cleanup looks back as far as it is told, and at everything after a restart": async (
    { database },
  ) => {
    const { sql } = database;
    const ledger = openLedger(database);
    const { id } = await takeClaim(ledger, newClaim());
    await ledger.storeAnswer({
      ...{ id, fencingToken: 1, to: "settling", body: "{}", leaseMs: 60_000 },
      evidenceIds: ["gone"],
    });
    await sql`insert into seen_posts (id, seen_on, forgotten) values ('gone', now(), true)`;
    await sql`update payment_answers set stored_at = stored_at - interval '20 hours'`;
    const isKept = async (): Promise<boolean> =>
      (await sql`select from payment_answers where body is not null`).length > 0;
    await cleanUpLedger(database, "test:rail", 3_600);
    assertEquals(await isKept(), true);
    await createLedgerCleanup(
      (seconds) => cleanUpLedger(database, "test:rail", seconds),
      () => 0,
    )();
    assertEquals(await isKept(), false);
  },
};

testBoth("what payment does by itself", async (test, t) => {
  for (const [name, run] of Object.entries(CASES)) {
    await test.database.sql`delete from payments`;
    await test.database.sql`delete from seen_posts`;
    await t.step(name, () => run(test));
  }
});

Deno.test("a cleanup looks back to the beginning of the last one that succeeded", async () => {
  const asked: (number | null)[] = [];
  let now = 0;
  let isAway = false;
  const cleanup = createLedgerCleanup((seconds) => {
    asked.push(seconds);
    now += 7_000;
    return isAway ? Promise.reject(new Error("away")) : Promise.resolve();
  }, () => now);
  await cleanup();
  now = 60_000;
  await cleanup();
  isAway = true;
  for (const at of [120_000, 180_000]) {
    now = at;
    await cleanup().catch(() => {});
  }
  isAway = false;
  now = 3_600_000;
  await cleanup();
  assertEquals(asked, [null, 180, 180, 240, 3_660]);
});
