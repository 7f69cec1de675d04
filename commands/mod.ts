/** Which command runs what; every failure becomes one line and an exit code. */
import process from "node:process";
import { parseArgs } from "node:util";
import { OperatorError } from "../core/errors.ts";
import { currentRuntime } from "../runtime/mod.ts";
import { VERSION } from "../version.ts";
import { postIdOf } from "../mining/removal/forget.ts";
import { runBackup, runRestore } from "./backup.ts";
import { completion, SHELLS } from "./completion.ts";
import { createContext, openStorage } from "./context.ts";
import { runDoctor } from "./doctor.ts";
import { runForget } from "./forget.ts";
import { runHealthcheck } from "./healthcheck.ts";
import { HELP, helpOf } from "./help.ts";
import { runImport } from "./import.ts";
import { runMine } from "./mine.ts";
import { runOpenApi } from "./openapi.ts";
import { runServe } from "./serve.ts";
import { noArguments, oneArgument, UsageError } from "./usage.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: async (args) => {
    noArguments(args);
    return await runServe(await createContext());
  },
  import: async (args) => {
    const parsed = parseImport(args);
    return await runImport(await createContext(), parsed);
  },
  mine: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { once: { type: "boolean" } } });
    return await runMine(await createContext(), values.once === true);
  },
  forget: async (args) => {
    if (args.length === 0) throw new UsageError("name at least one post by its ID or permalink");
    const wrong = args.find((arg) => postIdOf(arg) === null);
    if (wrong !== undefined) throw new UsageError(`"${wrong}" is no id and no permalink of a post`);
    return await runForget(await createContext(), args);
  },
  migrate: async (args) => {
    noArguments(args);
    const context = await createContext();
    const database = await openStorage(context, true);
    await database.close();
    context.print("The database is up to date.\n");
    return 0;
  },
  doctor: async (args) => {
    const { asJson, rest } = withJson(args);
    noArguments(rest);
    return await runDoctor(await createContext(), asJson);
  },
  healthcheck: async (args) => {
    noArguments(args);
    const { config, print } = await createContext();
    return await runHealthcheck(config, print);
  },
  backup: async (args) => {
    const { asJson, rest } = withJson(args);
    const file = oneArgument(rest, "FILE to write");
    return await runBackup(await createContext(), file, asJson);
  },
  restore: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean" }, force: { type: "boolean" } },
    });
    const file = oneArgument(positionals, "FILE to read");
    const options = { force: values.force === true, asJson: values.json === true };
    return await runRestore(await createContext(), file, options);
  },
  openapi: async (args) => {
    noArguments(args);
    return await runOpenApi(await createContext());
  },
  completion: (args) => {
    const shell = SHELLS.find((name) => name === oneArgument(args, "shell"));
    if (shell === undefined) {
      throw new UsageError(`the shell should be one of ${SHELLS.join(", ")}`);
    }
    process.stdout.write(completion(shell));
    return Promise.resolve(0);
  },
  version: (args) => {
    const { asJson, rest } = withJson(args);
    noArguments(rest);
    const { name, version } = currentRuntime();
    const about = { version: VERSION, runtime: `${name} ${version}` };
    process.stdout.write(asJson ? `${JSON.stringify(about)}\n` : `${VERSION}\n`);
    return Promise.resolve(0);
  },
};

/** `--json` and what else is known; positionals are what is left. */
function withJson(args: readonly string[]): { asJson: boolean; rest: readonly string[] } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean" } },
  });
  return { asJson: values.json === true, rest: positionals };
}

function parseImport(args: readonly string[]): Parameters<typeof runImport>[1] {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { "as-of": { type: "string" }, "all-communities": { type: "boolean" } },
  });
  if (positionals.length === 0) throw new UsageError("name at least one FILE");
  const text = values["as-of"];
  const asOf = text === undefined ? null : new Date(text);
  if (asOf !== null && Number.isNaN(asOf.getTime())) {
    throw new UsageError(`--as-of: should be a time such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  }
  return { files: positionals, asOf, allCommunities: values["all-communities"] === true };
}

/** Runs a command line; gives the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first = "serve", ...rest] = argv;
  if (first === "--help" || first === "-h" || first === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const name = first === "--version" ? "version" : first;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`there is no command "${name}"`);
    if (rest.includes("--help") || rest.includes("-h")) {
      process.stdout.write(helpOf(name));
      return 0;
    }
    return await command(rest);
  } catch (error) {
    return report(name, error);
  }
}

function report(name: string, error: unknown): number {
  if (error instanceof UsageError || isParseError(error)) {
    process.stderr.write(`demand ${name}: ${error.message}\nSee: demand --help\n`);
    return EXIT_USAGE;
  }
  if (error instanceof OperatorError) {
    process.stderr.write(`demand: ${error.message}\n`);
    return EXIT_FAILED;
  }
  process.stderr.write(`demand: ${error instanceof Error ? error.stack : String(error)}\n`);
  return EXIT_FAILED;
}

/** node:util's own complaint about unknown or malformed options. */
function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error &&
    String(error.code).startsWith("ERR_PARSE_ARGS");
}
