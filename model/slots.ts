/** So many at a time, so many waiting, the rest turned away. */

/** Places for calls, and a bounded queue for those who wait for one. */
export class Slots {
  readonly #running: number;
  readonly #waiting: number;
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(running: number, waiting: number) {
    this.#running = running;
    this.#waiting = waiting;
    this.#free = running;
  }

  /**
   * Waits for a slot; the function given back frees it. Null where too many wait already. Rejects with
   * the signal's reason.
   */
  async enter(signal: AbortSignal): Promise<(() => void) | null> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return this.#leave();
    }
    if (this.#queue.length >= this.#waiting) return null;
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#queue.push(go);
    });
    return this.#leave();
  }

  /** A slot is handed to the next in line, or freed, once. */
  #leave(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#queue.shift();
      if (next !== undefined) next();
      else this.#free = Math.min(this.#running, this.#free + 1);
    };
  }
}
