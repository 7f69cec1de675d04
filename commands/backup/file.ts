/** The file of a backup as it is read: gzipped lines, and what is wrong with a file that is not one. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { whyUnreadable } from "../../core/files.ts";
import {
  CUT_SHORT,
  DAMAGED,
  MAX_HEADER_BYTES,
  MAX_ROW_BYTES,
  NO_BACKUP,
  parseHeader,
} from "../../db/backup/backup.ts";

const LINE_END = 0x0a;

/** What zlib says of data, in an operator's words; null for what it did not say. */
function whyBroken(error: unknown): string | null {
  const code = errorCode(error) ?? "";
  const message = messageOf(error);
  if (code === "Z_BUF_ERROR" || /unexpected end/i.test(message)) return CUT_SHORT;
  if (/incorrect header check/i.test(message)) return NO_BACKUP;
  return code.startsWith("Z_") || /incorrect|invalid/i.test(message) ? DAMAGED : null;
}

/** @throws OperatorError for a file that is not packed as a backup is, or not there. */
async function requirePacked(path: string): Promise<void> {
  let head: Uint8Array;
  try {
    // Before it is opened, which waits for ever at a pipe that nobody writes to. A directory says so itself.
    const there = await stat(path);
    if (!there.isFile() && !there.isDirectory()) {
      throw new OperatorError(`${path}: is not a regular file, and a backup is read twice`);
    }
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(2), 0, 2, 0);
      head = buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${path}: ${whyUnreadable(error)}`, { cause: error });
  }
  if (head.length === 0) throw new OperatorError(`${path}: the file is empty`);
  if (head[0] !== 0x1f || head[1] !== 0x8b) throw new OperatorError(`${path}: ${NO_BACKUP}`);
}

/**
 * The lines of a packed backup. The archives' LineReader does another thing: it counts and skips lines so as
 * to go on where it was, passes over those that are no text or too long, takes a last one without a line
 * end, and makes posts of many at a time. A backup is whole or refused: its rows come one by one, and what
 * has no line end was cut.
 * @throws OperatorError where it cannot be read, or has a longer line than a backup.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  await requirePacked(path);
  const decoder = new TextDecoder();
  const unpacked = createGunzip();
  const done = pipeline(createReadStream(path), unpacked);
  done.catch(() => {});
  let rest: Uint8Array[] = [];
  let held = 0;
  let isFirst = true;
  const line = (last: Uint8Array): string => {
    const text = [...rest, last].map((part) => decoder.decode(part, { stream: true })).join("");
    [rest, held, isFirst] = [[], 0, false];
    return text;
  };
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
        yield line(chunk.subarray(start, end));
        start = end + 1;
      }
      rest.push(chunk.subarray(start));
      held += chunk.length - start;
      if (held > (isFirst ? MAX_HEADER_BYTES : MAX_ROW_BYTES)) {
        throw new OperatorError(`${path}: ${isFirst ? NO_BACKUP : DAMAGED}`);
      }
    }
    await done;
    if (held > 0) throw new OperatorError(`${path}: ${isFirst ? NO_BACKUP : CUT_SHORT}`);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const why = whyBroken(error) ?? whyUnreadable(error);
    throw new OperatorError(`${path}: ${why}`, { cause: error });
  } finally {
    unpacked.destroy();
  }
}

/**
 * Whether the file begins as a backup of ours does. False for one that cannot be read or unpacked.
 */
export async function isBackup(path: string): Promise<boolean> {
  try {
    for await (const line of readLines(path)) {
      parseHeader(line, path);
      return true;
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
  }
  return false;
}
