/**
 * Leases on claims: short, so that the work of a process that died is soon taken over, and renewed for
 * as long as the work goes on. Losing one is harmless: every transition checks the fencing number.
 */
import type { Log } from "../../core/log.ts";
import type { Held } from "../../db/ledger/mod.ts";

export interface Leases {
  /** How long a lease holds without renewal, in milliseconds. */
  readonly ms: number;
  /** Keeps the lease of a claim until `work` has ended. */
  during<T>(held: Held, work: () => Promise<T>): Promise<T>;
  /** Renews what is held; to be called about three times in the length of a lease. */
  renew(): Promise<void>;
}

/** Leases of `ms` milliseconds on the claims that this process holds; `renewAll` writes them to the ledger. */
export function createLeases(
  ms: number,
  renewAll: (held: readonly Held[], ms: number) => Promise<void>,
  log: Log,
): Leases {
  const current = new Set<Held>();
  return {
    ms,
    during: async (held, work) => {
      current.add(held);
      try {
        return await work();
      } finally {
        current.delete(held);
      }
    },
    renew: async () => {
      if (current.size === 0) return;
      await renewAll([...current], ms).catch((cause) => log.warn("leases not renewed", { cause }));
    },
  };
}
