/** Verifies a payer's signature: an ordinary account's in process, a contract wallet's through the chain. */
import { ServiceError } from "../../core/errors.ts";
import { createRecentMap } from "../../core/recent.ts";
import type { PaymentOrder, Settler } from "../protocol/settler.ts";
import type { ChainReader } from "../evm/chain.ts";
import { toHex } from "../evm/hex.ts";
import { type ChainLookupLimiter, createChainLookupLimiter } from "./chain_lookup_limiter.ts";
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
  const { ticks } = options;
  const limiter = createChainLookupLimiter(ticks);
  const parts: VerifierParts = { ...options, limiter, plain: createPlainAddresses(ticks) };
  return {
    verifySignature: async (order, digest, beforeChainLookup) => {
      const { authorization: { from }, signature } = order.payment;
      const lookup = { from, digest, signature, beforeChainLookup };
      const factory = wrappedFactory(signature);
      if (factory !== null) return await verifyWrapped(parts, order, lookup, factory);
      if (await recoverSigner(digest, signature) === from) return ACCOUNT;
      return await verifyContract(parts, lookup);
    },
    paid: limiter.signed,
  };
}

interface VerifierParts extends SignatureVerifierOptions {
  readonly limiter: ChainLookupLimiter;
  readonly plain: PlainAddresses;
}

/** A signature that the payer's own key did not make; its contract wallet may have. */
interface Lookup {
  readonly from: string;
  readonly digest: Uint8Array;
  readonly signature: string;
  readonly beforeChainLookup: () => void;
}

async function verifyContract(
  { chain, limiter, plain }: VerifierParts,
  lookup: Lookup,
): Promise<SignatureVerification> {
  const { from, digest, signature } = lookup;
  if (chain === null || plain.isKnown(from)) return invalid();
  if (limiter.wasRefused(from, digest, signature)) return REJECTED;
  return limited(limiter, lookup) ?? await askWallet({ chain, limiter, plain }, lookup);
}

/**
 * Verifies the signature of a wallet that may not be deployed yet, through the facilitator. A wallet that has been
 * deployed since is asked itself, so that its earlier purchases are found.
 */
async function verifyWrapped(
  { settler, chain, factories, limiter, plain }: VerifierParts,
  order: PaymentOrder,
  lookup: Lookup,
  factory: string,
): Promise<SignatureVerification> {
  const { from } = lookup;
  const signature = unwrapped(lookup.signature);
  if (!factories.includes(factory)) return invalid(REASON.factory);
  if (signature === null || chain === null) return invalid();
  const refusal = limited(limiter, lookup);
  if (refusal !== null) return refusal;
  try {
    if (!(await chain.hasCode(from))) {
      const reason = await settler.verify(order);
      return reason === null ? { kind: "contract" } : { kind: "rejected", reason };
    }
    plain.forget(from);
  } catch (cause) {
    return unverified("The payment cannot be verified now; nothing was charged.", { cause });
  }
  return await askWallet({ chain, limiter, plain }, { ...lookup, signature });
}

/** Null where a lookup is admitted now. */
function limited(
  limiter: ChainLookupLimiter,
  { from, beforeChainLookup }: Lookup,
): SignatureVerification | null {
  beforeChainLookup();
  if (limiter.admit(from)) return null;
  const message = "Too many signatures wait for the chain; nothing was charged. " +
    "Send the same payment again.";
  return unverified(message, { retryAfterSeconds: LOOKUP_SECONDS });
}

/** Asks the payer's contract wallet (ERC-1271), where the payer has one. */
async function askWallet(
  { chain, limiter, plain }: Pick<VerifierParts, "limiter" | "plain"> & {
    readonly chain: ChainReader;
  },
  { from, digest, signature }: Lookup,
): Promise<SignatureVerification> {
  try {
    if (await plain.check(chain, from)) return invalid();
    if (await chain.isContractSignature(from, toHex(digest), signature)) {
      return { kind: "contract" };
    }
    limiter.refused(from, digest, signature);
    return REJECTED;
  } catch (cause) {
    // This may be a contract wallet's signature: refusing it would charge twice for what it has bought.
    return unverified("The chain cannot be reached; nothing was charged.", { cause });
  }
}

const unverified = (
  message: string,
  details: { readonly cause?: unknown; readonly retryAfterSeconds?: number },
): SignatureVerification => ({
  kind: "unverified",
  error: new ServiceError("overloaded", message, details),
});

/** Addresses without code, which a signature that is not their key's never becomes valid for. */
interface PlainAddresses {
  isKnown(address: string): boolean;
  /** Whether the address has no code; asks the chain where that is not known. */
  check(chain: ChainReader, address: string): Promise<boolean>;
  forget(address: string): void;
}

function createPlainAddresses(ticks: () => number): PlainAddresses {
  const until = createRecentMap<number>(PLAIN);
  const isKnown = (address: string): boolean => (until.get(address) ?? -Infinity) > ticks();
  return {
    isKnown,
    check: async (chain, address) => {
      if (isKnown(address)) return true;
      if (await chain.hasCode(address)) return false;
      until.set(address, ticks() + PLAIN_MS);
      return true;
    },
    forget: until.delete,
  };
}
