/** What the wallet offers for a transaction that is not mined: more, where that can help. */
import { assert, assertEquals } from "@std/assert";
import { parseTransaction } from "viem";
import { ChainRefusal } from "../../../payment/evm/rpc.ts";
import { testDatabase } from "../../support/database.ts";
import { openTestWallet } from "../support/wallet.ts";

/** Fee and tip of a signed transaction. */
function offeredBy(raw: string | undefined) {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(
    `0x${raw?.slice(2)}` as `0x02${string}`,
  );
  return { fee: maxFeePerGas, tip: maxPriorityFeePerGas };
}

const refusing = (why: string) => () => Promise.reject(new ChainRefusal(why, -32000));
const FIRST = { fee: 20_100_000n, tip: 100_000n };

Deno.test("a transaction that nodes refuse is sent again as it is", async () => {
  await using test = await testDatabase();
  const { rpc, wallet, sell } = await openTestWallet(test.database, 0);
  rpc.onSend = refusing("insufficient funds for gas * price + value");
  await sell();
  for (let pass = 0; pass < 5; pass++) await wallet.maintain();
  assertEquals(rpc.sent.length, 6);
  assertEquals(new Set(rpc.sent).size, 1);
  assertEquals(offeredBy(rpc.sent.at(-1)), FIRST);

  rpc.onSend = () => Promise.resolve("0x0");
  await wallet.maintain();
  assertEquals(new Set(rpc.sent).size, 1, "a node has it from now on");
  await wallet.maintain();
  assertEquals(new Set(rpc.sent).size, 2, "and has had it for a while");
});

Deno.test("a replacement raises the fee and the tip alike, up to the cap", async () => {
  await using test = await testDatabase();
  const { rpc, store, wallet, sell } = await openTestWallet(test.database, 0);
  await sell();
  rpc.onSend = refusing("already known");
  await wallet.maintain();
  await wallet.maintain();
  const { fee, tip } = offeredBy(rpc.sent.at(-1));
  assertEquals([fee * 100n / FIRST.fee, tip * 100n / FIRST.tip], [125n, 125n]);
  for (let pass = 0; pass < 60; pass++) await wallet.maintain();
  const last = offeredBy(rpc.sent.at(-1));
  assert(last.fee <= 5_000_000_000n);
  assert(last.tip * 100n < last.fee, `the tip is ${last.tip} of ${last.fee}`);
  assertEquals((await store.pending()).map(({ maxFee }) => maxFee), [last.fee]);
});

Deno.test("a transaction that is refused for its price is replaced by a dearer one", async () => {
  for (const why of ["transaction underpriced", "max fee per gas less than block base fee"]) {
    await using test = await testDatabase();
    const { rpc, wallet, sell } = await openTestWallet(test.database, 0);
    rpc.onSend = refusing(why);
    await sell();
    await wallet.maintain();
    await wallet.maintain();
    assertEquals(new Set(rpc.sent).size, 2, why);
    assert(offeredBy(rpc.sent.at(-1)).fee > FIRST.fee);
  }
});
