/**
 * Group commit: what many calls want written goes to the database as one statement.
 *
 * While one statement is on its way the next gathers; so a quiet service waits for nothing, and a busy
 * one pays one round trip and one sync for many calls.
 */

export interface Group<Item, Result> {
  /** Resolves with this item's own result; rejects when its statement failed. */
  add(item: Item): Promise<Result>;
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Groups items for `write`, which gets them in order and gives one result for each.
 * At most `limit` go in one statement.
 */
export function createGroup<Item, Result>(
  limit: number,
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
): Group<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let busy = false;

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
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
    }
    busy = false;
  };

  return {
    add: (item) => {
      const waiting = { item, ...Promise.withResolvers<Result>() };
      queue.push(waiting);
      if (!busy) {
        busy = true;
        queueMicrotask(() => void flush());
      }
      return waiting.promise;
    },
  };
}
