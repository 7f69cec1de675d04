/** What postgres.js wants of a socket that we hand it, besides the bytes. */
import { Duplex } from "node:stream";

export abstract class DriverSocket extends Duplex {
  /** The driver asks for it before it says goodbye. */
  readyState = "open";

  constructor() {
    super({ allowHalfOpen: false });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.readyState = "closed";
    done(error);
  }

  setKeepAlive(): this {
    return this;
  }
}
