/** `demand backup FILE` and `demand restore FILE`: everything stored, out and back in, while others work. */
import { once } from "node:events";
import { closeSync, createWriteStream, fsyncSync, openSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sleep } from "../../core/deadline.ts";
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { type RowCounts, writeBackup } from "../../db/backup/backup.ts";
import { openDatabase } from "../../db/mod.ts";
import type { Database } from "../../db/sql.ts";
import { openBackup, restoreBackup } from "../../db/backup/restore.ts";
import { ensureSample } from "../../mining/job/finish.ts";
import { VERSION } from "../../version.ts";
import { isBackup, readLines } from "./file.ts";
import { type CommandContext, silenced, withStorage } from "../context.ts";
import { type OutputOptions, showCounts, showProgress } from "../reporting.ts";

const total = (rows: RowCounts): number => Object.values(rows).reduce((sum, n) => sum + n, 0);

/**
 * What the tables hold, in an operator's words; `--json` counts by table. Exported for the test
 * that no table of ours is missing.
 */
export const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  "posts of demand": ["posts"],
  "ids of posts that were read": ["seen_posts"],
  "signals and their search index": ["signals", "signal_index", "search_terms"],
  "wants and who states them": ["wants", "want_facts", "want_statements"],
  "posts of makers": ["showings"],
  "cards, their slugs, the sample": ["opportunities", "opportunity_slugs", "sample"],
  "communities and pauses": ["communities", "source_pauses"],
  "runs, imports, cost of models": [
    "mining_runs",
    "imports",
    "import_communities",
    "model_spend",
  ],
  "verdicts": ["verdicts", "verdict_leases"],
  "payments and their requests": [
    "payments",
    "payment_broadcasts",
    "payment_payers",
    "payment_requests",
    "payment_wallets",
  ],
  "answers that were paid for": ["payment_answers"],
  "keys and the clock": ["corpus", "payment_secrets"],
};

/** Columns of the longest of them, and a space. */
const CONTENTS_WIDTH = 31;

function showRows(context: CommandContext, rows: RowCounts): void {
  const counts = Object.entries(CONTENTS).map(([what, tables]) =>
    [what, tables.reduce((sum, table) => sum + (rows[table] ?? 0), 0)] as const
  );
  showCounts(context, counts.filter(([, count]) => count > 0), CONTENTS_WIDTH);
}

function fileError(path: string, error: unknown): OperatorError {
  return new OperatorError(`${path}: ${messageOf(error)}`, { cause: error });
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  EACCES: "may not be written (permission denied)",
  EPERM: "may not be written (permission denied)",
};

/** Makes the file that a backup of `path` grows in. @throws OperatorError where there can be none. */
async function makeUnfinished(path: string): Promise<string> {
  const unfinished = `${path}.unfinished`;
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory()) throw new OperatorError(`${path}: is a directory, not a file`);
  if (there !== null && !there.isFile()) throw new OperatorError(`${path}: is not a regular file`);
  if (there !== null && there.size > 0 && !await isBackup(path)) {
    throw new OperatorError(
      `${path}: is there and is no backup of ours: name another file, or move it away`,
    );
  }
  try {
    await (await open(unfinished, "w", 0o600)).close();
  } catch (error) {
    const why = UNWRITABLE[errorCode(error) ?? ""];
    throw why === undefined
      ? fileError(path, error)
      : new OperatorError(`${path}: ${why}`, { cause: error });
  }
  return unfinished;
}

/** It will take the place of an older backup: after a power cut neither might be whole. */
function flushToDisk(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } catch (error) {
    throw fileError(path, error);
  } finally {
    closeSync(file);
  }
}

/** Writes everything stored to a file, gzipped. @throws OperatorError for what goes wrong with the file. */
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
    flushToDisk(path);
    return rows;
  } catch (error) {
    packed.destroy();
    throw fault === null ? error : fileError(path, fault);
  }
}

/**
 * Writes a backup beside `path`, moves it there when it is whole, and reports how many rows it
 * holds. Gives the exit code.
 * @throws OperatorError where the file cannot be written.
 */
export async function runBackup(
  context: CommandContext,
  path: string,
  { asJson }: OutputOptions,
): Promise<number> {
  const unfinished = await makeUnfinished(path);
  try {
    const rows = await withStorage(
      context,
      { share: true, mustExist: true },
      (database) => writeFile(context, database, unfinished),
    );
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

/**
 * Restores a backup into the configured database, over what stands there only with `force`, and
 * reports how many rows came back. Gives the exit code.
 * @throws OperatorError for a file that is no whole backup, and for a database that holds something
 * without `force`.
 */
export async function runRestore(
  context: CommandContext,
  path: string,
  options: OutputOptions & { readonly force: boolean },
): Promise<number> {
  const backup = await openBackup({ path, lines: () => readLines(path) });
  // Not migrated first: a backup of an earlier version goes into a database of its version.
  const database = await openDatabase(context.config.storage, {
    share: true,
    now: () => context.clock.now().getTime(),
  });
  try {
    const bar = showProgress(options.asJson ? silenced(context) : context, "rows");
    const { madeAt, rows, leftOut } = await restoreBackup(database, backup, {
      force: options.force,
      now: context.clock.now(),
      onProgress: (count) => bar.update({ fraction: count / backup.rows, count }),
    }).finally(() => bar.finish());
    // What was forgotten may have been behind the backup's sample.
    const { clock, log, config: { minAuthors } } = context;
    await ensureSample({ database, clock, log, sleep, minAuthors });
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
