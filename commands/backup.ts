/** `demand backup FILE` and `demand restore FILE`: everything stored, out and back in, while others work. */
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { OperatorError } from "../core/errors.ts";
import { type RowCounts, writeBackup } from "../db/backup.ts";
import { openDatabase } from "../db/mod.ts";
import type { Database } from "../db/sql.ts";
import { restoreBackup } from "../db/restore.ts";
import { VERSION } from "../version.ts";
import { type CommandContext, openStorage } from "./context.ts";

const LINE_END = 0x0a;

const total = (rows: RowCounts): number => Object.values(rows).reduce((sum, n) => sum + n, 0);

function showRows({ print }: CommandContext, rows: RowCounts): void {
  for (const [table, count] of Object.entries(rows).sort(([a], [b]) => a < b ? -1 : 1)) {
    print(`  ${table.padEnd(24)}${count.toLocaleString("en-US").padStart(12)}\n`);
  }
}

function fileError(path: string, error: unknown): OperatorError {
  const why = error instanceof Error ? error.message : String(error);
  return new OperatorError(`${path}: ${why}`, { cause: error });
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  EACCES: "may not be written (permission denied)",
  EPERM: "may not be written (permission denied)",
};

/** Makes the file that a backup of `path` grows in. Throws OperatorError where there can be none. */
async function makeUnfinished(path: string): Promise<string> {
  const unfinished = `${path}.unfinished`;
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory()) throw new OperatorError(`${path}: is a directory, not a file`);
  try {
    await (await open(unfinished, "w", 0o600)).close();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = UNWRITABLE[code];
    throw why === undefined
      ? fileError(path, error)
      : new OperatorError(`${path}: ${why}`, { cause: error });
  }
  return unfinished;
}

/** Writes everything stored to a file, gzipped. Throws OperatorError for what goes wrong with the file. */
async function writeFile(
  context: CommandContext,
  database: Database,
  path: string,
): Promise<RowCounts> {
  const packed = createGzip();
  const file = createWriteStream(path, { mode: 0o600 });
  let fault: unknown = null;
  file.on("error", (error) => fault ??= error);
  const written = pipeline(packed, file);
  written.catch(() => {});
  try {
    const about = { version: VERSION, now: context.clock.now() };
    const rows = await writeBackup(database, about, async (line) => {
      if (packed.destroyed) await written;
      if (!packed.write(`${line}\n`)) await Promise.race([once(packed, "drain"), written]);
    });
    packed.end();
    await written;
    return rows;
  } catch (error) {
    packed.destroy();
    throw fault === null ? error : fileError(path, fault);
  }
}

/** Writes a backup beside its place and moves it there when it is whole. Gives the exit code. */
export async function runBackup(
  context: CommandContext,
  path: string,
  asJson: boolean,
): Promise<number> {
  const unfinished = await makeUnfinished(path);
  try {
    const database = await openStorage(context, { share: true, mustExist: true });
    let rows: RowCounts;
    try {
      rows = await writeFile(context, database, unfinished);
    } finally {
      await database.close();
    }
    await rename(unfinished, path).catch((error) => {
      throw fileError(path, error);
    });
    const { size } = await stat(path);
    if (asJson) context.print(`${JSON.stringify({ file: path, bytes: size, rows })}\n`);
    else {
      showRows(context, rows);
      context.print(`${total(rows).toLocaleString("en-US")} rows, ${size} bytes in ${path}\n`);
    }
    return 0;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The lines of a packed file. Throws OperatorError where it cannot be read. */
async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const unpacked = createGunzip();
  const done = pipeline(createReadStream(path), unpacked);
  done.catch(() => {});
  let rest: Uint8Array[] = [];
  const line = (last: Uint8Array): string => {
    const text = [...rest, last].map((part) => decoder.decode(part, { stream: true })).join("");
    rest = [];
    return text;
  };
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
        yield line(chunk.subarray(start, end));
        start = end + 1;
      }
      rest.push(chunk.subarray(start));
    }
    await done;
  } catch (error) {
    throw fileError(path, error);
  } finally {
    unpacked.destroy();
  }
}

/** Restores a backup. Gives the exit code. */
export async function runRestore(
  context: CommandContext,
  path: string,
  options: { readonly force: boolean; readonly asJson: boolean },
): Promise<number> {
  // Not migrated first: a backup of an earlier version goes into a database of its version.
  const database = await openDatabase(context.config.storage, {
    share: true,
    now: () => context.clock.now().getTime(),
  });
  try {
    const { madeAt, rows, leftOut } = await restoreBackup(database, {
      path,
      lines: () => readLines(path),
      force: options.force,
      now: context.clock.now(),
    });
    await database.durable();
    if (options.asJson) {
      context.print(`${JSON.stringify({ file: path, madeAt, rows, leftOut })}\n`);
      return 0;
    }
    showRows(context, rows);
    context.print(`${total(rows).toLocaleString("en-US")} rows restored, as of ${madeAt}\n`);
    if (leftOut > 0) context.print(`${leftOut} rows left out: what they refer to was not there\n`);
    return 0;
  } finally {
    await database.close();
  }
}
