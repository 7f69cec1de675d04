/** What a facilitator settles for buyers of every sort. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { decodePaymentResponseHeader } from "@x402/fetch";
import { type TestChain, TOKEN_ABI, USDC } from "../../doubles/chain.ts";
import { payingFetch } from "../../support/official_client.ts";
import { until } from "../../support/time.ts";
import {
  decode,
  DOMAIN,
  encode,
  freshNonce,
  nowSeconds,
  payloadV2,
  payV1,
  payV2,
  sign,
  type SignedPayment,
} from "../support/buyer.ts";
import { PAY_TO, TERMS } from "../support/shop.ts";
import { insist, read, type StageCases, testOnStage, watchMoney } from "../support/stage.ts";
import { encodeFunctionData, getAddress, parseSignature } from "viem";

/** Sends a signed transfer to the chain, as anyone can. */
async function transfer(chain: TestChain, { authorization, signature }: SignedPayment) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { r, s, v } = parseSignature(signature);
  const args = [
    getAddress(from),
    getAddress(to),
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce,
    Number(v),
    r,
    s,
  ] as const;
  const functionName = "transferWithAuthorization";
  await chain.send(USDC, encodeFunctionData({ abi: TOKEN_ABI, functionName, args }));
}

const CASES: StageCases = {
  "the official client buys, and exactly the price moves": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const response = await payingFetch(payer)(`${shop.url}/v1/number?n=1`);
    assertEquals(response.status, 200);
    assertEquals((await response.json()).charged, true);
    const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    assertEquals([receipt.success, receipt.network, receipt.payer], [
      true,
      "eip155:8453",
      payer.address,
    ]);
    const mined = await chain.rpc("eth_getTransactionReceipt", [receipt.transaction]);
    assertEquals((mined as { status: string }).status, "0x1");
    await moved(1);
    assertEquals(facilitator.calls.map(({ path }) => path), ["/supported", "/verify", "/settle"]);
    const body = facilitator.calls[2]?.body as { paymentPayload: { extensions: unknown } };
    assert(JSON.stringify(body.paymentPayload.extensions).includes("bazaar"));
  },

  "a payload of version 1 is settled as well": async ({ chain, ...stage }) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const response = await shop.get("number", "?n=1", await payV1(payer, TERMS));
    assertEquals((await read(response)).status, 200);
    assertEquals(decode(response.headers.get("x-payment-response"))["success"], true);
    await moved(1);
  },

  "where the compute costs something the payment is verified first": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const poor = await chain.account(0n);
    const refused = await shop.get("slow", "?n=1", await payV2(poor, TERMS));
    assertEquals((await refused.json()).error, "insufficient_funds");
    assertEquals(refused.status, 402);
    assertEquals(shop.computed, 0);
    const payer = await chain.account(1_000_000n);
    assertEquals(
      (await read(await shop.get("slow", "?n=1", await payV2(payer, TERMS)))).status,
      200,
    );
    const paths = facilitator.calls.map(({ path }) => path);
    assertEquals(paths, ["/supported", "/verify", "/verify", "/settle"]);
  },

  "a refused settlement withholds the answer, and the next payment waits a moment": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(10_000n);
    facilitator.faults.push("refuse");
    const headers = await payV2(payer, TERMS);
    // Signed ahead: the pause is short.
    const soon = await payV2(payer, TERMS);
    const refused = await shop.get("number", "?n=1", headers);
    const { text } = await read(refused);
    assertEquals(refused.status, 402);
    assertEquals(text.includes("count"), false);
    assertEquals(decode(refused.headers.get("payment-response"))["success"], false);
    const cooling = await shop.get("number", "?n=2", soon);
    assertEquals((await read(cooling)).status, 429);
    assert(Number(cooling.headers.get("retry-after")) >= 1);
    const later = await until(async () => {
      const { status } = await read(await shop.get("number", "?n=1", headers));
      return status !== 429 && status;
    }, "the pause is over");
    assertEquals(later, 200);
    assertEquals(shop.computed, 1, "the stored answer was sold");
    assertEquals(await chain.balance(payer.address), 0n);
  },

  "twenty payments at once with money for one: one is computed and charged": async (
    { chain, ...stage },
  ) => {
    const refusals = Promise.withResolvers<void>();
    // A call that came once the money is gone would be computed, and refused by the facilitator: none may be so late.
    await using shop = await stage.viaFacilitator({ onCompute: () => refusals.promise });
    const payer = await chain.account(10_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await Promise.all(Array.from({ length: 20 }, () => payV2(payer, TERMS)));
    let refused = 0;
    const answers = await Promise.all(
      headers.map(async (header, n) => {
        const { status } = await read(await shop.get("number", `?n=${n}`, header));
        if (status !== 200 && ++refused === headers.length - 1) refusals.resolve();
        return status;
      }),
    );
    assertEquals(answers.filter((status) => status === 200).length, 1);
    assertEquals(answers.every((status) => [200, 402, 429].includes(status)), true);
    assertEquals(shop.computed, 1);
    await moved(1);
  },

  "a rich payer's balance is read once for a burst of calls": async (stage) => {
    await using shop = await stage.viaFacilitator();
    const payer = await stage.chain.account(10_000_000n);
    const moved = await watchMoney(stage.chain, payer);
    stage.rpc.methods.length = 0;
    for (let round = 0; round < 2; round++) {
      const headers = await Promise.all(Array.from({ length: 8 }, () => payV2(payer, TERMS)));
      const statuses = await Promise.all(
        headers.map(async (header, n) =>
          (await read(await shop.get("number", `?n=${round}${n}`, header))).status
        ),
      );
      assertEquals(statuses, Array(8).fill(200));
    }
    assertEquals(stage.rpc.methods.filter((method) => method === "eth_call").length <= 2, true);
    await moved(16);
  },

  "a payment that its buyer sent to the chain himself is not charged again": async (
    { chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const signed = await sign(payer, TERMS);
    await transfer(chain, signed);
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const { status } = await read(await shop.get("number", "?n=1", headers));
    assertEquals(status === 200 || status === 402, true);
    await moved(1);
  },

  "a settlement whose transaction reverted is refused": async ({ chain, ...stage }) => {
    const payer = await chain.account(10_000n);
    const other = await chain.account(0n);
    await using shop = await stage.viaFacilitator({
      onCompute: async () =>
        await transfer(chain, await sign(payer, { payTo: other.address, amount: 10_000 })),
    });
    const earned = await chain.balance(PAY_TO);
    const { status, text } = await read(
      await shop.get("number", "?n=1", await payV2(payer, TERMS)),
    );
    assertEquals([status, JSON.parse(text).error], [402, "insufficient_funds"]);
    assertEquals(await chain.balance(PAY_TO), earned);
  },

  "a settled authorization that the ledger lost buys nothing else, after a quiet time as well":
    async (
      { chain, database: { database }, ...stage },
    ) => {
      let quiet = 0;
      await using shop = await stage.viaFacilitator({ ticks: () => performance.now() + quiet });
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      const headers = await payV2(payer, TERMS);
      assertEquals((await read(await shop.get("read", "?n=1", headers))).status, 200);
      await database.short((sql) =>
        sql`
      with answers as (delete from payment_answers), payers as (delete from payment_payers)
      delete from payments`
      );
      for (let block = 0; block < 10; block++) await chain.rpc("evm_mine");
      quiet = 61_000;
      const { status, text } = await read(await shop.get("read", "?n=2", headers));
      assertEquals([status, JSON.parse(text).error], [402, "invalid_exact_evm_nonce_already_used"]);
      await moved(1);
    },

  "a cancelled authorization pays nothing": async ({ chain, ...stage }) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const nonce = freshNonce();
    const signature = await payer.signTypedData({
      domain: DOMAIN,
      types: {
        CancelAuthorization: [{ name: "authorizer", type: "address" }, {
          name: "nonce",
          type: "bytes32",
        }],
      },
      primaryType: "CancelAuthorization",
      message: { authorizer: payer.address, nonce },
    });
    const { r, s, v } = parseSignature(signature);
    const args = [payer.address, nonce, Number(v), r, s] as const;
    await chain.send(
      USDC,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: "cancelAuthorization", args }),
    );
    const headers = await payV2(payer, { ...TERMS, nonce });
    const { status, text } = await read(await shop.get("number", "?n=1", headers));
    assertEquals(status, 402);
    assertEquals(text.includes("count"), false);
    await moved(0);
  },

  "contract wallets pay by ERC-1271, forged ones do not": async ({ chain, ...stage }) => {
    await using shop = await stage.viaFacilitator();
    const owner = await chain.account(0n);
    const purse = await chain.purse(owner.address, 1_000_000n);
    const moved = await watchMoney(chain, purse);
    const forged = await payV2(await chain.account(0n), { ...TERMS, from: purse });
    assertEquals((await read(await shop.get("number", "?n=1", forged))).status, 402);
    const { signature, authorization } = await sign(owner, { ...TERMS, from: purse });
    const longer = { signature: `${signature}c0ffee` as const, authorization };
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(longer, TERMS)) };
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 200);
    const short = await payV2(owner, { ...TERMS, from: purse });
    assertEquals((await read(await shop.get("number", "?n=2", short))).status, 200);
    await moved(2);
  },

  "an authorization that runs out during the compute is not charged": async (
    { chain, facilitator, ...stage },
  ) => {
    let ahead = 0;
    await using shop = await stage.viaFacilitator({
      now: () => new Date(Date.now() + ahead),
      onCompute: () => Promise.resolve(ahead = 60_000),
    });
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, { ...TERMS, validBefore: nowSeconds() + 40 });
    const { status, text } = await read(await shop.get("number", "?n=1", headers));
    assertEquals(status, 402);
    assertEquals(JSON.parse(text).error, "invalid_exact_evm_payload_authorization_valid_before");
    assertEquals([shop.computed, facilitator.settles()], [1, 0]);
    await moved(0);
  },

  "a clock that is wrong by a minute still sells": async ({ chain, ...stage }) => {
    for (const wrong of [-60_000, 60_000]) {
      await using shop = await stage.viaFacilitator({ now: () => new Date(Date.now() + wrong) });
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      assertEquals(
        (await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)))).status,
        200,
      );
      await moved(1);
    }
  },

  "a client that leaves is charged only for what it can have again": async (
    { chain, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    shop.delayMs = 200;
    const leaving = new AbortController();
    const call = fetch(`${shop.url}/v1/number?n=1`, { headers, signal: leaving.signal });
    setTimeout(() => leaving.abort(), 80);
    await assertRejects(() => call);
    const answer = await insist(shop, "?n=1", headers);
    assertEquals(answer.status, 200);
    assertEquals(shop.computed, 1);
    await moved(1);
  },
};

testOnStage("sales through a facilitator", CASES);
