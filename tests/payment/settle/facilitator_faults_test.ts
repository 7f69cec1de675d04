/** A facilitator, or the chain, that fails: nobody is charged twice, and nothing is lost. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import type { Failure, Fault } from "../../doubles/facilitator.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { openShop, PAY_TO, TERMS } from "../support/shop.ts";
import { insist, read, type StageCases, testOnStage, watchMoney } from "../support/stage.ts";

/** Faults after which the same payment sent again gets its answer. */
const RECOVERS: readonly Fault[][] = [
  ["hang"],
  ["garbage", "garbage"],
  ["error-500", "error-500"],
  ["cut", "cut"],
  ["huge", "huge"],
  ["settle-then-500", "error-500"],
  ["settle-then-hang"],
  ["settle-then-cut", "cut"],
  ["settle-then-500", "settle-then-500"],
];

const CASES: StageCases = {
  "whatever goes wrong at the facilitator, the same payment gets one answer for one charge": async (
    { chain, facilitator, ...stage },
  ) => {
    for (const faults of RECOVERS) {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      const headers = await payV2(payer, TERMS);
      facilitator.faults.push(...faults);
      const first = await shop.get("number", "?n=1", headers);
      const { status, text } = await read(first);
      if (status === 503) {
        const body = JSON.parse(text);
        assertEquals([body.error.code, body.charged], ["settlement_pending", null], faults.join());
        assert(Number(first.headers.get("retry-after")) >= 1);
        assertMatch(body.error.message, /[Ss]end the same payment again/);
      } else assertEquals(status, 200, faults.join());
      facilitator.faults.length = 0;
      const answer = await insist(shop, "?n=1", headers);
      assertEquals(answer.status, 200, faults.join());
      assertEquals(shop.computed, 1);
      await moved(1);
    }
  },

  "a settlement that is pending twice is asked for again, and answered": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    facilitator.faults.push("pending", "pending");
    const { status } = await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)));
    assertEquals(status, 200);
    assertEquals(facilitator.settles(), 3);
    const bodies = facilitator.calls.filter(({ path }) => path === "/settle").map(({ body }) =>
      JSON.stringify(body)
    );
    assertEquals(new Set(bodies).size, 1, "the identical payload");
    await moved(1);
  },

  "a facilitator that says no after it settled is not believed": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    facilitator.faults.push("lie-refused");
    assertEquals(
      (await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)))).status,
      200,
    );
    await moved(1);
  },

  "a broadcast that failed without a transaction to show is open, and no second payment": async (
    { chain, facilitator, ...stage },
  ) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const before = facilitator.calls.length;
    facilitator.faults.push("lose-broadcast", "lose-broadcast");
    const first = await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)));
    assertEquals([first.status, JSON.parse(first.text).error.code], [503, "settlement_pending"]);
    assertEquals((await insist(shop, "?n=1", await payV2(payer, TERMS))).status, 200);
    assertEquals(shop.computed, 1);
    const settled = facilitator.calls.slice(before).filter(({ path }) => path === "/settle");
    const nonces = settled.map(({ body }) => /"nonce":"(\w+)"/.exec(JSON.stringify(body))?.[1]);
    assertEquals(new Set(nonces).size, 1, "the authorization that was signed first");
    await moved(1);
  },

  "a failure that may follow a broadcast is open, and no second payment": async (
    { chain, facilitator, rpc, ...stage },
  ) => {
    const failures: readonly Failure[] = [
      { reason: "invalid_exact_evm_failed_to_get_receipt", names: true },
      { reason: "invalid_exact_evm_failed_to_execute_transfer" },
      { reason: "settle_exact_node_failure", names: true },
      { reason: "a word of its own" },
      { reason: "invalid_exact_evm_transaction_failed", names: true },
      { reason: "invalid_exact_evm_nonce_already_used" },
      { reason: "insufficient_funds", names: true },
    ];
    for (const { reason, names = false } of failures) {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      facilitator.faults.push({ reason, names, settles: true }, { reason });
      // Our node does not have the block of the transaction yet.
      rpc.ahead = -1;
      const first = await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)));
      assertEquals([first.status, JSON.parse(first.text).error.code], [
        503,
        "settlement_pending",
      ], reason);
      facilitator.faults.length = 0;
      rpc.ahead = 0;
      assertEquals((await insist(shop, "?n=1", await payV2(payer, TERMS))).status, 200);
      assertEquals(shop.computed, 1);
      await moved(1);
    }
  },

  "a success on another network, or of another payer, is none of this payment": async (
    { chain, facilitator, ...stage },
  ) => {
    const others = [
      { network: "eip155:84532" },
      { network: "base-sepolia" },
      { network: undefined },
      { payer: PAY_TO },
      { payer: 7 },
    ];
    for (const success of others) {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      const headers = await payV2(payer, TERMS);
      facilitator.faults.push({ success }, { success });
      const { status, text } = await read(await shop.get("number", "?n=1", headers));
      assertEquals(
        [status, JSON.parse(text).error?.code],
        [503, "settlement_pending"],
        JSON.stringify(success),
      );
      assertEquals((await insist(shop, "?n=1", headers)).status, 200);
      await moved(1);
    }
  },

  "a success in the older names is one": async ({ chain, facilitator, ...stage }) => {
    await using shop = await stage.viaFacilitator();
    const payer = await chain.account(1_000_000n);
    facilitator.faults.push({ success: { network: "base", payer: payer.address.toLowerCase() } });
    const { status } = await read(await shop.get("number", "?n=1", await payV2(payer, TERMS)));
    assertEquals([status, facilitator.faults], [200, []]);
  },

  "what is decided before anything is sent is refused, and charges nothing": async (
    { chain, facilitator, ...stage },
  ) => {
    for (
      const reason of [
        "insufficient_funds",
        "invalid_payload",
        "invalid_exact_evm_transaction_simulation_failed",
        "invalid_exact_evm_payload_authorization_from_address_kyt",
      ]
    ) {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      facilitator.calls.length = 0;
      facilitator.faults.push({ reason });
      const { status, text } = await read(
        await shop.get("number", "?n=1", await payV2(payer, TERMS)),
      );
      assertEquals([status, JSON.parse(text).error], [402, reason]);
      assertEquals(facilitator.settles(), 1);
      await moved(0);
    }
  },

  "a refusal after an attempt without an answer is open, and so is one of a payment tried before":
    async ({ chain, facilitator, ...stage }) => {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const moved = await watchMoney(chain, payer);
      const headers = await payV2(payer, TERMS);
      for (
        const faults of [["error-500", "refuse"], ["refuse"], ["pending", "refuse"]] as Fault[][]
      ) {
        facilitator.faults.push(...faults);
        const { status, text } = await read(await shop.get("number", "?n=1", headers));
        assertEquals(
          [status, JSON.parse(text).error?.code],
          [503, "settlement_pending"],
          faults.join(),
        );
        assertEquals(facilitator.faults, []);
      }
      assertEquals((await insist(shop, "?n=1", headers)).status, 200);
      assertEquals(shop.computed, 1);
      await moved(1);
    },

  "a settlement left open before the payee changed is finished as it was signed": async (
    { chain, facilitator, ...stage },
  ) => {
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const before = await stage.viaFacilitator();
    facilitator.faults.push("cut", "cut");
    const cut = await before.get("number", "?n=1", await payV2(payer, TERMS));
    assertEquals((await read(cut)).status, 503);
    await before[Symbol.asyncDispose]();
    const { address: payTo } = await chain.account(0n);
    await using after = await stage.viaFacilitator({ settings: { payTo } });
    const answer = await insist(after, "?n=1", await payV2(payer, { ...TERMS, payTo }));
    assertEquals([answer.status, JSON.parse(answer.text).n, after.computed], [200, "1", 0]);
    await moved(1);
  },

  "a chain that cannot be asked leaves a refusal open, not guessed": async (
    { chain, facilitator, rpc, ...stage },
  ) => {
    for (const fault of ["hang", "garbage", "error", "away"] as const) {
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const headers = await payV2(payer, TERMS);
      facilitator.faults.push("refuse");
      rpc.fault = fault;
      const { status, text } = await read(await shop.get("number", "?n=1", headers));
      assertEquals([status, JSON.parse(text).error.code], [503, "settlement_pending"], fault);
      rpc.fault = "none";
      assertEquals((await insist(shop, "?n=1", headers)).status, 200);
      assertEquals(shop.computed, 1);
    }
  },

  "a facilitator that does not serve the network stops the start; one that is away does not":
    async ({ facilitator, chain, ...stage }) => {
      facilitator.supports = "eip155:1";
      await assertRejects(() => stage.viaFacilitator(), OperatorError, "does not support");
      facilitator.supports = "eip155:8453";
      facilitator.away = true;
      await using shop = await stage.viaFacilitator();
      const payer = await chain.account(1_000_000n);
      const headers = await payV2(payer, TERMS);
      for (const sent of [{}, headers]) {
        const response = await shop.get("number", "?n=1", sent);
        const { status, text } = await read(response);
        assertEquals([status, JSON.parse(text).error.code, JSON.parse(text).charged], [
          503,
          "overloaded",
          false,
        ]);
        assert(Number(response.headers.get("retry-after")) >= 1);
      }
      facilitator.away = false;
      assertEquals((await insist(shop, "?n=1", headers)).status, 200);
    },

  "a live mode without what it settles with does not start, least of all as mode test": async (
    { database: { database } },
  ) => {
    for (
      const [mode, setting] of [
        ["facilitator", "FACILITATOR_URL"],
        ["onchain", "SETTLEMENT_PRIVATE_KEY"],
      ] as const
    ) {
      await assertRejects(
        () => openShop({ database, settings: { mode } }),
        OperatorError,
        `${setting}: is needed in payment mode ${mode}`,
      );
    }
  },

  "a chain that is another when it comes back after the start stops sales until it is right":
    async (
      { chain, rpc, ...stage },
    ) => {
      rpc.fault = "away";
      await using shop = await stage.viaFacilitator();
      assertEquals(shop.payments.status().isSelling, true, "it may be the right one");
      rpc.canned.set("eth_chainId", "0x1");
      rpc.fault = "none";
      await until(() => !shop.payments.status().isSelling, "the other chain is noticed");
      const headers = await payV2(await chain.account(1_000_000n), TERMS);
      for (const sent of [{}, headers]) {
        const { status, text } = await read(await shop.get("number", "?n=1", sent));
        assertEquals([status, JSON.parse(text).charged], [503, false]);
      }
      rpc.canned.clear();
      await until(() => shop.payments.status().isSelling, "the right one is noticed");
      assertEquals((await insist(shop, "?n=1", headers)).status, 200);
      rpc.methods.length = 0;
      await new Promise((resolve) => setTimeout(resolve, 300));
      assertEquals(rpc.methods, [], "it is asked no more");
    },

  "a chain other than the network's stops the start": async ({ rpc, ...stage }) => {
    rpc.canned.set("eth_chainId", "0x1");
    await assertRejects(() => stage.viaFacilitator(), OperatorError, "RPC_URL is on chain 1");
  },
};

testOnStage("a facilitator or a chain that fails", CASES);
