/** Verifies a payer's signature: an ordinary account's in process, a contract wallet's through the chain. */
import { ServiceError } from "../../core/errors.ts";
import { createRecentMap } from "../../core/recent.ts";
import type { PaymentOrder, Settler } from "../protocol/settler.ts";
import type { ChainReader } from "../evm/chain.ts";
import { toHex } from "../evm/hex.ts";
import { createChainLookupLimiter } from "./chain_lookup_limiter.ts";
import { REASON } from "../protocol/reasons.ts";
import { recoverSigner, unwrapped, wrappedFactory } from "../evm/signature.ts";

/** The result of verifying a signature. */
export type SignatureVerification =
  /** Made by the payer's own key, as recovered in process. */
  | { readonly kind: "account" }
  /** Accepted by the payer's contract wallet. */
  | { readonly kind: "contract" }
  /** Not the payer's, and never can be; `reason` is a reason of the protocol's. */
  | { readonly kind: "invalid"; readonly reason: string }
  /** Not accepted by the contract wallet now; the wallet may have accepted it before. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Possibly a contract wallet's, which could not be asked. */
  | { readonly kind: "unverified"; readonly error: ServiceError };

export interface SignatureVerifier {
  /** Calls `beforeChainLookup` before it asks the chain or the facilitator; if that throws, it asks neither and throws. */
  verifySignature(
    order: PaymentOrder,
    digest: Uint8Array,
    beforeChainLookup: () => void,
  ): Promise<SignatureVerification>;
  /** Records that a contract wallet paid: it gets a lookup limit of its own, apart from unknown addresses. */
  paid(payer: string): void;
}

interface SignatureVerifierOptions {
  readonly settler: Settler;
  /** Null in mode `test` without RPC_URL: only ordinary accounts can pay then. */
  readonly chain: ChainReader | null;
  /** Lower-case factories whose wallets may pay before they are deployed. */
  readonly factories: readonly string[];
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
}

/** For how long an address without code is remembered, so that invalid signatures cost no chain call each. */
const PLAIN_MS = 60_000;
/** Such addresses that are remembered at the least. */
const PLAIN = 5_000;

/** The `Retry-After` of a call that met the lookup limit. */
const LOOKUP_SECONDS = 5;

const ACCOUNT: SignatureVerification = { kind: "account" };
const REJECTED: SignatureVerification = { kind: "rejected", reason: REASON.signature };
const invalid = (reason: string = REASON.signature): SignatureVerification => ({
  kind: "invalid",
  reason,
});

/** Creates the verifier. Lookups are limited, since anyone can make up signatures that need one. */
export function createSignatureVerifier(options: SignatureVerifierOptions): SignatureVerifier {
  const { settler, chain, ticks } = options;
  const limiter = createChainLookupLimiter(ticks);
  const plain = createRecentMap<number>(PLAIN);

  const isKnownPlain = (address: string): boolean => (plain.get(address) ?? -Infinity) > ticks();

  const isPlain = async (source: ChainReader, address: string): Promise<boolean> => {
    if (isKnownPlain(address)) return true;
    if (await source.hasCode(address)) return false;
    plain.set(address, ticks() + PLAIN_MS);
    return true;
  };

  /** Null where a lookup is admitted now. */
  const limited = (from: string, beforeChainLookup: () => void): SignatureVerification | null => {
    beforeChainLookup();
    if (limiter.admit(from)) return null;
    const message = "Too many signatures wait for the chain; nothing was charged. " +
      "Send the same payment again.";
    const details = { retryAfterSeconds: LOOKUP_SECONDS };
    return { kind: "unverified", error: new ServiceError("overloaded", message, details) };
  };

  const askWallet = async (
    chain: ChainReader,
    from: string,
    digest: Uint8Array,
    signature: string,
  ): Promise<SignatureVerification> => {
    try {
      if (await isPlain(chain, from)) return invalid();
      const good = await chain.isContractSignature(from, toHex(digest), signature);
      if (!good) {
        limiter.refused(from, digest, signature);
        return REJECTED;
      }
      return { kind: "contract" };
    } catch (cause) {
      // This may be a contract wallet's signature: refusing it would charge twice for what it has bought.
      const message = "The chain cannot be reached; nothing was charged.";
      return { kind: "unverified", error: new ServiceError("overloaded", message, { cause }) };
    }
  };

  const contractSignature = async (
    from: string,
    digest: Uint8Array,
    signature: string,
    beforeChainLookup: () => void,
  ): Promise<SignatureVerification> => {
    if (chain === null || isKnownPlain(from)) return invalid();
    if (limiter.wasRefused(from, digest, signature)) return REJECTED;
    return limited(from, beforeChainLookup) ?? await askWallet(chain, from, digest, signature);
  };

  /**
   * Verifies the signature of a wallet that may not be deployed yet, through the facilitator. A wallet that has
   * been deployed since is asked itself, so that its earlier purchases are found.
   */
  const wrapped = async (
    { payment, ...rest }: PaymentOrder,
    digest: Uint8Array,
    factory: string,
    beforeChainLookup: () => void,
  ): Promise<SignatureVerification> => {
    const inner = unwrapped(payment.signature);
    if (!options.factories.includes(factory)) return invalid(REASON.factory);
    if (inner === null || chain === null) return invalid();
    const { from } = payment.authorization;
    const refusal = limited(from, beforeChainLookup);
    if (refusal !== null) return refusal;
    try {
      if (!(await chain.hasCode(from))) {
        const reason = await settler.verify({ payment, ...rest });
        return reason === null ? { kind: "contract" } : { kind: "rejected", reason };
      }
      plain.delete(from);
    } catch (cause) {
      const message = "The payment cannot be verified now; nothing was charged.";
      return { kind: "unverified", error: new ServiceError("overloaded", message, { cause }) };
    }
    return await askWallet(chain, from, digest, inner);
  };

  return {
    verifySignature: async (order, digest, beforeChainLookup) => {
      const { authorization, signature } = order.payment;
      const factory = wrappedFactory(signature);
      if (factory !== null) return await wrapped(order, digest, factory, beforeChainLookup);
      if (await recoverSigner(digest, signature) === authorization.from) return ACCOUNT;
      return await contractSignature(authorization.from, digest, signature, beforeChainLookup);
    },
    paid: limiter.signed,
  };
}
