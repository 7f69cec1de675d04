/**
 * What mining works with: its surroundings, the session of a run that may write, and the retry of its transactions.
 * `mineAlone` of job/miner.ts takes the lease and makes the session.
 */
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type Leasable, lockLease } from "../db/leases.ts";
import type { RefreshResult } from "./cards/refresh.ts";
import { type Database, isConnectionError, isDeadlock, type Tx } from "../db/sql.ts";

export interface MinerDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sleep: (ms: number) => Promise<void>;
  /** Distinct authors who must state a want before it is a card. */
  readonly minAuthors: number;
}

/** What making the cards depends on. */
export interface MakingOptions {
  /** False where nothing was read: ages stay as they were, and only changes are published. */
  readonly mined: boolean;
  /** Ends the making between two transactions, with its reason: whoever makes cards next goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Says more of the cards before anybody sees them; true where some are to be made again. */
  readonly review?: () => Promise<boolean>;
}

/** A run that may write: its transactions prove that the lease is still ours. */
export interface MiningSession {
  readonly runId: number;
  /**
   * To be called in every transaction of the run: renews the lease under its fencing token (job/miner.ts has the
   * function, db/leases.ts the row). @throws LeaseLost
   */
  readonly assertLease: (tx: Tx) => Promise<void>;
  /** Makes the demonstration corpus leave before the first real post arrives. */
  readonly makeReal: (clock: "archive" | "wall") => Promise<void>;
  /**
   * Remakes the changed cards and tells every replica. Where nothing was `mined`, as after a source's
   * outage, it says what changed and leaves the age of everything else as it was.
   */
  readonly finish: (options?: Partial<MakingOptions>) => Promise<RefreshResult>;
}

/** The lease of whoever mines. */
export const MINING_LEASE: Leasable = { table: "leases", key: "mining" };

/**
 * To be called first in a transaction that changes the corpus beside a run: it takes turns with those of whoever
 * mines, which begin with their lease. What either locks, and in which order, depends on what it finds, so that they
 * would wait for each other.
 */
export const takeTurn = (tx: Tx): Promise<void> => lockLease(tx, MINING_LEASE);

/** Another process took the mining over, since this one was thought dead, or a backup replaced what it works on. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly isCircumstance = true;
}

/** Waits between the attempts to reach a database that went away: about two minutes in all. */
const RECONNECT_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

/**
 * Runs `work` again after a lost connection or a deadlock, for about two minutes; the log has one line
 * when that begins and one when it succeeds. `work` must be one transaction, or safe to repeat.
 */
export async function withReconnect<T>(
  { log, sleep }: Pick<MinerDeps, "log" | "sleep">,
  work: () => Promise<T>,
): Promise<T> {
  for (const [retries, wait] of RECONNECT_MS.entries()) {
    try {
      const result = await work();
      if (retries > 0) log.info("the database answers again", { retries });
      return result;
    } catch (error) {
      if (!isConnectionError(error) && !isDeadlock(error)) throw error;
      const fields = { waitMs: wait, reason: messageOf(error) };
      if (retries === 0) log.warn("the database failed: trying again for two minutes", fields);
      else log.debug("the database failed again", fields);
      await sleep(wait);
    }
  }
  return await work();
}
