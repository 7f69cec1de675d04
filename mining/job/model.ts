/**
 * What a language model, where one is configured, makes better: it reads the stored posts before the cards are
 * made, and writes the cards' words afterwards. Without one, or when it fails, the built-in reading and the
 * built-in words stand: a model never fails a run.
 */
import { ServiceError } from "../../core/errors.ts";
import { countActive } from "../../db/opportunities.ts";
import { writeWords } from "./card_words.ts";
import type { ModelDeps, ModelReport } from "./model_types.ts";
import { readPosts } from "./readings.ts";
import { isBehind } from "./reread.ts";

export { freshModelReport, type ModelReport } from "./model_types.ts";

type Step = (deps: ModelDeps, report: ModelReport) => Promise<void>;

/**
 * Lets the model read posts, runs `finish`, which makes the cards, lets it write their words, and finishes again
 * if there are any. Where no card is served yet, they are made first as they are without a model. Gives what the
 * first finish gave.
 * @throws what `finish` and the database throw.
 */
export async function withModel<T>(
  deps: ModelDeps,
  report: ModelReport,
  finish: (mined?: boolean) => Promise<T>,
): Promise<T> {
  const { sql } = deps.database;
  // What an earlier version stored is first read again without a model.
  if (await isBehind(deps)) return await finish();
  let result = await countActive(sql) === 0 ? await finish() : null;
  const available = await attempt(deps, report, readPosts);
  if (result === null) result = await finish();
  else if (report.reviewed > 0) await finish(false);
  if (!available) return result;
  await attempt(deps, report, writeWords);
  // What was written before an outage or an interruption is shown.
  if (report.written > 0) await finish(false);
  return result;
}

/** False where the model is out of order, or its budget spent, or the run was interrupted. */
async function attempt(deps: ModelDeps, report: ModelReport, step: Step): Promise<boolean> {
  if (deps.signal.aborted) return false;
  try {
    await step(deps, report);
    return true;
  } catch (error) {
    if (deps.signal.aborted && error === deps.signal.reason) return false;
    if (!(error instanceof ServiceError)) throw error;
    deps.log.warn("the language model's part of the run ended early", { code: error.code });
    return false;
  }
}
