/** How commands report: progress while they work, a list of counts when they are done, or JSON. */
import process from "node:process";
import { createProgress, type ProgressBar, type ProgressOptions } from "../core/terminal.ts";
import type { CommandContext } from "./context.ts";

/** How a command says what came of it. */
export interface OutputOptions {
  /** Prints one JSON object, and nothing else. */
  readonly asJson: boolean;
}

/** Columns of an output that has no width of its own. */
const USUAL_COLUMNS = 80;
const COUNT_WIDTH = 12;

/** Shows how far a command is. */
export function showProgress(
  { print, isTerminal, clock }: Pick<CommandContext, "print" | "isTerminal" | "clock">,
  unit: ProgressOptions["unit"] = "posts",
): ProgressBar {
  return createProgress({
    unit,
    write: print,
    isTerminal,
    columns: () => process.stdout.columns ?? USUAL_COLUMNS,
    now: () => clock.now(),
  });
}

/** Prints counts under each other, after labels of at most `width` characters. */
export function showCounts(
  { print }: Pick<CommandContext, "print">,
  counts: readonly (readonly [label: string, count: number])[],
  width: number,
): void {
  for (const [label, count] of counts) {
    print(`  ${label.padEnd(width)}${count.toLocaleString("en-US").padStart(COUNT_WIDTH)}\n`);
  }
}
