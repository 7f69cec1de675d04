/**
 * Short statements on connections of their own. A connection may go silent without being closed (a
 * machine that vanished, a firewall that forgot it), and its statements would wait for many minutes: after
 * a few seconds the caller is told, and the connections are replaced.
 */
import { inTime } from "./prompt.ts";
import type { Sql } from "./sql.ts";

/** Runs a short statement; rejects with code `ETIMEDOUT` where no answer comes in time. */
export type Brief = <T>(statement: (sql: Sql) => PromiseLike<T>) => Promise<T>;

export interface BriefPool {
  readonly run: Brief;
  close(): Promise<void>;
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
      const result = await inTime(statement(pool.sql), deadlineMs, () => replace(pool));
      pool.wasHeard = true;
      return result;
    },
    close: () => current.sql.end({ timeout: 5 }),
  };
}
