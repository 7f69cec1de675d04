/** Calls without a payment get a 402 only while the upstream that settles is healthy. */
import { assert, assertEquals } from "@std/assert";
import { RICH_KEYS } from "../../doubles/chain.ts";
import type { FacilitatorDouble, Fault } from "../../doubles/facilitator.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { QUICK, TERMS } from "../support/shop.ts";
import { insist, read, type StageCases, testOnStage } from "../support/stage.ts";

/** Resolves when the facilitator was asked whether it is there, and has answered. */
async function lookedFor({ calls, url }: FacilitatorDouble): Promise<void> {
  await until(() => calls.some(({ path }) => path === "/supported"), "it is looked for");
  // Whoever asks later is answered later.
  await (await fetch(`${url}/supported`)).body?.cancel();
}

const CASES: StageCases = {
  "a facilitator that dies stops sales until it is back, and refusals do not": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, maintainMs: 1_000 } });
    const pay = async (query: string, headers?: Record<string, string>) => {
      const payer = await chain.account(1_000_000n);
      return await read(await shop.get("read", query, headers ?? await payV2(payer, TERMS)));
    };
    const bought = await payV2(await chain.account(1_000_000n), TERMS);
    const answer = await pay("?n=1", bought);
    assertEquals(answer.status, 200);
    facilitator.faults.push(...Array<Fault>(6).fill("refuse"));
    for (let n = 0; n < 6; n++) assertEquals((await pay(`?n=${n}`)).status, 402);
    assertEquals(shop.payments.status().ready, true, "a refusal is an answer");

    facilitator.away = true;
    assertEquals(JSON.parse((await pay("?n=2")).text).charged, null);
    await until(() => !shop.payments.status().ready, "one failure has it looked for");
    assertEquals(shop.payments.status().isSelling, false);
    const { computed } = shop;
    const settles = facilitator.settles();
    const closed = await pay("?n=4");
    assertEquals([closed.status, JSON.parse(closed.text).charged], [503, false]);
    assertEquals((await shop.get("number", "?n=4")).status, 503, "no challenge either");
    assertEquals(await pay("?n=1", bought), answer, "what was bought is given again");
    assertEquals([shop.computed, facilitator.settles()], [computed, settles]);

    facilitator.away = false;
    await until(() => shop.payments.status().ready, "it is found again");
    assertEquals(shop.payments.status().isSelling, true);
    assertEquals((await pay("?n=5")).status, 200);
  },

  "a facilitator that dies before the verification stops sales as well": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, maintainMs: 60_000 } });
    facilitator.away = true;
    const headers = await payV2(await chain.account(1_000_000n), TERMS);
    const { text } = await read(await shop.get("slow", "?n=1", headers));
    assertEquals(JSON.parse(text).charged, false);
    await until(() => !shop.payments.status().ready, "one failure has it looked for");
    assertEquals(shop.computed, 0);
  },

  "a facilitator that fails one payer's calls sells to the others": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, maintainMs: 60_000 } });
    const headers = await payV2(await chain.account(1_000_000n), TERMS);
    facilitator.broken = 504;
    facilitator.calls.length = 0;
    for (let n = 0; n < 5; n++) {
      assertEquals((await read(await shop.get("slow", "?n=1", headers))).status, 503);
    }
    await lookedFor(facilitator);
    assertEquals([shop.payments.status().ready, shop.computed], [true, 0]);
    facilitator.broken = null;
    assertEquals((await read(await shop.get("slow", "?n=1", headers))).status, 200);
  },

  "a facilitator that fails three payers stops sales, however healthy it looks": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, maintainMs: 1_000 } });
    const fail = async () => {
      const headers = await payV2(await chain.account(1_000_000n), TERMS);
      return (await read(await shop.get("slow", "?n=1", headers))).status;
    };
    const sold = await payV2(await chain.account(1_000_000n), TERMS);
    facilitator.broken = 504;
    assertEquals([await fail(), await fail()], [503, 503]);
    facilitator.broken = null;
    assertEquals((await read(await shop.get("slow", "?n=1", sold))).status, 200, "not in a row");
    facilitator.broken = 504;
    facilitator.calls.length = 0;
    assertEquals([await fail(), await fail()], [503, 503]);
    await lookedFor(facilitator);
    assertEquals(shop.payments.status().ready, true);
    await fail();
    assertEquals(shop.payments.status().ready, false);
    await until(() => shop.payments.status().ready, "it is found again");
    facilitator.calls.length = 0;
    await fail();
    await lookedFor(facilitator);
    assertEquals(shop.payments.status().ready, true, "one more failure is one failure");
  },

  "an answer to a settlement that says neither yes nor no counts, whatever its status": async (
    { facilitator, chain, ...stage },
  ) => {
    for (const status of [200, 302, 401, 429, 503]) {
      await using shop = await stage.viaFacilitator({ timing: { ...QUICK, maintainMs: 60_000 } });
      facilitator.broken = status;
      for (let n = 0; n < 3; n++) {
        assertEquals(shop.payments.status().ready, true, `${n} payers, ${status}`);
        const headers = await payV2(await chain.account(1_000_000n), TERMS);
        const { text } = await read(await shop.get("read", "?n=1", headers));
        assertEquals(JSON.parse(text).charged, null);
      }
      assertEquals(shop.payments.status().isSelling, false, `${status}`);
      facilitator.broken = null;
    }
  },

  "a chain that goes away stops sales until it is back": async ({ chain, rpc, ...stage }) => {
    await using shop = await stage.viaWallet({ timing: { ...QUICK, maintainMs: 1_000 } });
    const payers = await Promise.all(Array.from({ length: 5 }, () => chain.account(1_000_000n)));
    const headers = await Promise.all(payers.map((payer) => payV2(payer, TERMS)));
    rpc.fault = "away";
    await read(await shop.get("read", "?n=1", headers[0]));
    await until(() => !shop.payments.status().ready, "one failure has it looked for");
    assertEquals(shop.computed, 1);
    const closed = await read(await shop.get("read", "?n=1", headers[3]));
    assertEquals([closed.status, JSON.parse(closed.text).charged, shop.computed], [503, false, 1]);
    rpc.fault = "none";
    await until(() => shop.payments.status().ready, "it is found again");
    const last = await read(await shop.get("read", "?n=1", headers[4]));
    assertEquals(last.status, 200, last.text);
  },

  "receipts that the chain does not give out stop no sales": async (
    { chain, rpc, ...stage },
  ) => {
    await using shop = await stage.viaWallet({ timing: { ...QUICK, maintainMs: 60_000 } });
    const first = await payV2(await chain.account(1_000_000n), TERMS);
    rpc.limited.add("eth_getTransactionReceipt");
    rpc.limited.add("eth_getLogs");
    const open = await read(await shop.get("number", "?n=1", first));
    assertEquals([open.status, JSON.parse(open.text).charged], [503, null]);
    const polls = rpc.methods.filter((name) => name === "eth_getTransactionReceipt").length;
    assert(polls > 3, `${polls} polls`);
    rpc.limited.clear();
    assertEquals(shop.payments.status().ready, true);
    const second = await payV2(await chain.account(1_000_000n), TERMS);
    assertEquals((await read(await shop.get("number", "?n=2", second))).status, 200);
    assertEquals((await insist(shop, "?n=1", first)).status, 200);
    assertEquals(shop.computed, 2);
  },
};

testOnStage("nothing is sold while the facilitator or the chain is away", CASES, RICH_KEYS[1]);
