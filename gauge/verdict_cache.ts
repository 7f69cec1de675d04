/** One computation for all who ask the same at the same time, in this process and in every other. */
import { Buffer } from "node:buffer";
import { type Clock, DAY_MS } from "../core/clock.ts";
import { ServiceError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Sql } from "../db/sql.ts";
import {
  failVerdictLease,
  type LeaseFailure,
  readVerdict,
  storeVerdict,
  takeVerdictLease,
  verdictKey,
} from "../db/corpus/verdicts.ts";
import { dropLease, type Lease } from "../db/leases.ts";
import { DeadlineError, orAborted, sleep, withDeadline } from "../core/deadline.ts";
import { type Verdict, verdictSchema } from "./types.ts";

const CACHE_DAYS = 7;
/** How often those who wait look whether the answer is there. */
const POLL_MS = 100;
/** For how long those who come after a failure fail alike, instead of trying one after the other. */
const FAILURE_SECONDS = 3;
/** What a computation may take beside the model. */
const MARGIN_MS = 15_000;
/** How often a verdict is computed again because its evidence was removed while it was made. */
const REMOVALS = 3;

interface Computed {
  readonly verdict: Verdict;
  /** The posts of the nearest people who were found: it is dropped where one of them is removed. */
  readonly postIds: readonly string[];
}

interface VerdictCacheOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: (bytes: number) => string;
  /** See `readVerdict`. */
  readonly shownSince: () => Date | null;
  /** What the model may take. */
  readonly modelTimeoutMs: number;
}

interface VerdictCache {
  /**
   * The verdict kept under `key`, or what `compute` gives, computed once for all who ask meanwhile and kept
   * for `keepDays`, 7 where nothing is said.
   */
  get(
    key: string,
    compute: (signal: AbortSignal) => Promise<Computed>,
    signal: AbortSignal,
    keepDays?: number,
  ): Promise<Verdict>;
}

/** Failures that are the same for whoever asks next. */
const SHARED = ["model_unavailable", "overloaded"] as const;

function sharedFailure(error: unknown): LeaseFailure | null {
  if (!(error instanceof ServiceError) || !SHARED.some((code) => code === error.code)) return null;
  const { code, message, retryAfterSeconds = FAILURE_SECONDS } = error;
  return { code, message, retryAfterSeconds };
}

function restored(failure: LeaseFailure): ServiceError {
  const code = SHARED.find((known) => known === failure.code) ?? "model_unavailable";
  const { message, retryAfterSeconds = FAILURE_SECONDS } = failure;
  return new ServiceError(code, message, { retryAfterSeconds });
}

/** The cache in front of the computation of verdicts. */
export function createVerdictCache(options: VerdictCacheOptions): VerdictCache {
  const { sql, clock } = options;
  const running = new Map<string, Promise<Verdict>>();
  const owner = options.random(8);
  const limitMs = options.modelTimeoutMs + MARGIN_MS;

  const cached = async (key: Uint8Array): Promise<Verdict | null> => {
    const stored = await readVerdict(sql, key, clock.now(), options.shownSince());
    const { data } = verdictSchema.safeParse(stored);
    return data === undefined ? null : { ...data, cache: "hit" };
  };

  const computeAndKeep = async (
    lease: Lease,
    compute: (signal: AbortSignal) => Promise<Computed>,
    keepDays: number,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    for (let i = 0; i < REMOVALS; i++) {
      const { verdict, postIds } = await compute(signal);
      const until = new Date(clock.now().getTime() + keepDays * DAY_MS);
      if (await storeVerdict(sql, lease, verdict, postIds, until) !== "gone") return verdict;
    }
    throw new ServiceError("overloaded", "The evidence changes too fast; try again.", {
      retryAfterSeconds: FAILURE_SECONDS,
    });
  };

  /** The lease ends by itself where it cannot be given back: nothing else may fail for it. */
  const giveBack = async (lease: Lease, failure: LeaseFailure | null): Promise<void> => {
    const until = new Date(clock.now().getTime() + FAILURE_SECONDS * 1000);
    await (failure === null ? dropLease(sql, lease) : failVerdictLease(sql, lease, failure, until))
      .catch((lost) =>
        options.log.warn("the lease of a verdict could not be released", { error: lost })
      );
  };

  const computeAlone = async (
    key: Uint8Array,
    compute: (signal: AbortSignal) => Promise<Computed>,
    keepDays: number,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    for (;;) {
      const leaseSeconds = Math.ceil(limitMs / 1000);
      const taken = await takeVerdictLease(sql, key, owner, clock.now(), leaseSeconds);
      if (taken.state === "failed") throw restored(taken.failure);
      if (taken.state === "taken") {
        const { lease } = taken;
        try {
          // It may have been kept between our look and our lease.
          const found = await cached(key);
          if (found === null) return await computeAndKeep(lease, compute, keepDays, signal);
          await giveBack(lease, null);
          return found;
        } catch (error) {
          await giveBack(lease, sharedFailure(error));
          throw error;
        }
      }
      await sleep(POLL_MS, signal);
      const found = await cached(key);
      if (found !== null) return found;
    }
  };

  const start = async (
    key: Uint8Array,
    compute: (signal: AbortSignal) => Promise<Computed>,
    keepDays: number,
  ): Promise<Verdict> => {
    try {
      // No caller's signal: one that goes away takes nothing from the others.
      return await withDeadline(
        limitMs,
        null,
        (signal) => computeAlone(key, compute, keepDays, signal),
      );
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw new ServiceError("model_unavailable", "The verdict took too long; try again.", {
        retryAfterSeconds: FAILURE_SECONDS,
        cause: error,
      });
    }
  };

  return {
    async get(name, compute, signal, keepDays = CACHE_DAYS) {
      const key = verdictKey(name);
      const found = await cached(key);
      if (found !== null) return found;
      const id = Buffer.from(key).toString("hex");
      let run = running.get(id);
      if (run === undefined) {
        run = start(key, compute, keepDays).finally(() => running.delete(id));
        run.catch(() => {});
        running.set(id, run);
      }
      const shared = run;
      return await orAborted(signal, () => shared);
    },
  };
}
