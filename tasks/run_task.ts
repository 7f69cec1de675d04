/** How every task ends that the one who runs it can mend: in one plain line. */
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { errorCode, messageOf, OperatorError } from "../core/errors.ts";

/** Runs a task. An error of the operator's, or of the command line's, ends it in one line; any other has its stack. */
export async function runTask(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const isUsage = errorCode(error)?.startsWith("ERR_PARSE_ARGS") === true;
    if (!(error instanceof OperatorError) && !isUsage) throw error;
    console.error(messageOf(error));
    process.exit(1);
  }
}

/** What a program that failed has said of it, in one line: its error and what it gives for causes, without a stack. */
export function errorLine(stderr: string): string {
  const lines = stripVTControlCharacters(stderr).split("\n").map((line) => line.trim());
  const stack = lines.findIndex((line) => /^(?:Stack backtrace|at )/.test(line));
  const said = lines.slice(0, stack < 0 ? undefined : stack)
    .filter((line) => line !== "" && line !== "Caused by:")
    .map((line) => line.replace(/^(?:error|\d+): /, ""));
  const error = lines.findIndex((line) => line.startsWith("error"));
  // A cause says again what caused it.
  const each = said.filter((line, i) => !said.slice(0, i).some((before) => before.includes(line)));
  return each.slice(error < 0 ? -1 : 0).join(": ");
}
