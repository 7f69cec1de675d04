/** Brings a database to the program's schema; safe to run by many processes at once and again. */
import { type Migration, MIGRATIONS } from "./migrations/mod.ts";
import type { Queryable, Sql, Tx } from "./sql.ts";

/** Any number that nothing else in this database takes an advisory lock on: "demand" as bytes. */
const LOCK_KEY = 0x64656d616e64;

interface MigrationReport {
  /** Ids applied by this call, in order. */
  readonly applied: readonly number[];
  /** The newest id in the database; higher than ours where a newer version has been here. */
  readonly version: number;
}

/**
 * Applies what is missing, in one transaction under an advisory lock: all of it or nothing, where the signal aborts.
 * Tests pass a shorter list to start from an earlier version.
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[] = MIGRATIONS,
  signal?: AbortSignal,
): Promise<MigrationReport> {
  return await sql.begin((tx) => applyMigrations(tx, migrations, signal));
}

/** Migrates inside a transaction of the caller's. */
export async function applyMigrations(
  tx: Tx,
  migrations: readonly Migration[],
  signal?: AbortSignal,
): Promise<MigrationReport> {
  await tx`select pg_advisory_xact_lock(${LOCK_KEY})`;
  // Not "if not exists": that asks for the right to create tables where one is there too.
  if (!await isStarted(tx)) {
    await tx`
      create table schema_migrations (
        id integer primary key, name text not null, applied_at timestamptz not null default now()
      )`;
  }
  const done = new Set(
    (await tx<{ id: number }[]>`select id from schema_migrations`).map((row) => row.id),
  );
  const missing = migrations.filter(({ id }) => !done.has(id));
  for (const { id, name, sql: text } of missing) {
    signal?.throwIfAborted();
    await tx.unsafe(text);
    await tx`insert into schema_migrations (id, name) values (${id}, ${name})`;
    done.add(id);
  }
  return { applied: missing.map(({ id }) => id), version: Math.max(0, ...done) };
}

async function isStarted(sql: Queryable): Promise<boolean> {
  const [table] = await sql<{ known: boolean }[]>`
    select to_regclass('schema_migrations') is not null as known`;
  return table?.known === true;
}

/** The newest migration a database has had; 0 for one that is empty. */
export async function schemaVersion(sql: Queryable): Promise<number> {
  if (!await isStarted(sql)) return 0;
  const [row] = await sql<{ version: number }[]>`
    select coalesce(max(id), 0)::int as version from schema_migrations`;
  return row?.version ?? 0;
}
