/** Runs the compute of a paid call within its budget, and makes the bytes that are sold. */
import { DeadlineError, withDeadline } from "../core/deadline.ts";
import { ServiceError } from "../core/errors.ts";
import type { Answer, PreparedCall } from "./types.ts";

export interface Made {
  /** The 200 body, byte for byte. */
  readonly body: string;
  readonly charge: boolean;
  readonly evidenceIds: readonly string[];
}

class ComputeDeadlineError extends DeadlineError {}

/**
 * Computes, whoever is still listening.
 * @throws what the compute throws, or `compute_timeout` when `budgetMs` is over, whether or not the compute
 * heeds its signal.
 */
export async function compute(
  call: PreparedCall,
  budgetMs: number,
  isTest: boolean,
): Promise<Made> {
  const { body, charge, evidenceIds } = await withinBudget(call, budgetMs);
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

async function withinBudget(call: PreparedCall, budgetMs: number): Promise<Answer> {
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
