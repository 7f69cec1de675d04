/** Writes down that a payment was settled, as well as that can be done while its buyer waits. */
import { sleep } from "../../core/deadline.ts";
import type { Log } from "../../core/log.ts";
import type { Ledger, Settled } from "../../db/ledger/mod.ts";

/** Waits before the attempts to record a settlement: a database that restarts is back within them. */
const RECORD_AFTER_MS = [0, 100, 400, 1_500, 3_000];
/** The buyer, who waits for all of them, waits no longer than this for the next. */
const RECORD_BUDGET_MS = 8_000;

/**
 * Gives the time that was written down, or null. Tries a few times, and never throws: the money moved and the answer is stored, so that it is given in any
 * case, and the reconciler finds the proof where the database stays away.
 */
export async function record(
  { ledger, log }: { readonly ledger: Ledger; readonly log: Log },
  settled: Settled,
): Promise<Date | null> {
  const giveUp = performance.now() + RECORD_BUDGET_MS;
  for (const waitMs of RECORD_AFTER_MS) {
    if (performance.now() > giveUp) return null;
    if (waitMs > 0) await sleep(waitMs);
    try {
      return await ledger.settle(settled);
    } catch (cause) {
      log.error("settled payment not recorded yet", { transaction: settled.tx, cause });
    }
  }
  return null;
}
