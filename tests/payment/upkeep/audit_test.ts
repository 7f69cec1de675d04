/** Settlements that a facilitator tells of and the chain does not know: the doctor and the service find them. */
import { assertEquals } from "@std/assert";
import { proofs } from "../../../commands/doctor/payment.ts";
import { startFacilitator } from "../../doubles/facilitator.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { QUICK, TERMS, TEST_SETTINGS } from "../support/shop.ts";
import { openStage, read } from "../support/stage.ts";

Deno.test({
  name: "a settlement that was only told of is found by the doctor",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using stage = await openStage();
    await using liar = await startFacilitator(null);
    const { sql } = stage.database.database;
    const config = { payment: { ...TEST_SETTINGS, mode: "facilitator" as const } };
    const look = async (): Promise<readonly [string, string]> => {
      await sql`update payments set settled_at = settled_at - interval '2 minutes'`;
      const { level, says } = await proofs({ config }, stage.database.database, stage.rpc.url);
      return [level, says];
    };
    assertEquals(await look(), ["ok", "nothing settled yet"]);
    {
      await using honest = await stage.viaFacilitator();
      const payer = await stage.chain.account(1_000_000n);
      const sold = await read(await honest.get("number", "?n=1", await payV2(payer, TERMS)));
      assertEquals(sold.status, 200);
    }
    assertEquals(await look(), ["ok", "the last 1 settlements are on the chain"]);
    // A node that keeps no receipts of that age still knows that the authorization was used.
    stage.rpc.canned.set("eth_getTransactionReceipt", null);
    assertEquals(await look(), [
      "warn",
      "the node has no receipt of 1 of the last 1 settlements, whose authorizations were used",
    ]);
    stage.rpc.canned.set("eth_getTransactionReceipt", { status: "0x1", logs: [] });
    assertEquals((await look())[0], "fail");
    stage.rpc.canned.clear();
    await using cheated = await stage.viaFacilitator({
      settings: { facilitatorUrl: liar.url },
      timing: { ...QUICK, reconcileMs: 50 },
    });
    const notOnChain = (): number => cheated.payments.status().notOnChain;
    const payer = await stage.chain.account(1_000_000n);
    const told = await read(await cheated.get("number", "?n=2", await payV2(payer, TERMS)));
    assertEquals(told.status, 200);
    assertEquals(notOnChain(), 0, "it is left alone for a minute");
    assertEquals(await look(), [
      "fail",
      `1 of the last 2 settlements are not on the chain, 0x${"ab".repeat(32)} first`,
    ]);
    await until(() => notOnChain() === 1, "the running service notices");
    await sql`delete from payments where tx = ${`0x${"ab".repeat(32)}`}`;
    await until(() => notOnChain() === 0, "and that all is well again");
  },
});
