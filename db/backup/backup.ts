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
import { Buffer } from "node:buffer";
import { z } from "zod";
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { parsedJson } from "../../core/json.ts";
import { describeTables, type TableInfo } from "./tables.ts";
import { schemaVersion } from "../migrate.ts";
import { NEWEST_MIGRATION } from "../migrations/mod.ts";
import type { Database, Queryable } from "../sql.ts";

const FORMAT = "demand-backup";
const FORMAT_VERSION = 1;

/** Rows that are read or written at once, at most. */
export const MAX_BATCH_ROWS = 1_000;
/**
 * Characters of rows that are read or written at once: a database holds them several times over, the embedded one in
 * memory that it does not give back, and no Postgres takes 256 MB of them in one parameter.
 */
export const MAX_BATCH_CHARS = 8 * 1024 * 1024;
/** Rows that are read of a table before it is known how long they are. */
const FIRST_ROWS = 50;
/** The first line tells the tables and their columns: a few KB. */
export const MAX_HEADER_BYTES = 1024 * 1024;
/** The largest rows are answers that were paid for, far below a MB. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;

/** What every version of the format begins with. */
const formatSchema = z.object({
  format: z.literal(FORMAT),
  formatVersion: z.int(),
  /** The program that made it. */
  version: z.string(),
});

const headerSchema = formatSchema.extend({
  formatVersion: z.literal(FORMAT_VERSION),
  /** The newest migration. */
  schema: z.int().positive(),
  madeAt: z.iso.datetime(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).readonly() }))
    .readonly(),
}).readonly();

export type BackupHeader = z.infer<typeof headerSchema>;

/** Takes one line, without its line end; resolves when it may be given the next. */
type WriteLine = (line: string) => Promise<void>;

const rowCounts = z.record(z.string(), z.int().nonnegative()).readonly();

/** Rows by table. */
export type RowCounts = z.infer<typeof rowCounts>;

const mark = z.union([
  z.tuple([z.literal("table"), z.string()]),
  z.tuple([z.literal("end"), rowCounts]),
]);

/** A line between rows: the table of those that follow, or the end, with how many there are of each table. */
type BackupMark = z.infer<typeof mark>;

const tooLong = (table: string, bytes: number): string =>
  `a row of the table "${table}" has ${bytes} bytes, and a row of a backup has ${MAX_ROW_BYTES} at most`;

async function writeTable(sql: Queryable, info: TableInfo, write: WriteLine): Promise<number> {
  if (info.key.length === 0) throw new Error(`${info.name} has no primary key to page by`);
  const key = sql(info.key.map((column) => `t.${column}`));
  const columns = sql(info.columns.map((column) => `t.${column}`));
  let after: string | null = null;
  let rows = 0;
  let limit = FIRST_ROWS;
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
      order by ${key} limit ${limit}`;
    let longest = 0;
    for (const { line } of page) {
      longest = Math.max(longest, line.length);
      const bytes = Buffer.byteLength(line);
      if (bytes > MAX_ROW_BYTES) throw new OperatorError(tooLong(info.name, bytes));
      await write(line);
    }
    rows += page.length;
    after = page.at(-1)?.line ?? null;
    if (page.length < limit || after === null) return rows;
    limit = Math.min(MAX_BATCH_ROWS, Math.max(1, Math.floor(MAX_BATCH_CHARS / longest)));
  }
}

async function writeAll(
  sql: Queryable,
  tables: readonly TableInfo[],
  about: { readonly version: string; readonly now: Date },
  write: WriteLine,
): Promise<RowCounts> {
  const schema = await schemaVersion(sql);
  if (schema > NEWEST_MIGRATION) {
    // It may have tables that this version does not know of.
    throw new OperatorError(
      "the database was migrated by a newer version: back it up with that one",
    );
  }
  const header: BackupHeader = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    schema,
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
/** What is said of one that ends too early. */
export const CUT_SHORT = "the backup is cut short";
/** What is said of one that was changed since it was made. */
export const DAMAGED = "the backup is damaged";

/** Reads a backup's first line. @throws OperatorError for anything else. */
export function parseHeader(line: string, path: string): BackupHeader {
  const content = parsedJson(line);
  const { data: made } = formatSchema.safeParse(content);
  if (made === undefined) throw new OperatorError(`${path}: ${NO_BACKUP}`);
  if (made.formatVersion !== FORMAT_VERSION) {
    throw new OperatorError(
      `${path}: format ${made.formatVersion} was made by another version (${made.version})`,
    );
  }
  const { data: header } = headerSchema.safeParse(content);
  if (header === undefined) throw new OperatorError(`${path}: ${NO_BACKUP}`);
  return header;
}

/** Reads a line after the first; null for a row. @throws OperatorError for a mark that is none. */
export function parseMark(line: string, path: string): BackupMark | null {
  if (!line.startsWith("[")) return null;
  const { data } = mark.safeParse(parsedJson(line));
  if (data === undefined) throw new OperatorError(`${path}: ${DAMAGED}`);
  return data;
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
