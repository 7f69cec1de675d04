/** Signatures that only the chain can judge cost a bounded number of questions, and nobody a sale. */
import { assert, assertEquals } from "@std/assert";
import { createChainLookupLimiter } from "../../../payment/verify/chain_lookup_limiter.ts";
import { newAccount } from "../../support/accounts.ts";
import { encode, payloadV2, sign, type SignedPayment } from "../support/buyer.ts";
import { TERMS } from "../support/shop.ts";
import { insist, read, type Stage, type StageCases, testOnStage } from "../support/stage.ts";

const pay = (signed: SignedPayment): Record<string, string> => ({
  "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)),
});

/** A payment of an address made up, signed by somebody else. */
async function forgery(): Promise<Record<string, string>> {
  const signer = newAccount();
  const from = newAccount();
  return pay(await sign(signer, { ...TERMS, from: from.address }));
}

async function purse({ chain }: Stage) {
  const owner = await chain.account(0n);
  const from = await chain.purse(owner.address, 1_000_000n);
  return async () => pay(await sign(owner, { ...TERMS, from }));
}

const CASES: StageCases = {
  "a flood of them is cut off, and neither accounts nor known wallets notice": async (stage) => {
    await using shop = await stage.viaFacilitator();
    const known = await purse(stage);
    const stranger = await purse(stage);
    assertEquals((await read(await shop.get("number", "?n=1", await known()))).status, 200);
    const looks = () => stage.rpc.methods.filter((method) => method === "eth_getCode").length;
    const before = looks();
    const started = performance.now();
    const flood = await Promise.all(Array.from({ length: 150 }, forgery));
    const answers = await Promise.all(
      flood.map(async (headers) => (await read(await shop.get("number", "?n=1", headers))).status),
    );
    const seconds = (performance.now() - started) / 1000;
    assertEquals(new Set(answers), new Set([402, 503]));
    assert(looks() - before <= 50 + 10 * seconds, `${looks() - before} in ${seconds} s`);

    const account = await stage.chain.account(1_000_000n);
    const bought = await shop.get("number", "?n=2", pay(await sign(account, TERMS)));
    assertEquals((await read(bought)).status, 200);
    assertEquals((await read(await shop.get("number", "?n=3", await known()))).status, 200);
    assertEquals((await insist(shop, "?n=4", await stranger())).status, 200, "a moment later");
  },

  "what a wallet refused is not asked about again": async (stage) => {
    await using shop = await stage.viaFacilitator();
    const owner = await stage.chain.account(0n);
    const from = await stage.chain.purse(owner.address, 1_000_000n);
    const other = newAccount();
    const forged = pay(await sign(other, { ...TERMS, from }));
    assertEquals((await read(await shop.get("number", "?n=1", forged))).status, 402);
    const asked = stage.rpc.methods.length;
    assertEquals((await read(await shop.get("number", "?n=1", forged))).status, 402);
    const again = stage.rpc.methods.slice(asked).filter((name) => name !== "eth_blockNumber");
    assertEquals(again, []);
  },
};

testOnStage("signatures that only the chain can judge", CASES);

Deno.test("unknown addresses share one bucket, which fills again; known ones have their own", () => {
  let now = 0;
  const limiter = createChainLookupLimiter(() => now);
  const admitted = (count: number): number =>
    Array.from({ length: count }, (_, n) => limiter.admit(`0x${n}`)).filter(Boolean).length;
  assertEquals(admitted(200), 50);
  now += 1_000;
  assertEquals(admitted(200), 10);
  limiter.signed("0xa");
  assertEquals(limiter.admit("0xa"), true);
  assertEquals(admitted(1), 0);
  const bytes = new Uint8Array(32);
  limiter.refused("0xa", bytes, "0x1");
  assertEquals(limiter.wasRefused("0xa", bytes, "0x1"), true);
  assertEquals(limiter.wasRefused("0xa", bytes, "0x2"), false);
  now += 60_001;
  assertEquals(limiter.wasRefused("0xa", bytes, "0x1"), false);
});
