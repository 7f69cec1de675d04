/**
 * Short statements on connections of their own. A connection may go silent without being closed (a
 * machine that vanished, a firewall that forgot it), and its statements would wait for many minutes: after
 * a few seconds the caller is told, and the connections are replaced.
 */
import type { Sql } from "./sql.ts";

/** Runs a short statement; rejects with code `ETIMEDOUT` where no answer comes in time. */
export type Brief = <T>(statement: (sql: Sql) => PromiseLike<T>) => Promise<T>;

export interface BriefPool {
  readonly run: Brief;
  close(): Promise<void>;
}

function overdue(deadlineMs: number): Error {
  const message = `the database did not answer in ${deadlineMs} ms`;
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

/** Keeps a pool made by `open`, and makes another where that one was heard of once and is silent now. */
export function createBrief(open: () => Sql, deadlineMs: number): BriefPool {
  let current = { sql: open(), wasHeard: false };

  const replace = (silent: typeof current): void => {
    // One that never connected tries again by itself.
    if (silent !== current || !silent.wasHeard) return;
    current = { sql: open(), wasHeard: false };
    void silent.sql.end({ timeout: 0 }).catch(() => {});
  };

  return {
    run: async (statement) => {
      const pool = current;
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        replace(pool);
        reject(overdue(deadlineMs));
      }, deadlineMs);
      try {
        const result = await Promise.race([statement(pool.sql), late]);
        pool.wasHeard = true;
        return result;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => current.sql.end({ timeout: 5 }),
  };
}
