/** How often the chain is asked about signatures that it alone can judge: anyone can make them up. */
import { createHash } from "node:crypto";

export interface ChainLookupLimiter {
  /** Whether the chain may be asked about a signature of this address now; counts the question. */
  admit(address: string): boolean;
  /** The address signed rightly, and paid: from now on it has a bucket of its own. */
  signed(address: string): void;
  /** The address was asked, and these bytes are not its signature. */
  refused(address: string, digest: Uint8Array, signature: string): void;
  /** Whether that was said a moment ago. */
  wasRefused(address: string, digest: Uint8Array, signature: string): boolean;
}

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * For all addresses together that never paid here. Whoever asks about them is bounded far below that, so
 * that no few clients can use it up.
 */
const UNKNOWN: Rate = { perSecond: 10, burst: 50 };
/** For each of the others: far more than its calls in flight can need. */
const KNOWN: Rate = { perSecond: 50, burst: 100 };
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** `ticks` are milliseconds that only go forward. */
export function createChainLookupLimiter(ticks: () => number): ChainLookupLimiter {
  const unknown = createBucket(UNKNOWN, ticks);
  const known = new Map<string, () => boolean>();
  const refusals = new Map<string, number>();
  const keyOf = (address: string, digest: Uint8Array, signature: string): string =>
    createHash("sha256").update(address).update(digest).update(signature).digest("base64");
  return {
    admit: (address) => (known.get(address) ?? unknown)(),
    signed: (address) => {
      if (known.has(address)) return;
      if (known.size >= REMEMBERED_MAX) known.clear();
      known.set(address, createBucket(KNOWN, ticks));
    },
    refused: (...asked) => {
      if (refusals.size >= REMEMBERED_MAX) refusals.clear();
      refusals.set(keyOf(...asked), ticks() + REMEMBERED_MS);
    },
    wasRefused: (...asked) => (refusals.get(keyOf(...asked)) ?? -Infinity) > ticks(),
  };
}

/** Takes one if there is one: `burst` at once, and `perSecond` again. */
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
