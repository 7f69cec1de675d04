/** A broadcasting wallet on a chain that answers as told, for tests of what it sends. */
import { silentLog } from "../../../core/log.ts";
import { openLedger } from "../../../db/ledger/mod.ts";
import { openWallet, type WalletStore } from "../../../db/ledger/wallet.ts";
import type { Database } from "../../../db/sql.ts";
import type { Rpc } from "../../../payment/evm/rpc.ts";
import { createSigner } from "../../../payment/evm/signer.ts";
import { createWallet, type Wallet } from "../../../payment/settle/wallet.ts";
import { RICH_KEYS, USDC } from "../../doubles/chain.ts";
import { newClaim, takeClaim } from "./claims.ts";

interface ToldRpc extends Rpc {
  /** What sending a transaction does. */
  onSend: () => Promise<unknown>;
  /** The transactions sent so far. */
  readonly sent: string[];
}

function toldRpc(): ToldRpc {
  const answers: Record<string, unknown> = {
    eth_blockNumber: "0x10",
    eth_getTransactionCount: "0x0",
    eth_maxPriorityFeePerGas: "0x186a0",
    eth_getBlockByNumber: { baseFeePerGas: "0x989680" },
  };
  const rpc: ToldRpc = {
    onSend: () => Promise.resolve("0x0"),
    sent: [],
    call: async (method, [first]) => {
      if (method !== "eth_sendRawTransaction") return answers[method] ?? null;
      rpc.sent.push(String(first));
      return await rpc.onSend();
    },
  };
  return rpc;
}

interface TestWallet {
  readonly rpc: ToldRpc;
  readonly store: WalletStore;
  readonly wallet: Wallet;
  /** Sells an answer, whose payment is sent: what became of that. */
  sell(): Promise<string>;
}

/** Opens it, with a key of its own sequence in an empty database. */
export async function openTestWallet(database: Database, stuckMs: number): Promise<TestWallet> {
  const rpc = toldRpc();
  const store = openWallet(database, "eip155:8453/test");
  const wallet = createWallet({
    rpc,
    chainId: 8453,
    token: USDC.toLowerCase(),
    signer: await createSigner(RICH_KEYS[0] ?? ""),
    store,
    log: silentLog,
    maxFeeCap: 5_000_000_000n,
    stuckMs,
  });
  const ledger = openLedger(database);
  return {
    rpc,
    store,
    wallet,
    sell: async () => {
      const held = await takeClaim(ledger, newClaim({ leaseMs: 60_000 }));
      const answer = { to: "answered", body: "{}", evidenceIds: [], leaseMs: 60_000 } as const;
      await ledger.storeAnswer({ ...held, ...answer });
      return (await wallet.send(held, "0x00", 100_000n, 60_000)).kind;
    },
  };
}
