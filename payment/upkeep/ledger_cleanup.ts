/** When the ledger is swept, how far back the sweep looks for answers that met a removal. */
import type { LedgerUpkeep } from "../../db/ledger/upkeep.ts";

/** Well above what a removal's transaction and the statement that stores an answer take together. */
const MARGIN_SECONDS = 120;

/**
 * The sweep, to be called every so often. It looks at all that was stored since the last one that
 * succeeded began; the first one looks at all there is. `ticks` are milliseconds that only go forward.
 */
export function createSweep(
  upkeep: Pick<LedgerUpkeep, "sweep">,
  ticks: () => number,
): () => Promise<void> {
  let last: number | null = null;
  return async () => {
    const now = ticks();
    await upkeep.sweep(last === null ? null : (now - last) / 1000 + MARGIN_SECONDS);
    last = now;
  };
}
