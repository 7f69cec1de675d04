/** Contract wallets (ERC-1271) that send a payment again while nobody can say whether they signed it. */
import { assertEquals } from "@std/assert";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Hex } from "../../doubles/chain.ts";
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

/** A wallet with money, and what it pays with: two signatures that it takes for one authorization. */
async function wallet({ chain }: Stage) {
  const owner: PrivateKeyAccount = await chain.account(0n);
  const purse = await chain.purse(owner.address, 1_000_000n);
  const { signature, authorization } = await sign(owner, { ...TERMS, from: purse });
  const signedBy = (bytes: Hex): Record<string, string> => ({
    "PAYMENT-SIGNATURE": encode(payloadV2({ signature: bytes, authorization }, TERMS)),
  });
  return { purse, headers: signedBy(`${signature}c0ffee`), otherwise: signedBy(signature) };
}

function takeAway({ rpc, facilitator }: Stage): void {
  rpc.fault = "away";
  facilitator.away = true;
}

async function failure(response: Response): Promise<[number, string, unknown]> {
  const { error, charged } = await response.json();
  return [response.status, error.code ?? error, charged];
}

type Failure = [number, string, unknown];
const PENDING: Failure = [503, "settlement_pending", null];
const FORGED: Failure = [402, "invalid_exact_evm_payload_signature", false];

const CASES: StageCases = {
  "what it bought is given again while the chain and the facilitator are away": async (stage) => {
    const { purse, headers, otherwise } = await wallet(stage);
    const moved = await watchMoney(stage.chain, purse);
    let bought;
    {
      await using shop = await stage.viaFacilitator();
      bought = await read(await shop.get("number", "?n=1", headers));
      assertEquals(bought.status, 200);
    }
    takeAway(stage);
    await using next = await stage.viaFacilitator();
    assertEquals(await read(await next.get("number", "?n=1", headers)), bought);
    // Other bytes may be anybody's, and another call is not what was bought: nobody can tell now.
    assertEquals(await failure(await next.get("number", "?n=1", otherwise)), PENDING);
    assertEquals(await failure(await next.get("number", "?n=2", headers)), PENDING);
    assertEquals(next.computed, 0);
    stage.rpc.fault = "none";
    const other = await failure(await next.get("number", "?n=2", headers));
    assertEquals(other, [402, "invalid_exact_evm_nonce_already_used", false]);
    await moved(1);
  },

  "what was never sold is not sold, and not said to be open": async (stage) => {
    const { purse, headers } = await wallet(stage);
    const moved = await watchMoney(stage.chain, purse);
    await using shop = await stage.viaFacilitator();
    stage.rpc.fault = "away";
    const answer = await failure(await shop.get("number", "?n=1", headers));
    assertEquals([answer, shop.computed], [[503, "overloaded", false], 0]);
    stage.rpc.fault = "none";
    assertEquals((await insist(shop, "?n=1", headers)).status, 200);
    await moved(1);
  },

  "what it bought is given again when the wallet has changed hands since": async (stage) => {
    const { purse, headers, otherwise } = await wallet(stage);
    await using shop = await stage.viaFacilitator();
    const bought = await read(await shop.get("number", "?n=1", headers));
    // From now on it takes no signature at all: it answers 32 zero bytes.
    await stage.chain.rpc("anvil_setCode", [purse, "0x600060005260206000f3"]);
    assertEquals(await read(await shop.get("number", "?n=1", headers)), bought);
    assertEquals(await failure(await shop.get("number", "?n=1", otherwise)), FORGED);
    assertEquals(await failure(await shop.get("number", "?n=2", headers)), FORGED);
    assertEquals(shop.computed, 1);
  },
};

testOnStage("contract wallets find again what they bought", CASES);
