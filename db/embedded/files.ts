/**
 * PGlite on real files that are flushed when Postgres says so. PGlite's own file system drops those
 * requests, so that after a power cut the log of a checkpoint could be gone and the pages it stood for
 * not yet written.
 */
import { fsyncSync } from "node:fs";
import type { PGlite, postgresMod } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

type Module = postgresMod.PostgresMod;

/** As much of Emscripten's file system on Node as is used here. */
interface Stream {
  readonly path: string;
  /** Of the real file; directories have none. */
  readonly nfd?: number;
}
interface Emscripten {
  readonly NODEFS: { readonly stream_ops: { fsync?: (stream: Stream) => number } };
  readonly FS: { readonly ErrnoError: new (code: number) => Error };
}

/** The code of a failed disk in WASI; Postgres stops at it, as it should. */
const EIO = 29;

/** PGlite's defaults turn requests off, and send those for the log where nobody hears them. */
export const FLUSH_PARAMETERS = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];

export class FlushedFiles extends NodeFS {
  /**
   * Whether requests for the write-ahead log are followed too. Postgres makes one for each commit; they
   * are left out where somebody else asks once for many commits (`createWalSync`), and may not be while
   * it starts, stops or makes a checkpoint: there the log has to come before the data.
   */
  flushesLog = true;
  readonly #flush: (file: number, path: string) => void;

  constructor(directory: string, flush: (file: number, path: string) => void = fsyncSync) {
    super(directory);
    this.#flush = flush;
  }

  override async init(
    database: PGlite,
    options: Partial<Module>,
  ): Promise<{ emscriptenOpts: Partial<Module> }> {
    const { emscriptenOpts } = await super.init(database, options);
    const hear = (module: Module): void => {
      const { NODEFS, FS } = module as unknown as Emscripten;
      NODEFS.stream_ops.fsync = ({ path, nfd }) => {
        if (nfd === undefined || (!this.flushesLog && path.includes("/pg_wal/"))) return 0;
        try {
          this.#flush(nfd, path);
          return 0;
        } catch {
          throw new FS.ErrnoError(EIO);
        }
      };
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...emscriptenOpts.preRun ?? [], hear] },
    };
  }
}
