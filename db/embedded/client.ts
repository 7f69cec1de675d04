/** The serving thread's side of the embedded database: sockets for postgres.js that are messages. */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { isBundled } from "../../runtime/bundled.ts";
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

interface EmbeddedClient {
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
  const client = new WorkerClient(worker);
  try {
    const opened = client.open(dataDir, socketPath);
    await (signal === undefined ? opened : orAborted(signal, () => opened));
    return client;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

/** Speaks with one worker: sends what is asked of it, and hands out what it answers. */
class WorkerClient implements EmbeddedClient {
  readonly #worker: Worker;
  readonly #sockets = new Map<number, WorkerSocket>();
  readonly #syncs = new Map<number, PromiseWithResolvers<void>>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<OperatorError>();
  readonly ended = this.#ended.promise;
  listening = false;
  /** When the first message was sent that the worker has said nothing after. */
  #unanswered: number | null = null;
  /** The last number given to a connection or a sync. */
  #counter = 0;
  /** The sync that is asked for and not sent yet. */
  #waiting: Promise<void> | null = null;
  /** Set once the worker failed: it answers nothing any more, so nobody may wait for it. */
  #failure: OperatorError | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(event.message);
    };
  }

  /** Opens the database; to be called once, before anything else. */
  open(dataDir: string, socketPath: string | null): Promise<void> {
    this.#post({ type: "open", dataDir, socketPath });
    return this.#opened.promise;
  }

  socket(): Duplex {
    if (this.#failure !== null) throw this.#failure;
    const connection = ++this.#counter;
    const socket = new WorkerSocket(connection, (message) => this.#post(message));
    this.#sockets.set(connection, socket);
    return socket;
  }

  silence(): number {
    return this.#unanswered === null ? 0 : performance.now() - this.#unanswered;
  }

  /** Syncs asked for while one is queued share it: one flush covers every commit before it. */
  sync(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#waiting ??= this.#queueSync();
    return this.#waiting;
  }

  #queueSync(): Promise<void> {
    const ticket = ++this.#counter;
    const result = Promise.withResolvers<void>();
    this.#syncs.set(ticket, result);
    queueMicrotask(() => {
      this.#waiting = null;
      this.#post({ type: "sync", ticket });
    });
    return result.promise;
  }

  abort(why: string): void {
    this.#worker.terminate();
    this.#fail(why);
  }

  async close(ms: number): Promise<void> {
    if (this.#failure === null) this.#post({ type: "close" });
    await withDeadline(ms, null, () => this.#closed.promise).catch(() => {});
    this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#unanswered ??= performance.now();
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    this.#unanswered = null;
    switch (message.type) {
      case "opened":
        this.listening = message.listening;
        return this.#opened.resolve();
      case "failed":
        return this.#fail(message.message);
      case "data":
        return void this.#sockets.get(message.connection)?.push(Buffer.from(message.bytes));
      case "ended":
        return this.#endSocket(message.connection);
      case "synced":
        return this.#endSync(message.ticket, message.error);
      case "closed":
        return this.#closed.resolve();
    }
  }

  #endSocket(connection: number): void {
    const socket = this.#sockets.get(connection);
    this.#sockets.delete(connection);
    socket?.push(null);
    socket?.destroy();
  }

  #endSync(ticket: number, error: string | null): void {
    const result = this.#syncs.get(ticket);
    this.#syncs.delete(ticket);
    if (error === null) result?.resolve();
    else result?.reject(new Error(error));
  }

  /** Tells all who wait for the worker, and all who ask it anything from now on. */
  #fail(message: string): void {
    const error = new OperatorError(`DATA_DIR: the embedded database failed: ${message}`);
    this.#failure = error;
    this.#unanswered = -Infinity;
    this.#opened.reject(error);
    this.#ended.resolve(error);
    this.#closed.resolve();
    for (const socket of this.#sockets.values()) socket.destroy(error);
    for (const result of this.#syncs.values()) result.reject(error);
  }
}
