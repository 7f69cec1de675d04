/** Time for tests of waiting code: it stands still, and jumps to the next end of a wait. */
import type { Clock } from "../../core/clock.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class JumpingTime implements Clock {
  /** Every wait that was asked for, in order, milliseconds. */
  readonly waits: number[] = [];
  #now: number;
  #sleepers: Sleeper[] = [];
  #jumping = false;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): Date {
    return new Date(this.#now);
  }

  get ms(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    this.waits.push(ms);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
      };
      const stop = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
      this.#sleepers.push(sleeper);
      this.#jump();
    });
  };

  /** Once nothing else runs, the earliest sleeper's time has come. */
  #jump(): void {
    if (this.#jumping) return;
    this.#jumping = true;
    setTimeout(() => {
      this.#jumping = false;
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) return;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      if (this.#sleepers.length > 0) this.#jump();
    }, 0);
  }
}
