/**
 * Which calls to a model may begin: a circuit breaker, and slots for a number at a time and a number waiting.
 * The budget of a day is mod.ts's, which reserves and settles each call's cost in db/corpus/model_spend.ts.
 */
import type { Clock } from "../core/clock.ts";

const FAILURES = 5;
const OPEN_MS = 30_000;

/** A circuit breaker: closed, open for 30 seconds after five failures in a row, then one trial. */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  #openUntil = 0;
  #trial = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds until the next call; 0 where it may begin now: its end is then to be reported below. */
  enter(): number {
    if (this.#failures < FAILURES) return 0;
    const left = this.#openUntil - this.#clock.now().getTime();
    if (left > 0) return Math.ceil(left / 1000);
    if (this.#trial) return 1;
    this.#trial = true;
    return 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trial = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#trial = false;
    if (this.#failures >= FAILURES) this.#openUntil = this.#clock.now().getTime() + OPEN_MS;
  }

  /** The call ended without a result about the model: its caller aborted. */
  abandoned(): void {
    this.#trial = false;
  }
}

/** A semaphore with a bounded queue. */
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
   * Waits for a slot, and returns the function that frees it; null where the queue is full. Rejects with the
   * signal's reason.
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
