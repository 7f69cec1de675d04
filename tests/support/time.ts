/** Time in tests that share a machine: bounds that a busy moment does not break, and waiting for a state. */
import { AssertionError } from "@std/assert";

/** Of a caller that waits for the answer. */
export const NEVER = new AbortController().signal;

const TRIES = 3;

/**
 * Runs `work` and asserts that it can be done within `ms`: work that takes too long by its nature does so
 * three times in a row, a busy machine seldom does. Gives what the last run gave.
 */
export async function assertQuick<T>(
  ms: number,
  work: () => T | Promise<T>,
  what = "",
): Promise<T> {
  let least = Infinity;
  for (let tries = 1;; tries++) {
    const started = performance.now();
    const result = await work();
    least = Math.min(least, performance.now() - started);
    if (least < ms) return result;
    if (tries === TRIES) {
      throw new AssertionError(`${what}: ${Math.round(least)} ms, at most ${ms}`);
    }
  }
}

const LOOK_MS = 50;
const LOOKS = 1_200;

/** Waits until `state` gives something other than false, null and undefined, for a minute at most. */
export async function until<T>(
  state: () => T | Promise<T>,
  what: string,
): Promise<Exclude<T, false | null | undefined>> {
  for (let tries = 0; tries < LOOKS; tries++) {
    const found = await state();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>;
    }
    await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
  throw new AssertionError(`not within a minute: ${what}`);
}
