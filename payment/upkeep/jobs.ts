/** What payment does by itself every so often. */
import { withDeadline } from "../../core/deadline.ts";
import type { Log } from "../../core/log.ts";

export interface Jobs {
  /** A job of its own every `ms`; it never overlaps itself, and a failure is only logged. */
  every(ms: number, name: string, job: () => Promise<unknown>): void;
  /** The same, and the first time at once; nobody waits for it. */
  nowAndEvery(ms: number, name: string, job: () => Promise<unknown>): void;
  /** Starts nothing more, and gives what is under way `graceMs` to end. */
  stop(graceMs: number): Promise<void>;
}

/** Makes a set of jobs that are stopped together; none runs yet. */
export function createJobs(log: Log): Jobs {
  const timers: ReturnType<typeof setInterval>[] = [];
  const underWay = new Set<Promise<unknown>>();

  const every = (ms: number, name: string, job: () => Promise<unknown>): () => void => {
    let busy = false;
    const turn = (): void => {
      if (busy) return;
      busy = true;
      const run = job().catch((cause) => log.warn(`${name} failed`, { cause })).finally(() => {
        busy = false;
        underWay.delete(run);
      });
      underWay.add(run);
    };
    timers.push(setInterval(turn, ms));
    return turn;
  };

  return {
    every: (ms, name, job) => void every(ms, name, job),
    nowAndEvery: (ms, name, job) => every(ms, name, job)(),
    stop: async (graceMs) => {
      timers.forEach((timer) => clearInterval(timer));
      await withDeadline(graceMs, null, () => Promise.all(underWay)).catch(() => {});
    },
  };
}

/** Well above what a removal's transaction and the statement that stores an answer take together. */
const MARGIN_SECONDS = 120;

/**
 * The sweep, to be called every so often. It looks at all that was stored since the last one that
 * succeeded began; the first one looks at all there is. `ticks` are milliseconds that only go forward.
 */
export function createLedgerCleanup(
  cleanUp: (seconds: number | null) => Promise<unknown>,
  ticks: () => number,
): () => Promise<void> {
  let last: number | null = null;
  return async () => {
    const now = ticks();
    await cleanUp(last === null ? null : (now - last) / 1000 + MARGIN_SECONDS);
    last = now;
  };
}
