/**
 * What a query means: the product it asks for (its head) and what is said of it, each a concept with a
 * share of the whole. docs/verdicts.md explains the numbers.
 */
import type { Concept, Level, QueryPlan } from "../db/matching_plan.ts";
import { wordWeight } from "./common.ts";

/** Words `start` up to, not including, `end` name one of these product kinds. */
export interface KindSpan {
  readonly start: number;
  readonly end: number;
  readonly kinds: readonly string[];
}

/** Finds the product kinds that words name, left to right, none overlapping another. */
export type FindKinds = (words: readonly string[]) => readonly KindSpan[];

/** A word of a query: as typed, its stems, and stems it may have been meant to have. */
export interface QueryWord {
  readonly word: string;
  readonly stems: readonly string[];
  readonly similar: readonly string[];
}

/** The head weighs at least as much as a word that says as much as a word can. */
const HEAD_WEIGHT = 1.2;
/** A query of common words alone means nothing in particular: weights count as shares of this at least. */
const LEAST_WEIGHT = 0.8;
/** The share a post must carry: with the head among it, and without. */
const FLOOR = 0.4;
const WEAK_FLOOR = 0.6;
const SIMILAR_QUALITY = 0.85;
/** After one of these, words tell what the product is for. */
const PURPOSE = new Set(
  "for with without that which who when where while to from in on under of like instead".split(
    " ",
  ),
);

/** The span whose last word is the head: the last one before the purpose, else the last one. */
function headOf(words: readonly string[], spans: readonly KindSpan[]): KindSpan | undefined {
  const first = words.findIndex((word, i) =>
    PURPOSE.has(word) && spans.some(({ end }) => end <= i)
  );
  return spans.findLast(({ end }) => first === -1 || end <= first);
}

function levelsOf(
  { stems, similar }: QueryWord,
  kinds: readonly string[],
  head: boolean,
): Level[] {
  const named = kinds.map((kind) => `k/${kind}`);
  const about: Level = { terms: [...stems, ...named], fields: "A", quality: 1 };
  const levels: readonly Level[] = head
    ? [
      about,
      { terms: similar, fields: "A", quality: SIMILAR_QUALITY },
      { terms: stems, fields: "AB", quality: 0.45 },
      { terms: stems, fields: null, quality: 0.35 },
    ]
    : [
      about,
      { terms: stems, fields: "AB", quality: 0.95 },
      { terms: stems, fields: null, quality: 0.85 },
      { terms: similar, fields: null, quality: 0.85 * SIMILAR_QUALITY },
    ];
  return levels.filter(({ terms }) => terms.length > 0);
}

/** The plan that finds what a query means. A query that says nothing gives a plan without concepts. */
export function planQuery(
  words: readonly QueryWord[],
  spans: readonly KindSpan[],
  category: string | null,
): QueryPlan {
  const head = headOf(words.map(({ word }) => word), spans);
  const seen = new Set<string>();
  const weighed = words.flatMap((word, i) => {
    const span = spans.find(({ start, end }) => start <= i && i < end);
    const last = span !== undefined && i === span.end - 1;
    const isHead = last && span === head;
    const key = word.stems.join(" ");
    if ((key === "" && !last) || seen.has(key)) return [];
    seen.add(key);
    const levels = levelsOf(word, last ? span.kinds : [], isHead);
    const weight = wordWeight(word.word);
    return [{ head: isHead, weight: isHead ? Math.max(HEAD_WEIGHT, weight) : weight, levels }];
  });
  const total = Math.max(LEAST_WEIGHT, weighed.reduce((sum, { weight }) => sum + weight, 0));
  const concepts = weighed.map(({ head, weight, levels }): Concept => ({
    head,
    share: Math.round(weight / total * 1e6) / 1e6,
    terms: [...new Set(levels.flatMap(({ terms }) => terms))],
    levels,
  }));
  return { concepts, category, floor: FLOOR, weakFloor: WEAK_FLOOR };
}
