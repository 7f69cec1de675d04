/** RATE_LIMITS laid over the table's numbers. */
import { OperatorError } from "../core/errors.ts";
import { RATE_LIMITS, type RateLimits } from "../routes/table.ts";

/** @throws OperatorError for a group that does not exist. */
export function rateLimits(overrides: Readonly<Record<string, number>>): RateLimits {
  for (const group of Object.keys(overrides)) {
    if (Object.hasOwn(RATE_LIMITS, group)) continue;
    const groups = Object.keys(RATE_LIMITS).join(", ");
    throw new OperatorError(`RATE_LIMITS: there is no group "${group}", only ${groups}`);
  }
  return { ...RATE_LIMITS, ...overrides };
}
