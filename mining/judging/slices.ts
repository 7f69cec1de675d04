/** Long work in a thread that serves: whoever calls is answered in between. */
import { sleep } from "../../core/deadline.ts";

/** How long work holds the thread. */
const SLICE_MS = 5;

/**
 * What `work` makes of each item, in their order; others get a turn of the thread in between. Rejects with the
 * signal's reason where that aborts.
 */
export async function inSlices<T, R>(
  items: readonly T[],
  work: (item: T) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  const made: R[] = [];
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    made.push(work(item));
    if (performance.now() <= end) continue;
    // Not setImmediate: while there is always another to run, Deno looks for what came on sockets
    // once in 61 turns.
    await sleep(0, signal);
    end = performance.now() + SLICE_MS;
  }
  return made;
}
