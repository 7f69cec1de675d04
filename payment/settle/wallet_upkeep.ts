/** What was broadcast and is not buried yet: sent again where the chain lost it, replaced where it is stuck. */
import type { Log } from "../../core/log.ts";
import type { Broadcast, WalletStore } from "../../db/ledger/wallet.ts";
import { readTransaction } from "../evm/signer.ts";
import { GAS_CAP, type WalletChain } from "./wallet_chain.ts";
import type { Sequence } from "./wallet_sequence.ts";

/** Blocks after which a transaction is not looked after any more. */
const BURIED_BLOCKS = 3;
/** A replacement must offer at least a tenth more; nodes differ in how much above that. */
const BUMP_PERCENT = 125n;

export interface UpkeepOptions {
  readonly chain: WalletChain;
  readonly store: WalletStore;
  readonly sequence: Sequence;
  readonly log: Log;
  /** Most wei per gas that is ever offered. */
  readonly maxFeeCap: bigint;
  /** Age in milliseconds at which a transaction counts as stuck. */
  readonly stuckMs: number;
}

/** Makes one pass over all that is not buried, oldest nonce first. */
export function createUpkeep(options: UpkeepOptions): () => Promise<void> {
  const { chain, store } = options;
  return async () => {
    const pending = await store.pending();
    if (pending.length === 0) return;
    const head = await chain.head();
    const deep = `0x${Math.max(0, head - BURIED_BLOCKS).toString(16)}`;
    const mined = await chain.transactionCount("latest");
    const buried = await chain.transactionCount(deep);
    for (const transaction of pending) {
      const { chainNonce, raw } = transaction;
      if (chainNonce < buried) {
        await store.buried(chainNonce);
        continue;
      }
      if (chainNonce < mined) continue;
      const isStuck = transaction.ageMs >= options.stuckMs && chainNonce === mined;
      // Each of the others would wait for a deadline of its own; they are sent at the next pass.
      if (!(await (isStuck ? replaceStuck(options, transaction) : chain.broadcast(raw)))) return;
    }
  };
}

/** Puts a dearer transaction at the nonce of a stuck one, up to the cap. False where the chain is away. */
async function replaceStuck(
  { chain, sequence, log, maxFeeCap }: UpkeepOptions,
  stuck: Broadcast,
): Promise<boolean> {
  const { data = "0x", gas = GAS_CAP } = await readTransaction(stuck.raw);
  const current = await chain.fees();
  const bumped = stuck.maxFee * BUMP_PERCENT / 100n + 1n;
  const maxFeePerGas = bumped > current.maxFeePerGas ? bumped : current.maxFeePerGas;
  if (maxFeePerGas > maxFeeCap) return await chain.broadcast(stuck.raw);
  // The tip must rise by as much as the fee for a node to take the replacement.
  const fee = { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas };
  const signed = await sequence.replace(stuck.chainNonce, { data, gas, fee });
  log.info("stuck transaction replaced", { nonce: stuck.chainNonce, hash: signed.hash });
  return await chain.broadcast(signed.raw);
}
