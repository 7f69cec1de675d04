import { assert, assertEquals, assertRejects } from "@std/assert";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { OperatorError } from "../../../core/errors.ts";
import { createLog } from "../../../core/log.ts";
import { RICH_KEYS } from "../../doubles/chain.ts";
import { until } from "../../support/time.ts";
import { encode, nowSeconds, payloadV2, payV1, payV2, sign } from "../support/buyer.ts";
import { QUICK, TERMS } from "../support/shop.ts";
import {
  insist,
  openStage,
  read,
  type StageCases,
  testOnStage,
  watchMoney,
} from "../support/stage.ts";

const CASES: StageCases = {
  "our wallet settles, for both versions of the protocol": async ({ chain, ...stage }) => {
    await using shop = await stage.viaWallet();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const both = [await payV2(payer, TERMS), await payV1(payer, TERMS)];
    for (const [n, headers] of both.entries()) {
      assertEquals((await read(await shop.get("number", `?n=${n}`, headers))).status, 200);
    }
    await moved(2);
  },

  "many payments at once leave one sequence of nonces": async ({ chain, ...stage }) => {
    await using shop = await stage.viaWallet();
    const payers = await Promise.all(Array.from({ length: 6 }, () => chain.account(1_000_000n)));
    const answers = await Promise.all(payers.map(async (payer, n) => {
      return (await read(await shop.get("number", `?n=${n}`, await payV2(payer, TERMS)))).status;
    }));
    assertEquals(answers, Array(6).fill(200));
    for (const payer of payers) assertEquals(await chain.balance(payer.address), 990_000n);
  },

  "what would revert is refused before anything is sent": async ({ chain, rpc, ...stage }) => {
    await using shop = await stage.viaWallet();
    const poor = await chain.account(0n);
    rpc.methods.length = 0;
    const refused = await read(await shop.get("number", "?n=1", await payV2(poor, TERMS)));
    assertEquals([refused.status, JSON.parse(refused.text).error], [402, "insufficient_funds"]);
    assertEquals(rpc.methods.includes("eth_sendRawTransaction"), false);
    const early = await read(await shop.get("slow", "?n=1", await payV2(poor, TERMS)));
    assertEquals([early.status, JSON.parse(early.text).error], [402, "insufficient_funds"]);
  },

  "contract wallets are settled with the bytes of their signature": async ({ chain, ...stage }) => {
    await using shop = await stage.viaWallet();
    const owner = await chain.account(0n);
    const purse = await chain.purse(owner.address, 1_000_000n);
    const moved = await watchMoney(chain, purse);
    const { signature, authorization } = await sign(owner, { ...TERMS, from: purse });
    const longer = { signature: `${signature}c0ffee` as const, authorization };
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(longer, TERMS)) };
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 200);
    await moved(1);
  },

  "a chain that fails while settling ends in one answer for one charge": async (
    { chain, rpc, ...stage },
  ) => {
    for (const fault of ["hang", "garbage", "error", "away"] as const) {
      await using shop = await stage.viaWallet();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      const headers = await payV2(payer, TERMS);
      rpc.fault = fault;
      const first = await read(await shop.get("number", "?n=1", headers));
      assertEquals(first.status, 503, fault);
      rpc.fault = "none";
      assertEquals((await insist(shop, "?n=1", headers)).status, 200, fault);
      assertEquals(shop.computed, 1, fault);
      await moved(1);
    }
  },

  "a transaction that is not mined is waited for, and the same payment gets its answer": async (
    { chain, ...stage },
  ) => {
    await using shop = await stage.viaWallet();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    await chain.rpc("evm_setAutomine", [false]);
    const first = await read(await shop.get("number", "?n=1", headers));
    assertEquals([first.status, JSON.parse(first.text).charged], [503, null]);
    await chain.rpc("evm_setAutomine", [true]);
    await chain.rpc("evm_mine");
    assertEquals((await insist(shop, "?n=1", headers)).status, 200);
    assertEquals(shop.computed, 1);
    await moved(1);
  },

  "a stuck transaction is replaced by a dearer one, and charged once": async (
    { chain, ...stage },
  ) => {
    await using shop = await stage.viaWallet({ timing: { ...QUICK, stuckMs: 300 } });
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    await chain.rpc("evm_setAutomine", [false]);
    const call = shop.get("number", "?n=1", headers).then(read);
    const { sql } = stage.database.database;
    await until(async () => {
      const [row] = await sql<{ hash: string; tx: string; changed: boolean }[]>`
        select b.hash, p.tx, b.sent_at > p.created_at + interval '250 milliseconds' as changed
        from payment_broadcasts b join payments p on p.id = b.payment_id
        where p.state = 'settling' order by b.chain_nonce desc limit 1`;
      return row?.changed === true && row.hash === row.tx;
    }, "another transaction is recorded");
    await chain.rpc("evm_setAutomine", [true]);
    await chain.rpc("evm_mine");
    await call;
    assertEquals((await insist(shop, "?n=1", headers)).status, 200);
    await moved(1);
  },

  "a block that is replaced loses no payment": async ({ chain, ...stage }) => {
    await using shop = await stage.viaWallet();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 200);
    await moved(1);
    await chain.rpc("anvil_reorg", [1, []]);
    const isMined = async () => await chain.balance(payer.address) === 990_000n;
    await until(isMined, "it is mined again");
    await moved(1);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 200);
    assertEquals(shop.computed, 1);
  },

  "a transaction of which another replica died after recording it is sent by the next": async (
    { chain, ...stage },
  ) => {
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    // Its transactions never leave: as if the process had died before it sent them.
    const deaf: typeof fetch = async (input, init) => {
      const { method } = JSON.parse(String(init?.body));
      if (method === "eth_sendRawTransaction") throw new TypeError("cut");
      return await fetch(input, init);
    };
    {
      await using dying = await stage.viaWallet({ fetch: deaf });
      assertEquals((await read(await dying.get("number", "?n=1", headers))).status, 503);
    }
    await moved(0);
    await using next = await stage.viaWallet();
    assertEquals((await insist(next, "?n=1", headers)).status, 200);
    assertEquals(next.computed, 0);
    await moved(1);
  },

  "what nobody waits for is resolved by the chain's word alone": async ({ chain, ...stage }) => {
    let ahead = 0;
    await using shop = await stage.viaWallet({
      timing: { ...QUICK, maintainMs: 60_000 },
      now: () => new Date(Date.now() + ahead),
    });
    const payer = await chain.account(1_000_000n);
    const headers = await payV2(payer, { ...TERMS, validBefore: nowSeconds() + 60 });
    await chain.rpc("evm_setAutomine", [false]);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 503);
    assertEquals((await shop.unresolved()).settling, 1);
    const { sql } = stage.database.database;
    const due = () => sql`update payments set check_at = now() where state = 'settling'`;
    await due();
    assertEquals(await shop.payments.reconcile(), { looked: 1, settled: 0, refused: 0 });
    await chain.rpc("anvil_dropAllTransactions");
    await chain.rpc("evm_increaseTime", [120]);
    ahead = 120_000;
    await chain.rpc("evm_mine");
    await due();
    assertEquals(await shop.payments.reconcile(), { looked: 1, settled: 0, refused: 1 });
    assertEquals((await shop.unresolved()).settling, 0);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 402);
    await chain.rpc("evm_setAutomine", [true]);
    await sql`delete from payment_broadcasts`;
  },

  "a key without a chain that answers is not fatal, a wrong chain is": async (
    { rpc, ...stage },
  ) => {
    rpc.canned.set("eth_chainId", "0x1");
    await assertRejects(() => stage.viaWallet(), OperatorError, "chain 1");
    rpc.canned.clear();
    rpc.fault = "away";
    const events: unknown[] = [];
    const log = createLog({
      level: "info",
      format: "json",
      now: () => new Date(),
      write: (line) => events.push(JSON.parse(line).event),
    });
    await using shop = await stage.viaWallet({ log });
    assertEquals((await read(await shop.get("number", "?n=1"))).status, 503);
    const probes = () => rpc.methods.filter((method) => method === "eth_chainId").length;
    const before = probes();
    await until(() => probes() >= before + 3, "the chain is looked for");
    rpc.fault = "none";
    await until(() => shop.payments.status().ready, "it is found");
    assertEquals((await read(await shop.get("number", "?n=1"))).status, 402);
    assertEquals(events, [
      "chain unreachable, paid routes answer 503 until it is back",
      "settler maintenance failed",
      "chain reachable",
    ]);
  },
};

testOnStage("sales through our own wallet", CASES, RICH_KEYS[0]);

Deno.test({
  name: "a wallet without gas money charges nothing, and serves again once it has some",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const key = generatePrivateKey();
    await using stage = await openStage(key);
    await using shop = await stage.viaWallet({
      timing: { ...QUICK, onchain: { receiptMs: 300, pollMs: 20 } },
    });
    const payer = await stage.chain.account(1_000_000n);
    const moved = await watchMoney(stage.chain, payer);
    const headers = await payV2(payer, TERMS);
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 503);
    await moved(0);
    const { address } = privateKeyToAccount(key);
    await stage.chain.rpc("anvil_setBalance", [address, "0xde0b6b3a7640000"]);
    assertEquals((await insist(shop, "?n=1", headers)).status, 200);
    await moved(1);
    assert(shop.computed === 1);
  },
});
