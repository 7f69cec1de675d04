/** One miner among all processes: the lease, the run's record, and what every run ends with. */
import { randomUUID } from "node:crypto";
import { DAY_MS, dayOf } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { giveLifeSign, isKnownDead } from "../../core/life_sign.ts";
import { clearCorpus, corpusState, setOrigin } from "../../db/corpus/corpus.ts";
import { clearImports } from "../../db/corpus/imports.ts";
import { pruneSeen } from "../../db/corpus/posts.ts";
import { dropLease, holdLease, type Lease, leaseHolder, takeLease } from "../../db/leases.ts";
import {
  beginRun,
  closeAbandoned,
  endRun,
  recentRuns,
  type RunKind,
} from "../../db/corpus/runs.ts";
import type { Sql, Tx } from "../../db/sql.ts";
import { refreshAndPublish } from "./finish.ts";
import { LeaseLost, type MinerDeps, MINING_LEASE, type MiningSession } from "../session.ts";

const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;
const WAIT_MS = 1_000;
/** Ids of posts without a signal are kept for so long. */
const SEEN_DAYS = 90;

interface MineOptions<T> {
  readonly kind: RunKind;
  /** How long to wait for another miner to finish; 0 gives up at once. */
  readonly patienceMs: number;
  /** Ends the waiting; what the work does about it is its own. */
  readonly signal?: AbortSignal | undefined;
  /** Asked as the only miner, before anything is recorded: true leaves the work undone. */
  readonly skip?: () => Promise<boolean>;
  /** Counts for the run's record, of whatever the work gave. */
  readonly stats: (result: T) => Readonly<Record<string, unknown>>;
  /** What the record says went wrong in a run that ended by itself. */
  readonly error?: (result: T) => string | null;
}

/**
 * Runs `work` as the only miner. Null where another process mines and patience ran out, or the waiting
 * was ended. A run that throws is recorded with its error and throws on.
 */
export async function mineAlone<T>(
  deps: MinerDeps,
  options: MineOptions<T>,
  work: (session: MiningSession) => Promise<T>,
): Promise<T | null> {
  // Its name is the lease's owner: one that was killed is not waited for by others of this machine.
  const sign = await giveLifeSign();
  try {
    const owner = sign?.name ?? randomUUID();
    const lease = await waitForLease(deps, owner, options.patienceMs, options.signal);
    return lease === null ? null : await workUnder(lease, deps, options, work);
  } finally {
    sign?.stop();
  }
}

/** Runs `work` and records it while the lease is renewed; gives the lease up at the end. */
async function workUnder<T>(
  lease: Lease,
  deps: MinerDeps,
  options: MineOptions<T>,
  work: (session: MiningSession) => Promise<T>,
): Promise<T | null> {
  const { database: { sql }, clock } = deps;
  const renewal = setInterval(() => {
    holdLease(sql, lease, clock.now(), LEASE_SECONDS).catch(() => {});
  }, RENEW_MS);
  let runId = 0;
  try {
    if (await options.skip?.()) return null;
    await prepare(sql, clock.now());
    runId = await beginRun(sql, options.kind, clock.now());
    const result = await work(session(deps, lease, runId));
    await endRun(sql, runId, {
      now: clock.now(),
      stats: options.stats(result),
      error: options.error?.(result) ?? null,
    });
    return result;
  } catch (error) {
    const message = messageOf(error);
    await endRun(sql, runId, { now: clock.now(), stats: null, error: message }).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewal);
    await dropLease(sql, lease).catch(() => {});
  }
}

/** What whoever mines does first; once a day it forgets what is old, whatever the run will read. */
async function prepare(sql: Sql, now: Date): Promise<void> {
  const [last] = await recentRuns(sql, 1);
  await closeAbandoned(sql, now);
  if (last !== undefined && dayOf(last.startedAt) === dayOf(now)) return;
  await pruneSeen(sql, dayOf(new Date(now.getTime() - SEEN_DAYS * DAY_MS)));
}

async function waitForLease(
  deps: MinerDeps,
  owner: string,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Lease | null> {
  const deadline = deps.clock.now().getTime() + patienceMs;
  let isWaiting = false;
  for (;;) {
    const now = deps.clock.now();
    const lease = await takeLease(deps.database.sql, MINING_LEASE, owner, now, LEASE_SECONDS);
    if (lease === null && await endDeadLease(deps, now)) continue;
    if (lease !== null || now.getTime() >= deadline) return lease;
    if (!isWaiting) {
      deps.log.info("another process works on this corpus: waiting for it", { patienceMs });
    }
    isWaiting = true;
    await deps.sleep(WAIT_MS);
    if (signal?.aborted) return null;
  }
}

/** Ends the lease of a process of this machine that is known to be dead; false where it may live. */
async function endDeadLease({ database: { sql }, log }: MinerDeps, now: Date): Promise<boolean> {
  const holder = await leaseHolder(sql, MINING_LEASE, now);
  if (holder === null || !await isKnownDead(holder.owner)) return false;
  log.info("another process that worked on this corpus was killed: taking over");
  await dropLease(sql, holder);
  return true;
}

function session(deps: MinerDeps, lease: Lease, runId: number): MiningSession {
  const { database, clock } = deps;
  const { sql } = database;
  const assertLease = async (tx: Tx): Promise<void> => {
    if (await holdLease(tx, lease, clock.now(), LEASE_SECONDS)) return;
    throw new LeaseLost("another process took the mining over, or restored a backup");
  };
  return {
    runId,
    assertLease,
    makeReal: (kind) =>
      sql.begin(async (tx) => {
        await assertLease(tx);
        if ((await corpusState(tx)).origin === "demo") {
          await clearCorpus(tx, clock.now());
          await clearImports(tx);
          deps.log.info("the demonstration corpus is removed: real posts arrive");
        }
        await setOrigin(tx, "real", kind);
      }),
    finish: ({ mined = true, ...rest } = {}) =>
      refreshAndPublish(deps, { mined, ...rest, within: assertLease }),
  };
}
