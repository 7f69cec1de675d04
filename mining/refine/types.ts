/** What refinement works with, and what it says of its work. */
import type { LanguageModel } from "../../model/mod.ts";
import type { MinerDeps, MiningSession } from "../job/miner.ts";
import type { JudgeContext } from "../judge.ts";

export interface RefineDeps extends MinerDeps {
  readonly model: LanguageModel;
  readonly session: Pick<MiningSession, "fence">;
  readonly context: JudgeContext;
  readonly signal: AbortSignal;
  /** Hears what each call has cost, in dollars. */
  readonly onCost: (usd: number) => void;
}

export interface RefineReport {
  /** Signals that the model read. */
  reviewed: number;
  /** Of those, the ones that were no demand. */
  dropped: number;
  /** Of those, the ones that got another pattern. */
  changed: number;
  /** Cards with new words. */
  written: number;
  /** Cards whose words said what their evidence does not. */
  refused: number;
}

/** The report of a refinement that has not begun. */
export const freshRefineReport = (): RefineReport => ({
  reviewed: 0,
  dropped: 0,
  changed: 0,
  written: 0,
  refused: 0,
});
