/** The queues of payers with too many calls in flight. */

/** Calls of one payer that wait at most; the next is refused at once. */
const MAX_WAITING = 64;

export interface PayerQueue {
  /**
   * Resolves when one of the payer's calls in this process has ended, or after `ms` milliseconds, in which
   * one may have ended elsewhere. Null where too many wait already.
   */
  wait(payer: string, ms: number): Promise<void> | null;
  /** Records that one of the payer's calls has ended: the call that waits longest continues. */
  left(payer: string): void;
}

/** Creates the queues, one for each payer with waiting calls. */
export function createPayerQueue(): PayerQueue {
  const queues = new Map<string, Set<() => void>>();
  return {
    wait: (payer, ms) => {
      const queue = queues.get(payer) ?? new Set();
      if (queue.size >= MAX_WAITING) return null;
      queues.set(payer, queue);
      const { promise, resolve } = Promise.withResolvers<void>();
      const goOn = (): void => {
        clearTimeout(timer);
        queue.delete(goOn);
        if (queue.size === 0) queues.delete(payer);
        resolve();
      };
      const timer = setTimeout(goOn, ms);
      queue.add(goOn);
      return promise;
    },
    left: (payer) => {
      const [first] = queues.get(payer) ?? [];
      first?.();
    },
  };
}
