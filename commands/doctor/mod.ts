/** `demand doctor`: each setting and each outside party looked at, one line each. */
import process from "node:process";
import { styleText } from "node:util";
import { DeadlineError, withDeadline } from "../../core/deadline.ts";
import { OperatorError } from "../../core/errors.ts";
import { printable } from "../../core/log.ts";
import { SettingsError } from "../../core/settings.ts";
import { openDatabase } from "../../db/mod.ts";
import type { Database } from "../../db/sql.ts";
import { checkSettings, missingPublicAddress } from "../check_settings.ts";
import type { CommandContext } from "../context.ts";
import { databaseCheck, databaseChecks } from "./database.ts";
import { outsideChecks } from "./outside.ts";
import { sourceChecks } from "./source.ts";
import { EXIT_FAILED } from "../usage.ts";
import type { OutputOptions } from "../reporting.ts";
import { type Check, fail, type Finding, firstLineOf, ok, warn } from "./finding.ts";

const DEADLINE_MS = 30_000;

/** A finding for every check: one that throws or hangs is a failure like any other. */
async function lookAt(check: Check): Promise<Finding> {
  try {
    return await withDeadline(DEADLINE_MS, null, async () => await check.look());
  } catch (error) {
    if (error instanceof DeadlineError) {
      return fail("no answer in 30 s", "look at the network between here and there");
    }
    return fail(firstLineOf(error), "see the message; it names what refused");
  }
}

interface Report {
  readonly show: (name: string, finding: Finding) => void;
  /** Ends the report; gives the exit code: 0 where nothing failed, 1 otherwise. */
  readonly end: () => number;
}

function openReport(
  { print, isTerminal }: Pick<CommandContext, "print" | "isTerminal">,
  { asJson }: OutputOptions,
): Report {
  const isPlain = !isTerminal || Boolean(process.env.NO_COLOR);
  const paint = (style: "dim" | "green" | "yellow" | "red", text: string): string =>
    isPlain ? text : styleText(style, text, { validateStream: false });
  const marks = {
    ok: paint("green", "ok  "),
    warn: paint("yellow", "warn"),
    fail: paint("red", "FAIL"),
  } as const;
  const found: (Finding & { readonly name: string })[] = [];
  const show = (name: string, finding: Finding): void => {
    found.push({ name, ...finding });
    if (asJson) return;
    print(`${marks[finding.level]}  ${name.padEnd(12)}  ${printable(finding.says)}\n`);
    if (finding.advice !== undefined) {
      print(`${" ".repeat(20)}${paint("dim", printable(finding.advice))}\n`);
    }
  };
  const end = (): number => {
    const failed = found.filter(({ level }) => level === "fail").length;
    if (asJson) print(`${JSON.stringify({ ok: failed === 0, checks: found })}\n`);
    return failed === 0 ? 0 : EXIT_FAILED;
  };
  return { show, end };
}

/** A line for each setting that is wrong; any other error is one. */
const linesOf = (error: OperatorError): readonly string[] =>
  error instanceof SettingsError
    ? error.issues.map(({ name, rule }) => `${name}: ${rule}`)
    : [error.message];

/**
 * Reports settings that keep everything else from being looked at: a failed check for each. Gives
 * the exit code.
 */
export function reportWrongSettings(
  output: Pick<CommandContext, "print" | "isTerminal">,
  wrong: OperatorError,
  options: OutputOptions,
): number {
  const { show, end } = openReport(output, options);
  for (const line of linesOf(wrong)) {
    show("settings", fail(line, "correct it; the rest is looked at then"));
  }
  return end();
}

/** The database, or null if there is none to open, which is shown. */
async function openToLook(
  { config, clock }: CommandContext,
  show: Report["show"],
): Promise<Database | null> {
  try {
    return await openDatabase(config.storage, {
      share: true,
      mustExist: true,
      now: () => clock.now().getTime(),
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    show("database", fail(error.message, "nothing works without it; start there"));
    return null;
  }
}

/** A finding for each setting that is wrong, or one that says how they are. */
async function lookAtSettings(context: CommandContext): Promise<readonly Finding[]> {
  const { config, strangeLines } = context;
  try {
    await checkSettings(context);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return linesOf(error).map((line) => fail(line, "correct it, and start again"));
  }
  if (config.misspelled.length > 0) {
    const pairs = config.misspelled.map(({ name, meant }) => `${name} (${meant}?)`);
    return [warn(`no settings: ${pairs.join(", ")}`, "correct the names, or remove them")];
  }
  if (strangeLines.length > 0) {
    const numbers = strangeLines.slice(0, 10).join(", ");
    return [warn(`.env: no NAME=value in line ${numbers}`, "correct them, or put a # in front")];
  }
  const unreachable = missingPublicAddress(config);
  if (unreachable !== null) return [warn(unreachable, "set it to the public address")];
  return [ok(`read and well formed; payment mode ${config.payment.mode}`)];
}

/** Runs every check; gives the exit code: 0 where none failed, 1 otherwise. */
export async function runDoctor(context: CommandContext, options: OutputOptions): Promise<number> {
  const { config } = context;
  const { show, end } = openReport(context, options);
  for (const finding of await lookAtSettings(context)) show("settings", finding);
  let database: Database | null = null;
  try {
    const started = performance.now();
    database = await openToLook(context, show);
    const openedMs = performance.now() - started;
    const checks = [
      ...(database === null ? [] : [
        databaseCheck(database, config, openedMs),
        ...databaseChecks(context, database),
      ]),
      ...outsideChecks(context, database),
      ...(database === null ? [] : sourceChecks(context, database)),
    ];
    for (const check of checks) show(check.name, await lookAt(check));
  } finally {
    await database?.close();
  }
  return end();
}
