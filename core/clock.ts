/** The time as an argument: production passes `systemClock`, tests a fixed or moved one. */
export interface Clock {
  /** The current time. */
  now(): Date;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() };

/** Whole seconds since 1970, as chains and tokens count. */
export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/** The day of a time in UTC, as YYYY-MM-DD. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
