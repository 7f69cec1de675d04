/** Which command runs what; every failure becomes one line and an exit code. */
import process from "node:process";
import { parseArgs } from "node:util";
import {
  causeMessage,
  errorCode,
  isCircumstance,
  isDiskFull,
  messageOf,
  OperatorError,
  stackWithCauses,
} from "../core/errors.ts";
import { isConnectionError, refusalOf } from "../db/sql.ts";
import { currentRuntime } from "../runtime/mod.ts";
import { commitOf, VERSION } from "../version.ts";
import { readConfig } from "../config.ts";
import { prepareEmbedded } from "../db/embedded/client.ts";
import { type Environment, givenText, SettingsError } from "../core/settings.ts";
import type { CommandContext } from "./context.ts";
import { type GivenSettings, readSettings } from "./environment.ts";
import { requireOpenFiles } from "./serve/open_files.ts";
import {
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_USAGE,
  Interrupted,
  noArguments,
  oneArgument,
  UsageError,
} from "./usage.ts";
import { type CommandName, HELP, helpOf, type Topic, TOPICS } from "./help.ts";
import type { ImportArguments } from "./import.ts";
import { writeError, writeOut } from "./output.ts";

type Command = (args: readonly string[]) => Promise<number>;

// Commands are loaded when they are called: `version` and `healthcheck` need next to nothing, and the
// lexicons, the model's client and payment take a fifth of a second to load.
const contextOf = async (
  { finishes, given }: { readonly finishes?: boolean; readonly given?: GivenSettings } = {},
): Promise<CommandContext> => {
  const settings = given ?? await readSettings();
  const { createContext } = await import("./context.ts");
  try {
    return await createContext(settings, { finishes: finishes === true });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { findSettingIssues } = await import("./check_settings.ts");
    throw new SettingsError(await findSettingIssues(settings.environment));
  }
};

/**
 * The embedded database's thread starts while the rest of the service is still being loaded. Files are tried
 * before: what is being loaded opens some, too.
 */
function prepareStorage(environment: Environment): void {
  const isEmbedded = givenText(environment, "DATABASE_URL") === null;
  requireOpenFiles(isEmbedded ? "embedded" : "postgres");
  if (isEmbedded) prepareEmbedded();
}

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  serve: async (args) => {
    noArguments(args);
    const given = await readSettings();
    prepareStorage(given.environment);
    const { runServe } = await import("./serve/mod.ts");
    return await runServe(await contextOf({ finishes: true, given }));
  },
  import: async (args) => {
    const parsed = parseImport(args);
    const { runImport } = await import("./import.ts");
    return await runImport(await contextOf({ finishes: true }), parsed);
  },
  read: async (args) => {
    if (args.length === 0) throw new UsageError("name at least one FILE");
    if (args.includes("-")) throw new UsageError("standard input is not read: name a file");
    const option = args.find((arg) => arg.startsWith("-"));
    if (option !== undefined) throw new UsageError(`there is no option "${option}"`);
    const { runRead } = await import("./read.ts");
    return await runRead(await contextOf({ finishes: true }), args);
  },
  mine: async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { once: { type: "boolean" }, json: { type: "boolean" } },
    });
    const [once, asJson] = [values.once === true, values.json === true];
    if (asJson && !once) throw new UsageError("--json goes with --once");
    const { runMine } = await import("./mine.ts");
    return await runMine(await contextOf({ finishes: true }), { once, asJson });
  },
  forget: async (args) => {
    if (args.length === 0) throw new UsageError("name at least one post by its ID or permalink");
    const { postIdOf } = await import("../mining/job/forget.ts");
    const wrong = args.find((arg) => postIdOf(arg) === null);
    if (wrong !== undefined) throw new UsageError(`"${wrong}" is no id and no permalink of a post`);
    const { runForget } = await import("./forget.ts");
    return await runForget(await contextOf(), args);
  },
  show: async (args) => {
    const { asJson, rest } = withJson(args);
    if (rest.length === 0) throw new UsageError("name a CARD by its id, its slug or words in it");
    const { runShow } = await import("./lookup.ts");
    return await runShow(await contextOf(), rest, { asJson });
  },
  payment: async (args) => {
    const { asJson, rest } = withJson(args);
    const id = oneArgument(rest, "payment's ID");
    const { runPayment } = await import("./lookup.ts");
    return await runPayment(await contextOf(), id, { asJson });
  },
  migrate: async (args) => {
    noArguments(args);
    const { withStorage } = await import("./context.ts");
    const context = await contextOf();
    await withStorage(context, { share: true }, () => Promise.resolve());
    context.print("The database is up to date.\n");
    return 0;
  },
  doctor: async (args) => {
    const { asJson, rest } = withJson(args);
    noArguments(rest);
    const { reportWrongSettings, runDoctor } = await import("./doctor/mod.ts");
    let context: CommandContext;
    try {
      context = await contextOf();
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const isTerminal = process.stdout.isTTY === true;
      return reportWrongSettings({ print: writeOut, isTerminal }, error, { asJson });
    }
    return await runDoctor(context, { asJson });
  },
  healthcheck: async (args) => {
    noArguments(args);
    const { runHealthcheck } = await import("./healthcheck.ts");
    const config = readConfig((await readSettings()).environment);
    return await runHealthcheck(config, writeOut);
  },
  backup: async (args) => {
    const { asJson, rest } = withJson(args);
    const file = oneArgument(rest, "FILE to write");
    const { runBackup } = await import("./backup/mod.ts");
    return await runBackup(await contextOf(), file, { asJson });
  },
  restore: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean" }, force: { type: "boolean" } },
    });
    const file = oneArgument(positionals, "FILE to read");
    const options = { force: values.force === true, asJson: values.json === true };
    const { runRestore } = await import("./backup/mod.ts");
    return await runRestore(await contextOf(), file, options);
  },
  openapi: async (args) => {
    noArguments(args);
    const { runOpenApi } = await import("./openapi.ts");
    return await runOpenApi(await contextOf());
  },
  settings: async (args) => {
    const { asJson, rest } = withJson(args);
    noArguments(rest);
    const { runSettings } = await import("./settings.ts");
    return await runSettings((await readSettings()).environment, writeOut, { asJson });
  },
  mcp: async (args) => {
    const [url, ...more] = args;
    noArguments(more);
    if (url?.startsWith("-") === true) throw new UsageError(`there is no option "${url}"`);
    const [{ runMcp }, { systemClock }] = await Promise.all([
      import("./mcp/mod.ts"),
      import("../core/clock.ts"),
    ]);
    return await runMcp(url, systemClock);
  },
  init: async (args) => {
    const folder = oneArgument(
      parseArgs({ args: [...args], allowPositionals: true }).positionals,
      "FOLDER",
    );
    const { runInit } = await import("./init.ts");
    return await runInit((await readSettings()).environment, folder, writeOut);
  },
  version: (args) => {
    const { asJson, rest } = withJson(args);
    noArguments(rest);
    const { name, version } = currentRuntime();
    const commit = commitOf();
    const about = { version: VERSION, commit, runtime: `${name} ${version}` };
    const line = `${VERSION} (${commit ?? "run from its sources"})`;
    writeOut(`${asJson ? JSON.stringify(about) : line}\n`);
    return Promise.resolve(0);
  },
};

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);
const isTopic = (name: string): name is Topic => Object.hasOwn(TOPICS, name);

/** `--json` and what else is known; positionals are what is left. */
function withJson(args: readonly string[]): { asJson: boolean; rest: readonly string[] } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean" } },
  });
  return { asJson: values.json === true, rest: positionals };
}

/** A day, or a time that says its offset: one without would mean another moment on each machine. */
const AS_OF = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseAsOf(text: string): Date {
  const time = new Date(text);
  const day = new Date(text.slice(0, 10));
  // The 31st of February would be read as the 3rd of March.
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
  if (AS_OF.test(text) && exists && !Number.isNaN(time.getTime())) return time;
  throw new UsageError(
    `--as-of: should be a day, YYYY-MM-DD (its beginning in UTC), or a time with Z or an offset, ` +
      `such as 2026-01-31T12:00:00Z, not "${text}"`,
  );
}

const MOST_THREADS = 64;

function parseThreads(text: string): number {
  const threads = Number(text);
  if (/^\d+$/.test(text) && threads >= 1 && threads <= MOST_THREADS) return threads;
  throw new UsageError(
    `--threads: should be a whole number from 1 to ${MOST_THREADS}, not "${text}"`,
  );
}

function parseImport(args: readonly string[]): ImportArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "as-of": { type: "string" },
      "all-communities": { type: "boolean" },
      threads: { type: "string" },
      json: { type: "boolean" },
    },
  });
  if (positionals.length === 0) throw new UsageError("name at least one FILE");
  if (positionals.includes("-")) {
    throw new UsageError("standard input is not read: name a file, from which an import can go on");
  }
  const text = values["as-of"];
  return {
    files: positionals,
    asOf: text === undefined ? null : parseAsOf(text),
    allCommunities: values["all-communities"] === true,
    threads: values.threads === undefined ? null : parseThreads(values.threads),
    asJson: values.json === true,
  };
}

/** Runs a command line; gives the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first = "serve", ...rest] = argv;
  const asked = first === "help" ? rest[0] : undefined;
  if (first === "--help" || first === "-h" || (first === "help" && asked === undefined)) {
    writeOut(HELP);
    return 0;
  }
  if (asked !== undefined) {
    if (rest[1] !== undefined) {
      return report(first, new UsageError(`unexpected argument "${rest[1]}"`));
    }
    if (!isTopic(asked)) {
      if (isCommand(asked)) return await runCommand([asked, "--help"]);
      const topics = Object.keys(TOPICS).join(", ");
      return report(
        first,
        new UsageError(`"${asked}" is neither a command nor one of the topics ${topics}`),
      );
    }
    const { topicText } = await import("./manual.ts");
    writeOut(topicText(asked));
    return 0;
  }
  const name = first === "--version" ? "version" : first;
  try {
    if (!isCommand(name)) throw new UsageError(`there is no command "${name}"`);
    if (rest.includes("--help") || rest.includes("-h")) {
      writeOut(helpOf(name));
      return 0;
    }
    return await COMMANDS[name](rest);
  } catch (error) {
    return report(name, error);
  }
}

function report(name: string, error: unknown): number {
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  if (error instanceof UsageError || isParseError(error)) {
    const command = isCommand(name) ? ` ${name}` : "";
    // Node's own advice about options goes on for three lines.
    const [why] = error instanceof UsageError ? [error.message] : error.message.split(/\. |\n/);
    writeError(`demand${command}: ${why}\nSee: demand${command} --help\n`);
    return EXIT_USAGE;
  }
  if (error instanceof OperatorError) {
    for (const line of error.message.split("\n")) writeError(`demand: ${line}\n`);
    return EXIT_FAILED;
  }
  if (isConnectionError(error)) {
    writeError(
      `demand: the database went away (${
        messageOf(error)
      }); run the same command again once it is back\n`,
    );
    return EXIT_FAILED;
  }
  const refusal = refusalOf(error);
  if (refusal !== null) {
    writeError(`demand: DATABASE_URL: ${refusal}\n`);
    return EXIT_FAILED;
  }
  if (isDiskFull(error)) {
    writeError(
      "demand: the disk of the database is full: free some room, then run the same command again\n",
    );
    return EXIT_FAILED;
  }
  if (isCircumstance(error)) {
    writeError(`demand: ${causeMessage(error)}\n`);
    return EXIT_FAILED;
  }
  writeError(`demand: ${error instanceof Error ? stackWithCauses(error) : String(error)}\n`);
  return EXIT_FAILED;
}

/** node:util's own complaint about unknown or malformed options. */
function isParseError(error: unknown): error is Error {
  return error instanceof Error && errorCode(error)?.startsWith("ERR_PARSE_ARGS") === true;
}
