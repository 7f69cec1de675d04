/** Runs the compute of a paid call within its budget, and makes the bytes that are sold. */
import { ServiceError } from "../core/errors.ts";
import type { Answer, PreparedCall } from "./types.ts";

export interface Made {
  /** The 200 body, byte for byte. */
  readonly body: string;
  readonly charge: boolean;
  readonly evidenceIds: readonly string[];
}

/**
 * Computes, whoever is still listening. Throws what the compute throws, or `compute_timeout` when
 * `budgetMs` is over, whether or not the compute heeds its signal.
 */
export async function compute(
  call: PreparedCall,
  budgetMs: number,
  isTest: boolean,
): Promise<Made> {
  const controller = new AbortController();
  const working = call.compute(controller.signal);
  const answer = working instanceof Promise
    ? await withinBudget(working, controller, budgetMs)
    : working;
  const { body, charge, evidenceIds } = answer;
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

async function withinBudget(
  working: Promise<Answer>,
  controller: AbortController,
  budgetMs: number,
): Promise<Answer> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = Math.round(budgetMs / 1000);
    const error = new ServiceError(
      "compute_timeout",
      `The answer was not ready in ${seconds} s; nothing was charged.`,
    );
    reject(error);
    controller.abort(error);
  }, budgetMs);
  try {
    return await Promise.race([working, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
