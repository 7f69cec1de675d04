/** What a buyer is told who sends a payment again, or loses it to a replica, while something fails. */
import { assert, assertEquals } from "@std/assert";
import { type PrivateKeyAccount } from "viem/accounts";
import { createLog } from "../../../core/log.ts";
import { createChainReader } from "../../../payment/evm/chain.ts";
import { createRpc } from "../../../payment/evm/rpc.ts";
import { cleanUpLedger } from "../../../db/ledger/cleanup.ts";
import type { Database } from "../../../db/sql.ts";
import { USDC } from "../../doubles/chain.ts";
import { newAccount } from "../../support/accounts.ts";
import { testBoth } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { encode, payloadV2, payV2, sign } from "../support/buyer.ts";
import { createModelChain, type ModelChain } from "../support/purchase_model.ts";
import { openShop, PAY_TO, QUICK, type Shop, type ShopOptions, TERMS } from "../support/shop.ts";
import { read } from "../support/stage.ts";

const RAIL = `eip155:8453/${USDC.toLowerCase()}`;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Scene {
  readonly database: Database;
  readonly chain: ModelChain;
  /** Told of each call to the outside before it is answered. */
  before: (url: string) => Promise<void> | void;
  shop(options?: Partial<ShopOptions>): Promise<Shop>;
  payer(): PrivateKeyAccount;
}

function openScene(database: Database): Scene {
  const chain = createModelChain(USDC.toLowerCase());
  const scene: Scene = {
    database,
    chain,
    before: () => {},
    shop: (options) =>
      openShop({
        database,
        settings: { mode: "facilitator", facilitatorUrl: "http://f.test", rpcUrl: "http://r.test" },
        fetch: async (input, init) => {
          await scene.before(String(input));
          return await chain.fetch(String(input), init ?? {});
        },
        ...options,
      }),
    payer: () => {
      const account = newAccount();
      chain.balances.set(account.address.toLowerCase(), 1_000_000n);
      return account;
    },
  };
  return scene;
}

/** A shop whose next statement, a claim, is its last; the promise resolves once it was made. */
async function shopThatDies({ database, shop }: Scene): Promise<[Shop, Promise<unknown>]> {
  const claimed = Promise.withResolvers<void>();
  let isDoomed = false;
  const doomed = await shop({
    database: {
      short: async (statement) => {
        const result = await database.short(statement);
        if (!isDoomed) return result;
        claimed.resolve();
        return await new Promise<never>(() => {});
      },
      durable: () => database.durable(),
      answers: () => database.answers(),
    },
  });
  await sleep(50);
  isDoomed = true;
  return [doomed, claimed.promise];
}

async function failure(response: Response): Promise<[number, string, unknown]> {
  const { error, charged } = await response.json();
  return [response.status, error.code ?? error, charged];
}

const away = (): never => {
  throw new TypeError("connection refused");
};

const CASES: Record<string, (scene: Scene) => Promise<void>> = {
  "a facilitator that is away keeps no one from what was bought": async (scene) => {
    const headers = await payV2(scene.payer(), TERMS);
    const first = await scene.shop();
    const bought = await (await first.get("number", "?n=1", headers)).text();
    await first[Symbol.asyncDispose]();
    scene.before = (url) => url.startsWith("http://f.test") ? away() : undefined;
    await using next = await scene.shop();
    assertEquals(next.payments.status().ready, false);
    const again = await read(await next.get("number", "?n=1", headers));
    assertEquals(again, { status: 200, text: bought });
    const fresh = await next.get("number", "?n=1", await payV2(scene.payer(), TERMS));
    assertEquals(await failure(fresh), [503, "overloaded", false]);
    assertEquals(next.computed, 0);
  },

  "a service that stops keeps its claims until their calls have ended": async (scene) => {
    const timing = { ...QUICK, leaseMs: 600 };
    const stopping = await scene.shop({ timing });
    await using next = await scene.shop({ timing });
    stopping.delayMs = 1_700;
    const headers = await payV2(scene.payer(), TERMS);
    const first = stopping.get("number", "?n=1", headers).then(read);
    await until(() => stopping.payments.status().inFlight > 0, "the call is under way");
    const stopped = stopping.payments.stop();
    await sleep(900);
    const second = read(await next.get("number", "?n=1", headers));
    assertEquals(await second, await first);
    assertEquals((await first).status, 200);
    assertEquals(stopping.computed + next.computed, 1);
    await stopped;
    await stopping[Symbol.asyncDispose]();
  },

  "who lost a claim does not say that nothing was charged": async (scene) => {
    const { sql } = scene.database;
    const lose = async () => {
      await sql`update payments set fence = fence + 1, lease_until = clock_timestamp() + interval '1 minute'
        where state in ('claimed', 'settling')`;
    };
    await using shop = await scene.shop({ onCompute: lose });
    shop.failure = new Error("broken");
    const failed = await shop.get("number", "?n=1", await payV2(scene.payer(), TERMS));
    assertEquals(await failure(failed), [503, "settlement_pending", null]);

    await using other = await scene.shop();
    scene.chain.fate = () => "refused";
    scene.before = (url) => url.endsWith("/settle") ? lose() : undefined;
    const refused = await other.get("number", "?n=1", await payV2(scene.payer(), TERMS));
    assertEquals(await failure(refused), [503, "settlement_pending", null]);
  },

  "a refused payment that lands after all buys what it was refused for": async (scene) => {
    const payer = scene.payer();
    const signed = await sign(payer, TERMS);
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const first = await scene.shop();
    scene.chain.fate = () => "refused";
    assertEquals((await read(await first.get("number", "?n=1", headers))).status, 402);
    await first[Symbol.asyncDispose]();
    // The facilitator was wrong: its transaction is mined a little later.
    assert(scene.chain.use(signed.authorization) !== null);
    for (let block = 0; block < 5; block++) {
      scene.chain.use((await sign(scene.payer(), TERMS)).authorization);
    }
    await scene.database.sql`update payment_payers set cool_until = null`;
    await using next = await scene.shop();
    const other = await next.get("number", "?n=2", headers);
    assertEquals(await failure(other), [402, "invalid_exact_evm_nonce_already_used", false]);
    assertEquals(next.computed, 0);
    const same = await read(await next.get("number", "?n=1", headers));
    assertEquals(same.status, 200);
    assertEquals(JSON.parse(same.text).n, "1");
  },

  "it does even where the owner who tried it once more died": async (scene) => {
    const { chain, database } = scene;
    const signed = await sign(scene.payer(), TERMS);
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    chain.fate = () => "refused";
    const first = await scene.shop();
    assertEquals((await read(await first.get("number", "?n=1", headers))).status, 402);
    await first[Symbol.asyncDispose]();
    await database.sql`update payment_payers set cool_until = null`;
    const [doomed, claimed] = await shopThatDies(scene);
    doomed.get("number", "?n=1", headers).catch(() => {});
    await claimed;
    await database.sql`update payments set lease_until = lease_until - interval '1 hour'`;
    await cleanUpLedger(database, RAIL, null);
    // The facilitator's transaction is mined after all, and other blocks after it.
    assert(chain.use(signed.authorization) !== null);
    for (let block = 0; block < 5; block++) {
      chain.use((await sign(scene.payer(), TERMS)).authorization);
    }
    await using next = await scene.shop();
    await sleep(50);
    const other = await next.get("number", "?n=2", headers);
    assertEquals(await failure(other), [402, "invalid_exact_evm_nonce_already_used", false]);
    const same = await read(await next.get("number", "?n=1", headers));
    assertEquals([same.status, JSON.parse(same.text).n, next.computed], [200, "1", 0]);
  },

  "a refused payment of long ago that never runs out is not looked at forever": async (scene) => {
    const { sql } = scene.database;
    const payer = scene.payer();
    await using shop = await scene.shop();
    scene.chain.fate = () => "refused";
    const headers = await payV2(payer, TERMS);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 402);
    const row = sql`payer = decode(${payer.address.slice(2)}, 'hex')`;
    await sql`update payments set check_at = now(), valid_before = 99999999999 where ${row}`;
    assertEquals((await shop.payments.reconcile()).looked, 1);
    assertEquals([...await sql`select id from payments where ${row} and check_at is not null`], []);

    await sql`update payments set created_at = created_at - interval '8 days' where ${row}`;
    await sql`update payment_payers set cool_until = cool_until - interval '2 days',
      claimed_at = claimed_at - interval '2 days' where ${row}`;
    await cleanUpLedger(scene.database, RAIL, null);
    await cleanUpLedger(scene.database, RAIL, null);
    assertEquals([...await sql`select id from payments where ${row}`], []);
    assertEquals([...await sql`select rail from payment_payers where ${row}`], []);
  },

  "a contract wallet is not refused because the chain is away": async (scene) => {
    await using shop = await scene.shop();
    const { signature, authorization } = await sign(scene.payer(), {
      ...TERMS,
      from: scene.payer().address,
    });
    const headers = {
      "PAYMENT-SIGNATURE": encode(payloadV2({ signature, authorization }, TERMS)),
    };
    scene.before = (url) => url.startsWith("http://r.test") ? away() : undefined;
    const answer = await shop.get("number", "?n=1", headers);
    assertEquals(await failure(answer), [503, "overloaded", false]);
  },
};

testBoth("payments sent again", async ({ database }, t) => {
  for (const [name, run] of Object.entries(CASES)) {
    await t.step(name, () => run(openScene(database)));
  }
});

Deno.test("a use older than the claim is known for one where its event is out of reach", async () => {
  const asked: string[] = [];
  const rpc = createRpc({
    url: "http://r.test",
    timeoutMs: 1_000,
    fetch: (_input, init) => {
      const { method } = JSON.parse(String(init?.body));
      asked.push(method);
      const results: Record<string, unknown> = {
        eth_getBlockByNumber: { number: "0xf4240", timestamp: "0x65000000" },
        eth_call: `0x${"0".repeat(63)}1`,
        eth_getLogs: [],
      };
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result: results[method] }));
    },
  });
  const claimed = {
    payer: `0x${"11".repeat(20)}`,
    nonce: `0x${"22".repeat(32)}`,
    payTo: PAY_TO.toLowerCase(),
    amount: 10_000n,
    sinceBlock: 999_990,
    validBefore: 0n,
  };
  assertEquals(await createChainReader(rpc, USDC.toLowerCase()).prove(claimed), { kind: "void" });
  assert(asked.length <= 4, `${asked.length} calls`);
});

Deno.test("the address of a node, and the key in it, stay out of the log", async () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const log = createLog({ level: "debug", format: "json", now: () => new Date(0), write });
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  closed.close();
  const url = `http://127.0.0.1:${closed.addr.port}/v2/SECRETKEY?k=SECRETKEY`;
  const rpc = createRpc({ url, fetch, timeoutMs: 1_000 });
  const cause = await rpc.call("eth_chainId", []).then(() => null, (error) => error);
  log.warn("chain unreachable", { cause });
  assert(cause instanceof Error && lines.length === 1);
  assertEquals(lines.join().includes("SECRETKEY"), false);
});
