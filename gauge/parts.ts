/** Parts of a query's meaning, before their shares are known. */
import type { Group, Level } from "../db/matching_plan.ts";
import { wordWeight } from "./common.ts";

/** A word of a query: as typed, its stems, and stems it may have been meant to have. */
export interface QueryWord {
  readonly word: string;
  readonly stems: readonly string[];
  readonly similar: readonly string[];
}

/** One part: the product asked for, or a thing that is said of it. */
export interface Weighed {
  readonly head: boolean;
  readonly weight: number;
  readonly specific: boolean;
  readonly levels: readonly Level[];
}

/** No part weighs more than a word that says as much as a word can; the head weighs no less. */
export const MOST_WEIGHT = 1.2;

/** From this weight on a word is a specific thing to ask of a product. */
const SPECIFIC_WEIGHT = 0.5;

/** Whether what weighs so much is a specific thing to ask of a product. */
export const isSpecific = (weight: number): boolean => weight >= SPECIFIC_WEIGHT;

/** The stems of all of these words. */
export const stemsOf = (words: readonly QueryWord[]): Group => words.flatMap(({ stems }) => stems);
/** What these words say together. */
export const weightOf = (words: readonly QueryWord[]): number =>
  words.reduce((sum, { word }) => sum + wordWeight(word), 0);
/** One way to meet a part. */
export const level = (
  groups: readonly Group[],
  fields: Level["fields"],
  quality: number,
  about = false,
) => ({ groups, fields, quality, about }) satisfies Level;
