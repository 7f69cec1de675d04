/**
 * What the chain's proof says of an authorization: that it paid us, that it cannot any more, or neither. Not in
 * evm/proof.ts, which loads viem.
 */
import type { Log } from "../../core/log.ts";
import type { ChainReader } from "../evm/chain.ts";
import type { ExpectedUse, Proof } from "../evm/proof.ts";
import { ChainUnavailable } from "../evm/rpc.ts";
import { REASON, type Reason } from "../protocol/reasons.ts";

/** What a proof decides: nothing that happens later makes it another. */
export type DecidedStanding =
  | { readonly kind: "paid"; readonly transaction: string }
  | { readonly kind: "cannotPay"; readonly reason: Reason };

export type Standing =
  | DecidedStanding
  /** Unused in the block of that time, in seconds since 1970: it may pay us yet. */
  | { readonly kind: "unused"; readonly blockTime: number }
  /** The chain gave no proof: it may have paid, and may pay us yet. */
  | { readonly kind: "unproven"; readonly chainIsUnavailable: boolean };

export const isDecided = (standing: Standing): standing is DecidedStanding =>
  standing.kind === "paid" || standing.kind === "cannotPay";

/** Block times and clocks agree within this; a reorg of a few blocks fits in as well. */
export const EXPIRY_MARGIN_SECONDS = 12;

/** Reads the proof of an authorization that ends at `validBefore`. */
export function standingOf(proof: Proof, validBefore: bigint): Standing {
  switch (proof.kind) {
    case "paid":
      return proof;
    case "void":
      return { kind: "cannotPay", reason: REASON.nonceUsed };
    case "unused":
      return BigInt(proof.blockTime - EXPIRY_MARGIN_SECONDS) > validBefore
        ? { kind: "cannotPay", reason: REASON.validBefore }
        : proof;
  }
}

export interface ProofDeps {
  /** Null in mode `test`, where nothing is sent to a chain, so that every authorization is unused. */
  readonly chain: Pick<ChainReader, "prove"> | null;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
}

/** Asks the chain about the authorization that the ledger has under `id`. Never throws. */
export async function standingOnChain(
  { chain, log, nowSeconds }: ProofDeps,
  id: number,
  expected: ExpectedUse,
): Promise<Standing> {
  const { validBefore } = expected;
  if (chain === null) return standingOf({ kind: "unused", blockTime: nowSeconds() }, validBefore);
  try {
    return standingOf(await chain.prove(expected), validBefore);
  } catch (cause) {
    log.warn("the chain gave no proof of a payment", { id, cause });
    return { kind: "unproven", chainIsUnavailable: cause instanceof ChainUnavailable };
  }
}
