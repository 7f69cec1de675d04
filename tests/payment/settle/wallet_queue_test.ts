/** Sales do not wait for the wallet's upkeep, however slow the chain is. */
import { assert, assertEquals } from "@std/assert";
import { ChainUnavailable } from "../../../payment/evm/rpc.ts";
import { testDatabase } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { openTestWallet } from "../support/wallet.ts";

Deno.test("a sale goes before the wallet's upkeep on a slow chain", async () => {
  await using test = await testDatabase();
  const { rpc, store, wallet, sell } = await openTestWallet(test.database, 1_000_000);
  for (let n = 0; n < 12; n++) assertEquals(await sell(), "sent");
  assertEquals((await store.pending()).map(({ chainNonce }) => chainNonce), [
    ...Array(12).keys(),
  ]);

  // A transaction of the upkeep hangs: what is sold meanwhile is sent all the same, in its own order.
  const hanging = Promise.withResolvers<void>();
  rpc.onSend = () => hanging.promise;
  rpc.sent.length = 0;
  const upkeep = wallet.maintain();
  await until(() => rpc.sent.length === 1, "the upkeep sends");
  rpc.onSend = () => Promise.resolve("0x0");
  const sold = await Promise.all(Array.from({ length: 3 }, () => sell()));
  assertEquals(sold, ["sent", "sent", "sent"]);
  assertEquals(rpc.sent.length, 4);
  // A sale that hangs hinders no other either.
  const stuck = Promise.withResolvers<void>();
  rpc.onSend = () => stuck.promise;
  const slow = sell();
  await until(() => rpc.sent.length === 5, "the slow one is on its way");
  rpc.onSend = () => Promise.resolve("0x0");
  assertEquals(await sell(), "sent");
  stuck.resolve();
  assertEquals(await slow, "sent");
  hanging.resolve();
  await upkeep;
  const pending = await store.pending();
  assertEquals(pending.map(({ chainNonce }) => chainNonce), [...Array(17).keys()]);
  assert(new Set(pending.map(({ paymentId }) => paymentId)).size === 17);

  // Where the chain is away, one deadline is enough to find that out.
  rpc.onSend = () => Promise.reject(new ChainUnavailable("away"));
  rpc.sent.length = 0;
  await wallet.maintain();
  assertEquals(rpc.sent.length, 1);
  rpc.onSend = () => Promise.resolve("0x0");
  await wallet.maintain();
  assertEquals(rpc.sent.length, 18, "the next pass sends them all");
});
