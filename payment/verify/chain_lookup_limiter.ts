/** Limits how often the chain is asked to verify signatures, since anyone can make up ones that need it. */
import { createHash } from "node:crypto";
import { createRecentMap } from "../../core/recent.ts";

export interface ChainLookupLimiter {
  /** Whether a lookup for this address is allowed now; an allowed one is counted. */
  admit(address: string): boolean;
  /** Records that the address paid with a valid signature: it has a limit of its own from now on. */
  signed(address: string): void;
  /** Records that the wallet did not accept this signature. */
  refused(address: string, digest: Uint8Array, signature: string): void;
  /** Whether the wallet did not accept this signature within the last minute. */
  wasRefused(address: string, digest: Uint8Array, signature: string): boolean;
}

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * For all addresses together that never paid here. Each client is limited far below it by `RATE_LIMITS`, so
 * that it takes many clients to use it up.
 */
const UNKNOWN: Rate = { perSecond: 10, burst: 50 };
/** For each address that paid: far more than its calls in flight can need. */
const KNOWN: Rate = { perSecond: 50, burst: 100 };
const REMEMBERED_MS = 60_000;
/** Payers, and refused signatures, that are remembered at the least. */
const REMEMBERED = 5_000;

/** Creates the limiter; `ticks` is a monotonic clock in milliseconds. */
export function createChainLookupLimiter(ticks: () => number): ChainLookupLimiter {
  const unknown = createBucket(UNKNOWN, ticks);
  const known = createRecentMap<() => boolean>(REMEMBERED);
  const refusals = createRecentMap<number>(REMEMBERED);
  const keyOf = (address: string, digest: Uint8Array, signature: string): string =>
    createHash("sha256").update(address).update(digest).update(signature).digest("base64");
  return {
    admit: (address) => (known.get(address) ?? unknown)(),
    signed: (address) => {
      if (known.get(address) === undefined) known.set(address, createBucket(KNOWN, ticks));
    },
    refused: (...asked) => refusals.set(keyOf(...asked), ticks() + REMEMBERED_MS),
    wasRefused: (...asked) => (refusals.get(keyOf(...asked)) ?? -Infinity) > ticks(),
  };
}

/** A token bucket: `burst` at once, refilled at `perSecond`. */
function createBucket({ perSecond, burst }: Rate, ticks: () => number): () => boolean {
  let level = burst;
  let at = ticks();
  return () => {
    const now = ticks();
    level = Math.min(burst, level + (now - at) * perSecond / 1000);
    at = now;
    if (level < 1) return false;
    level--;
    return true;
  };
}
