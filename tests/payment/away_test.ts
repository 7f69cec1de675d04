/** The till is open only while who settles answers. */
import { assertEquals } from "@std/assert";
import { RICH_KEYS } from "../doubles/chain.ts";
import type { Fault } from "../doubles/facilitator.ts";
import { until } from "../support/time.ts";
import { payV2 } from "./buyer.ts";
import { QUICK } from "./shop.ts";
import { openStage, play, read, type Stage, TERMS } from "./stage.ts";

const CASES: Record<string, (stage: Stage) => Promise<void>> = {
  "a facilitator that dies closes the till until it is back, and refusals do not": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, tendMs: 1_000 } });
    const pay = async (query: string, headers?: Record<string, string>) => {
      const payer = await chain.account(1_000_000n);
      return await read(await shop.get("number", query, headers ?? await payV2(payer, TERMS)));
    };
    const bought = await payV2(await chain.account(1_000_000n), TERMS);
    const answer = await pay("?n=1", bought);
    assertEquals(answer.status, 200);
    facilitator.faults.push(...Array<Fault>(6).fill("refuse"));
    for (let n = 0; n < 6; n++) assertEquals((await pay(`?n=${n}`)).status, 402);
    assertEquals(shop.payments.status().ready, true, "a refusal is an answer");

    facilitator.away = true;
    const open = [await pay("?n=2"), await pay("?n=3")];
    assertEquals(open.map(({ text }) => JSON.parse(text).charged), [null, null]);
    assertEquals(shop.payments.status().ready, false);
    const { computed } = shop;
    const settles = facilitator.settles();
    const closed = await pay("?n=4");
    assertEquals([closed.status, JSON.parse(closed.text).charged], [503, false]);
    assertEquals((await shop.get("number", "?n=4")).status, 503, "no challenge either");
    assertEquals(await pay("?n=1", bought), answer, "what was bought is given again");
    assertEquals([shop.computed, facilitator.settles()], [computed, settles]);

    facilitator.away = false;
    await until(() => shop.payments.status().ready, "it is found again");
    assertEquals((await pay("?n=5")).status, 200);
  },

  "a facilitator that dies before the trial run closes the till as well": async (
    { facilitator, chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator({ timing: { ...QUICK, tendMs: 60_000 } });
    facilitator.away = true;
    for (let n = 0; n < 3; n++) {
      const headers = await payV2(await chain.account(1_000_000n), TERMS);
      const { text } = await read(await shop.get("slow", `?n=${n}`, headers));
      assertEquals(JSON.parse(text).charged, false);
    }
    assertEquals([shop.payments.status().ready, shop.computed], [false, 0]);
  },

  "a chain that goes away closes the till until it is back": async ({ chain, rpc, ...stage }) => {
    await using shop = await stage.viaWallet({ timing: { ...QUICK, tendMs: 1_000 } });
    const payers = await Promise.all(Array.from({ length: 5 }, () => chain.account(1_000_000n)));
    const headers = await Promise.all(payers.map((payer) => payV2(payer, TERMS)));
    rpc.fault = "away";
    for (const sent of headers.slice(0, 3)) await read(await shop.get("number", "?n=1", sent));
    assertEquals([shop.payments.status().ready, shop.computed], [false, 3]);
    const closed = await read(await shop.get("number", "?n=1", headers[3]));
    assertEquals([closed.status, JSON.parse(closed.text).charged, shop.computed], [503, false, 3]);
    rpc.fault = "none";
    await until(() => shop.payments.status().ready, "it is found again");
    const last = await read(await shop.get("number", "?n=1", headers[4]));
    assertEquals(last.status, 200, last.text);
  },
};

Deno.test({
  name: "nothing is sold while the facilitator or the chain is away",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using stage = await openStage(RICH_KEYS[1] ?? "0x");
    await play(stage, CASES);
  },
});
