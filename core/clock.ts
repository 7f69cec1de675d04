/** The time as an argument: production passes `systemClock`, tests a fixed or moved one. */
export interface Clock {
  /** The current time. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const DAY_MS = 86_400_000;

/** YYYY-MM-DD in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
