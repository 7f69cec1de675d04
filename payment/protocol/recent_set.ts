/** A set that forgets what was added long ago. */
export interface RecentSet {
  add(value: string): void;
  has(value: string): boolean;
}

/**
 * Remembers the newest `least` values at least, and twice as many at most. Two sets in turn, since deleting the
 * oldest entries of one Set one by one gets slow.
 */
export function createRecentSet(least: number): RecentSet {
  let newest = new Set<string>();
  let earlier = new Set<string>();
  return {
    add: (value) => {
      if (newest.size >= least) [earlier, newest] = [newest, new Set()];
      newest.add(value);
    },
    has: (value) => newest.has(value) || earlier.has(value),
  };
}
