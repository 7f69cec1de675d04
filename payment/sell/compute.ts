/** Runs the compute of a paid call within its budget, and encodes the answer. */
import { DeadlineError, withDeadline } from "../../core/deadline.ts";
import { ServiceError } from "../../core/errors.ts";
import type { PaidAnswer, PaidOffer, PreparedCall } from "../protocol/types.ts";

export interface MadeAnswer {
  /** The 200 body, byte for byte. */
  readonly body: string;
  readonly charge: boolean;
  readonly evidenceIds: readonly string[];
}

class ComputeDeadlineError extends DeadlineError {}

/**
 * Computes, whether or not the client still waits.
 * @throws what the compute throws, or `compute_timeout` when its budget is over, whether or not the compute
 * heeds its signal.
 */
export async function compute(
  call: PreparedCall,
  { computeBudgetMs }: Pick<PaidOffer, "computeBudgetMs">,
  isTest: boolean,
): Promise<MadeAnswer> {
  const { body, charge, evidenceIds } = await withinBudget(call, computeBudgetMs);
  return {
    body: JSON.stringify({
      ...body,
      charged: charge,
      ...(isTest ? { paymentMode: "test" } : {}),
    }),
    charge,
    evidenceIds: evidenceIds ?? [],
  };
}

async function withinBudget(call: PreparedCall, budgetMs: number): Promise<PaidAnswer> {
  try {
    const work = async (signal: AbortSignal) => await call.compute(signal);
    return await withDeadline(budgetMs, null, work, ComputeDeadlineError);
  } catch (error) {
    if (!(error instanceof ComputeDeadlineError)) throw error;
    const seconds = Math.round(budgetMs / 1000);
    const message = `The answer was not ready in ${seconds} s; nothing was charged.`;
    throw new ServiceError("compute_timeout", message, { cause: error });
  }
}
