/** What makes commits survive a power cut: flushing the write-ahead log for many of them at once. */
import { Buffer } from "node:buffer";
import { closeSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Makes what flushes the segments in `directory` that were written to since the last time; it gives
 * their names. Names do not say which: a checkpoint makes segments for later of those it needs no more.
 * Where a flush failed it fails for good: the system may have dropped what it could not write, and a
 * second flush would not say so.
 */
export function createWalSync(
  directory: string,
  flushFile: (file: number) => void = fsyncSync,
): () => readonly string[] {
  let known = new Map<string, number>();
  let newest = 0;
  let failure: { readonly error: unknown } | null = null;
  const flush = (path: string): void => {
    const file = openSync(path, "r+");
    try {
      flushFile(file);
    } catch (error) {
      failure = { error };
      throw error;
    } finally {
      closeSync(file);
    }
  };
  return () => {
    if (failure !== null) throw failure.error;
    const times = new Map<string, number>();
    for (const name of readdirSync(directory)) {
      if (SEGMENT.test(name)) times.set(name, statSync(join(directory, name)).mtimeMs);
    }
    // A write in the same tick of the file system's clock leaves the newest time as it was.
    const written = [...times].filter(([name, at]) => at !== known.get(name) || at >= newest);
    for (const [name] of written) flush(join(directory, name));
    known = times;
    newest = Math.max(0, ...written.map(([, at]) => at));
    return written.map(([name]) => name);
  };
}

/** In place of a protocol version, as Postgres has codes for TLS and cancelling: "flush the log". */
export const SYNC_REQUEST = 80_880_424;
export const SYNCED = "S";
const REQUEST_BYTES = 8;
/** Longer than any statement that the owner may be working on. */
const PATIENCE_MS = 60_000;

/** Has the owner of a directory flush its log, through its socket; rejects where it did not. */
export function requestSync(socketPath: string): Promise<void> {
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeInt32BE(REQUEST_BYTES, 0);
  request.writeInt32BE(SYNC_REQUEST, 4);
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write(request));
    const fail = (cause?: unknown): void => {
      socket.destroy();
      reject(new Error("the owner of DATA_DIR could not flush its log to the disk", { cause }));
    };
    socket.setTimeout(PATIENCE_MS, () => fail());
    socket.once("error", fail);
    socket.once("close", () => fail());
    socket.once("data", (answer) => {
      if (answer.toString("latin1") !== SYNCED) return fail();
      resolve();
      socket.destroy();
    });
  });
}
