/** Where settings come from: the environment, and a file of NAME=value lines, as shells, Docker and systemd write them. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { errorCode, OperatorError } from "../core/errors.ts";
import { whyUnreadable } from "../core/files.ts";
import type { Environment } from "../core/settings.ts";

/** The settings as texts, before any is read. */
export interface GivenSettings {
  readonly environment: Environment;
  /** Numbers of the lines of `.env` that say nothing; what they hold may be a secret. */
  readonly strangeLines: readonly number[];
}

/**
 * The environment, and under it what a `.env` in the current folder says: what is set stays. A
 * start reads them once and hands them on.
 * @throws OperatorError for a `.env` that cannot be read; one that is not there is none.
 */
export async function readSettings(): Promise<GivenSettings> {
  let text: string;
  try {
    text = await readFile(".env", "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return { environment: process.env, strangeLines: [] };
    }
    throw new OperatorError(`.env: ${whyUnreadable(error)}`, { cause: error });
  }
  return {
    environment: { ...parseEnvFile(text), ...process.env },
    strangeLines: strangeLines(text),
  };
}

const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*?)\s*$/;

/** The value of what stands behind "=". */
function unquoted(raw: string): string {
  const quoted = /^\s*(["'])(.*)\1(?:\s+#.*)?$/.exec(raw);
  if (quoted === null) return raw.replace(/\s#.*$/, "").trim();
  const inside = quoted[2] ?? "";
  if (quoted[1] === "'") return inside;
  return inside.replaceAll(/\\([\\"n])/g, (_, escaped) => escaped === "n" ? "\n" : escaped);
}

/**
 * The values of a file of NAME=value lines. Quotes around a value go; "#" begins a comment at the
 * start of a line or after white space, outside quotes. Lines that are neither are left out:
 * `strangeLines` tells them. Exported, like that, for tests: their caller reads `.env` alone.
 */
export function parseEnvFile(text: string): Environment {
  const values: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const match = LINE.exec(line);
    if (match?.[1] !== undefined) values[match[1]] = unquoted(match[2] ?? "");
  }
  return values;
}

/** Numbers, from 1, of the lines that are neither blank nor a comment nor NAME=value. */
export function strangeLines(text: string): number[] {
  return text.split("\n").flatMap((line, index) =>
    LINE.test(line) || /^\s*(#|$)/.test(line) ? [] : [index + 1]
  );
}
