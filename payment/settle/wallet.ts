/** The broadcasting wallet: fees within a cap, one nonce sequence, stuck transactions replaced. */
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Held } from "../../db/ledger/mod.ts";
import type { WalletStore } from "../../db/ledger/wallet.ts";
import type { Rpc } from "../evm/rpc.ts";
import type { TransactionSigner } from "../evm/signer.ts";
import { createWalletChain, type Fees } from "./wallet_chain.ts";
import { createSequence } from "./wallet_sequence.ts";
import { createUpkeep } from "./wallet_upkeep.ts";

export interface WalletOptions {
  readonly rpc: Rpc;
  readonly chainId: number;
  /** The token: the only contract this wallet ever calls. */
  readonly token: string;
  readonly signer: TransactionSigner;
  readonly store: WalletStore;
  readonly log: Log;
  /** Most wei per gas that is ever offered. */
  readonly maxFeeCap: bigint;
  /** Age in milliseconds at which a transaction counts as stuck. */
  readonly stuckMs: number;
}

export type SendResult =
  | { readonly kind: "sent"; readonly hash: string }
  | { readonly kind: "lost" }
  | { readonly kind: "untried"; readonly why: string };

export interface Wallet {
  readonly address: string;
  /** Gas for calling the token. @throws ChainRefusal with the reason of the revert. */
  estimate(data: string): Promise<bigint>;
  /** Signs, records and broadcasts a call of the token, as the settlement of a held claim. */
  send(held: Held, data: string, gas: bigint, leaseMs: number): Promise<SendResult>;
  /** The hash of the transaction that settles a payment already, sent again; null for none. */
  resume(paymentId: number): Promise<string | null>;
  /** Sends again what the chain has lost, and replaces what is stuck. */
  tend(): Promise<void>;
}

/** Makes the wallet of `signer`. */
export function createWallet(options: WalletOptions): Wallet {
  const { store } = options;
  const { address } = options.signer;
  const chain = createWalletChain({ ...options, address });
  const sequence = createSequence(options);
  return {
    address,
    estimate: chain.estimate,
    send: async (held, data, gas, leaseMs) => {
      let fee: Fees;
      let floor: number;
      try {
        fee = await chain.fees();
        floor = await chain.transactionCount("latest");
      } catch (error) {
        return { kind: "untried", why: messageOf(error) };
      }
      const signed = await sequence.append(held, { data, gas, fee }, floor, leaseMs);
      if (signed === null) return { kind: "lost" };
      await chain.broadcast(signed.raw);
      return { kind: "sent", hash: signed.hash };
    },
    resume: async (paymentId) => {
      const earlier = await store.of(paymentId);
      if (earlier !== null) await chain.broadcast(earlier.raw);
      return earlier?.hash ?? null;
    },
    tend: createUpkeep({ ...options, chain, sequence }),
  };
}
