/**
 * Runs `work` once at a time for each key. Who asks while it runs shares the run after it, so that every
 * answer is of work that began after it was asked for.
 */
export function createSharer<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const run = (key: string): Promise<T> => {
    const current = work(key).finally(() => running.delete(key));
    running.set(key, current);
    return current;
  };
  return (key) => {
    const current = running.get(key);
    if (current === undefined) return run(key);
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const after = current.then(() => {}, () => {}).then(() => {
      next.delete(key);
      return run(key);
    });
    next.set(key, after);
    return after;
  };
}
