/** What a language model's part of a run works with, and what it says of its work. */
import type { LanguageModel } from "../../model/mod.ts";
import type { JudgeContext } from "../judge.ts";
import type { MinerDeps, MiningSession } from "../session.ts";

/** What the steps of a model's part work with. */
export interface ModelDeps extends MinerDeps {
  readonly model: LanguageModel;
  readonly session: Pick<MiningSession, "assertLease">;
  readonly context: JudgeContext;
  readonly signal: AbortSignal;
  /** Hears what each call has cost, in dollars. */
  readonly onCost: (usd: number) => void;
}

/** Counts of what the model did. */
export interface ModelReport {
  /** Posts that the model was asked about. */
  postsRead: number;
  /** Of those, the ones that were no demand. */
  dropped: number;
  /** Of those, the ones whose built-in reading stands, since the model's is not borne out by the post. */
  unusable: number;
  /** Cards whose quotes the model was asked about. */
  cardsReviewed: number;
  /** Of those, the ones that are not listed while their quotes stay. */
  unlisted: number;
  /** Of those, the ones that are listed with fewer quotes. */
  narrowed: number;
  /** Cards with new words. */
  written: number;
  /** Cards whose words said more than their counts. */
  refused: number;
}

/** What one transaction adds to the report. */
export type Tally = Readonly<Partial<ModelReport>>;

/** Adds what was stored: after the transaction, which may be tried again. */
export function addTo(report: ModelReport, tally: Tally): void {
  for (const [name, count] of Object.entries(tally)) report[name as keyof ModelReport] += count;
}

/** The report of a model's part that has not begun. */
export const freshModelReport = (): ModelReport => ({
  postsRead: 0,
  dropped: 0,
  unusable: 0,
  cardsReviewed: 0,
  unlisted: 0,
  narrowed: 0,
  written: 0,
  refused: 0,
});
