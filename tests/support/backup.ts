/** Backups as they are written by hand. */
import { ownTables } from "../../db/backup/tables.ts";
import { NEWEST_MIGRATION } from "../../db/migrations/mod.ts";

/** The lines of a backup without rows; `columns` of all tables are the same. */
export function backupOfNothing(
  { schema = NEWEST_MIGRATION, columns = ["id"] }: {
    readonly schema?: number;
    readonly columns?: readonly string[];
  } = {},
): string[] {
  const tables = ownTables(schema);
  const header = {
    format: "demand-backup",
    formatVersion: 1,
    schema,
    version: "0.0.9",
    madeAt: "2026-11-20T12:00:00.000Z",
    tables: tables.map((name) => ({ name, columns })),
  };
  return [
    JSON.stringify(header),
    ...tables.map((name) => JSON.stringify(["table", name])),
    JSON.stringify(["end", Object.fromEntries(tables.map((name) => [name, 0]))]),
  ];
}
