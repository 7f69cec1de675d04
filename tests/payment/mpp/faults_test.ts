/** Payments by MPP while the facilitator, the chain or a replica fails: one charge for one answer. */
import { assert, assertEquals } from "@std/assert";
import type { PrivateKeyAccount } from "viem/accounts";
import { RICH_KEYS } from "../../doubles/chain.ts";
import type { Fault } from "../../doubles/facilitator.ts";
import { encode, payloadV2 } from "../support/buyer.ts";
import { TERMS } from "../support/shop.ts";
import {
  answerTo,
  ask,
  authorizationHeader,
  credentialOf,
  payMpp,
  receiptOf,
} from "./mpp_buyer.ts";
import type { Shop } from "../support/shop.ts";
import { insist, read, type StageCases, testOnStage, watchMoney } from "../support/stage.ts";

const FAULTS: readonly Fault[][] = [
  ["hang"],
  ["garbage", "garbage"],
  ["settle-then-500", "error-500"],
  ["settle-then-hang"],
  ["settle-then-cut", "cut"],
  ["lie-refused"],
  ["pending", "pending"],
];

const pay = async (shop: Shop, account: PrivateKeyAccount): Promise<Record<string, string>> =>
  await payMpp(await ask(shop), account);

const CASES: StageCases = {
  "whatever goes wrong at the facilitator, the same credential gets one answer for one charge":
    async ({ chain, facilitator, ...stage }) => {
      for (const faults of FAULTS) {
        await using shop = await stage.viaFacilitator();
        const payer = await chain.account(1_000_000n);
        const moved = await watchMoney(chain, payer);
        const headers = await pay(shop, payer);
        facilitator.faults.push(...faults);
        const first = await shop.get("number", "?n=1", headers);
        const { status, text } = await read(first);
        if (status === 503) {
          const body = JSON.parse(text);
          assertEquals(
            [body.error.code, body.charged],
            ["settlement_pending", null],
            faults.join(),
          );
          assertEquals(first.headers.has("www-authenticate"), false, "nobody should sign anew");
        } else assertEquals(status, 200, faults.join());
        facilitator.faults.length = 0;
        assertEquals((await insist(shop, "?n=1", headers)).status, 200, faults.join());
        assertEquals(shop.computed, 1);
        await moved(1);
      }
    },

  "a payer without funds is refused with the problem's name, and nothing moves": async (
    { chain, ...stage },
  ) => {
    for (const shop of [await stage.viaFacilitator(), await stage.viaWallet()]) {
      await using _open = shop;
      const payer = await chain.account(0n);
      const response = await shop.get("number", "?n=1", await pay(shop, payer));
      const { type, error, charged } = await response.json();
      assertEquals([response.status, error, charged], [402, "insufficient_funds", false]);
      assertEquals(type, "https://paymentauth.org/problems/payment-insufficient");
      assert(response.headers.has("www-authenticate") && !response.headers.has("payment-receipt"));
    }
  },

  "a credential at two replicas at once is one charge, and both give its receipt": async (
    { chain, ...stage },
  ) => {
    await using one = await stage.viaWallet();
    await using two = await stage.viaFacilitator();
    await using third = await stage.viaWallet();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await pay(two, payer);
    const shops = [one, third, one, third, one, third];
    const answers = await Promise.all(shops.map((shop) => shop.get("number", "?n=1", headers)));
    const receipts = new Set(answers.map((answer) => answer.headers.get("payment-receipt")));
    assertEquals(answers.map(({ status }) => status), shops.map(() => 200));
    assertEquals(new Set(await Promise.all(answers.map((a) => a.text()))).size, 1);
    assertEquals(receipts.size, 1);
    assertEquals(one.computed + third.computed, 1);
    await moved(1);
  },

  "what settled once buys nothing else, on either wire, and its receipt stays the same": async (
    { chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const challenge = await ask(shop);
    const signed = await answerTo(challenge, payer);
    const headers = authorizationHeader(credentialOf(challenge, signed));
    const first = await shop.get("number", "?n=1", headers);
    assertEquals(first.status, 200);
    await first.body?.cancel();
    const { reference } = receiptOf(first);
    const moved = await watchMoney(chain, payer);
    const crossed = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const other = await read(await shop.get("other", "?n=1", crossed));
    assertEquals([other.status, JSON.parse(other.text).error], [402, "authorization_of_mpp"]);
    const again = await shop.get("number", "?n=2", headers);
    assertEquals((await read(again)).status, 402);
    const repeated = await shop.get("number", "?n=1", headers);
    await repeated.body?.cancel();
    assertEquals(receiptOf(repeated)["reference"], reference);
    await moved(0);
  },
};

testOnStage("payments by MPP on a chain", CASES, RICH_KEYS[0]);
