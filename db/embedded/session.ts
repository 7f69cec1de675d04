/**
 * One client's side of the Postgres wire protocol in front of a single PGlite backend.
 *
 * PGlite is one backend process: two clients may not interleave inside a transaction or an
 * extended-query exchange. Each session therefore holds the gate from its first frame until the
 * backend reports ReadyForQuery outside a transaction.
 */
import { Buffer } from "node:buffer";
import type { PGlite } from "@electric-sql/pglite";
import { SYNC_REQUEST, SYNCED } from "./durable.ts";

/** First-come, first-served ownership of the backend. */
export class BackendGate {
  #tail: Promise<void> = Promise.resolve();

  /** Waits for the turn; the returned function ends it. */
  async acquire(): Promise<() => void> {
    let release: () => void = () => {};
    const turn = new Promise<void>((resolve) => release = resolve);
    const before = this.#tail;
    this.#tail = before.then(() => turn);
    await before;
    return release;
  }
}

const SSL_REQUEST = 80877103;
const CANCEL_REQUEST = 80877102;
const FLUSH = 0x48;
const PARSE = 0x50;
const QUERY = 0x51;
const SYNC = 0x53;
const TERMINATE = 0x58;
const READY_FOR_QUERY = 0x5a;
const IDLE = 0x49;
/** Bytes of a ReadyForQuery message: its type, its length and the transaction status. */
const READY_BYTES = 6;

interface SessionOptions {
  readonly backend: PGlite;
  readonly gate: BackendGate;
  readonly send: (bytes: Uint8Array) => void;
  readonly ended: () => void;
  /** Flushes the write-ahead log; throws where it cannot. */
  readonly sync: () => void;
  /** A transaction left open this long is rolled back and its client dropped: it blocks all others. */
  readonly idleInTransactionMs: number;
}

/** One client, whichever way its bytes come; `feed` takes them, `end` ends it. */
export class Session {
  readonly #options: SessionOptions;
  #buffer = Buffer.alloc(0);
  #started = false;
  #pending: Buffer[] = [];
  #work: Promise<void> = Promise.resolve();
  #release: (() => void) | null = null;
  #closed = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #statements = new Set<string>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Takes bytes from the client; resolves when the backend has worked through them. Where the backend
   * fails it rejects, and the session has ended.
   */
  feed(chunk: Uint8Array): Promise<void> {
    this.#buffer = this.#buffer.length === 0
      ? Buffer.from(chunk)
      : Buffer.concat([this.#buffer, chunk]);
    for (let frame = this.#nextFrame(); frame !== null; frame = this.#nextFrame()) {
      this.#accept(frame);
    }
    return this.#work;
  }

  /** Ends the session, rolling back what it left open; never rejects. */
  end(): Promise<void> {
    return this.#work = this.#work.catch(() => {}).then(() => this.#leave());
  }

  #nextFrame(): Buffer | null {
    const head = this.#started ? 1 : 0;
    if (this.#buffer.length < head + 4) return null;
    const length = head + this.#buffer.readInt32BE(head);
    if (this.#buffer.length < length) return null;
    const frame = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return frame;
  }

  #accept(frame: Buffer): void {
    if (!this.#started) {
      const code = frame.readInt32BE(4);
      if (code === SSL_REQUEST) return this.#options.send(Buffer.from("N"));
      if (code === CANCEL_REQUEST) return void this.end();
      if (code === SYNC_REQUEST) return this.#sync();
      this.#started = true;
      return this.#run([frame]);
    }
    const type = frame[0];
    if (type === TERMINATE) return void this.end();
    if (type === PARSE) this.#noteStatement(frame);
    this.#pending.push(frame);
    if (type === SYNC || type === QUERY || type === FLUSH) {
      this.#run(this.#pending);
      this.#pending = [];
    }
  }

  /** What was committed before was written before; whoever gets no answer takes it as a failure. */
  #sync(): void {
    try {
      this.#options.sync();
      this.#options.send(Buffer.from(SYNCED));
    } catch {
      void this.end();
    }
  }

  #noteStatement(frame: Buffer): void {
    const name = frame.toString("utf8", 5, frame.indexOf(0, 5));
    if (name !== "") this.#statements.add(name);
  }

  #run(frames: readonly Buffer[]): void {
    const message = new Uint8Array(Buffer.concat(frames));
    this.#work = this.#work.then(async () => {
      if (this.#closed) return;
      clearTimeout(this.#idleTimer);
      this.#release ??= await this.#options.gate.acquire();
      const status = await this.#exchange(message).catch(async (error) => {
        await this.#leave();
        throw error;
      });
      if (status === IDLE) {
        this.#release();
        this.#release = null;
      } else {
        this.#idleTimer = setTimeout(() => void this.end(), this.#options.idleInTransactionMs);
      }
    });
    // The caller that sends the data gets the error; nobody else waits for it.
    this.#work.catch(() => {});
  }

  /** Sends a message to the backend; gives the transaction status it ended with, if it said one. */
  async #exchange(message: Uint8Array): Promise<number | undefined> {
    const { backend, send } = this.#options;
    let tail = Buffer.alloc(0);
    await backend.runExclusive(() =>
      backend.execProtocolRawStream(message, {
        onRawData: (data) => {
          const bytes = Buffer.from(data);
          tail = Buffer.concat([tail, bytes.subarray(-READY_BYTES)]).subarray(-READY_BYTES);
          send(bytes);
        },
      })
    );
    return tail.length === READY_BYTES && tail[0] === READY_FOR_QUERY ? tail[5] : undefined;
  }

  async #leave(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const release = this.#release ?? await this.#options.gate.acquire();
    const { backend } = this.#options;
    try {
      if (this.#release !== null) await backend.exec("rollback");
      for (const name of this.#statements) {
        await backend.exec(`deallocate "${name.replaceAll('"', '""')}"`).catch(() => {});
      }
    } catch {
      // A backend that cannot even roll back fails everybody after this one too, and they say so.
    } finally {
      release();
      this.#options.ended();
    }
  }
}
