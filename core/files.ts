/** What a system says of its files: why one cannot be read, and how much room there is for more. */
import fs from "node:fs";
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

/**
 * Bytes that this user may still write to the disk of a folder; null where there is no such folder here, and
 * under a runtime that cannot tell: Deno 2.4 has no statfs, so that to import it by name would end the program.
 */
export async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await fs.promises.statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
