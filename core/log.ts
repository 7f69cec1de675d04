/** Structured logging: one event a line, text for a person at a terminal, JSON for a collector. */
import { isCircumstance, MAX_CAUSES, stackWithCauses } from "./errors.ts";

/** Levels of events, the least telling first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
/** One of LOG_LEVELS. */
export type LogLevel = (typeof LOG_LEVELS)[number];
/** What an event has beside its message; errors are written with their causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes events: one line each, at its level. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "text" | "json";
  readonly now: () => Date;
  /** Receives a finished line without its line end. */
  readonly write: (line: string) => void;
}

/** Posts and queries are hostile: control characters never reach a terminal. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;

/** Replaces control characters by visible escapes, so that untrusted text cannot steer a terminal. */
export function printable(text: string): string {
  return text.replace(CONTROL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As JSON takes it: an error has no fields of its own there, and a bigint would throw. */
function plain(value: unknown, causes = MAX_CAUSES, noStack = false): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    const quiet = noStack || isCircumstance(value);
    const why = cause === undefined || causes === 0
      ? {}
      : { cause: plain(cause, causes - 1, quiet) };
    return { name, message, ...(quiet ? {} : { stack }), ...why };
  }
  return typeof value === "bigint" ? value.toString() : value;
}

const json = (value: unknown): string => JSON.stringify(value, (_key, inner) => plain(inner));

function textLine(time: Date, level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(([key, value]) => {
    const shown = value instanceof Error ? stackWithCauses(value) : plain(value);
    return `${key}=${typeof shown === "string" ? shown : json(shown)}`;
  });
  const head = `${time.toISOString().slice(11, 19)} ${level.padEnd(5)} ${event}`;
  return printable([head, ...rest].join("  "));
}

/** Makes a log that writes events at `level` and above. */
export function createLog(options: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const at = (level: LogLevel) => (event: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(level) < threshold) return;
    const time = options.now();
    options.write(
      options.format === "text"
        ? textLine(time, level, event, fields)
        : json({ time: time.toISOString(), level, event, ...fields }),
    );
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

/** Discards everything: for what prints its own result. */
export const silentLog: Log = createLog({
  level: "error",
  format: "json",
  now: () => new Date(0),
  write: () => {},
});
