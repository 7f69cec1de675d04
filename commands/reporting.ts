/** How commands report: progress while they work, a list of counts when they are done, or JSON. */
import process from "node:process";
import type { CommandContext } from "./context.ts";

/** How a command says what came of it. */
export interface OutputOptions {
  /** Prints one JSON object, and nothing else. */
  readonly asJson: boolean;
}

/** Columns of an output that has no width of its own. */
const USUAL_COLUMNS = 80;
const COUNT_WIDTH = 12;

/** How far a job is. Counts are totals since the job began. */
interface Progress {
  /** Share of the input done, 0 to 1. */
  readonly fraction: number;
  /** What the job goes through, in the unit of its line. */
  readonly count: number;
  readonly signals?: number;
  readonly bad?: number;
  readonly skipped?: number;
}

/** What a job goes through. */
type Unit = "posts" | "rows";

interface ProgressBar {
  update(progress: Progress): void;
  /** Shows the last state and ends the line; later calls do nothing. */
  finish(): void;
}

interface Sample {
  readonly at: number;
  readonly progress: Progress;
}

/** Milliseconds between redraws on a terminal, and between the lines of anything else. */
const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** A time in seconds as "45 s", "3 min 05 s" or "2 h 10 min". */
export function duration(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const parts = (large: string, small: string, count: number): string =>
    `${Math.floor(count / 60)} ${large} ${String(count % 60).padStart(2, "0")} ${small}`;
  if (total < 60) return `${total} s`;
  return total < 3_600 ? parts("min", "s", total) : parts("h", "min", Math.floor(total / 60));
}

/** The line of a job that has gone from `first` to `last` in `seconds`. */
function lineOf(
  unit: Unit,
  first: Progress,
  last: Progress,
  seconds: number,
): string {
  const { signals, skipped = 0, bad = 0 } = last;
  const parts = [`${Math.floor(last.fraction * 100)}%`];
  const add = (count: number, name: string): void =>
    void parts.push(`${Math.round(count).toLocaleString("en-US")}${name}`);
  add(last.count, ` ${unit}`);
  if (seconds > 0) add((last.count - first.count) / seconds, "/s");
  if (signals !== undefined) add(signals, " signals");
  const gained = last.fraction - first.fraction;
  if (gained > 0 && last.fraction < 1) {
    parts.push(`${duration((1 - last.fraction) * seconds / gained)} left`);
  }
  if (skipped > 0) add(skipped, " left out");
  if (bad > 0) add(bad, " bad lines");
  return parts.join("  ");
}

/**
 * Shows how far a job is: on a terminal one line, redrawn in place at most ten times a second; elsewhere a
 * plain line every five seconds. It shows numbers alone, so nothing of the data can reach the terminal.
 * `columns` gives the terminal's width in characters, and is asked at each redraw.
 */
export function showProgress(
  { print, isTerminal, clock }: Pick<CommandContext, "print" | "isTerminal" | "clock">,
  unit: Unit = "posts",
  columns: () => number = () => process.stdout.columns ?? USUAL_COLUMNS,
): ProgressBar {
  const pause = isTerminal ? REDRAW_MS : LINE_MS;
  let first: Sample | null = null;
  let pending: Sample | null = null;
  let drawnAt = isTerminal ? -Infinity : clock.now().getTime();
  let finished = false;

  const draw = (sample: Sample): void => {
    const { at, progress } = first ?? sample;
    const line = lineOf(unit, progress, sample.progress, (sample.at - at) / 1_000);
    // One column less than there are: a full line would wrap, and the next redraw start below it.
    print(isTerminal ? `\r\x1b[2K${line.slice(0, Math.max(1, columns() - 1))}` : `${line}\n`);
    [drawnAt, pending] = [sample.at, null];
  };

  return {
    update(progress) {
      if (finished) return;
      pending = { at: clock.now().getTime(), progress };
      first ??= pending;
      if (pending.at - drawnAt >= pause) draw(pending);
    },
    finish() {
      if (finished) return;
      finished = true;
      if (pending !== null) draw(pending);
      if (isTerminal && first !== null) print("\n");
    },
  };
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
