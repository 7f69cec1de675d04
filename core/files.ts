/** Why a file cannot be read, in an operator's words. */
import { errorCode } from "./errors.ts";

/** Its codes, in an operator's words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EACCES: "may not be read (permission denied)",
  EPERM: "may not be read (permission denied)",
  EISDIR: "is a directory, not a file",
};

/** Why a file could not be read; for any other error, its own message. */
export function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code = errorCode(error) ?? "";
  if (WORDS[code] !== undefined) return WORDS[code];
  return code.startsWith("E") ? `cannot be read (${code})` : error.message;
}
