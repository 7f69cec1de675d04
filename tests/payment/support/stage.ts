/** What the tests on a real chain share: a database, a chain, a facilitator, an RPC that can fail. */
import { assertEquals } from "@std/assert";
import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount } from "viem/accounts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { startChain, type TestChain } from "../../doubles/chain.ts";
import { type FacilitatorDouble, startFacilitator } from "../../doubles/facilitator.ts";
import { type RpcDouble, startRpc } from "../../doubles/rpc.ts";
import { until } from "../../support/time.ts";
import { openShop, PAY_TO, type Shop, type ShopOptions, TERMS } from "./shop.ts";

export interface Stage extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly chain: TestChain;
  readonly facilitator: FacilitatorDouble;
  readonly rpc: RpcDouble;
  /** A shop that settles through the facilitator. */
  viaFacilitator(options?: Partial<ShopOptions>): Promise<Shop>;
  /** A shop that broadcasts by itself. */
  viaWallet(options?: Partial<ShopOptions>): Promise<Shop>;
}

/**
 * Makes a stage on Postgres where there is one, else on the embedded database. `key` is that of the wallet
 * that broadcasts: a new one, without gas money, where none is given.
 */
export async function openStage(key: Hex = generatePrivateKey()): Promise<Stage> {
  const database = await testDatabase();
  const chain = await startChain();
  const facilitator = await startFacilitator(chain.url);
  const rpc = startRpc(chain.url);
  const shop = (settings: ShopOptions["settings"], options: Partial<ShopOptions> = {}) =>
    openShop({
      database: database.database,
      ...options,
      settings: { rpcUrl: rpc.url, ...settings, ...options.settings },
    });
  return {
    database,
    chain,
    facilitator,
    rpc,
    viaFacilitator: (options) =>
      shop({ mode: "facilitator", facilitatorUrl: facilitator.url }, options),
    viaWallet: (options) => shop({ mode: "onchain", settlementPrivateKey: key }, options),
    [Symbol.asyncDispose]: async () => {
      await facilitator[Symbol.asyncDispose]();
      await rpc[Symbol.asyncDispose]();
      await chain[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Money moved: what the payer lost and what we earned since the start, to the unit. */
export async function watchMoney(chain: TestChain, payer: PrivateKeyAccount | string) {
  const address = typeof payer === "string" ? payer : payer.address;
  const [held, earned] = [await chain.balance(address), await chain.balance(PAY_TO)];
  return async (charges: number): Promise<void> => {
    const moved = BigInt(charges * TERMS.amount);
    assertEquals(held - await chain.balance(address), moved, "what the payer paid");
    assertEquals(await chain.balance(PAY_TO) - earned, moved, "what was earned");
  };
}

/** Status and body of a response, read to its end. */
export async function read(response: Response): Promise<{ status: number; text: string }> {
  return { status: response.status, text: await response.text() };
}

/** Sends the same payment again until it is answered with something other than 503. */
export async function insist(
  shop: Shop,
  query: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return await until(async () => {
    const answer = await read(await shop.get("number", query, headers));
    return answer.status !== 503 && answer;
  }, "an answer other than 503");
}

export type StageCases = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** Registers a test of named cases on one stage of its own, one after the other, each a step of it. */
export function testOnStage(name: string, cases: StageCases, key?: Hex): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (t) => {
      await using stage = await openStage(key);
      await play(t, stage, cases);
    },
  });
}

async function play(t: Deno.TestContext, stage: Stage, cases: StageCases): Promise<void> {
  for (const [name, run] of Object.entries(cases)) {
    stage.facilitator.faults.length = 0;
    stage.facilitator.calls.length = 0;
    stage.facilitator.away = false;
    stage.rpc.fault = "none";
    stage.rpc.canned.clear();
    stage.rpc.limited.clear();
    stage.rpc.ahead = 0;
    await t.step(name, () => run(stage));
  }
}
