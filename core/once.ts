/** Work that its callers share: values that are kept once they are made, and runs one at a time. */

/** Makes a function that calls `make` at its first call and gives that result at every one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Single flight by key: `work` runs once at a time for each key, and callers that arrive during a run share the
 * next one, so that every result comes from work that began after its caller asked.
 */
export function singleFlight<K, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const running = new Map<K, Promise<T>>();
  const next = new Map<K, Promise<T>>();
  const run = (key: K): Promise<T> => {
    const current = work(key).finally(() => running.delete(key));
    running.set(key, current);
    return current;
  };
  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const current = running.get(key);
    if (current === undefined) return run(key);
    const again = (): Promise<T> => {
      next.delete(key);
      return run(key);
    };
    const after = current.then(again, again);
    next.set(key, after);
    return after;
  };
}
