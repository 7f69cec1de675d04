/** Watches the queries and transactions of a handle: the driver has no hook for them. */
import type { Sql } from "../sql.ts";

/** What the driver makes of a query: it is sent when it is first waited for. */
export interface Thenable {
  then(done?: unknown, failed?: unknown): unknown;
}

/** Hears of work that has begun; whoever waits for the work waits for what it gives. */
export type Watch = (work: Promise<unknown>) => Promise<unknown>;

export type Call = (...args: unknown[]) => unknown;

/** The same query, watched from its first `then` on: it is not sent before, and a fragment never is. */
export function watchQuery(query: Thenable, watch: Watch): Thenable {
  const { then } = query;
  let begun: Promise<unknown> | undefined;
  query.then = (done, failed) => {
    begun ??= watch(new Promise((resolve, reject) => void then.call(query, resolve, reject)));
    return Reflect.apply(begun.then, begun, [done, failed]);
  };
  return query;
}

/** Whether a call asks for a query, by its arguments: a template's. Others ask for an identifier or a value. */
const isTagged = (args: readonly unknown[]): boolean => Array.isArray(args[0]) && "raw" in args[0];

/**
 * A handle whose queries and transactions, each as a whole, are watched. A query inside a transaction has its
 * connection already. `current` is asked at each use: another pool may take the place of the first.
 */
export function watchSql(current: () => { readonly sql: Sql; readonly watch: Watch }): Sql {
  return new Proxy(current().sql, {
    apply: (_target, self, args) => {
      const { sql, watch } = current();
      const made: unknown = Reflect.apply(sql, self, args);
      return isTagged(args) ? watchQuery(made as Thenable, watch) : made;
    },
    get: (_target, key) => {
      const { sql, watch } = current();
      const value: unknown = Reflect.get(sql, key);
      if (key === "begin") {
        return (...args: unknown[]) => watch((value as Call)(...args) as Promise<unknown>);
      }
      if (key === "unsafe") {
        return (...args: unknown[]) => watchQuery((value as Call)(...args) as Thenable, watch);
      }
      return value;
    },
  });
}
