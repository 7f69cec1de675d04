/** Settings that name limits by group, laid over the usual numbers. */
import { OperatorError } from "../../core/errors.ts";
import { IN_FLIGHT_LIMITS, type InFlightLimits } from "../../payment/mod.ts";
import { RATE_LIMITS, type RateLimits } from "../../routes/pipeline/table.ts";

type Limits = Readonly<Record<string, number>>;

/** @throws OperatorError for a group that does not exist. */
function laidOver<T extends Limits>(name: string, usual: T, overrides: Limits): T {
  for (const group of Object.keys(overrides)) {
    if (Object.hasOwn(usual, group)) continue;
    const groups = Object.keys(usual).join(", ");
    throw new OperatorError(`${name}: there is no group "${group}", only ${groups}`);
  }
  return { ...usual, ...overrides };
}

/** RATE_LIMITS laid over the table's numbers. @throws OperatorError for a group that does not exist. */
export const rateLimits = (overrides: Limits): RateLimits =>
  laidOver("RATE_LIMITS", RATE_LIMITS, overrides);

/** PAYER_IN_FLIGHT laid over the ledger's. @throws OperatorError for a group that does not exist. */
export const payerInFlight = (overrides: Limits): InFlightLimits =>
  laidOver("PAYER_IN_FLIGHT", IN_FLIGHT_LIMITS, overrides);
