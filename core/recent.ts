/** Bounded maps and sets that keep the newest entries. */

/** Values by key. */
interface RecentMap<V> {
  /** Counts as a use, after which the entry is one of the newest. */
  get(key: string): V | undefined;
  /** Does not count as a use. */
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/**
 * Creates a map that holds the newest `least` entries at least, and twice as many at most. Two maps in turn, since
 * deleting the oldest entries of one Map one by one gets slow.
 */
export function createRecentMap<V>(least: number): RecentMap<V> {
  let newest = new Map<string, V>();
  let earlier = new Map<string, V>();
  const set = (key: string, value: V): void => {
    if (newest.size >= least) [earlier, newest] = [newest, new Map()];
    newest.set(key, value);
  };
  return {
    get: (key) => {
      const known = newest.get(key);
      if (known !== undefined) return known;
      const former = earlier.get(key);
      if (former !== undefined) set(key, former);
      return former;
    },
    has: (key) => newest.has(key) || earlier.has(key),
    set,
    delete: (key) => {
      newest.delete(key);
      earlier.delete(key);
    },
  };
}

/** A bounded set that forgets what was added longest ago. */
export interface RecentSet {
  add(value: string): void;
  has(value: string): boolean;
}

/** Creates a set that holds the newest `least` values at least, and twice as many at most. */
export function createRecentSet(least: number): RecentSet {
  const values = createRecentMap<true>(least);
  return { add: (value) => values.set(value, true), has: values.has };
}

/**
 * Makes a function that keeps the results of a pure function of a text for the texts asked for of late: `least` to
 * twice as many.
 */
export function remembered<T>(least: number, make: (text: string) => T): (text: string) => T {
  const results = createRecentMap<{ readonly value: T }>(least);
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known.value;
    const value = make(text);
    results.set(text, { value });
    return value;
  };
}
