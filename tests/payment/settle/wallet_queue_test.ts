/** Sales do not wait for the wallet's upkeep, however slow the chain is. */
import { assert, assertEquals } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { openLedger } from "../../../db/ledger/mod.ts";
import type { Database } from "../../../db/sql.ts";
import { openWallet } from "../../../db/ledger/wallet.ts";
import { ChainUnavailable, type Rpc } from "../../../payment/evm/rpc.ts";
import { createSigner } from "../../../payment/evm/signer.ts";
import { createWallet, type Wallet } from "../../../payment/settle/wallet.ts";
import { RICH_KEYS, USDC } from "../../doubles/chain.ts";
import { testDatabase } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { newClaim } from "../support/claims.ts";

interface Slow extends Rpc {
  /** What sending a transaction does. */
  onSend: () => Promise<unknown>;
  sent: number;
}

function slowRpc(): Slow {
  const answers: Record<string, unknown> = {
    eth_blockNumber: "0x10",
    eth_getTransactionCount: "0x0",
    eth_maxPriorityFeePerGas: "0x1",
    eth_getBlockByNumber: { baseFeePerGas: "0x10" },
  };
  const rpc: Slow = {
    onSend: () => Promise.resolve("0x0"),
    sent: 0,
    call: async (method) => {
      if (method !== "eth_sendRawTransaction") return answers[method] ?? null;
      rpc.sent++;
      return await rpc.onSend();
    },
  };
  return rpc;
}

async function sell(wallet: Wallet, database: Database): Promise<string> {
  const ledger = openLedger(database);
  const { id, fencingToken } = await ledger.claim(newClaim({ leaseMs: 60_000 }));
  const held = { id: id ?? 0, fencingToken: fencingToken ?? 0 };
  const answer = { to: "answered", body: "{}", evidenceIds: [], leaseMs: 60_000 } as const;
  await ledger.storeAnswer({ ...held, ...answer });
  return (await wallet.send(held, "0x00", 100_000n, 60_000)).kind;
}

Deno.test("a sale goes before the wallet's upkeep on a slow chain", async () => {
  await using test = await testDatabase();
  const { database } = test;
  const rpc = slowRpc();
  const store = openWallet(database, "eip155:8453/test");
  const wallet = createWallet({
    rpc,
    chainId: 8453,
    token: USDC.toLowerCase(),
    signer: await createSigner(RICH_KEYS[0] ?? ""),
    store,
    log: silentLog,
    maxFeeCap: 5_000_000_000n,
    stuckMs: 1_000_000,
  });
  for (let n = 0; n < 12; n++) assertEquals(await sell(wallet, database), "sent");
  assertEquals((await store.pending()).map(({ chainNonce }) => chainNonce), [
    ...Array(12).keys(),
  ]);

  // A transaction of the upkeep hangs: what is sold meanwhile is sent all the same, in its own order.
  const hanging = Promise.withResolvers<void>();
  rpc.onSend = () => hanging.promise;
  rpc.sent = 0;
  const upkeep = wallet.maintain();
  await until(() => rpc.sent === 1, "the upkeep sends");
  rpc.onSend = () => Promise.resolve("0x0");
  const sold = await Promise.all(Array.from({ length: 3 }, () => sell(wallet, database)));
  assertEquals(sold, ["sent", "sent", "sent"]);
  assertEquals(rpc.sent, 4);
  // A sale that hangs hinders no other either.
  const stuck = Promise.withResolvers<void>();
  rpc.onSend = () => stuck.promise;
  const slow = sell(wallet, database);
  await until(() => rpc.sent === 5, "the slow one is on its way");
  rpc.onSend = () => Promise.resolve("0x0");
  assertEquals(await sell(wallet, database), "sent");
  stuck.resolve();
  assertEquals(await slow, "sent");
  hanging.resolve();
  await upkeep;
  const pending = await store.pending();
  assertEquals(pending.map(({ chainNonce }) => chainNonce), [...Array(17).keys()]);
  assert(new Set(pending.map(({ paymentId }) => paymentId)).size === 17);

  // Where the chain is away, one deadline is enough to find that out.
  rpc.onSend = () => Promise.reject(new ChainUnavailable("away"));
  rpc.sent = 0;
  await wallet.maintain();
  assertEquals(rpc.sent, 1);
  rpc.onSend = () => Promise.resolve("0x0");
  await wallet.maintain();
  assertEquals(rpc.sent, 18, "the next pass sends them all");
});
