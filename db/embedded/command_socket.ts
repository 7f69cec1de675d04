/**
 * The side of the local socket that a command has beside the owner of the data directory, for postgres.js. The
 * owner's side, which listens and answers, is in worker.ts.
 */
import type { Socket } from "node:net";
import { DriverSocket } from "./driver_socket.ts";

/**
 * Passes on what goes through `inner`, and its end in the order that the driver relies on: an error first.
 * For a socket that is not there Deno 2.4 emits "close" before "error", when the driver has no listener for
 * errors any more: the process would end. Bun emits "error" before the driver has its listener, which it adds
 * in a microtask: an end is passed on in a later turn of the event loop.
 */
export class CommandSocket extends DriverSocket {
  readonly #inner: Socket;

  constructor(inner: Socket) {
    super();
    this.#inner = inner;
    inner.on("data", (bytes) => {
      if (!this.push(bytes)) inner.pause();
    });
    inner.on("end", () => this.push(null));
    let failure: Error | undefined;
    const endLater = () => setImmediate(() => this.destroy(failure));
    inner.on("error", (error) => {
      failure = error;
      endLater();
    });
    inner.on("close", endLater);
  }

  override _read(): void {
    this.#inner.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    // The socket reports a failed write itself.
    if (this.#inner.write(chunk)) done();
    else this.#inner.once("drain", done);
  }

  override _final(done: () => void): void {
    this.#inner.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy();
    super._destroy(error, done);
  }
}
