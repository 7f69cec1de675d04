/** How soon what was removed at the source is gone here: the times that docs/operating.md promises. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A quote that was not confirmed for this long is withheld until it was. */
export const WITHHOLD_AFTER_MS = 36 * HOUR_MS;
/** Posts behind served quotes are looked up again after this: with a run's distance, within 24 hours. */
export const SERVED_AFTER_MS = 18 * HOUR_MS;
/** All other posts are looked up again after this, as far as a run's share goes. */
export const STORED_AFTER_MS = 20 * HOUR_MS;

/**
 * A post that the source does not know is looked up a second time before it is believed to be gone:
 * later where most of a batch is missing at once, which is more likely the source's own trouble.
 */
export const ABSENT_AFTER_MS = 10 * MINUTE_MS;
export const MANY_ABSENT_AFTER_MS = 6 * HOUR_MS;

/** Ids in one look-up. */
export const LOOKUP_BATCH = 100;
/** Look-ups in one run, whatever is due. */
export const MAX_LOOKUPS = 600;
/** Requests a minute, on average, that spare look-ups fill up to: mining and checks together. */
const TARGET_PER_MINUTE = 4;
/** Look-ups that every run may make, however many requests reading took. */
const MIN_LOOKUPS = 10;
/** A run after a long pause does not make up for all of it at once. */
const MAX_ELAPSED_MS = 30 * MINUTE_MS;

/** The time before which a confirmation is too old for a quote to be shown. */
export const shownSince = (now: Date): Date => new Date(now.getTime() - WITHHOLD_AFTER_MS);

/** How many look-ups a run may make beside those that served quotes are due for. */
interface LookupAllowance {
  /** For stored posts that are due. */
  readonly stored: number;
  /** For posts that are not due yet, all look-ups together. */
  readonly spare: number;
}

/**
 * `stored` posts are gone through once in `STORED_AFTER_MS`, each run taking the share of the time
 * since the one before; what `requests` left of the target goes to posts that are not due yet.
 */
export function allowance(stored: number, elapsedMs: number, requests: number): LookupAllowance {
  const share = Math.ceil(stored / LOOKUP_BATCH * elapsedMs / STORED_AFTER_MS);
  const minutes = Math.min(elapsedMs, MAX_ELAPSED_MS) / MINUTE_MS;
  return {
    stored: Math.min(MAX_LOOKUPS, Math.max(MIN_LOOKUPS, share)),
    spare: Math.max(MIN_LOOKUPS, Math.floor(TARGET_PER_MINUTE * minutes) - requests),
  };
}
