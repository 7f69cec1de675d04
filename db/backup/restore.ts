/** A backup back into a database: all of it, or nothing. */
import { dayOf } from "../../core/clock.ts";
import { OperatorError } from "../../core/errors.ts";
import { corpusState, publishRevision } from "../corpus/corpus.ts";
import { addTombstones, deletePosts, stripQuotes, touchOwners } from "../corpus/removal.ts";
import { dropVerdictsByPosts } from "../corpus/verdicts.ts";
import { unstateWants } from "../corpus/wants.ts";
import { dropAnswersQuoting } from "../ledger/cleanup.ts";
import { applyMigrations, schemaVersion } from "../migrate.ts";
import { MIGRATIONS } from "../migrations/mod.ts";
import type { Database, Tx } from "../sql.ts";
import { asBadRow, type BackupHeader, parseHeader, type RowCounts } from "./backup.ts";
import { describeTables, type TableInfo } from "./tables.ts";

export interface BackupFile {
  /** What to call the file in complaints. */
  readonly path: string;
  /** The file's lines, from the start each time it is called. */
  readonly lines: () => AsyncIterable<string>;
}

/** A file that was found to be a whole backup which this version can read. */
export interface Backup extends BackupFile {
  readonly header: BackupHeader;
  readonly rows: number;
}

export interface RestoreOptions {
  /** Replaces what is there. */
  readonly force: boolean;
  readonly now: Date;
  /** Called with the rows gone through, of `Backup.rows`. */
  readonly onProgress: (rows: number) => void;
}

export interface RestoreReport {
  readonly madeAt: string;
  readonly rows: RowCounts;
  /** Rows that referred to something the backup does not have. */
  readonly leftOut: number;
}

const BATCH = 500;

/**
 * Reads a backup through without touching a database, so that a wrong file leaves none behind.
 * @throws OperatorError for a file that is not a complete backup, or is from a newer version.
 */
export async function openBackup(file: BackupFile): Promise<Backup> {
  const { path } = file;
  let header: BackupHeader | null = null;
  let last = "";
  let rows = 0;
  for await (const line of file.lines()) {
    if (header === null) header = parseHeader(line, path);
    else if (!line.startsWith("[")) rows++;
    last = line;
  }
  if (header === null) throw new OperatorError(`${path}: the file is empty`);
  if (!last.startsWith('["end",')) throw new OperatorError(`${path}: the backup is cut short`);
  if (header.schema > (MIGRATIONS.at(-1)?.id ?? 0)) {
    throw new OperatorError(
      `${path}: made by a newer version (${header.version}); restore it with that one`,
    );
  }
  return { ...file, header, rows };
}

/** Whether anything real is stored; the demonstration corpus is not. */
async function isOccupied(tx: Tx): Promise<boolean> {
  const [ledger] = await tx<
    { known: boolean }[]
  >`select to_regclass('payments') is not null as known`;
  const [row] = await tx<{ occupied: boolean }[]>`
    select exists(select from corpus where origin = 'real')
      or ${ledger?.known === true ? tx`exists(select from payments)` : tx`false`} as occupied`;
  return row?.occupied ?? false;
}

/** The rows of one table in the file, in batches of JSON arrays' texts. */
async function* batches(backup: Backup, table: string): AsyncGenerator<string[]> {
  let inside = false;
  let batch: string[] = [];
  for await (const line of backup.lines()) {
    if (line.startsWith("[")) {
      if (inside) break;
      inside = line === JSON.stringify(["table", table]);
    } else if (inside && batch.push(line) >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Inserts rows whose references exist; a table's references to itself follow in a second pass. */
async function insertRows(
  tx: Tx,
  info: TableInfo,
  columns: readonly string[],
  rows: readonly string[],
): Promise<number> {
  const table = tx(info.name);
  const own = info.parents.filter((parent) => parent.table === info.name);
  const later = new Set(own.flatMap((parent) => parent.columns));
  const now = columns.filter((column) => !later.has(column));
  const standing = info.parents.filter((parent) => parent.table !== info.name).map((parent) => {
    const given = tx(parent.columns.map((column) => `t.${column}`));
    return tx`and ((${given}) is null or exists (select from ${tx(parent.table)} p
      where (${tx(parent.targets.map((column) => `p.${column}`))}) = (${given})))`;
  });
  const done = await tx`
    insert into ${table} (${tx(now)}) overriding system value
    select ${tx(now.map((column) => `t.${column}`))}
    from jsonb_populate_recordset(null::${table}, ${`[${rows.join(",")}]`}::text::jsonb) t
    where true ${standing.reduce((all, part) => tx`${all} ${part}`, tx``)}`;
  return done.count;
}

async function referToItself(
  tx: Tx,
  info: TableInfo,
  rows: readonly string[],
): Promise<void> {
  const table = tx(info.name);
  for (const { columns, targets } of info.parents.filter((p) => p.table === info.name)) {
    for (const [index, column] of columns.entries()) {
      const same = info.key.map((key) => tx`and o.${tx(key)} = t.${tx(key)}`);
      await tx`
        update ${table} o set ${tx(column)} = t.${tx(column)}
        from jsonb_populate_recordset(null::${table}, ${`[${rows.join(",")}]`}::text::jsonb) t
        where t.${tx(column)} is not null ${same.reduce((all, part) => tx`${all} ${part}`, tx``)}
          and exists (select from ${table} p where p.${tx(targets[index] ?? "")} = t.${
        tx(column)
      })`;
    }
  }
}

async function loadTable(
  tx: Tx,
  info: TableInfo,
  columns: readonly string[],
  backup: Backup,
  onRows: (rows: number) => void,
): Promise<{ inserted: number; leftOut: number }> {
  let inserted = 0;
  let seen = 0;
  for await (const rows of batches(backup, info.name)) {
    seen += rows.length;
    inserted += await insertRows(tx, info, columns, rows);
    onRows(rows.length);
  }
  if (info.parents.some((parent) => parent.table === info.name)) {
    for await (const rows of batches(backup, info.name)) await referToItself(tx, info, rows);
  }
  for (const column of info.identity) {
    await tx`select setval(pg_get_serial_sequence(${info.name}, ${column}),
      coalesce(max(${tx(column)}), 0) + 1, false) from ${tx(info.name)}`;
  }
  return { inserted, leftOut: seen - inserted };
}

async function load(
  tx: Tx,
  backup: Backup,
  onProgress: RestoreOptions["onProgress"],
): Promise<{ readonly report: RestoreReport; readonly forgotten: readonly string[] }> {
  const { header, path } = backup;
  const tables = await describeTables(tx);
  const unknown = header.tables.find(({ name }) => !tables.some((info) => info.name === name));
  if (unknown !== undefined) {
    throw new OperatorError(`${path}: this version has no table "${unknown.name}"`);
  }
  const names = tables.reduce(
    (all, { name }, index) => index === 0 ? tx`${tx(name)}` : tx`${all}, ${tx(name)}`,
    tx``,
  );
  const forgotten = await tx<{ id: string }[]>`select id from seen_posts where forgotten`;
  await tx`truncate ${names}`;
  const rows: Record<string, number> = {};
  let leftOut = 0;
  let done = 0;
  for (const info of tables) {
    const stored = header.tables.find(({ name }) => name === info.name);
    if (stored === undefined) continue;
    const columns = stored.columns.filter((column) => info.columns.includes(column));
    const loaded = await loadTable(
      tx,
      info,
      columns,
      backup,
      (rows) => onProgress(done += rows),
    ).catch((error) => {
      throw asBadRow(error, path, info.name);
    });
    rows[info.name] = loaded.inserted;
    leftOut += loaded.leftOut;
  }
  return {
    report: { madeAt: header.madeAt, rows, leftOut },
    forgotten: forgotten.map(({ id }) => id),
  };
}

/**
 * Takes out what must not come back: posts that this database had forgotten, and what still quotes posts
 * that are not there, since they left while an embedded database was backed up page by page.
 */
async function clean(tx: Tx, forgotten: readonly string[], day: string): Promise<void> {
  await addTombstones(tx, forgotten, day);
  const back = await tx<{ id: string }[]>`
    select p.id from posts p join seen_posts s on s.id = p.id where s.forgotten`;
  const touched = await touchOwners(tx, back.map(({ id }) => id));
  await unstateWants(tx, back.map(({ id }) => id));
  await deletePosts(tx, back.map(({ id }) => id));
  const shown = await tx<{ id: string; owner: string | null }[]>`
    select shown.id, shown.owner from (
      select jsonb_array_elements_text(card -> 'evidenceIds') as id, id as owner from opportunities
      union select jsonb_array_elements_text(card -> 'makers' -> 'postIds'), id from opportunities
      union select jsonb_array_elements_text(review -> 'shows'), id from opportunities
      union select jsonb_array_elements_text(card -> 'evidenceIds'), null from sample
      union select unnest(post_ids), null from verdicts
    ) shown where not exists (select from posts p where p.id = shown.id)`;
  const gone = [...new Set([...back, ...shown].map(({ id }) => id))];
  if (gone.length === 0) return;
  const owners = [...new Set([...touched, ...shown.flatMap(({ owner }) => owner ?? [])])];
  await tx`update wants set dirty = true where id = any(${owners})`;
  await stripQuotes(tx, gone);
  await dropVerdictsByPosts(tx, gone);
  // Lists are known by their cards, whose titles and summaries were made of the posts.
  await dropAnswersQuoting(tx, [...gone, ...owners]);
}

/**
 * Restores in one transaction; a service on the same database goes on with what it finds then. An empty
 * database may be older than the backup or not migrated at all; one that is newer cannot take it.
 * Posts of a live source count as unchecked, since they may be gone there by now; those that this database
 * has forgotten stay so.
 * @throws OperatorError for a database that is in use.
 */
export async function restoreBackup(
  database: Database,
  backup: Backup,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { schema } = backup.header;
  return await database.sql.begin(async (tx) => {
    const present = await schemaVersion(tx);
    if (present > schema) {
      throw new OperatorError(
        "the database was migrated past the backup: restore into a database of its own that nothing ran on",
      );
    }
    await applyMigrations(tx, MIGRATIONS.filter(({ id }) => id <= schema));
    if (!options.force && await isOccupied(tx)) {
      throw new OperatorError("the database is not empty; --force replaces what it holds");
    }
    const { report, forgotten } = await load(tx, backup, options.onProgress);
    // One that a version without it made, or a hand took it out of, has the row that a new database has.
    await tx`insert into corpus default values on conflict do nothing`;
    await applyMigrations(tx, MIGRATIONS);
    const day = dayOf(options.now);
    await clean(tx, forgotten, day);
    await tx`update posts set checked_at = null where origin = 'live'`;
    const state = await corpusState(tx);
    await publishRevision(tx, {
      builtAt: options.now,
      lastMinedAt: null,
      scoredOn: day,
      readVersion: state.readVersion,
      minAuthors: state.minAuthors,
    });
    return report;
  });
}
