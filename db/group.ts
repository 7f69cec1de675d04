/**
 * Group commit: what many calls want written goes to the database as one statement.
 *
 * A quiet service writes at once. A busy one gathers for a few milliseconds, and pays one round trip
 * and one sync for many calls.
 */

interface GroupCommit<Item, Result> {
  /** Resolves with this item's own result; rejects when its statement failed. */
  add(item: Item): Promise<Result>;
}

interface GroupOptions {
  /** Items of one statement at most. */
  readonly limit: number;
  /** Milliseconds between the starts of two statements at least. */
  readonly spacingMs: number;
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/** Groups items for `write`, which gets them in order and gives one result for each. */
export function createGroup<Item, Result>(
  { limit, spacingMs }: GroupOptions,
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let busy = false;
  let started = -Infinity;

  const flush = async (): Promise<void> => {
    started = performance.now();
    const batch = queue.slice(0, limit);
    queue = queue.slice(limit);
    try {
      const results = await write(batch.map(({ item }) => item));
      batch.forEach((waiting, i) => {
        const result = results[i];
        if (result === undefined) waiting.reject(new Error("the statement lost a result"));
        else waiting.resolve(result);
      });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
    busy = false;
    schedule();
  };

  const schedule = (): void => {
    if (busy || queue.length === 0) return;
    busy = true;
    const wait = started + spacingMs - performance.now();
    if (wait <= 0 || queue.length >= limit) queueMicrotask(() => void flush());
    else setTimeout(() => void flush(), wait);
  };

  return {
    add: (item) => {
      const waiting = { item, ...Promise.withResolvers<Result>() };
      queue.push(waiting);
      schedule();
      return waiting.promise;
    },
  };
}
