/**
 * Statements that somebody waits for, each under a deadline, on connections of their own. A connection may
 * go silent without being closed; what was sent on it would wait for a quarter of an hour, and others
 * behind it. Here the caller gets an error, and the next statement finds new connections.
 */
import { errorCode } from "../../core/errors.ts";
import { isConnectionError, type Sql } from "../sql.ts";
import { watchSql } from "./watch.ts";

/** The server gave a statement up, by its `statement_timeout`. */
const STOPPED = "57014";

/**
 * The server's own deadline for a statement under `deadlineMs` here: one that waits for a lock does not
 * notice that its client left. A little less, so that its word is heard as an answer.
 */
export const serverDeadline = (deadlineMs: number): number => Math.ceil(deadlineMs * 0.9);

interface DeadlinePool {
  /**
   * Rejects a query or a transaction with code `ETIMEDOUT` where it has not ended in time; one that was
   * slow, and not lost, may take effect all the same.
   */
  readonly sql: Sql;
  close(): Promise<void>;
}

function overdue(deadlineMs: number, cause?: unknown): Error {
  const message = `the database did not answer in ${deadlineMs} ms`;
  return Object.assign(new Error(message, { cause }), { code: "ETIMEDOUT" });
}

/** Rejects with code `ETIMEDOUT` where `work` has not ended in time, and says so to `tell` first. */
async function inTime<T>(work: PromiseLike<T>, deadlineMs: number, tell: () => void): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    tell();
    reject(overdue(deadlineMs));
  }, deadlineMs);
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw errorCode(error) === STOPPED ? overdue(deadlineMs, error) : error;
  } finally {
    clearTimeout(timer);
  }
}

interface Pool {
  readonly sql: Sql;
  /** How often the database answered on it: an error of its own is an answer too. */
  answers: number;
}

/**
 * Keeps a pool made by `open`, and makes another where a statement is overdue and nothing at all was
 * answered since it began: a busy database is not given more connections for being slow. One connection
 * may be silent among others that are not, so a statement that takes twice its time replaces the pool too.
 */
export function createDeadlinePool(open: () => Sql, deadlineMs: number): DeadlinePool {
  let current: Pool = { sql: open(), answers: 0 };

  /** What began on the old pool has as long again to end; what is silent then is cut. */
  const replace = (slow: Pool): void => {
    if (slow !== current) return;
    current = { sql: open(), answers: 0 };
    void slow.sql.end({ timeout: deadlineMs / 1000 }).catch(() => {});
  };

  const watch = (work: Promise<unknown>, pool: Pool): Promise<unknown> => {
    const before = pool.answers;
    let second: ReturnType<typeof setTimeout> | undefined;
    const ended = (error?: unknown): void => {
      clearTimeout(second);
      if (!isConnectionError(error)) pool.answers++;
    };
    work.then(() => ended(), ended);
    return inTime(work, deadlineMs, () => {
      if (pool.answers === before) replace(pool);
      else second = setTimeout(() => replace(pool), deadlineMs);
    });
  };

  const sql = watchSql(() => {
    const pool = current;
    return { sql: pool.sql, watch: (work) => watch(work, pool) };
  });
  return { sql, close: () => current.sql.end({ timeout: 5 }) };
}
