/**
 * A backup in a form that any of our databases takes back: lines of JSON, one a row, table by table.
 *
 *   {"format": "demand-backup", "formatVersion": 1, "schema": 4, "tables": [{"name", "columns"}], …}
 *   ["table", "posts"]
 *   {"id": …}
 *   ["end", {"posts": 1234, …}]
 *
 * On Postgres all of it is one snapshot. The embedded database has a single session, which a long
 * snapshot would keep from serving: there the tables are read page by page, those that refer before those
 * they refer to, so that what is referred to is there; restoring leaves out what still hangs in the air.
 */
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { describeTables, type TableInfo } from "./tables.ts";
import { schemaVersion } from "../migrate.ts";
import type { Database, Queryable } from "../sql.ts";

const FORMAT = "demand-backup";
const FORMAT_VERSION = 1;

const PAGE = 1_000;

export interface BackupHeader {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  /** The newest migration. */
  readonly schema: number;
  /** The program that made it. */
  readonly version: string;
  readonly madeAt: string;
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** Takes one line, without its line end; resolves when it may be given the next. */
export type WriteLine = (line: string) => Promise<void>;

/** Rows written, by table. */
export type RowCounts = Readonly<Record<string, number>>;

async function writeTable(sql: Queryable, info: TableInfo, write: WriteLine): Promise<number> {
  if (info.key.length === 0) throw new Error(`${info.name} has no primary key to page by`);
  const key = sql(info.key.map((column) => `t.${column}`));
  const columns = sql(info.columns.map((column) => `t.${column}`));
  let after: string | null = null;
  let rows = 0;
  await write(JSON.stringify(["table", info.name]));
  for (;;) {
    const page: { line: string }[] = await sql<{ line: string }[]>`
      select (select to_jsonb(r) from (select ${columns}) r)::text as line
      from ${sql(info.name)} t
      ${
      after === null ? sql`` : sql`where (${key}) >
        (select ${key} from jsonb_populate_record(null::${
        sql(info.name)
      }, ${after}::text::jsonb) t)`
    }
      order by ${key} limit ${PAGE}`;
    for (const { line } of page) await write(line);
    rows += page.length;
    after = page.at(-1)?.line ?? null;
    if (page.length < PAGE || after === null) return rows;
  }
}

async function writeAll(
  sql: Queryable,
  tables: readonly TableInfo[],
  about: { readonly version: string; readonly now: Date },
  write: WriteLine,
): Promise<RowCounts> {
  const header: BackupHeader = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    schema: await schemaVersion(sql),
    version: about.version,
    madeAt: about.now.toISOString(),
    tables: tables.map(({ name, columns }) => ({ name, columns })),
  };
  await write(JSON.stringify(header));
  const counts: Record<string, number> = {};
  for (const info of tables) counts[info.name] = await writeTable(sql, info, write);
  await write(JSON.stringify(["end", counts]));
  return counts;
}

/** Writes everything we store, while others work on. Gives the rows written by table. */
export async function writeBackup(
  database: Database,
  about: { readonly version: string; readonly now: Date },
  write: WriteLine,
): Promise<RowCounts> {
  if (database.kind === "embedded") {
    const tables = (await describeTables(database.sql)).reverse();
    return await writeAll(database.sql, tables, about, write);
  }
  return await database.sql.begin(
    "isolation level repeatable read read only",
    async (tx) => await writeAll(tx, await describeTables(tx), about, write),
  );
}

/** What is said of a file that is something else. */
export const NO_BACKUP = "this is no backup of ours";

/** Reads a backup's first line. @throws OperatorError for anything else. */
export function parseHeader(line: string, path: string): BackupHeader {
  let header: Partial<BackupHeader>;
  try {
    header = JSON.parse(line);
  } catch {
    throw new OperatorError(`${path}: ${NO_BACKUP}`);
  }
  if (
    header?.format !== FORMAT || !Array.isArray(header.tables) || !Number.isInteger(header.schema)
  ) {
    throw new OperatorError(`${path}: ${NO_BACKUP}`);
  }
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new OperatorError(
      `${path}: format ${header.formatVersion} was made by another version (${header.version})`,
    );
  }
  return header as BackupHeader;
}

/** A row that the database does not take, as one that was written by hand, in a line; other errors as they are. */
export function asBadRow(error: unknown, path: string, table: string): unknown {
  // SQLSTATE classes 22 (wrong data) and 23 (a constraint).
  if (!/^2[23]/.test(errorCode(error) ?? "")) return error;
  return new OperatorError(
    `${path}: a row of the table "${table}" is not as a backup has it (${messageOf(error)})`,
    { cause: error },
  );
}
