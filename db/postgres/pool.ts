/** How busy the connections are: the driver does not say, so its calls are counted from outside. */
import type { PoolState, Sql } from "../sql.ts";

/** What the driver makes of a query: it is sent when it is first waited for. */
export interface Thenable {
  then(done?: unknown, failed?: unknown): unknown;
}

type Begin = (...args: unknown[]) => Promise<unknown>;

/** Whether a call asks for a query, by its arguments: a template's. Others ask for an identifier or a value. */
export const isTagged = (args: readonly unknown[]): boolean =>
  Array.isArray(args[0]) && "raw" in args[0];

/**
 * The same handle, counted: each query from its first `then` on, since it is not sent before (a fragment
 * never is), and each transaction as a whole. A query inside a transaction has its connection already.
 */
export function countedPool(sql: Sql, max: number): { sql: Sql; state: () => PoolState } {
  let underWay = 0;
  const end = (): void => void underWay--;

  const counted = <T extends Thenable>(query: T): T => {
    const { then } = query;
    let begun = false;
    query.then = (done, failed) => {
      if (!begun) {
        begun = true;
        underWay++;
        then.call(query, end, end);
      }
      return then.call(query, done, failed);
    };
    return query;
  };

  const transaction = async (begin: Begin, args: unknown[]): Promise<unknown> => {
    underWay++;
    try {
      return await Reflect.apply(begin, sql, args);
    } finally {
      end();
    }
  };

  return {
    state: () => ({ max, inUse: Math.min(underWay, max), waiting: Math.max(0, underWay - max) }),
    sql: new Proxy(sql, {
      apply: (target, self, args) => {
        const made: unknown = Reflect.apply(target, self, args);
        return isTagged(args) ? counted(made as Thenable) : made;
      },
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (key === "begin") {
          return (...args: unknown[]) => transaction(value as Begin, args);
        }
        if (key === "unsafe") {
          return (...args: unknown[]) =>
            counted(Reflect.apply(value as () => Thenable, target, args));
        }
        return value;
      },
    }),
  };
}
