/** Limits: so many calls a client in any sliding minute, and so many at once; in bounded memory. */
import { ServiceError } from "../../core/errors.ts";
import type { LimitGroup, RateLimits } from "./route_table.ts";

const WINDOW_MS = 60_000;
/** Clients remembered per group; past it the one that has been known longest is forgotten. */
const MAX_CLIENTS = 10_000;
/** Forgotten clients per remembered one: enough to shrink again, few enough to cost nothing. */
const FORGET_AT_ONCE = 4;

/** The outcome for a call: whether it may go on, and what the headers say. */
export interface LimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the oldest counted call leaves the minute. */
  readonly resetSeconds: number;
}

/** The times of the calls within the window: a ring that grows up to the limit. */
class Calls {
  #times = new Float64Array(4);
  #first = 0;
  #count = 0;

  drop(before: number): number {
    while (this.#count > 0 && this.#at(0) <= before) {
      this.#first = (this.#first + 1) % this.#times.length;
      this.#count--;
    }
    return this.#count;
  }

  push(time: number): void {
    if (this.#count === this.#times.length) {
      const grown = new Float64Array(this.#count * 2);
      for (let index = 0; index < this.#count; index++) grown[index] = this.#at(index);
      this.#times = grown;
      this.#first = 0;
    }
    this.#times[(this.#first + this.#count++) % this.#times.length] = time;
  }

  pop(): void {
    if (this.#count > 0) this.#count--;
  }

  get oldest(): number {
    return this.#at(0);
  }

  get newest(): number {
    return this.#at(this.#count - 1);
  }

  #at(index: number): number {
    return this.#times[(this.#first + index) % this.#times.length] ?? 0;
  }
}

/** Counts the calls of clients against one limit. */
export class Window {
  readonly #clients = new Map<string, Calls>();

  constructor(readonly limit: number, private readonly maxClients = MAX_CLIENTS) {}

  /** Clients remembered now. */
  get size(): number {
    return this.#clients.size;
  }

  /** Counts a call at `now` (milliseconds) unless the client has used up its minute. */
  take(client: string, now: number): LimitState {
    return this.#ask(client, now, true);
  }

  /** Uncounts the client's newest call. */
  giveBack(client: string): void {
    this.#clients.get(client)?.pop();
  }

  /** The outcome that a call would have; counts nothing. */
  look(client: string, now: number): LimitState {
    return this.#ask(client, now, false);
  }

  #ask(client: string, now: number, count: boolean): LimitState {
    const calls = this.#clients.get(client) ?? new Calls();
    const used = calls.drop(now - WINDOW_MS);
    const allowed = used < this.limit;
    if (allowed && count) {
      if (used === 0) this.#remember(client, calls, now);
      calls.push(now);
    }
    const oldest = used > 0 ? calls.oldest : now;
    return {
      allowed,
      limit: this.limit,
      remaining: allowed ? this.limit - used - (count ? 1 : 0) : 0,
      resetSeconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)),
    };
  }

  /** Puts a client at the end of the order of forgetting, in a place made free if need be. */
  #remember(client: string, calls: Calls, now: number): void {
    this.#clients.delete(client);
    let looked = 0;
    for (const [other, { newest }] of this.#clients) {
      const over = newest <= now - WINDOW_MS || this.#clients.size >= this.maxClients;
      if (!over || looked++ === FORGET_AT_ONCE) break;
      this.#clients.delete(other);
    }
    this.#clients.set(client, calls);
  }
}

/** A window per group of the table. */
export function createLimits(limits: RateLimits): Readonly<Record<LimitGroup, Window>> {
  return {
    categories: new Window(limits.categories),
    sample: new Window(limits.sample),
    verdict: new Window(limits.verdict),
    family: new Window(limits.family),
    free: new Window(limits.free),
    challenges: new Window(limits.challenges),
    signatures: new Window(limits.signatures),
  };
}

/** Calls worked on at once, and bodies awaited at once, where nothing else was asked for. */
export const MAX_AT_ONCE = 1_000;

/**
 * Limits the pieces of work at once, without a queue: what comes on top is refused before anything was done
 * for it. What was let in is never cut.
 */
export class Places {
  #taken = 0;

  constructor(readonly max: number) {}

  /** Runs `work` in a place of its own. @throws ServiceError `overloaded` where all are taken. */
  hold<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#taken >= this.max) {
      throw new ServiceError(
        "overloaded",
        "Too many calls are being answered; nothing was done for this one. Send the same again.",
      );
    }
    this.#taken++;
    const leave = (): void => void this.#taken--;
    let result: T | Promise<T>;
    try {
      result = work();
    } catch (error) {
      leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(leave);
    leave();
    return result;
  }
}
