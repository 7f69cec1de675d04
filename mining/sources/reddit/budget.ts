/**
 * The requests the site grants one client, shared by everything that reads it. Three bounds hold
 * together: what the site's `X-Ratelimit-*` headers say is left of its period, pauses that it
 * asked for (429, `Retry-After`), and 100 requests in any minute whatever the headers say. Higher
 * priorities go first, and lower ones leave a few requests for them.
 */
import type { Clock } from "../../../core/clock.ts";
import { SourceError } from "../errors.ts";
import type { Sleep } from "./settings.ts";

/** Who asks, most urgent first: a caller who waits, removal checks, mining. */
const PRIORITIES = ["live", "check", "mine"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What a priority leaves untouched for those above it: requests of a hundred. */
const SPARE: Readonly<Record<Priority, number>> = { live: 0, check: 5, mine: 10 };

/** The minute is stretched: requests may arrive closer together than they were sent. */
const WINDOW_MS = 62_000;
const PER_MINUTE = 100;
/** No period of the site's is longer; a header that says more is not believed. */
const MAX_PERIOD_MS = 3_600_000;
const MAX_PAUSE_MS = 86_400_000;
/** Ends of a period that are closer than this are the same one, seen through rounding. */
const SAME_PERIOD_MS = 5_000;

/** Leave to send one request. `settle` takes the answer's headers, or null if none came. */
export interface Ticket {
  settle(headers: Headers | null): void;
}

interface Waiter {
  readonly priority: Priority;
  readonly giveUpAt: number;
  readonly grant: (ticket: Ticket) => void;
  readonly refuse: (error: unknown) => void;
}

function header(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** What an answer's headers say of the limit: requests left and sent, and seconds to its end; null for nothing. */
export function readRate(
  headers: Headers,
): { readonly remaining: number; readonly used: number; readonly reset: number } | null {
  const remaining = header(headers, "x-ratelimit-remaining");
  const reset = header(headers, "x-ratelimit-reset");
  if (remaining === null || reset === null) return null;
  return { remaining, reset, used: header(headers, "x-ratelimit-used") ?? 0 };
}

/** Who may send a request, and when; one for all readers of the site. */
export class Budget {
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #queue: Waiter[] = [];
  /** When the requests of the last minute were granted, oldest first. */
  #sent: number[] = [];
  #inFlight = 0;
  #pausedUntil = 0;
  #period: { remaining: number; readonly quota: number; readonly endsAt: number } | null = null;
  #wake: AbortController | null = null;
  #pumping = false;

  constructor(clock: Clock, sleep: Sleep) {
    this.#clock = clock;
    this.#sleep = sleep;
  }

  /**
   * Waits for leave to send one request; `settle` must be called on the ticket, once.
   * @param giveUpAt Milliseconds of the clock: no leave by then is `rate_limited`, and where that
   *   can be known in advance it is said at once.
   */
  take(priority: Priority, giveUpAt: number, signal: AbortSignal): Promise<Ticket> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        priority,
        giveUpAt,
        grant: (ticket) => {
          signal.removeEventListener("abort", leave);
          resolve(ticket);
        },
        refuse: (error) => {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      const rank = PRIORITIES.indexOf(priority);
      const behind = this.#queue.findIndex((other) => PRIORITIES.indexOf(other.priority) > rank);
      this.#queue.splice(behind < 0 ? this.#queue.length : behind, 0, waiter);
      this.#pump();
    });
  }

  /** Nobody sends anything for this long. */
  pause(ms: number): void {
    const until = this.#now() + Math.min(Math.max(ms, 0), MAX_PAUSE_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#pump();
  }

  /** Counts a request that was sent without a ticket (for a token) towards the minute. */
  count(): void {
    this.#sent.push(this.#now());
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  /** Milliseconds until a request of this priority may go, as far as can be known. */
  #wait(priority: Priority): number {
    const now = this.#now();
    // Entries ahead of the clock are those of a clock that was set back since.
    this.#sent = this.#sent.filter((time) => time > now - WINDOW_MS && time <= now);
    const endsIn = (this.#period?.endsAt ?? 0) - now;
    if (endsIn <= 0 || endsIn > MAX_PERIOD_MS) this.#period = null;
    if (this.#pausedUntil > now + MAX_PAUSE_MS) this.#pausedUntil = now + MAX_PAUSE_MS;

    let until = this.#pausedUntil;
    const room = PER_MINUTE - SPARE[priority];
    const blocking = this.#sent[this.#sent.length - room];
    if (blocking !== undefined) until = Math.max(until, blocking + WINDOW_MS);
    if (this.#period !== null) {
      const spare = Math.floor(Math.min(100, this.#period.quota) * SPARE[priority] / 100);
      if (this.#period.remaining - spare < 1) until = Math.max(until, this.#period.endsAt);
    }
    return Math.max(0, until - now);
  }

  #pump(): void {
    // One loop serves the queue; whatever changes meanwhile wakes it to look again.
    this.#wake?.abort();
    if (this.#pumping) return;
    this.#pumping = true;
    void this.#serve();
  }

  async #serve(): Promise<void> {
    for (;;) {
      this.#refuseLate();
      const first = this.#queue[0];
      if (first === undefined) {
        this.#pumping = false;
        return;
      }
      const wait = this.#wait(first.priority);
      if (wait > 0) {
        this.#wake = new AbortController();
        await this.#sleep(wait, this.#wake.signal).catch(() => {});
        this.#wake = null;
        continue;
      }
      this.#queue.shift();
      first.grant(this.#ticket());
    }
  }

  /** Turns away whoever cannot be served in time, now rather than at the end of the wait. */
  #refuseLate(): void {
    const now = this.#now();
    for (const waiter of [...this.#queue]) {
      const wait = this.#wait(waiter.priority);
      if (now + wait <= waiter.giveUpAt) continue;
      this.#remove(waiter);
      waiter.refuse(
        new SourceError("rate_limited", "the site grants no further request in time", {
          retryAfterSeconds: Math.ceil(wait / 1000),
        }),
      );
    }
  }

  #remove(waiter: Waiter): void {
    const at = this.#queue.indexOf(waiter);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    // The loop may be sleeping for this one alone.
    this.#wake?.abort();
  }

  #ticket(): Ticket {
    this.#sent.push(this.#now());
    this.#inFlight++;
    if (this.#period !== null) this.#period.remaining--;
    let open = true;
    return {
      settle: (headers) => {
        if (!open) return;
        open = false;
        this.#inFlight--;
        if (headers !== null) this.#learn(headers);
        this.#pump();
      },
    };
  }

  #learn(headers: Headers): void {
    const rate = readRate(headers);
    if (rate === null) return;
    const { remaining, reset, used } = rate;
    const endsAt = this.#now() + Math.min(reset * 1000, MAX_PERIOD_MS);
    // Requests under way may not be in the site's count yet.
    const left = remaining - this.#inFlight;
    const known = this.#period;
    const same = known !== null && endsAt < known.endsAt + SAME_PERIOD_MS;
    this.#period = {
      remaining: same ? Math.min(known.remaining, left) : left,
      quota: remaining + used,
      endsAt: same ? Math.max(known.endsAt, endsAt) : endsAt,
    };
  }
}
