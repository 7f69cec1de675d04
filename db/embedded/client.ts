/** The serving thread's side of the embedded database: sockets for postgres.js that are messages. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { isBundled } from "../../core/bundled.ts";
import { orAborted, withDeadline } from "../../core/deadline.ts";
import { OperatorError } from "../../core/errors.ts";
import { DriverSocket } from "./driver_socket.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

class WorkerSocket extends DriverSocket {
  readonly #post: (message: ToWorker) => void;
  readonly #connection: number;

  constructor(connection: number, post: (message: ToWorker) => void) {
    super();
    this.#connection = connection;
    this.#post = post;
    post({ type: "connect", connection });
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#post({ type: "data", connection: this.#connection, bytes: new Uint8Array(chunk) });
    done();
  }

  override _final(done: () => void): void {
    this.#post({ type: "end", connection: this.#connection });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#post({ type: "end", connection: this.#connection });
    super._destroy(error, done);
  }
}

export interface EmbeddedClient {
  /** True when other processes can connect through the local socket. */
  readonly listening: boolean;
  /** A new connection for postgres.js. @throws OperatorError once the worker failed. */
  socket(): Duplex;
  /** Milliseconds for which the worker owed us a word and said none; infinite once it failed. */
  silence(): number;
  /** Flushes the write-ahead log to the disk; rejects where it cannot, or the worker failed. */
  sync(): Promise<void>;
  /** Resolves once the worker failed, after it was opened. */
  readonly ended: Promise<OperatorError>;
  /** Ends the worker at once, which writes nothing more: as if it had failed for this reason. */
  abort(why: string): void;
  /** Closes the database, and ends the worker after `ms` at the latest: the log has what it did not write. */
  close(ms: number): Promise<void>;
}

const startWorker = (): Worker =>
  new Worker(
    new URL(isBundled(import.meta.url) ? "./embedded_worker.js" : "./worker.ts", import.meta.url),
    { type: "module" },
  );

let prepared: Worker | null = null;

/** Starts the worker ahead of startEmbedded: it unpacks and compiles its parts before it has a directory. */
export function prepareEmbedded(): void {
  prepared ??= startWorker();
}

/**
 * Opens the database in `dataDir` in a worker; rejects with OperatorError if it cannot, or with the reason of the
 * signal. The directory is left as by a process that was killed then.
 */
export async function startEmbedded(
  dataDir: string,
  socketPath: string | null,
  signal?: AbortSignal,
): Promise<EmbeddedClient> {
  const worker = prepared ?? startWorker();
  prepared = null;
  const sockets = new Map<number, WorkerSocket>();
  const syncs = new Map<number, PromiseWithResolvers<void>>();
  const opened = Promise.withResolvers<EmbeddedClient>();
  const closed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<OperatorError>();
  /** When the first message was sent that the worker has said nothing after. */
  let unanswered: number | null = null;
  const post = (message: ToWorker): void => {
    unanswered ??= performance.now();
    worker.postMessage(message);
  };
  let counter = 0;
  let waiting: { ticket: number; result: PromiseWithResolvers<void> } | null = null;
  /** Set once the worker failed: it answers nothing any more, so nobody may wait for it. */
  let failure: OperatorError | null = null;

  /** Syncs asked for while one is queued share it: one flush covers every commit before it. */
  const sync = (): Promise<void> => {
    if (failure !== null) return Promise.reject(failure);
    if (waiting === null) {
      const ticket = ++counter;
      const result = Promise.withResolvers<void>();
      waiting = { ticket, result };
      syncs.set(ticket, result);
      queueMicrotask(() => {
        waiting = null;
        post({ type: "sync", ticket });
      });
    }
    return waiting.result.promise;
  };

  const client = (listening: boolean): EmbeddedClient => ({
    listening,
    socket: () => {
      if (failure !== null) throw failure;
      const connection = ++counter;
      const socket = new WorkerSocket(connection, post);
      sockets.set(connection, socket);
      return socket;
    },
    silence: () => unanswered === null ? 0 : performance.now() - unanswered,
    sync,
    ended: ended.promise,
    abort: (why) => {
      worker.terminate();
      fail(why);
    },
    close: async (ms) => {
      if (failure === null) post({ type: "close" });
      await withDeadline(ms, null, () => closed.promise).catch(() => {});
      worker.terminate();
    },
  });

  const fail = (message: string): void => {
    const error = new OperatorError(`DATA_DIR: the embedded database failed: ${message}`);
    failure = error;
    unanswered = -Infinity;
    opened.reject(error);
    ended.resolve(error);
    closed.resolve();
    for (const socket of sockets.values()) socket.destroy(error);
    for (const result of syncs.values()) result.reject(error);
  };

  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    unanswered = null;
    switch (data.type) {
      case "opened":
        return opened.resolve(client(data.listening));
      case "failed":
        return fail(data.message);
      case "data":
        return void sockets.get(data.connection)?.push(Buffer.from(data.bytes));
      case "ended": {
        const socket = sockets.get(data.connection);
        sockets.delete(data.connection);
        socket?.push(null);
        return void socket?.destroy();
      }
      case "synced": {
        const result = syncs.get(data.ticket);
        syncs.delete(data.ticket);
        return data.error === null ? result?.resolve() : result?.reject(new Error(data.error));
      }
      case "closed":
        return closed.resolve();
    }
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  post({ type: "open", dataDir, socketPath });
  try {
    return await (signal === undefined ? opened.promise : orAborted(signal, () => opened.promise));
  } catch (error) {
    worker.terminate();
    throw error;
  }
}
