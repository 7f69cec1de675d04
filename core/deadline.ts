/** Deadlines and waits that leave no timer behind. */

/** Why work was cut off when its time was over. */
export class DeadlineError extends Error {
  override readonly name: string = "DeadlineError";
}

/**
 * Runs `work` with a signal that aborts when `signal` does, if there is one, or with an error of class
 * `Reason` after `ms`, so that nested deadlines can be told apart.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
  Reason: typeof DeadlineError = DeadlineError,
): Promise<T> {
  const timer = new AbortController();
  const timeout = setTimeout(
    () => timer.abort(new Reason(`not done within ${ms} ms`)),
    ms,
  );
  try {
    const either = signal === null ? timer.signal : AbortSignal.any([signal, timer.signal]);
    return await orAborted(either, work);
  } finally {
    clearTimeout(timeout);
  }
}

/** Runs `work`; rejects with the signal's reason as soon as it aborts, whether or not `work` listens. */
export async function orAborted<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const working = work(signal);
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([working, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    working.catch(() => {});
  }
}

/** What `work` gives; null where it ended with the signal's reason: an interruption, and no failure. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    return null;
  }
}

/** Waits until the signal aborts; resolves then, unlike `sleep`. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The longest delay a timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits by the system's timer; rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Deadlines end this much late at most: one timer serves all of them. */
const TICK_MS = 100;

const deadlines = new Set<{ readonly at: number; readonly end: () => void }>();
let tick: ReturnType<typeof setTimeout> | undefined;

function endOverdue(): void {
  const now = performance.now();
  for (const deadline of deadlines) {
    if (deadline.at > now) continue;
    deadlines.delete(deadline);
    deadline.end();
  }
  tick = deadlines.size === 0 ? undefined : setTimeout(endOverdue, TICK_MS);
}

/**
 * Calls `end` after `ms` milliseconds, at most 100 ms late; returns a function that cancels it. One timer serves all
 * deadlines, since a timer for each of many concurrent calls costs more than the rest of their work.
 */
export function coarseDeadline(ms: number, end: () => void): () => void {
  const deadline = { at: performance.now() + ms, end };
  deadlines.add(deadline);
  tick ??= setTimeout(endOverdue, TICK_MS);
  return () => {
    deadlines.delete(deadline);
    if (deadlines.size > 0) return;
    clearTimeout(tick);
    tick = undefined;
  };
}
