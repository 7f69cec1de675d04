/**
 * What a language model, where one is configured, makes better: unsure signals are read again before the
 * cards are made, and the cards get its words afterwards. Without one, or when it fails, the built-in
 * classifier and the built-in words stand: refinement never fails a mining run.
 */
import { ServiceError } from "../../core/errors.ts";
import { refineCards } from "./cards.ts";
import { refinePosts } from "./posts.ts";
import type { RefineDeps, RefineReport } from "./types.ts";

export { freshRefineReport, type RefineReport } from "./types.ts";

type Step = (deps: RefineDeps, report: RefineReport) => Promise<void>;

/**
 * Reads unsure signals, runs `finish`, which makes the cards, writes their words, and finishes again if there
 * are any. Gives what the first finish gave.
 * @throws what `finish` and the database throw.
 */
export async function refineAround<T>(
  deps: RefineDeps,
  report: RefineReport,
  finish: (mined?: boolean) => Promise<T>,
): Promise<T> {
  const available = await attempt(deps, report, refinePosts);
  const result = await finish();
  if (!available) return result;
  await attempt(deps, report, refineCards);
  // What was written before an outage or an interruption is shown.
  if (report.written > 0) await finish(false);
  return result;
}

/** False where the model is out of order, or its budget spent, or the run was interrupted. */
async function attempt(deps: RefineDeps, report: RefineReport, step: Step): Promise<boolean> {
  if (deps.signal.aborted) return false;
  try {
    await step(deps, report);
    return true;
  } catch (error) {
    if (deps.signal.aborted && error === deps.signal.reason) return false;
    if (!(error instanceof ServiceError)) throw error;
    deps.log.warn("refinement by the language model stopped", { code: error.code });
    return false;
  }
}
