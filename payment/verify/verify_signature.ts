/** Whether the payer signed: recovered in process, or asked of the chain as rarely as will do. */
import { ServiceError } from "../../core/errors.ts";
import type { PaymentOrder, Settler } from "../protocol/settler.ts";
import type { ChainReader } from "../evm/chain.ts";
import { toHex } from "../evm/hex.ts";
import { createChainLookupLimiter } from "./chain_lookup_limiter.ts";
import { REASON } from "../protocol/reasons.ts";
import { recoverSigner, unwrapped, wrappedFactory } from "../evm/signature.ts";

/** Whether the payer signed, and on whose word. */
export type SignatureCheck =
  /** An ordinary account: recovered in process. */
  | { readonly kind: "account" }
  /** A contract wallet takes these bytes for its signature. */
  | { readonly kind: "contract" }
  /** Not the payer's, now or ever; `reason` is the protocol's word. */
  | { readonly kind: "forged"; readonly reason: string }
  /** A contract wallet does not take these bytes now; it may have before. */
  | { readonly kind: "disowned"; readonly reason: string }
  /** A contract wallet, perhaps, and nobody to ask. */
  | { readonly kind: "unasked"; readonly error: ServiceError };

export interface SignatureVerifier {
  /** `doubt` is called before anything outside is asked; what it throws is thrown. */
  verifySignature(
    order: PaymentOrder,
    digest: Uint8Array,
    doubt: () => void,
  ): Promise<SignatureCheck>;
  /** A contract wallet paid: the chain goes on being asked about it, however many others are made up. */
  paid(payer: string): void;
}

export interface SignatureVerifierOptions {
  readonly settler: Settler;
  /** Null in mode `test` without RPC_URL: only ordinary accounts can pay then. */
  readonly chain: ChainReader | null;
  /** Lower-case factories whose wallets may pay before they are deployed. */
  readonly factories: readonly string[];
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
}

/** Addresses without code are remembered, so that false signatures cost no chain call each. */
const PLAIN_MS = 60_000;
const PLAIN_MAX = 10_000;

/** When to send a payment again that the chain was not asked about. */
const LOOKUP_SECONDS = 5;

const ACCOUNT: SignatureCheck = { kind: "account" };
const DISOWNED: SignatureCheck = { kind: "disowned", reason: REASON.signature };
const forged = (reason: string = REASON.signature): SignatureCheck => ({ kind: "forged", reason });

/** Makes the check of signatures; what others are asked is bounded, since anyone can make signatures up. */
export function createSignatureVerifier(options: SignatureVerifierOptions): SignatureVerifier {
  const { settler, chain, ticks } = options;
  const limiter = createChainLookupLimiter(ticks);
  const plain = new Map<string, number>();

  const isKnownPlain = (address: string): boolean => (plain.get(address) ?? -Infinity) > ticks();

  const isPlain = async (source: ChainReader, address: string): Promise<boolean> => {
    if (isKnownPlain(address)) return true;
    if (await source.hasCode(address)) return false;
    if (plain.size >= PLAIN_MAX) plain.clear();
    plain.set(address, ticks() + PLAIN_MS);
    return true;
  };

  /** Null where others may be asked about a signature now. */
  const refrain = (from: string, doubt: () => void): SignatureCheck | null => {
    doubt();
    if (limiter.admit(from)) return null;
    const message = "Too many signatures wait for the chain; nothing was charged. " +
      "Send the same payment again.";
    const details = { retryAfterSeconds: LOOKUP_SECONDS };
    return { kind: "unasked", error: new ServiceError("overloaded", message, details) };
  };

  const judged = async (
    chain: ChainReader,
    from: string,
    digest: Uint8Array,
    signature: string,
  ): Promise<SignatureCheck> => {
    try {
      if (await isPlain(chain, from)) return forged();
      const good = await chain.isContractSignature(from, toHex(digest), signature);
      if (!good) {
        limiter.refused(from, digest, signature);
        return DISOWNED;
      }
      return { kind: "contract" };
    } catch (cause) {
      // A contract wallet may sign in 65 bytes too, and refusing what it bought would sell it twice.
      const message = "The chain cannot be reached; nothing was charged.";
      return { kind: "unasked", error: new ServiceError("overloaded", message, { cause }) };
    }
  };

  const contractSignature = async (
    from: string,
    digest: Uint8Array,
    signature: string,
    doubt: () => void,
  ): Promise<SignatureCheck> => {
    if (chain === null || isKnownPlain(from)) return forged();
    if (limiter.wasRefused(from, digest, signature)) return DISOWNED;
    return refrain(from, doubt) ?? await judged(chain, from, digest, signature);
  };

  /**
   * The signature of a wallet that need not be deployed yet: the facilitator tells. One that was deployed
   * meanwhile is asked itself, so that what it bought is found again.
   */
  const wrapped = async (
    { payment, ...rest }: PaymentOrder,
    digest: Uint8Array,
    factory: string,
    doubt: () => void,
  ): Promise<SignatureCheck> => {
    const inner = unwrapped(payment.signature);
    if (!options.factories.includes(factory)) return forged(REASON.factory);
    if (inner === null || chain === null) return forged();
    const { from } = payment.authorization;
    const unasked = refrain(from, doubt);
    if (unasked !== null) return unasked;
    try {
      if (!(await chain.hasCode(from))) {
        const reason = await settler.verify({ payment, ...rest });
        return reason === null ? { kind: "contract" } : { kind: "disowned", reason };
      }
      plain.delete(from);
    } catch (cause) {
      const message = "The payment cannot be verified now; nothing was charged.";
      return { kind: "unasked", error: new ServiceError("overloaded", message, { cause }) };
    }
    return await judged(chain, from, digest, inner);
  };

  return {
    verifySignature: async (order, digest, doubt) => {
      const { authorization, signature } = order.payment;
      const factory = wrappedFactory(signature);
      if (factory !== null) return await wrapped(order, digest, factory, doubt);
      if (await recoverSigner(digest, signature) === authorization.from) return ACCOUNT;
      return await contractSignature(authorization.from, digest, signature, doubt);
    },
    paid: limiter.signed,
  };
}
