/**
 * What the chain's proof says of an authorization: that it paid us, that it cannot any more, or neither. Not in
 * evm/proof.ts, which loads viem.
 */
import type { Proof } from "../evm/proof.ts";
import { REASON, type Reason } from "../protocol/reasons.ts";

export type Standing =
  | { readonly kind: "paid"; readonly transaction: string }
  | { readonly kind: "cannotPay"; readonly reason: Reason }
  /** It may pay us yet. `unusedAt` is the time of the block that shows it unused; null without a proof. */
  | { readonly kind: "open"; readonly unusedAt: number | null };

/** Block times and clocks agree within this; a reorg of a few blocks fits in as well. */
export const EXPIRY_MARGIN_SECONDS = 12;

/** Reads the proof of an authorization that ends at `validBefore`; null where the chain gave none. */
export function standingOf(proof: Proof | null, validBefore: bigint): Standing {
  switch (proof?.kind) {
    case "paid":
      return proof;
    case "void":
      return { kind: "cannotPay", reason: REASON.nonceUsed };
    case "unused":
      return BigInt(proof.blockTime - EXPIRY_MARGIN_SECONDS) > validBefore
        ? { kind: "cannotPay", reason: REASON.validBefore }
        : { kind: "open", unusedAt: proof.blockTime };
    default:
      return { kind: "open", unusedAt: null };
  }
}
