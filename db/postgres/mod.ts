/** Postgres through one postgres.js pool. */
import postgres from "postgres";
import { messageOf, OperatorError } from "../../core/errors.ts";
import { countedPool } from "./pool.ts";
import {
  type Database,
  DRIVER,
  isConnectionError,
  ping,
  type PoolState,
  type Sql,
} from "../sql.ts";
import { createDeadlinePool, serverDeadline } from "./deadline.ts";
import { createSocketOpener } from "./socket.ts";
import { guardTransactions } from "./transactions.ts";

interface PostgresOptions {
  readonly url: string;
  /** Connections of the job and the commands, and as many for what callers wait for. */
  readonly max?: number;
  /** How long a short statement may take, and one that a caller waits for. */
  readonly shortMs?: number;
  readonly deadlineMs?: number;
}

/** Oldest server the migrations and queries are tested with. */
const MINIMUM_VERSION = 140_000;

const DEFAULT_POOL = 6;
/** Connections for short statements. */
const SHORT_POOL = 4;
const SHORT_MS = 5_000;
const DEADLINE_MS = 20_000;
/** After this long without a word the system asks the other end whether it is there. */
const KEEP_ALIVE_SECONDS = 15;
const CONNECT_TIMEOUT_SECONDS = 10;

/**
 * Opens the pool and proves that it reaches a Postgres of version 14 or later whose database holds UTF-8.
 * @throws OperatorError naming DATABASE_URL (never its password) when it does not.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const open = (connections: number, deadlineMs?: number) =>
    guardTransactions(postgres(options.url, {
      ...DRIVER,
      // The driver's types do not know of it.
      ...{ socket: createSocketOpener(KEEP_ALIVE_SECONDS * 1000) },
      max: connections,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      idle_timeout: 300,
      connection: {
        application_name: "demand",
        // Callers' statements end in milliseconds: compiling one takes longer than it runs.
        ...deadlineMs !== undefined &&
          { statement_timeout: serverDeadline(deadlineMs), jit: "off" },
      },
    }));
  const max = options.max ?? DEFAULT_POOL;
  const { sql, state } = countedPool(open(max), max);
  // Beside the first question: a start waits for both.
  const taking = takesDeadlines((deadlineMs) => open(1, deadlineMs));
  try {
    const [row] = await sql<{ version: number; encoding: string }[]>`
      select current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding`;
    if (row === undefined || row.version < MINIMUM_VERSION) {
      throw new OperatorError("DATABASE_URL: the server is older than Postgres 14");
    }
    if (row.encoding !== "UTF8") {
      throw new OperatorError(
        `DATABASE_URL: the database's encoding is ${row.encoding}, which cannot hold every post: ` +
          "make one with encoding UTF8 (create database NAME encoding 'UTF8' template template0)",
      );
    }
  } catch (error) {
    await Promise.all([sql.end({ timeout: 1 }), taking]);
    if (error instanceof OperatorError) throw error;
    const why = messageOf(error);
    throw new OperatorError(`DATABASE_URL: cannot connect: ${why}`, { cause: error });
  }
  const timed = await taking;
  const limited = (connections: number, deadlineMs: number) =>
    createDeadlinePool(() => open(connections, timed ? deadlineMs : undefined), deadlineMs);
  const short = limited(SHORT_POOL, options.shortMs ?? SHORT_MS);
  const waited = limited(max, options.deadlineMs ?? DEADLINE_MS);
  const waitedFor = countedPool(waited.sql, max);
  return {
    kind: "postgres",
    owner: true,
    sql,
    short: async (statement) => await statement(short.sql),
    withDeadline: waitedFor.sql,
    answers: () => ping(short.sql),
    durable: () => Promise.resolve(),
    pool: () => sum(state(), waitedFor.state()),
    close: async () => {
      await Promise.all([short.close(), waited.close(), sql.end({ timeout: 5 })]);
    },
  };
}

/** False where a pooler in between refuses the server's own deadline, as PgBouncer does. */
async function takesDeadlines(open: (deadlineMs: number) => Sql): Promise<boolean> {
  const sql = open(DEADLINE_MS);
  try {
    await ping(sql);
    return true;
  } catch (error) {
    return isConnectionError(error);
  } finally {
    void sql.end({ timeout: 1 });
  }
}

const sum = (one: PoolState, other: PoolState): PoolState => ({
  max: one.max + other.max,
  inUse: one.inUse + other.inUse,
  waiting: one.waiting + other.waiting,
});
