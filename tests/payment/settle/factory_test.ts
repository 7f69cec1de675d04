/** Wallets that are not deployed yet (ERC-6492): who may pay by them, and what they find again. */
import { assertEquals } from "@std/assert";
import { concat, encodeAbiParameters, encodeFunctionData } from "viem";
import { type PrivateKeyAccount } from "viem/accounts";
import { unwrapped } from "../../../payment/evm/signature.ts";
import { FACTORY_ABI, type Hex } from "../../doubles/chain.ts";
import { newAccount } from "../../support/accounts.ts";
import { encode, payloadV2, sign } from "../support/buyer.ts";
import { TERMS } from "../support/shop.ts";
import {
  insist,
  read,
  type Stage,
  type StageCases,
  testOnStage,
  watchMoney,
} from "../support/stage.ts";

const SUFFIX: Hex = `0x${"6492".repeat(16)}`;
const PARAMETERS = [{ type: "address" }, { type: "bytes" }, { type: "bytes" }] as const;

/** A payment of the wallet that `factory` would make for `owner`. */
async function wrappedPayment(
  owner: PrivateKeyAccount,
  factory: { readonly address: Hex; readonly purse: Hex },
): Promise<Record<string, string>> {
  const { signature, authorization } = await sign(owner, { ...TERMS, from: factory.purse });
  const args = [owner.address] as const;
  const making = encodeFunctionData({ abi: FACTORY_ABI, functionName: "make", args });
  const wrapping = encodeAbiParameters(PARAMETERS, [factory.address, making, signature]);
  const payload = { signature: concat([wrapping, SUFFIX]), authorization };
  return { "PAYMENT-SIGNATURE": encode(payloadV2(payload, TERMS)) };
}

async function wallet({ chain, facilitator }: Stage) {
  const owner = await chain.account(0n);
  const factory = await chain.factory(owner.address);
  await chain.mint(factory.purse, 1_000_000n);
  facilitator.factories.splice(0, Infinity, factory.address);
  return { owner, factory, headers: await wrappedPayment(owner, factory) };
}

const reasonOf = async (response: Response) => {
  const { status, text } = await read(response);
  return [status, JSON.parse(text).error?.code ?? JSON.parse(text).error];
};

const CASES: StageCases = {
  "a factory that is not allowed is refused without asking anyone": async (stage) => {
    const { factory, headers } = await wallet(stage);
    await using shop = await stage.viaFacilitator();
    const moved = await watchMoney(stage.chain, factory.purse);
    stage.facilitator.calls.length = 0;
    const answer = await reasonOf(await shop.get("number", "?n=1", headers));
    assertEquals(answer, [402, "eip6492_factory_not_allowed"]);
    assertEquals([shop.computed, stage.facilitator.calls.length], [0, 0]);
    await moved(0);
  },

  "an allowed one's wallet pays before it is deployed, and finds again what it bought": async (
    stage,
  ) => {
    const { owner, factory, headers } = await wallet(stage);
    await using shop = await stage.viaFacilitator({
      settings: { walletFactories: [factory.address] },
    });
    const moved = await watchMoney(stage.chain, factory.purse);
    const bought = await read(await shop.get("number", "?n=1", headers));
    assertEquals([bought.status, JSON.parse(bought.text).charged], [200, true]);
    assertEquals(await read(await shop.get("number", "?n=1", headers)), bought);
    // Deployed now, it may go on wrapping what it signs.
    const next = await wrappedPayment(owner, factory);
    assertEquals((await read(await shop.get("number", "?n=2", next))).status, 200);
    assertEquals(shop.computed, 2);
    await moved(2);
  },

  "it is known by what it bought, however many others make wallets up": async (stage) => {
    const { owner, factory, headers } = await wallet(stage);
    await using shop = await stage.viaFacilitator({
      settings: { walletFactories: [factory.address] },
      ticks: () => 0,
    });
    assertEquals((await read(await shop.get("number", "?n=1", headers))).status, 200);
    const flood = async (): Promise<number> => {
      const { address } = newAccount();
      const stranger = await wrappedPayment(owner, { ...factory, purse: address });
      return (await read(await shop.get("number", "?n=1", stranger))).status;
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, flood));
    assertEquals(statuses.filter((status) => status === 402).length, 49);
    assertEquals(await flood(), 503);
    const next = await wrappedPayment(owner, factory);
    assertEquals((await read(await shop.get("number", "?n=2", next))).status, 200);
  },

  "a signature of someone else's is refused before and after the wallet is deployed": async (
    stage,
  ) => {
    const { factory, headers } = await wallet(stage);
    await using shop = await stage.viaFacilitator({
      settings: { walletFactories: [factory.address] },
    });
    const moved = await watchMoney(stage.chain, factory.purse);
    const thief = await stage.chain.account(0n);
    const before = await shop.get("number", "?n=1", await wrappedPayment(thief, factory));
    assertEquals([(await read(before)).status, shop.computed], [402, 0]);
    await read(await shop.get("number", "?n=1", headers));
    const after = await reasonOf(
      await shop.get("number", "?n=1", await wrappedPayment(thief, factory)),
    );
    assertEquals(after, [402, "invalid_exact_evm_payload_signature"]);
    assertEquals(shop.computed, 1);
    await moved(1);
  },

  "a facilitator that does not answer is no refusal": async (stage) => {
    const { factory, headers } = await wallet(stage);
    await using shop = await stage.viaFacilitator({
      settings: { walletFactories: [factory.address] },
    });
    stage.facilitator.away = true;
    const answer = await reasonOf(await shop.get("number", "?n=1", headers));
    assertEquals([answer, shop.computed], [[503, "overloaded"], 0]);
    stage.facilitator.away = false;
    assertEquals((await insist(shop, "?n=1", headers)).status, 200);
  },
};

testOnStage("wallets that are not deployed yet pay where their factory is allowed", CASES);

Deno.test("what is wrapped is found, and garbage is not", () => {
  const inner: Hex = `0x${"ab".repeat(65)}`;
  const factory: Hex = `0x${"12".repeat(20)}`;
  const wrapping = encodeAbiParameters(PARAMETERS, [factory, "0xc0ffee", inner]);
  assertEquals(unwrapped(concat([wrapping, SUFFIX])), inner);
  for (const digits of ["", "00", "ff".repeat(32), "ff".repeat(96), "00".repeat(96)]) {
    assertEquals(unwrapped(`0x${digits}${SUFFIX.slice(2)}`), null, digits);
  }
});
