/**
 * PGlite on real files that are flushed when Postgres says so. PGlite's own file system drops those
 * requests, so that after a power cut pages could be there and the log gone that tells how they came about.
 */
import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PGlite, postgresMod } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { createWalSync } from "./durable.ts";

type Module = postgresMod.PostgresMod;

/** As much of Emscripten's file system on Node as is used here. */
interface Stream {
  readonly path: string;
  /** Of the real file; directories have none. */
  readonly nfd?: number;
}
interface Emscripten {
  readonly NODEFS: {
    readonly stream_ops: {
      fsync?: (stream: Stream) => number;
      write: (stream: Stream, ...rest: readonly unknown[]) => number;
    };
  };
  readonly FS: { readonly ErrnoError: new (code: number) => Error };
}

/** The code of a failed disk in WASI; Postgres stops at it, as it should. */
const EIO = 29;

/** WASI's codes of what a disk refuses, in the system's words. */
const REFUSALS: Readonly<Record<number, string>> = {
  2: "permission denied",
  19: "disk quota exceeded",
  [EIO]: "input/output error",
  51: "no space left on device",
  69: "read-only file system",
};

/** What Emscripten throws is no Error: of a failed call an object with WASI's code, of an exit one with a message. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { errno, message } = Object(thrown) as { errno?: unknown; message?: unknown };
  if (typeof errno === "number") return new Error(REFUSALS[errno] ?? `WASI's error ${errno}`);
  return new Error(typeof message === "string" ? message : String(thrown));
}

/** PGlite's defaults turn requests off, and send those for the log where nobody hears them. */
export const FLUSH_PARAMETERS = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];

const isLog = (path: string): boolean => path.includes("/pg_wal/");
/** What a start after a crash throws away. */
const isTemporary = (path: string): boolean => path.includes("/pgsql_tmp/");

interface Flushing {
  /** Flushes one file. */
  readonly file: (file: number, path: string) => void;
  /** Flushes the segments of the log that were written to. */
  readonly log: () => unknown;
}

/** Flushes the files of a folder and of those in it, then the folders, where the system can. */
function flushTree(folder: string, flush: Flushing["file"]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) flushTree(path, flush);
    else if (entry.isFile()) flushPath(path, "r+", flush);
  }
  try {
    flushPath(folder, "r", flush);
  } catch {
    // Windows has no handles of folders; it writes their entries by itself.
  }
}

function flushPath(path: string, mode: "r" | "r+", flush: Flushing["file"]): void {
  const file = openSync(path, mode);
  try {
    flush(file, path);
  } finally {
    closeSync(file);
  }
}

/** The file system of one data directory, with its log flushed together where that may wait. */
export class FlushedFiles extends NodeFS {
  /**
   * Whether each request to flush the log is followed at once, as while Postgres starts, stops or makes a
   * checkpoint. Postgres makes one for each commit, and those can wait: until somebody asks for them
   * together (`flushLog`), or until data is written, which the log must be ahead of.
   */
  eager = true;
  #owed = false;
  #isFresh: boolean;
  readonly #directory: string;
  readonly #flush: Flushing;

  /**
   * Of a directory that was just made (`isFresh`) nothing is flushed before `flushLog` is first called, and then all of
   * it: until somebody relies on it nothing can be lost, and a first start waits for no disk.
   */
  constructor(directory: string, isFresh: boolean, flush: Partial<Flushing> = {}) {
    super(directory);
    this.#directory = directory;
    this.#isFresh = isFresh;
    this.#flush = { file: fsyncSync, log: createWalSync(join(directory, "pg_wal")), ...flush };
  }

  /** Flushes all that was committed before; throws where it cannot, and from then on. */
  flushLog(): void {
    if (this.#isFresh) flushTree(this.#directory, this.#flush.file);
    this.#isFresh = false;
    this.#flush.log();
    this.#owed = false;
  }

  override async init(
    database: PGlite,
    options: Partial<Module>,
  ): Promise<{ emscriptenOpts: Partial<Module> }> {
    const { emscriptenOpts } = await super.init(database, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...emscriptenOpts.preRun ?? [], (module: Module) => this.#hook(module)],
      },
    };
  }

  #hook(module: Module): void {
    const { NODEFS: { stream_ops: files }, FS } = module as unknown as Emscripten;
    const orFail = (work: () => void): void => {
      try {
        work();
      } catch {
        throw new FS.ErrnoError(EIO);
      }
    };
    files.fsync = ({ path, nfd }) => {
      if (nfd === undefined || this.#isFresh) return 0;
      if (!this.eager && isLog(path)) this.#owed = true;
      else orFail(() => this.#flush.file(nfd, path));
      return 0;
    };
    const { write } = files;
    files.write = (stream, ...rest) => {
      if (this.#owed && !isLog(stream.path) && !isTemporary(stream.path)) {
        orFail(() => this.flushLog());
      }
      return write(stream, ...rest);
    };
  }
}
