/** The leases on the claims that this process holds: they are renewed while it works, and run out where it dies. */
import type { Log } from "../../core/log.ts";
import type { Claim } from "../../db/ledger/mod.ts";

export interface Leases {
  /** How long a lease holds without renewal, in milliseconds. */
  readonly ms: number;
  /** Keeps the lease of a claim until `work` has ended. */
  during<T>(claim: Claim, work: () => Promise<T>): Promise<T>;
  /** Renews all leases; to be called about three times in the length of a lease. */
  renew(): Promise<void>;
}

/** Leases of `ms` milliseconds on the claims that this process holds; `renewAll` writes them to the ledger. */
export function createLeases(
  ms: number,
  renewAll: (claim: readonly Claim[], ms: number) => Promise<void>,
  log: Log,
): Leases {
  const current = new Set<Claim>();
  return {
    ms,
    during: async (claim, work) => {
      current.add(claim);
      try {
        return await work();
      } finally {
        current.delete(claim);
      }
    },
    renew: async () => {
      if (current.size === 0) return;
      await renewAll([...current], ms).catch((cause) => log.warn("leases not renewed", { cause }));
    },
  };
}
