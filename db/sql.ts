/** The one handle every query goes through, whichever database is behind it. */
import { CONNECTION_CODES, errorCode, messageOf } from "../core/errors.ts";
import postgres from "postgres";

type Element = string | number;

/** An array's literal, as Postgres reads it. */
function arrayLiteral(values: readonly Element[]): string {
  const quoted = (value: Element) => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
  return `{${values.map(quoted).join(",")}}`;
}

/** An array type as a parameter, and never as a column: a query gives `to_json` of one. */
const arrayType = (oid: number) => ({
  to: oid,
  from: [oid],
  serialize: arrayLiteral,
  parse: (raw: string): readonly Element[] => {
    throw new TypeError(`an array was read: ${raw.slice(0, 40)}; select to_json of it`);
  },
});

/**
 * What every connection of ours is opened with. Types that differ from the driver's defaults: bigint as a
 * number (all of ours stay below 2^53), and the arrays that are sent. The driver (postgres 3.4.9) would ask
 * each new connection for its array types, where nobody can catch it: a database that went silent in that
 * moment ended the process.
 */
export const DRIVER = {
  fetch_types: false,
  types: {
    bigint: {
      to: 20,
      from: [20],
      serialize: (value: number) => value.toString(),
      parse: (raw: string) => Number(raw),
    },
    integers: arrayType(1007),
    texts: arrayType(1009),
    bigints: arrayType(1016),
  },
  onnotice: () => {},
} as const satisfies postgres.Options<Record<string, postgres.PostgresType>>;

export type Sql = postgres.Sql<{ bigint: number }>;
export type Tx = postgres.TransactionSql<{ bigint: number }>;
/** A query may run on the pool or inside a transaction; `sql.begin` is only on the pool. */
export type Queryable = Sql | Tx;

/** Runs a short statement; on Postgres it rejects with code `ETIMEDOUT` where no answer comes in seconds. */
export type ShortStatement = <T>(statement: (sql: Sql) => PromiseLike<T>) => Promise<T>;

/** How busy the connections are. */
export interface PoolState {
  /** Connections there may be. */
  readonly max: number;
  /** Queries and transactions that have a connection. */
  readonly inUse: number;
  /** Queries and transactions that wait for one. */
  readonly waiting: number;
}

export interface Database {
  readonly kind: "postgres" | "embedded";
  readonly sql: Sql;
  /** The same database, for statements that take milliseconds and that somebody waits for. */
  readonly short: ShortStatement;
  /** The same database, for what a caller waits for: each query and transaction has a deadline. */
  readonly withDeadline: Sql;
  /** False where this process shares an embedded database that another one owns. */
  readonly owner: boolean;
  /**
   * Resolves when everything committed so far would survive a power cut. Postgres syncs at commit
   * and answers at once; the embedded database flushes its write-ahead segments.
   */
  durable(): Promise<void>;
  /**
   * Resolves where the database answers, or is an embedded one that works on something longer: a busy
   * database is not a gone one. Rejects where it is gone.
   */
  answers(): Promise<void>;
  /** Resolves once the database is over for this process; absent where it may come back. */
  readonly ended?: Promise<Error>;
  /** How busy its connections are. */
  pool(): PoolState;
  close(): Promise<void>;
}

/** A value as a parameter of type jsonb: anything that JSON can hold, which the driver's own type cannot say. */
export const json = (sql: Queryable, value: unknown): postgres.Parameter =>
  sql.json(value as never);

/** Asks the database for the least; rejects with the driver's error where it does not answer. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}

/** Of an ENOENT: a socket's file is missing, as where no server runs, and not a file that was to be read. */
const isFromConnecting = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && error.syscall === "connect";

/** Whether the database is away (restarting, unreachable), so that the same work may succeed later. */
export function isConnectionError(error: unknown): boolean {
  const code = errorCode(error) ?? "";
  return CONNECTION_CODES.has(code) || (code === "ENOENT" && isFromConnecting(error));
}

const READ_ONLY = "25006";

/** What the database lets its user not do, in words for an operator; null for any other error. */
export function refusalOf(error: unknown): string | null {
  const said = messageOf(error);
  if (errorCode(error) === READ_ONLY) {
    return `the database is read-only, as a standby is (${said}): name the one that can be written to`;
  }
  if (errorCode(error) === "42501") {
    return `its user lacks a right (${said}): grant it, or have its owner run demand migrate`;
  }
  return null;
}

/** Whether a transaction lost to another that waited for it: it changed nothing and may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === "40P01";
}
