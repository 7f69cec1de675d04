/** What the doctor asks of the server and its disk. */
import type { Sql } from "./sql.ts";

/** Whether nothing can be written: a standby, or a database or user set so. */
export async function isReadOnly(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ on: boolean }[]>`
    select current_setting('transaction_read_only') = 'on' as on`;
  return row?.on === true;
}

/** Whether the user may make tables, as migrations do. */
export async function mayCreate(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ may: boolean }[]>`
    select coalesce(has_schema_privilege(current_schema(), 'create'), false) as may`;
  return row?.may === true;
}

/** The server's version, such as `15.3`. */
export async function serverVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`
    select current_setting('server_version') as version`;
  return row?.version ?? "";
}

/** Where the server keeps its files. @throws where its user may not know. */
export async function dataDirectory(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ path: string }[]>`
    select current_setting('data_directory') as path`;
  return row?.path ?? null;
}

/** What the database takes on its disk. */
export async function databaseBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select pg_database_size(current_database()) as bytes`;
  return row?.bytes ?? 0;
}

/** The database's own clock. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
  return row?.at ?? new Date(NaN);
}
