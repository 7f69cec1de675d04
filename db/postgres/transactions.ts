/**
 * Transactions whose connection goes away. The driver (postgres 3.4.9) rejects the transaction then, but
 * goes on writing to a connection that has no socket any more, its own `rollback` first; that throws
 * where nobody can catch it, and ends the process. So nothing is said on such a connection here.
 */
import { errorCode } from "../../core/errors.ts";
import { isConnectionError, type Sql, type Tx } from "../sql.ts";
import { type Call, type Thenable, type Watch, watchQuery } from "./watch.ts";

type Work = (tx: Tx) => unknown;

/** Whether what a call made is a query, and not an identifier or a value. */
const isThenable = (made: unknown): made is Thenable =>
  typeof made === "object" && made !== null && "then" in made;

/** The driver rejects the transaction itself; whoever waits for this is not waited for. */
const never = (): Promise<never> => new Promise(() => {});

/** Whether the connection of one transaction was lost, by its error. */
interface Loss {
  error: Error | null;
}

/** Notes a failure of the connection before anybody else hears of it. */
const noteLoss = (loss: Loss): Watch => (work) => {
  work.catch((error) => {
    if (error instanceof Error && isConnectionError(error)) loss.error ??= error;
  });
  return work;
};

/** Runs the work; where the connection is lost, neither its failure nor its success reaches the driver. */
const kept = (work: Work, loss: Loss) => async (tx: Tx): Promise<unknown> => {
  try {
    const made = work(watched(tx, loss));
    const result: unknown = await (Array.isArray(made) ? Promise.all(made) : made);
    return loss.error === null ? result : await never();
  } catch (error) {
    // A cursor is read past `then`; these codes are the driver's alone.
    if (loss.error !== null || errorCode(error)?.startsWith("CONNECTION_")) return await never();
    throw error;
  }
};

function watched(tx: Tx, loss: Loss): Tx {
  const watch = (call: Call): Call => (...args) => {
    if (loss.error !== null) throw loss.error;
    const made = call(...args);
    return isThenable(made) ? watchQuery(made, noteLoss(loss)) : made;
  };
  return new Proxy(tx, {
    apply: (target, self, args) =>
      watch((...given) => Reflect.apply(target, self, given) as unknown)(...args),
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key === "unsafe") return watch(value as Call);
      if (key === "savepoint") {
        return (...args: unknown[]) =>
          (value as Call)(...args.slice(0, -1), kept(args.at(-1) as Work, loss));
      }
      return value;
    },
  });
}

/** The same handle, whose transactions fail with the connection's error where that is lost. */
export function guardTransactions(sql: Sql): Sql {
  return new Proxy(sql, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key !== "begin") return value;
      return async (...args: unknown[]) => {
        const loss: Loss = { error: null };
        try {
          return await (value as Call)(...args.slice(0, -1), kept(args.at(-1) as Work, loss));
        } catch (error) {
          // What the work does after it was lost fails before it reaches the driver.
          loss.error ??= error instanceof Error ? error : new Error(String(error));
          throw error;
        }
      };
    },
  });
}
