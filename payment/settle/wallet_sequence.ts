/** The wallet's one sequence of nonces: every transaction is signed and on record before it is sent. */
import type { Held } from "../../db/ledger/mod.ts";
import type { WalletStore } from "../../db/ledger/wallet.ts";
import type { SignedTransaction, TransactionSigner } from "../evm/signer.ts";
import type { Fees } from "./wallet_chain.ts";

/** A call of the token, and what is offered for it. */
export interface Call {
  readonly data: string;
  readonly gas: bigint;
  readonly fee: Fees;
}

export interface Sequence {
  /**
   * Signs with the next nonce and records, as the settlement of a held claim: the transaction, or null
   * where the claim was lost. `floor` is the chain's own count.
   */
  append(
    held: Held,
    call: Call,
    floor: number,
    leaseMs: number,
  ): Promise<SignedTransaction | null>;
  /** Signs with a nonce that is taken and records it in the place of what has it. */
  replace(nonce: number, call: Call): Promise<SignedTransaction>;
}

export interface SequenceOptions {
  readonly chainId: number;
  /** The token: the only contract that is ever called. */
  readonly token: string;
  readonly signer: TransactionSigner;
  readonly store: WalletStore;
}

/** The sequence that `store` keeps for all replicas. */
export function createSequence({ chainId, token, signer, store }: SequenceOptions): Sequence {
  let turn: Promise<unknown> = Promise.resolve();

  /** One after the other: what moves the sequence of nonces. The chain is asked outside of it. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const sign = (nonce: number, { data, gas, fee }: Call): Promise<SignedTransaction> =>
    signer.sign({ chainId, nonce, to: token, data, gas, ...fee });

  return {
    append: (held, call, floor, leaseMs) =>
      inTurn(async () => {
        for (;;) {
          const nonce = await store.nextNonce(floor);
          const signed = await sign(nonce, call);
          const entry = { nonce, ...signed, maxFee: call.fee.maxFeePerGas };
          const stored = await store.store(held, entry, leaseMs);
          if (stored === "stored") return signed;
          if (stored === "lost") return null;
        }
      }),
    replace: async (nonce, call) => {
      const signed = await sign(nonce, call);
      const dearer = { ...signed, maxFee: call.fee.maxFeePerGas };
      await inTurn(() => store.replace(nonce, dearer));
      return signed;
    },
  };
}
