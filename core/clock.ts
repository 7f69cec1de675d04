/** The time as an argument: production passes `systemClock`, tests a fixed or moved one. */
export interface Clock {
  /** The current time. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
