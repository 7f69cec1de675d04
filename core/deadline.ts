/** Deadlines that leave no timer behind. */

/** Why work was cut off when its time was over. */
export class DeadlineError extends Error {
  override readonly name: string = "DeadlineError";
}

/**
 * Runs `work` with a signal that aborts when `signal` does, or with an error of class `Reason` after
 * `ms`, so that nested deadlines can be told apart.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  Reason: typeof DeadlineError = DeadlineError,
): Promise<T> {
  const timer = new AbortController();
  const timeout = setTimeout(
    () => timer.abort(new Reason(`not done within ${ms} ms`)),
    ms,
  );
  try {
    return await orAborted(AbortSignal.any([signal, timer.signal]), work);
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

/** Waits; rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await orAborted(signal, () => new Promise((resolve) => timer = setTimeout(resolve, ms)));
  } finally {
    clearTimeout(timer);
  }
}
