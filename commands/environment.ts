/** Where settings come from. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { parseEnvFile } from "../core/env_file.ts";
import { OperatorError } from "../core/errors.ts";
import type { Environment } from "../core/settings.ts";

/** The environment, and under it what a `.env` in the current folder says: what is set stays. */
export async function readEnvironment(): Promise<Environment> {
  let text: string;
  try {
    text = await readFile(".env", "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return process.env;
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`.env: cannot be read: ${why}`, { cause: error });
  }
  return { ...parseEnvFile(text), ...process.env };
}
