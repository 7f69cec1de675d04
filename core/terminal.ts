/** What a command shows while it works: a progress line, and colours where they are wanted. */

/** How far a job is. Counts are totals since the job began. */
export interface Progress {
  /** Share of the input done, 0 to 1; null where it is not known. */
  readonly fraction: number | null;
  readonly posts: number;
  readonly signals: number;
  readonly bad: number;
  readonly skipped: number;
}

export interface ProgressOptions {
  /** Receives text as it is to appear, line ends included. */
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Width of the terminal in characters, asked at each redraw. */
  readonly columns: () => number;
  readonly now: () => Date;
}

export interface ProgressBar {
  update(progress: Progress): void;
  /** Shows the last state, ends the line, and gives the cursor back; later calls do nothing. */
  finish(): void;
}

/** At most ten redraws a second on a terminal; elsewhere a line every five seconds. */
const REDRAW_MS = 100;
const LINE_MS = 5_000;
/** Rate and time left look back this far, so that they follow a change of pace. */
const WINDOW_MS = 15_000;
const BAR_WIDTH = 24;

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const ERASE_LINE = "\r\x1b[2K";

interface Sample {
  readonly at: number;
  readonly progress: Progress;
}

function whole(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

function counted(count: number, one: string, many: string): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** A time in seconds as "45 s", "3 min 05 s" or "2 h 10 min". */
export function duration(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  if (total < 60) return `${total} s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes} min ${String(total % 60).padStart(2, "0")} s`;
  return `${whole(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function bar(fraction: number): string {
  const done = Math.round(fraction * BAR_WIDTH);
  return `[${"#".repeat(done)}${"-".repeat(BAR_WIDTH - done)}]`;
}

/** The parts of the line, most wanted first: a narrow terminal loses the last ones. */
function parts(first: Sample, last: Sample): string[] {
  const { posts, signals, bad, skipped } = last.progress;
  const seconds = (last.at - first.at) / 1_000;
  const shown = [counted(posts, "post", "posts")];
  if (seconds > 0) shown.push(`${whole((posts - first.progress.posts) / seconds)}/s`);
  shown.push(counted(signals, "signal", "signals"));
  const [from, to] = [first.progress.fraction, last.progress.fraction];
  if (from !== null && to !== null && to > from && to < 1) {
    shown.push(`${duration(((1 - to) * seconds) / (to - from))} left`);
  }
  if (skipped > 0) shown.push(`${whole(skipped)} left out`);
  if (bad > 0) shown.push(counted(bad, "bad line", "bad lines"));
  return shown;
}

function fitted(head: string, pieces: readonly string[], columns: number): string {
  let line = head.slice(0, columns);
  for (const piece of pieces) {
    const longer = line === "" ? piece : `${line}  ${piece}`;
    if (longer.length > columns) break;
    line = longer;
  }
  return line;
}

/**
 * Shows a job's progress: on a terminal one line, redrawn in place; elsewhere a plain line now and
 * then. It draws only inside `update` and `finish`, by the clock it is given, and shows numbers
 * alone, so nothing of the data can reach the terminal.
 */
export function createProgress(options: ProgressOptions): ProgressBar {
  const { write, isTerminal } = options;
  let samples: Sample[] = [];
  let last: Sample | null = null;
  let lastDrawn: number | null = null;
  let drawn: Sample | null = null;
  let finished = false;

  function draw(sample: Sample): void {
    const fraction = sample.progress.fraction;
    const share = fraction === null ? null : Math.min(Math.max(fraction, 0), 1);
    const percent = share === null ? "" : `${Math.floor(share * 100)}%`;
    const pieces = parts(samples[0] ?? sample, sample);
    if (isTerminal) {
      const columns = Math.max(1, options.columns() - 1);
      const full = share === null ? "" : `${bar(share)} ${percent.padStart(4)}`;
      const head = columns < 60 ? percent : full;
      if (lastDrawn === null) write(HIDE_CURSOR);
      write(ERASE_LINE + fitted(head, pieces, columns));
    } else {
      write(`${fitted(percent, pieces, Infinity)}\n`);
    }
    lastDrawn = sample.at;
    drawn = sample;
  }

  return {
    update(progress) {
      if (finished) return;
      const at = options.now().getTime();
      last = { at, progress };
      const since = lastDrawn ?? samples[0]?.at;
      if (samples.length === 0) samples.push(last);
      const due = isTerminal
        ? lastDrawn === null || at - lastDrawn >= REDRAW_MS
        : since !== undefined && at - since >= LINE_MS;
      if (!due) return;
      samples.push(last);
      // The newest sample that is old enough stays, so that the window is never empty.
      const old = samples.findLastIndex((sample) => sample.at <= at - WINDOW_MS);
      if (old > 0) samples = samples.slice(old);
      draw(last);
    },
    finish() {
      if (finished) return;
      finished = true;
      if (last !== null && last !== drawn) draw(last);
      if (isTerminal && lastDrawn !== null) write(`\n${SHOW_CURSOR}`);
    },
  };
}

/** Wraps text in a colour. The text is written as it is: make hostile text `printable` first. */
export type Paint = (text: string) => string;

export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/**
 * Colours for a terminal, and none elsewhere. `noColor` is the value of NO_COLOR: set and not
 * empty it turns colours off (https://no-color.org).
 */
export function colour(isTerminal: boolean, noColor?: string): Colours {
  const on = isTerminal && (noColor === undefined || noColor === "");
  const paint = (start: number, end: number): Paint =>
    on ? (text) => `\x1b[${start}m${text}\x1b[${end}m` : (text) => text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
