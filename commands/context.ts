/** What every command starts from: settings, log, clock, terminal, and the opened database. */
import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import process from "node:process";
import { setImmediate } from "node:timers";
import { isatty } from "node:tty";
import { type Config, readConfig } from "../config.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { aborted } from "../core/deadline.ts";
import { OperatorError } from "../core/errors.ts";
import { whyUnreadable } from "../core/files.ts";
import { createLog, type Log } from "../core/log.ts";
import { wrongSetting } from "../core/settings.ts";
import { authorHashKey } from "../db/corpus/corpus.ts";
import { migrate, schemaVersion } from "../db/migrate.ts";
import { MIGRATIONS } from "../db/migrations/mod.ts";
import { holdsDatabase } from "../db/embedded/directory.ts";
import { openDatabase, type OpenOptions } from "../db/mod.ts";
import type { Database } from "../db/sql.ts";
import type { GivenSettings } from "./environment.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, Interrupted } from "./usage.ts";
import { writeError, writeOut } from "./output.ts";
import { builtInRegistry, parseRegistry, type Registry } from "../mining/communities/registry.ts";

/** What a command works with. It has no database: `openStorage` opens one. */
export interface CommandContext {
  readonly config: Config;
  /** Numbers of the lines of `.env` that say nothing. */
  readonly strangeLines: readonly number[];
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly isTerminal: boolean;
  /** Writes to standard output, line ends included. */
  readonly print: (text: string) => void;
  /**
   * Aborted with `Interrupted` by the first SIGINT, SIGTERM or SIGHUP; another of the first two ends the process at
   * once.
   */
  readonly signal: AbortSignal;
}

/**
 * Whether there is a terminal that can hang up: `nohup` leaves none, nor does a supervisor. The kernel's word
 * for "ignore this signal" cannot be asked for, since Deno takes the signal over at some moment of its start.
 */
function hasTerminal(): boolean {
  return [0, 1, 2].some((fd) => isatty(fd));
}

/** `deno task` passes a Ctrl-C on to a process that has it from the terminal already: the same one until then. */
const TWICE_MS = 200;

function watchSignals(finishes: boolean, log: Log): AbortSignal {
  const abort = new AbortController();
  let first = Infinity;
  const onFirst = (): void => {
    if (abort.signal.aborted) return;
    first = performance.now();
    log.info("stopping: finishing what is in flight; a second signal stops at once");
    abort.abort(new Interrupted());
  };
  const onSignal = (): void => {
    if (!finishes || performance.now() - first > TWICE_MS) process.exit(EXIT_INTERRUPTED);
    onFirst();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A shell tells its jobs of a hang-up and the kernel does too: twice is not insisting.
  const onHangUp = finishes ? onFirst : onSignal;
  process.on("SIGHUP", hasTerminal() ? onHangUp : () => {});
  return abort.signal;
}

/**
 * The registry of communities that a file names, or the built-in one for null.
 * @throws SettingsError, of COMMUNITIES_FILE, for a file that cannot be read as one.
 */
export async function loadRegistry(path: string | null): Promise<Registry> {
  if (path === null) return builtInRegistry();
  try {
    return parseRegistry(await readFile(path, "utf8"), path);
  } catch (error) {
    const why = error instanceof OperatorError ? error.message : `${path}: ${whyUnreadable(error)}`;
    throw wrongSetting("COMMUNITIES_FILE", why, { cause: error });
  }
}

/**
 * Gathers the lines of one turn of the event loop into one write: a line a request would otherwise be a
 * system call a request. What is left is written when the process ends.
 */
function lineWriter(write: (text: string) => void): (line: string) => void {
  let waiting = "";
  const flush = (): void => {
    const text = waiting;
    waiting = "";
    if (text !== "") write(text);
  };
  process.on("exit", flush);
  return (line) => {
    if (waiting === "") setImmediate(flush);
    waiting += `${line}\n`;
  };
}

/**
 * Makes a command's context from the settings as they were read. A command that `finishes` what it
 * is at hears of the first signal by `signal`; any other ends at it.
 * @throws SettingsError with a line for each setting that is wrong.
 */
export async function createContext(
  { environment, strangeLines }: GivenSettings,
  { finishes }: { readonly finishes: boolean },
): Promise<CommandContext> {
  const config = readConfig(environment);
  const isTerminal = process.stdout.isTTY === true;
  const { format } = config.log;
  // The log's own stream, whatever becomes of what the command says.
  const isText = format === "auto" ? process.stderr.isTTY === true : format === "text";
  const log = createLog({
    level: config.log.level,
    format: isText ? "text" : "json",
    now: () => systemClock.now(),
    write: lineWriter(writeError),
  });
  for (const { name, meant } of config.misspelled) {
    log.warn(`${name} is not a setting and changes nothing; did you mean ${meant}?`);
  }
  for (const line of strangeLines) {
    log.warn(`.env: line ${line} is no NAME=value and changes nothing`);
  }
  return {
    config,
    strangeLines,
    clock: systemClock,
    log,
    registry: await loadRegistry(config.communitiesFile),
    isTerminal,
    print: writeOut,
    signal: watchSignals(finishes, log),
  };
}

/** The same context without progress and words: for commands whose output a script reads. */
export function silenced(context: CommandContext): CommandContext {
  return { ...context, isTerminal: false, print: () => {} };
}

/**
 * Opens and migrates the database; `share` lets a command work beside a running service. With
 * `mustExist` a database on which nothing was ever started is refused: an answer from one made for
 * the occasion would be about the wrong one.
 * @throws OperatorError where it cannot be opened, or is refused; Interrupted where a signal ends
 * it, as if it had not been begun.
 */
export async function openStorage(
  { config, clock, log, signal }: CommandContext,
  { share, mustExist = false }: Pick<OpenOptions, "share" | "mustExist">,
): Promise<Database> {
  const { databaseUrl, dataDir } = config.storage;
  if (databaseUrl === null && !mustExist) {
    const isThere = holdsDatabase(dataDir);
    // Beside a service it is there, and joined at once.
    if (!isThere || !share) {
      log.info(`${isThere ? "opening" : "making"} the embedded database`, { dataDir });
    }
  }
  const database = await openDatabase(config.storage, {
    share,
    mustExist,
    signal,
    now: () => clock.now().getTime(),
  });
  try {
    if (mustExist && await schemaVersion(database.sql) === 0) {
      const setting = database.kind === "embedded" ? "DATA_DIR" : "DATABASE_URL";
      throw new OperatorError(
        `${setting}: the database holds nothing of the service: name the one that the service uses`,
      );
    }
    const { applied, version } = await migrate(database.sql, MIGRATIONS, signal);
    if (applied.length > 0) log.info("database migrated", { applied, version });
    return database;
  } catch (error) {
    // Its lock and its socket would stay behind.
    await database.close();
    throw error;
  }
}

/**
 * Runs `work` on the database that `openStorage` opens by these options, and closes it, whether
 * `work` fails or not.
 */
export async function withStorage<T>(
  context: CommandContext,
  options: Parameters<typeof openStorage>[1],
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openStorage(context, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const never = new Promise<never>(() => {});

/**
 * Waits for a signal, or for the end of the database, which it logs. Gives the exit code: 0 after a
 * signal.
 */
export async function untilOver(
  { signal, log }: CommandContext,
  { ended = never }: Database,
): Promise<number> {
  const failure = await Promise.race([aborted(signal), ended]);
  if (failure === undefined) return 0;
  log.error("the database failed and needs a new start: the program ends", { error: failure });
  return EXIT_FAILED;
}

/**
 * The key of the authors' hashes, in hexadecimal: AUTHOR_HASH_KEY, or the one that was made at the
 * first start and is kept in the database. A restore puts another in its place, so each piece of
 * work asks for it again.
 */
export async function hashKey(
  config: Config,
  { sql }: Pick<Database, "sql">,
): Promise<string> {
  return config.authorHashKey ?? await authorHashKey(sql, randomBytes(32).toString("hex"));
}
