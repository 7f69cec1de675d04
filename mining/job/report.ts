/** What a mining run adds up to. */
import type { Checked } from "../removal/check.ts";
import type { ModelReport } from "./model_types.ts";
import type { ReadCounts } from "./read.ts";

/** What a run read, made and failed at; recorded as it is. */
export interface MineReport extends ReadCounts, Checked {
  /** Communities to read, those read to the end, and those closed to us. */
  communities: number;
  read: number;
  closed: number;
  /** Communities with posts since their last reading that the source does not list any more. */
  missed: string[];
  cardsChanged: number;
  /** Failed readings and look-ups by kind. */
  errors: Record<string, number>;
  durationMs: number;
  /** What a language model read and wrote; null where none is configured. */
  model: ModelReport | null;
  /** What it has cost, in dollars. */
  modelUsd: number;
  /** Why the run ended early, or null. */
  outage: string | null;
  interrupted: boolean;
}

/** The report of a run that has not begun. */
export function freshReport(communities: number): MineReport {
  return {
    communities,
    read: 0,
    closed: 0,
    pages: 0,
    posts: 0,
    duplicates: 0,
    leftOut: 0,
    signals: 0,
    checked: 0,
    removed: 0,
    edited: 0,
    missed: [],
    cardsChanged: 0,
    errors: {},
    durationMs: 0,
    model: null,
    modelUsd: 0,
    outage: null,
    interrupted: false,
  };
}
