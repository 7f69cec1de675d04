/** A backup back into a database: all of it, or nothing. */
import { dayOf } from "../../core/clock.ts";
import { OperatorError } from "../../core/errors.ts";
import { corpusRevision, corpusState, publishRevision } from "../corpus/corpus.ts";
import { addTombstones, deletePosts, stripQuotes, touchOwners } from "../corpus/removal.ts";
import { dropVerdictsByPosts } from "../corpus/verdicts.ts";
import { unstateWants } from "../corpus/wants.ts";
import { dropAnswersQuoting } from "../ledger/cleanup.ts";
import { endLeases } from "../leases.ts";
import { applyMigrations, schemaVersion } from "../migrate.ts";
import { MIGRATIONS, NEWEST_MIGRATION } from "../migrations/mod.ts";
import type { Database, Tx } from "../sql.ts";
import {
  asBadRow,
  type BackupHeader,
  CUT_SHORT,
  DAMAGED,
  MAX_BATCH_CHARS,
  MAX_BATCH_ROWS,
  parseHeader,
  parseMark,
  type RowCounts,
} from "./backup.ts";
import { describeTables, ownTables, type TableInfo } from "./tables.ts";

interface BackupFile {
  /** What to call the file in complaints. */
  readonly path: string;
  /** The file's lines, from the start each time it is called: once to check it, and once for its rows. */
  readonly lines: () => AsyncIterable<string>;
}

/** A file that was found to be a whole backup which this version can read. */
interface Backup extends BackupFile {
  readonly header: BackupHeader;
  readonly rows: number;
}

interface RestoreOptions {
  /** Replaces what is there. */
  readonly force: boolean;
  readonly now: Date;
  /** Called with the rows gone through, of `Backup.rows`. */
  readonly onProgress: (rows: number) => void;
}

interface RestoreReport {
  readonly madeAt: string;
  readonly rows: RowCounts;
  /** Rows that referred to something the backup does not have. */
  readonly leftOut: number;
}

/** Reads the first line. @throws OperatorError for a file that this version cannot restore, or that lacks a table. */
function readHeader(line: string, path: string): BackupHeader {
  const header = parseHeader(line, path);
  const { schema, version, tables } = header;
  if (schema > NEWEST_MIGRATION) {
    throw new OperatorError(
      `${path}: made by a newer version (${version}); restore it with that one`,
    );
  }
  const listed = new Set(tables.map(({ name }) => name));
  const own = new Set(ownTables(schema));
  const [unknown] = listed.difference(own);
  if (unknown !== undefined) {
    throw new OperatorError(`${path}: this version has no table "${unknown}"`);
  }
  const [missing] = own.difference(listed);
  if (missing !== undefined) throw incomplete(path, `it lacks the table "${missing}"`);
  return header;
}

const damaged = (path: string): OperatorError => new OperatorError(`${path}: ${DAMAGED}`);

const incomplete = (path: string, what: string): OperatorError =>
  new OperatorError(`${path}: the backup is not complete: ${what}`);

interface Contents {
  readonly header: BackupHeader;
  /** Rows that are there, of each table that has a mark. */
  readonly counts: ReadonlyMap<string, number>;
  /** Rows that were written, as the end tells. */
  readonly written: RowCounts;
}

/** Goes through all lines. @throws OperatorError for one that is not where a backup has it. */
async function readThrough({ path, lines }: BackupFile): Promise<Contents> {
  let header: BackupHeader | null = null;
  let table: string | null = null;
  let written: RowCounts | null = null;
  const counts = new Map<string, number>();
  for await (const line of lines()) {
    if (header === null) {
      header = readHeader(line, path);
      continue;
    }
    const mark = parseMark(line, path);
    if (written !== null) throw damaged(path);
    if (mark === null) {
      if (table === null) throw damaged(path);
      counts.set(table, (counts.get(table) ?? 0) + 1);
    } else if (mark[0] === "end") {
      written = mark[1];
    } else {
      table = mark[1];
      if (counts.has(table)) throw damaged(path);
      counts.set(table, 0);
    }
  }
  if (header === null) throw new OperatorError(`${path}: the file is empty`);
  if (written === null) throw new OperatorError(`${path}: ${CUT_SHORT}`);
  return { header, counts, written };
}

/**
 * Reads a backup through without touching a database, so that a wrong file leaves none behind.
 * @throws OperatorError for a file that is not a complete backup, or is from a newer version.
 */
export async function openBackup(file: BackupFile): Promise<Backup> {
  const { header, counts, written } = await readThrough(file);
  const named = [...header.tables.map(({ name }) => name), ...counts.keys()];
  for (const name of [...named, ...Object.keys(written)]) {
    const [there, due] = [counts.get(name), written[name]];
    if (there !== undefined && there === due) continue;
    throw incomplete(
      file.path,
      `it has ${there ?? "no"} rows of the table "${name}", and its end tells of ${due ?? "none"}`,
    );
  }
  return { ...file, header, rows: [...counts.values()].reduce((sum, count) => sum + count, 0) };
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

/** Tables and rows of theirs, texts of JSON objects, in the order of the file. */
async function* batches(backup: Backup): AsyncGenerator<[table: string, rows: string[]]> {
  let table = "";
  let rows: string[] = [];
  let chars = 0;
  for await (const line of backup.lines()) {
    const mark = parseMark(line, backup.path);
    const isFull = rows.length === MAX_BATCH_ROWS || chars + line.length > MAX_BATCH_CHARS;
    if (rows.length > 0 && (mark !== null || isFull)) {
      yield [table, rows];
      [rows, chars] = [[], 0];
    }
    if (mark?.[0] === "table") table = mark[1];
    // The first line says what is in the file.
    if (mark !== null || table === "") continue;
    rows.push(line);
    chars += line.length;
  }
}

/** Inserts all rows; gives how many of each table. */
async function insertRows(
  tx: Tx,
  backup: Backup,
  tables: readonly TableInfo[],
  onProgress: RestoreOptions["onProgress"],
): Promise<Map<string, number>> {
  const stored = new Map(backup.header.tables.map(({ name, columns }) => {
    const own = tables.find((info) => info.name === name)?.columns;
    return [name, columns.filter((column) => own?.includes(column))];
  }));
  const inserted = new Map([...stored.keys()].map((name) => [name, 0]));
  let done = 0;
  for await (const [name, rows] of batches(backup)) {
    const columns = stored.get(name);
    if (columns === undefined) continue;
    await tx`
      insert into ${tx(name)} (${tx(columns)}) overriding system value
      select ${tx(columns.map((column) => `t.${column}`))} from jsonb_populate_recordset(
        null::${tx(name)}, ${`[${rows.join(",")}]`}::text::jsonb) t`.catch((error) => {
      throw asBadRow(error, backup.path, name);
    });
    inserted.set(name, (inserted.get(name) ?? 0) + rows.length);
    onProgress(done += rows.length);
  }
  return inserted;
}

/** Takes out rows that refer to what is not there, and empties such references of a table to itself; how many rows. */
async function dropDangling(tx: Tx, { name, parents }: TableInfo): Promise<number> {
  const table = tx(name);
  let dropped = 0;
  for (const { table: parent, columns, targets } of parents) {
    const given = tx(columns.map((column) => `t.${column}`));
    const dangles = tx`(${given}) is not null and not exists (select from ${tx(parent)} p
      where (${tx(targets.map((column) => `p.${column}`))}) = (${given}))`;
    if (parent !== name) {
      dropped += (await tx`delete from ${table} t where ${dangles}`).count;
      continue;
    }
    for (const column of columns) {
      await tx`update ${table} t set ${tx(column)} = null where ${dangles}`;
    }
  }
  return dropped;
}

async function load(
  tx: Tx,
  backup: Backup,
  onProgress: RestoreOptions["onProgress"],
): Promise<{ readonly report: RestoreReport; readonly forgotten: readonly string[] }> {
  const tables = await describeTables(tx);
  const names = tables.reduce(
    (all, { name }, index) => index === 0 ? tx`${tx(name)}` : tx`${all}, ${tx(name)}`,
    tx``,
  );
  const forgotten = await tx<{ id: string }[]>`select id from seen_posts where forgotten`;
  await tx`truncate ${names}`;
  // A file may have who refers before who is referred to, so references are checked once all is there.
  for (const { name, parents } of tables) {
    for (const parent of parents) {
      await tx`alter table ${tx(name)} drop constraint ${tx(parent.name)}`;
    }
  }
  const rows = await insertRows(tx, backup, tables, onProgress);
  let leftOut = 0;
  for (const info of tables) {
    const table = tx(info.name);
    const inserted = rows.get(info.name);
    if (inserted !== undefined) {
      const dropped = await dropDangling(tx, info);
      rows.set(info.name, inserted - dropped);
      leftOut += dropped;
    }
    for (const { name, rule } of info.parents) {
      await tx`alter table ${table} add constraint ${tx(name)} ${tx.unsafe(rule)}`;
    }
    for (const column of info.identity) {
      await tx`select setval(pg_get_serial_sequence(${info.name}, ${column}),
        coalesce(max(${tx(column)}), 0) + 1, false) from ${table}`;
    }
  }
  return {
    report: { madeAt: backup.header.madeAt, rows: Object.fromEntries(rows), leftOut },
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
      select jsonb_array_elements_text(evidence_ids) as id, id as owner from opportunities
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
 * has forgotten stay so. A mining run or an import that is under way loses its lease, and ends.
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
    // A run would go on from what it stored before, which is replaced now: an import would call its file done.
    await endLeases(tx);
    const served = await corpusRevision(tx);
    const { report, forgotten } = await load(tx, backup, options.onProgress);
    // One that a version without it made, or a hand took it out of, has the row that a new database has.
    await tx`insert into corpus default values on conflict do nothing`;
    await applyMigrations(tx, MIGRATIONS);
    const day = dayOf(options.now);
    await clean(tx, forgotten, day);
    await tx`update posts set checked_at = null where origin = 'live'`;
    // Services that run read the catalogue again only for a revision that is not the one they serve.
    await tx`update corpus set revision = greatest(revision, ${served})`;
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
