/** Where settings come from. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { parseEnvFile, strangeLines } from "../core/env_file.ts";
import { errorCode, OperatorError } from "../core/errors.ts";
import { whyUnreadable } from "../core/files.ts";
import type { Environment } from "../core/settings.ts";

export interface GivenSettings {
  readonly environment: Environment;
  /** Numbers of the lines of `.env` that say nothing; what they hold may be a secret. */
  readonly strangeLines: readonly number[];
}

/**
 * The environment, and under it what a `.env` in the current folder says: what is set stays. A start reads
 * them once and hands them on.
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
