/**
 * Statements that somebody waits for, each under a deadline, on connections of their own. A connection may
 * go silent without being closed; what was sent on it would wait for a quarter of an hour, and others
 * behind it. Here the caller is told, and the next statement finds new connections.
 */
import { isQuery, type Thenable } from "./pool.ts";
import type { Sql } from "./sql.ts";

type Call = (...args: unknown[]) => unknown;

export interface PromptPool {
  /**
   * Rejects a query or a transaction with code `ETIMEDOUT` where it has not ended in time; one that was
   * slow, and not lost, may take effect all the same.
   */
  readonly sql: Sql;
  close(): Promise<void>;
}

/** Rejects with code `ETIMEDOUT` where `work` has not ended in time, and says so to `tell` first. */
export async function inTime<T>(
  work: PromiseLike<T>,
  deadlineMs: number,
  tell: () => void,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    tell();
    const message = `the database did not answer in ${deadlineMs} ms`;
    reject(Object.assign(new Error(message), { code: "ETIMEDOUT" }));
  }, deadlineMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps a pool made by `open`, and makes another where a statement is overdue. */
export function createPrompt(open: () => Sql, deadlineMs: number): PromptPool {
  let current = open();

  /** What began on the old pool has as long again to end; what is silent then is cut. */
  const replace = (slow: Sql): void => {
    if (slow !== current) return;
    current = open();
    void slow.end({ timeout: deadlineMs / 1000 }).catch(() => {});
  };

  /** The same query, under its deadline from its first `then` on: it is not sent before. */
  const prompt = (query: Thenable, pool: Sql): Thenable => {
    const { then } = query;
    let ended: Promise<unknown> | undefined;
    query.then = (done, failed) => {
      ended ??= inTime(
        new Promise((resolve, reject) => void then.call(query, resolve, reject)),
        deadlineMs,
        () => replace(pool),
      );
      return Reflect.apply(ended.then, ended, [done, failed]);
    };
    return query;
  };

  const handle = new Proxy(current, {
    apply: (_target, self, args) => {
      const pool = current;
      const made: unknown = Reflect.apply(pool, self, args);
      return isQuery(args) ? prompt(made as Thenable, pool) : made;
    },
    get: (_target, key) => {
      const pool = current;
      const value: unknown = Reflect.get(pool, key);
      if (key === "begin") {
        return (...args: unknown[]) =>
          inTime((value as Call)(...args) as Promise<unknown>, deadlineMs, () => replace(pool));
      }
      if (key === "unsafe") {
        return (...args: unknown[]) => prompt((value as Call)(...args) as Thenable, pool);
      }
      return value;
    },
  });
  return { sql: handle, close: () => current.end({ timeout: 5 }) };
}
