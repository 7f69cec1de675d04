/** How many files the system lets the service open, tried before its parts are loaded. */
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { OperatorError } from "../../core/errors.ts";

/** What the embedded database keeps open (about 200 files), and connections beside it. */
const FILES = { embedded: 512, postgres: 128 };

/**
 * Tries whether as many files may be open as the storage takes, since with too few the embedded
 * database fails in words that do not tell it.
 * @throws OperatorError where they are too few.
 */
export function requireOpenFiles(storage: keyof typeof FILES): void {
  if (process.platform === "win32") return;
  const needed = FILES[storage];
  const open: number[] = [];
  try {
    while (open.length < needed) open.push(openSync("/dev/null", "r"));
  } catch (error) {
    throw new OperatorError(
      `the system lets this process open too few files: ${needed} are needed, ${open.length} can be ` +
        `opened (raise "ulimit -n", or LimitNOFILE under systemd)`,
      { cause: error },
    );
  } finally {
    for (const file of open) closeSync(file);
  }
}
