/** The file of an archive: opened with errors an operator understands, read in chunks, recognised. */
import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { OperatorError } from "../../../core/errors.ts";
import { whyUnreadable } from "../../../core/files.ts";
import { printable } from "../../../core/log.ts";

export type ArchiveFormat = "plain" | "gzip" | "zstd";

const READ_BYTES = 128 * 1024;
const FINGERPRINT_BYTES = 1024 * 1024;

/** Formats that are met in the wild and not read, by their first bytes. */
const FOREIGN: readonly (readonly [string, readonly number[]])[] = [
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["7-Zip", [0x37, 0x7a, 0xbc, 0xaf]],
];

/** An OperatorError that names the file, on one line. */
export function fileError(path: string, what: string, cause?: unknown): OperatorError {
  const error = new OperatorError(`${printable(path)}: ${what}`);
  if (cause !== undefined) error.cause = cause;
  return error;
}

function readFailure(path: string, error: unknown): OperatorError {
  return fileError(path, whyUnreadable(error), error);
}

export interface OpenFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
}

/** Opens a regular file that is not empty. The caller closes `handle`. @throws OperatorError */
export async function openFile(path: string): Promise<OpenFile> {
  let handle: FileHandle;
  let size: number;
  try {
    // Before it is opened: that waits for ever at a pipe that nobody writes to.
    const there = await stat(path);
    if (there.isDirectory()) throw fileError(path, "is a directory, not a file");
    if (!there.isFile()) {
      throw fileError(
        path,
        "is not a regular file: posts are read from files, which can be resumed",
      );
    }
    size = there.size;
    if (size === 0) throw fileError(path, "is empty");
    handle = await open(path, "r");
  } catch (error) {
    throw error instanceof OperatorError ? error : readFailure(path, error);
  }
  return { handle, size };
}

/** Fills `buffer` from `position` as far as the file goes; the bytes read. */
async function readAt(
  path: string,
  handle: FileHandle,
  buffer: Uint8Array,
  position: number,
): Promise<Uint8Array> {
  let length = 0;
  try {
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(
        buffer,
        length,
        buffer.length - length,
        position + length,
      );
      if (bytesRead === 0) break;
      length += bytesRead;
    }
  } catch (error) {
    throw readFailure(path, error);
  }
  return buffer.subarray(0, length);
}

/** The file's bytes in chunks; a chunk is valid until the next is asked for. */
export async function* chunksOf(
  path: string,
  file: OpenFile,
  onBytes: (read: number) => void,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(READ_BYTES);
  for (let position = 0;;) {
    const chunk = await readAt(path, file.handle, buffer, position);
    if (chunk.length === 0) return;
    position += chunk.length;
    onBytes(position);
    yield chunk;
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

/** What the first bytes say the file is. @throws OperatorError for a known foreign format. */
export async function formatOf(path: string, file: OpenFile): Promise<ArchiveFormat> {
  const head = await readAt(path, file.handle, new Uint8Array(8), 0);
  if (startsWith(head, [0x1f, 0x8b])) return "gzip";
  if (startsWith(head, [0x28, 0xb5, 0x2f, 0xfd])) return "zstd";
  const skippable = (head[0] ?? 0) >> 4 === 5 && startsWith(head.subarray(1), [0x2a, 0x4d, 0x18]);
  if (skippable) return "zstd";
  for (const [name, magic] of FOREIGN) {
    if (startsWith(head, magic)) {
      throw fileError(path, `is packed by ${name}; only plain text, gzip and zstd are read`);
    }
  }
  return "plain";
}

/**
 * Tells whether text that should be NDJSON is something else: it has NUL bytes, and does not open
 * with an object. `head` is the beginning of the unpacked text.
 */
export function isBinary(head: Uint8Array): boolean {
  if (!head.includes(0)) return false;
  const start = startsWith(head, [0xef, 0xbb, 0xbf]) ? 3 : 0;
  const first = head.subarray(start).find((b) => b !== 0x20 && (b < 0x09 || b > 0x0d));
  return first !== 0x7b;
}

/**
 * Names a file's content without reading all of it: SHA-256 over its size and its first and last MiB, in
 * hexadecimal.
 * @throws OperatorError where the file cannot be read.
 */
export async function fingerprintArchive(
  path: string,
): Promise<{ fingerprint: string; size: number }> {
  const { handle, size } = await openFile(path);
  try {
    const buffer = new Uint8Array(Math.min(size, FINGERPRINT_BYTES));
    const hash = createHash("sha256").update(`${size}\n`);
    hash.update(await readAt(path, handle, buffer, 0));
    hash.update(await readAt(path, handle, buffer, size - buffer.length));
    return { fingerprint: hash.digest("hex"), size };
  } finally {
    await handle.close();
  }
}
