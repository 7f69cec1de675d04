/** What the chain says of payers, asked as rarely as will do: contract signatures and balances. */
import { ServiceError } from "../core/errors.ts";
import type { Backend, Order } from "./backend.ts";
import type { Chain } from "./chain.ts";
import { REASON } from "./checks.ts";
import { toHex } from "./hex.ts";
import { createLookups } from "./lookups.ts";
import { createSharer } from "./sharer.ts";
import { recoverSigner, unwrapped, wrappedFactory } from "./signature.ts";

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

export interface Payers {
  /** `doubt` is called before anything outside is asked; what it throws is thrown. */
  checkSignature(order: Order, digest: Uint8Array, doubt: () => void): Promise<SignatureCheck>;
  /** A contract wallet paid: the chain goes on being asked about it, however many others are made up. */
  paid(payer: string): void;
  /** False while balances cannot be had; what is in flight is then not held against them. */
  hasBalances(): boolean;
  /** Token units as decimal digits, read after this call; null where the chain does not answer. */
  balance(payer: string): Promise<string | null>;
  /**
   * A balance read a moment ago, where it covers far more than a payer may have in flight: such a payer
   * need not be looked up for every call. Null otherwise.
   */
  ampleBalance(payer: string, amount: number): string | null;
  /** A back end's reason for a refusal in plainer words: `insufficient_funds` where that is it. */
  explain(order: Order, reason: string): Promise<string>;
  /** A block number that was reached before now; null while none is known. */
  recentBlock(): number | null;
}

export interface PayersOptions {
  readonly backend: Backend;
  /** Null in mode `test` without RPC_URL: only ordinary accounts can pay then. */
  readonly chain: Chain | null;
  /** Lower-case factories whose wallets may pay before they are deployed. */
  readonly factories: readonly string[];
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
}

const BLOCK_MS = 4_000;
/** An ample balance is believed for this long. */
const AMPLE_MS = 3_000;
/** Times the price: well above the calls that a payer may have in flight. */
const AMPLE_TIMES = 25n;
/** How long a chain that failed is left alone by what can do without it. */
const PAUSE_MS = 10_000;
/** Addresses without code are remembered, so that false signatures cost no chain call each. */
const PLAIN_MS = 60_000;
const PLAIN_MAX = 10_000;

/** When to send a payment again that the chain was not asked about. */
const LOOKUP_SECONDS = 5;

const ACCOUNT: SignatureCheck = { kind: "account" };
const DISOWNED: SignatureCheck = { kind: "disowned", reason: REASON.signature };
const forged = (reason: string = REASON.signature): SignatureCheck => ({ kind: "forged", reason });

export function createPayers(options: PayersOptions): Payers {
  const { backend, chain, ticks } = options;
  const lookups = createLookups(ticks);
  const plain = new Map<string, number>();
  const recent = new Map<string, { readonly units: bigint; readonly until: number }>();
  let pausedUntil = -Infinity;
  let block: number | null = null;
  let blockUntil = -Infinity;

  const isKnownPlain = (address: string): boolean => (plain.get(address) ?? -Infinity) > ticks();

  const isPlain = async (source: Chain, address: string): Promise<boolean> => {
    if (isKnownPlain(address)) return true;
    if (await source.hasCode(address)) return false;
    if (plain.size >= PLAIN_MAX) plain.clear();
    plain.set(address, ticks() + PLAIN_MS);
    return true;
  };

  /** Null where others may be asked about a signature now. */
  const refrain = (from: string, doubt: () => void): SignatureCheck | null => {
    doubt();
    if (lookups.admit(from)) return null;
    const message = "Too many signatures wait for the chain; nothing was charged. " +
      "Send the same payment again.";
    const details = { retryAfterSeconds: LOOKUP_SECONDS };
    return { kind: "unasked", error: new ServiceError("overloaded", message, details) };
  };

  const judged = async (
    chain: Chain,
    from: string,
    digest: Uint8Array,
    signature: string,
  ): Promise<SignatureCheck> => {
    try {
      if (await isPlain(chain, from)) return forged();
      const good = await chain.isContractSignature(from, toHex(digest), signature);
      if (!good) {
        lookups.refused(from, digest, signature);
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
    if (lookups.wasRefused(from, digest, signature)) return DISOWNED;
    return refrain(from, doubt) ?? await judged(chain, from, digest, signature);
  };

  /**
   * The signature of a wallet that need not be deployed yet: the facilitator tells. One that was deployed
   * meanwhile is asked itself, so that what it bought is found again.
   */
  const wrapped = async (
    { payment, ...rest }: Order,
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
        const reason = await backend.verify({ payment, ...rest });
        return reason === null ? { kind: "contract" } : { kind: "disowned", reason };
      }
      plain.delete(from);
    } catch (cause) {
      const message = "The payment cannot be verified now; nothing was charged.";
      return { kind: "unasked", error: new ServiceError("overloaded", message, { cause }) };
    }
    return await judged(chain, from, digest, inner);
  };

  const live = backend.mode === "test" ? null : chain;
  const readBalance = createSharer(async (payer: string): Promise<string | null> => {
    if (live === null || ticks() < pausedUntil) return null;
    try {
      const units = await live.balance(payer);
      if (recent.size >= PLAIN_MAX) recent.clear();
      recent.set(payer, { units, until: ticks() + AMPLE_MS });
      return units.toString();
    } catch {
      pausedUntil = ticks() + PAUSE_MS;
      return null;
    }
  });
  return {
    checkSignature: async (order, digest, doubt) => {
      const { authorization, signature } = order.payment;
      const factory = wrappedFactory(signature);
      if (factory !== null) return await wrapped(order, digest, factory, doubt);
      if (await recoverSigner(digest, signature) === authorization.from) return ACCOUNT;
      return await contractSignature(authorization.from, digest, signature, doubt);
    },
    paid: lookups.signed,
    hasBalances: () => live !== null && ticks() >= pausedUntil,
    balance: readBalance,
    ampleBalance: (payer, amount) => {
      const known = recent.get(payer);
      const isAmple = known !== undefined && known.until > ticks() &&
        known.units >= BigInt(amount) * AMPLE_TIMES;
      return isAmple ? known.units.toString() : null;
    },
    explain: async ({ payment: { authorization } }, reason) => {
      if (/insufficient/.test(reason)) return REASON.funds;
      if (live === null || !/failed|reverted/.test(reason)) return reason;
      try {
        const balance = await live.balance(authorization.from);
        return balance < authorization.value ? REASON.funds : reason;
      } catch {
        return reason;
      }
    },
    recentBlock: () => {
      if (live !== null && ticks() >= blockUntil && ticks() >= pausedUntil) {
        blockUntil = ticks() + BLOCK_MS;
        live.blockNumber().then(
          (number) => block = number,
          () => pausedUntil = ticks() + PAUSE_MS,
        );
      }
      return block;
    },
  };
}
