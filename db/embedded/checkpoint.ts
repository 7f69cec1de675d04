/**
 * Checkpoints. Postgres has a process that makes them; PGlite is one process without any, and its log
 * would grow until the service stops.
 */
import type { PGlite } from "@electric-sql/pglite";
import type { FlushedFiles } from "./files.ts";
import type { BackendGate } from "./session.ts";

interface CheckpointOptions {
  readonly backend: PGlite;
  readonly gate: BackendGate;
  readonly files: FlushedFiles;
  /** Bytes of log from which on a checkpoint is due. */
  readonly afterBytes: number;
}

/** Runs `work` with the log flushed, and every request to flush followed at once. */
async function eagerly<T>(files: FlushedFiles, work: () => Promise<T>): Promise<T> {
  files.flushLog();
  files.eager = true;
  try {
    return await work();
  } finally {
    files.eager = false;
  }
}

/** Makes a checkpoint where one is due; true if it did. Waits its turn. */
export async function checkpoint(options: CheckpointOptions): Promise<boolean> {
  const { backend, gate, files, afterBytes } = options;
  const release = await gate.acquire();
  try {
    const { rows: [log] } = await backend.query<{ due: boolean }>(
      `select pg_current_wal_insert_lsn() - redo_lsn >= $1::bigint as due from pg_control_checkpoint()`,
      [afterBytes],
    );
    if (log?.due !== true) return false;
    await eagerly(files, () => backend.exec("checkpoint"));
    return true;
  } finally {
    release();
  }
}

/** Closes the database, whose last act is a checkpoint. */
export function close(backend: PGlite, files: FlushedFiles): Promise<void> {
  return eagerly(files, () => backend.close());
}
