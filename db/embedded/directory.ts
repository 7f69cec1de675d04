/**
 * Creates the data directory. It is built beside its final place and renamed when complete, so that a process
 * killed in between leaves nothing that looks like a database.
 */
import { Buffer } from "node:buffer";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize, resolve, sep } from "node:path";
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { printable } from "../../core/log.ts";
import { LOCK_FILE } from "./lock.ts";

/** Postgres's own files, inside the data directory. */
export const EMBEDDED_DIRECTORY = "postgres";

const BLOCK = 512;
const FOLDER = "5";
const FILE = "0";

function textField(header: Buffer, start: number, length: number): string {
  const end = header.indexOf(0, start);
  return header.toString("utf8", start, end < 0 ? start + length : Math.min(end, start + length));
}

/** Writes the files of a ustar archive (names up to 255 bytes, no links) into `target`. */
export function unpackTar(archive: Uint8Array, target: string): void {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const made = new Set<string>();
  const folder = (path: string): void => {
    if (made.has(path)) return;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    made.add(path);
  };
  for (let offset = 0; offset + BLOCK <= bytes.length;) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header[0] === 0) break;
    const size = parseInt(textField(header, 124, 12).trim() || "0", 8);
    const prefix = textField(header, 345, 155);
    const name = textField(header, 0, 100);
    const path = normalize(join(target, prefix, name));
    if (path !== target && !path.startsWith(target + sep)) throw new Error(`bad name: ${name}`);
    const type = textField(header, 156, 1) || FILE;
    if (type === FOLDER) folder(path);
    else if (type === FILE) {
      folder(dirname(path));
      writeFileSync(path, bytes.subarray(offset + BLOCK, offset + BLOCK + size), { mode: 0o600 });
    }
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

const FORBIDDEN = ["EACCES", "EPERM"];

/** Whether the file is there. @throws OperatorError where this user may not know. */
function isThere(dataDir: string, file: string): boolean {
  try {
    statSync(join(dataDir, file));
    return true;
  } catch (error) {
    if (!FORBIDDEN.includes(errorCode(error) ?? "")) return false;
    throw new OperatorError(
      `DATA_DIR: ${resolve(dataDir)} cannot be read by this user: ` +
        "run the command as the user that the service runs as",
      { cause: error },
    );
  }
}

/**
 * Whether a database was made in the data directory, or somebody has its lock, to make one.
 * @throws OperatorError where this user may not read the directory.
 */
export function holdsDatabase(dataDir: string): boolean {
  return isThere(dataDir, join(EMBEDDED_DIRECTORY, "PG_VERSION")) || isThere(dataDir, LOCK_FILE);
}

/** What may lie in a data directory that holds no database yet: what the system or the service put there. */
const HARMLESS = /^(?:\.|lost\+found$|postgres(?:\.|$)|demand\.)|\.backup\.gz$|\.log$/;

/**
 * Makes the data directory, for its owner alone; one that is there keeps its mode.
 * @throws OperatorError where files are in it that are neither a database nor the service's: it is somebody's
 * folder.
 */
export function claimDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (holdsDatabase(dataDir)) return;
    const others = readdirSync(dataDir).filter((name) => !HARMLESS.test(name)).sort();
    if (others.length === 0) return;
    const more = others.length > 3 ? ", …" : "";
    throw new OperatorError(
      `DATA_DIR: ${dataDir} holds files but no database (${
        others.slice(0, 3).map(printable).join(", ")
      }${more}): name an empty folder, or one that is not there yet`,
    );
  } catch (error) {
    throw error instanceof OperatorError ? error : unusable(dataDir, error);
  }
}

/** What to tell an operator whose data directory the system does not let us use. */
export function unusable(dataDir: string, error: unknown): OperatorError {
  const isFile = ["EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "");
  const why = isFile ? "it is or lies in a file: name a folder" : messageOf(error);
  return new OperatorError(`DATA_DIR: cannot use ${dataDir}: ${why}`, { cause: error });
}

/**
 * Makes `dataDir` by `make` unless it is there; what an interrupted attempt left is thrown away. Nobody else
 * may look into it, whatever the mode of the folder around it.
 * @throws Error where other files than a database's are there: they are somebody's.
 */
export async function ensureDirectory(
  dataDir: string,
  make: (directory: string) => Promise<void>,
): Promise<void> {
  if (existsSync(join(dataDir, "PG_VERSION"))) return chmodSync(dataDir, 0o700);
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} holds files but no database (PG_VERSION is missing): move it away to start anew`,
    );
  }
  const fresh = `${dataDir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  await make(fresh);
  chmodSync(fresh, 0o700);
  renameSync(fresh, dataDir);
}
