/** Leaves a model alone for a while after it failed several times in a row. */
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

  /** Seconds until a call makes sense again; 0 where it does now, and then the call is counted on. */
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

  /** The call ended without saying anything about the model: its caller went away. */
  abandoned(): void {
    this.#trial = false;
  }
}
