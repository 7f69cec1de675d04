/**
 * What a query means: the product it asks for (its head) and what is said of it, each a concept with a
 * share of the whole. docs/verdicts.md explains the numbers.
 */
import type { Concept, Group, Level, QueryPlan } from "../db/matching_plan.ts";
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

const bare = (word: string): string => word.replace(/e?s$/, "");

/** The words of a span that stand in the name of its kind: together they are the product. */
function namingWords(words: readonly QueryWord[], { start, end, kinds }: KindSpan): QueryWord[] {
  const name = new Set(kinds.flatMap((kind) => kind.split(/[\s-]+/)).map(bare));
  return words.slice(start, end).filter(({ word }) => name.has(bare(word)));
}

interface Weighed {
  readonly head: boolean;
  readonly weight: number;
  readonly levels: readonly Level[];
}

/**
 * The product itself. "Dog bed" is met by signals of that kind, or by both words together; "earbuds"
 * somewhat less by a signal of its kind, earphones, that does not say "earbuds".
 */
function headConcept(
  words: readonly QueryWord[],
  kinds: readonly string[],
  named: boolean,
): Weighed {
  const kind: Group[] = kinds.map((name) => [`k/${name}`]);
  // "Can opener" has a word that says nothing by itself: the other one alone would be any opener.
  const whole = words.every(({ stems }) => stems.length > 0);
  const together: Group[] = whole ? [words.flatMap(({ stems }) => stems)] : [];
  const levels: readonly Level[] = [
    { groups: named ? [...together, ...kind] : together, fields: "A", quality: 1 },
    { groups: named ? [] : kind, fields: "A", quality: 0.8 },
    { groups: together, fields: "AB", quality: 0.45 },
    { groups: together, fields: null, quality: 0.35 },
  ];
  const weight = words.reduce((sum, { word }) => sum + wordWeight(word), 0);
  return { head: true, weight: Math.max(HEAD_WEIGHT, weight), levels };
}

/** What is said of the product. A word that names a product of its own is met by that kind, too. */
function otherConcept(word: QueryWord, kinds: readonly string[]): Weighed {
  const stems: Group[] = word.stems.map((stem) => [stem]);
  const similar: Group[] = word.similar.map((stem) => [stem]);
  const levels: readonly Level[] = [
    { groups: [...stems, ...kinds.map((kind) => [`k/${kind}`])], fields: "A", quality: 1 },
    { groups: stems, fields: "AB", quality: 0.95 },
    { groups: stems, fields: null, quality: 0.85 },
    { groups: similar, fields: null, quality: 0.85 * SIMILAR_QUALITY },
  ];
  return { head: false, weight: wordWeight(word.word), levels };
}

/** The parts of a query, one for each different word or compound that says something. */
function partsOf(words: readonly QueryWord[], spans: readonly KindSpan[]): Weighed[] {
  const head = headOf(words.map(({ word }) => word), spans);
  const parts: Weighed[] = [];
  const seen = new Set<string>();
  if (head !== undefined) {
    const naming = namingWords(words, head);
    const own = naming.length > 0 ? naming : words.slice(head.end - 1, head.end);
    parts.push(headConcept(own, head.kinds, naming.length > 0));
    own.forEach(({ stems }) => seen.add(stems.join(" ")));
  }
  words.forEach((word, i) => {
    const key = word.stems.join(" ");
    if (key === "" || seen.has(key)) return;
    seen.add(key);
    const span = spans.find(({ end }) => end - 1 === i);
    parts.push(otherConcept(word, span === undefined || span === head ? [] : span.kinds));
  });
  return parts;
}

/** The plan that finds what a query means. A query that says nothing gives a plan without concepts. */
export function planQuery(
  words: readonly QueryWord[],
  spans: readonly KindSpan[],
  category: string | null,
): QueryPlan {
  const parts = partsOf(words, spans);
  const total = Math.max(LEAST_WEIGHT, parts.reduce((sum, { weight }) => sum + weight, 0));
  const concepts = parts.map(({ head, weight, levels }): Concept => {
    const filled = levels.filter(({ groups }) => groups.length > 0);
    const groups = new Map(
      filled.flatMap(({ groups }) => groups).map((group) => [group.join(" & "), group]),
    );
    const share = Math.round(weight / total * 1e6) / 1e6;
    return { head, share, groups: [...groups.values()], levels: filled };
  }).filter(({ levels }) => levels.length > 0);
  return { concepts, category, floor: FLOOR, weakFloor: WEAK_FLOOR };
}
