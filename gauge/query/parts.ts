/** What the parts of a query are made of: words and ranges of them, their stems, and the ways to meet them. */
import type { Group, Place, PlanLevel } from "../../db/matching/plan.ts";
import { singular } from "../../mining/lexicon/grammar.ts";

/** A word of a query: as read, its stems, and the stems it may have been meant to have. */
export interface QueryWord {
  readonly word: string;
  readonly stems: readonly string[];
  readonly similar: readonly string[];
}

/** Words `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Whether ranges share a word with this one. */
export const overlaps = (one: Range) => (other: Range): boolean =>
  one.start < other.end && other.start < one.end;

/** Whether ranges hold the word at `at`. */
export const includesAt = (at: number) => ({ start, end }: Range): boolean =>
  start <= at && at < end;

/** One way to meet something. */
export const level = (groups: readonly Group[], place: Place, quality: number): PlanLevel => ({
  groups: groups.filter(({ length }) => length > 0),
  place,
  quality,
});

/** Those that can be met, the best first. */
export const filled = (levels: readonly PlanLevel[]): PlanLevel[] =>
  levels.filter(({ groups }) => groups.length > 0).sort((a, b) => b.quality - a.quality);

/** All stems of words. */
export const stemsOf = (words: readonly QueryWord[]): Group => words.flatMap(({ stems }) => stems);

/** Words as a text. */
export const wordsText = (words: readonly QueryWord[]): string =>
  words.map(({ word }) => word).join(" ");

/** The last word of a name, in the singular. */
export const lastWord = (name: string): string => singular(name.slice(name.lastIndexOf(" ") + 1));
