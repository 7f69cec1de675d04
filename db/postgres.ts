/** Postgres through one postgres.js pool. */
import postgres from "postgres";
import { OperatorError } from "../core/errors.ts";
import { createBrief } from "./brief.ts";
import { countedPool } from "./pool.ts";
import { guardTransactions } from "./transactions.ts";
import { COLUMN_TYPES, type Database, ping } from "./sql.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections in the pool. */
  readonly max?: number;
  /** How long a short statement may take. */
  readonly briefMs?: number;
}

/** Oldest server the migrations and queries are tested with. */
const MINIMUM_VERSION = 140_000;

const DEFAULT_POOL = 10;
/** Connections beside the pool, for short statements. */
const BRIEF_POOL = 4;
const BRIEF_MS = 5_000;
const CONNECT_TIMEOUT_SECONDS = 10;

/**
 * Opens the pool and proves that it reaches a Postgres of version 14 or later.
 * Throws OperatorError naming DATABASE_URL (never its password) when it does not.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const open = (connections: number) =>
    guardTransactions(postgres(options.url, {
      max: connections,
      types: COLUMN_TYPES,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      idle_timeout: 300,
      onnotice: () => {},
      connection: { application_name: "demand" },
    }));
  const max = options.max ?? DEFAULT_POOL;
  const { sql, state } = countedPool(open(max), max);
  try {
    const [row] = await sql<{ version: number }[]>`
      select current_setting('server_version_num')::int as version`;
    if (row === undefined || row.version < MINIMUM_VERSION) {
      throw new OperatorError("DATABASE_URL: the server is older than Postgres 14");
    }
  } catch (error) {
    await sql.end({ timeout: 1 });
    if (error instanceof OperatorError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`DATABASE_URL: cannot connect: ${why}`, { cause: error });
  }
  const brief = createBrief(() => open(BRIEF_POOL), options.briefMs ?? BRIEF_MS);
  return {
    kind: "postgres",
    owner: true,
    sql,
    brief: brief.run,
    answers: () => brief.run(ping),
    durable: () => Promise.resolve(),
    pool: state,
    close: async () => {
      await Promise.all([brief.close(), sql.end({ timeout: 5 })]);
    },
  };
}
