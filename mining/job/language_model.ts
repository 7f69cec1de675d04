/**
 * What a language model, where one is configured, makes better: it reads the stored posts before the cards are
 * made, reviews the cards before they are listed, and writes their words afterwards. Without one, or when it
 * fails, the built-in reading, all cards and the built-in words stand: a model never fails a run.
 */
import { sleep, unlessAborted } from "../../core/deadline.ts";
import { ServiceError } from "../../core/errors.ts";
import { cardsWithout } from "../../db/corpus/card_additions.ts";
import { corpusState } from "../../db/corpus/corpus.ts";
import { countActive } from "../../db/corpus/opportunities.ts";
import { hasUnread } from "../../db/corpus/readings.ts";
import type { MakingOptions } from "../session.ts";
import { reviewCards } from "./card_reviews.ts";
import { writeWords } from "./card_words.ts";
import { mineAlone } from "./miner.ts";
import { freshModelReport, type ModelDeps, type ModelReport } from "./model_types.ts";
import { readableVersions, readStored } from "./readings.ts";
import { isBehind } from "./finish.ts";

export { freshModelReport, type ModelReport } from "./model_types.ts";

/** No further round of reading and writing begins after so much of a run. */
const RUN_MS = 15 * 60_000;

/**
 * Lets the model read posts, runs `finish`, which makes the cards and has them reviewed, lets it write their words,
 * and finishes again if there are any; round after round, until all is read or the run's time is over. Where no
 * card is served yet, the cards are made first as they are without a model. Gives what the first finish gave.
 * @throws what `finish` and the database throw.
 */
export async function withModel<T>(
  deps: ModelDeps,
  report: ModelReport,
  finish: (options?: Partial<MakingOptions>) => Promise<T>,
): Promise<T> {
  const { database: { sql }, clock } = deps;
  // What an earlier version stored is first read again without a model.
  if (await isBehind(deps)) return await finish();
  const until = clock.now().getTime() + RUN_MS;
  const isOver = (): boolean => clock.now().getTime() >= until;
  /** Whether cards leave or lose quotes by it. */
  const review = async (): Promise<boolean> => {
    const { unlisted, narrowed } = report;
    if (!isOver()) await attempt(deps, report, reviewCards);
    return report.unlisted + report.narrowed > unlisted + narrowed;
  };
  let result = await countActive(sql) === 0 ? await finish() : null;
  for (;;) {
    const { written } = report;
    const reading = await attempt(deps, report, readStored);
    // Whoever cannot read posts now cannot read quotes.
    const options = reading === "ended" ? {} : { review };
    if (result === null) result = await finish(options);
    else await finish({ mined: false, ...options });
    if (reading === "ended") return result;
    const writing = await attempt(deps, report, writeWords);
    // What was written before an outage is shown.
    if (report.written > written) await finish({ mined: false });
    if (reading === "done" || writing === "ended" || isOver()) return result;
  }
}

/** What a step gives, or "ended" where the model, its budget or an interruption ended it. */
async function attempt<T>(
  deps: ModelDeps,
  report: ModelReport,
  step: (deps: ModelDeps, report: ModelReport) => Promise<T>,
): Promise<T | "ended"> {
  if (deps.signal.aborted) return "ended";
  try {
    return await step(deps, report);
  } catch (error) {
    if (deps.signal.aborted && error === deps.signal.reason) return "ended";
    if (!(error instanceof ServiceError)) throw error;
    deps.log.warn("the language model's part of the run ended early", { code: error.code });
    return "ended";
  }
}

/** Between turns in the background: after one that left work, and after one that found or could do none. */
const PAUSE_MS = 5_000;
const IDLE_MS = 10 * 60_000;

/**
 * Lets the model work in the background where no mining run does: a turn as the only miner, a pause, the next
 * turn. `onTurn` hears of turns that changed something. A failure is logged, and a later turn goes on.
 */
export function startModelWork(
  deps: Omit<ModelDeps, "session" | "signal" | "onCost">,
  onTurn: () => void,
): { stop(): Promise<void> } {
  const abort = new AbortController();
  const { signal } = abort;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const report = await turn({ ...deps, signal }).catch((error) => {
        if (!signal.aborted) deps.log.error("the language model's work failed", { error });
        return null;
      });
      const changed = report !== null &&
        report.postsRead + report.cardsReviewed + report.written > 0;
      if (changed) onTurn();
      await sleep(changed ? PAUSE_MS : IDLE_MS, signal).catch(() => {});
    }
  };
  const running = work();
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

/** One turn; null where there is nothing to read, review or write but invented posts, or another process mines. */
async function turn(
  deps: Omit<ModelDeps, "session" | "onCost">,
): Promise<ModelReport & { readonly modelUsd: number } | null> {
  const { database: { sql }, signal } = deps;
  if ((await corpusState(sql)).origin !== "real") return null;
  const isDue = await hasUnread(sql, readableVersions) ||
    (await cardsWithout(sql, "review", 1)).length > 0 ||
    (await cardsWithout(sql, "words", 1)).length > 0;
  if (!isDue) return null;
  return await mineAlone(
    deps,
    { kind: "model", patienceMs: 0, signal, stats: (result) => ({ ...result }) },
    async (session) => {
      const report = freshModelReport();
      let modelUsd = 0;
      await unlessAborted(signal, () =>
        withModel(
          { ...deps, session, onCost: (usd) => modelUsd += usd },
          report,
          (options) => session.finish({ ...options, mined: false, signal }),
        ));
      return { ...report, modelUsd };
    },
  );
}
