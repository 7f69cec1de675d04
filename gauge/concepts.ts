/**
 * What a query means: the product it asks for (its head) and what is said of it, each a concept with a
 * share of the whole. docs/verdicts.md explains the numbers.
 */
import { rounded } from "../core/numbers.ts";
import type { Concept, Group, QueryPlan } from "../db/matching_plan.ts";
import { type Head, type HeadSpan, readHead } from "./head.ts";
import { knownHead, unknownHead } from "./head_part.ts";
import {
  isSpecific,
  level,
  MOST_WEIGHT,
  type QueryWord,
  stemsOf,
  type Weighed,
  weightOf,
} from "./parts.ts";
import { onlyAsks } from "./services.ts";

/** Words `start` up to, not including, `end` speak of needs, each given by the stems of its name. */
export interface NeedSpan {
  readonly start: number;
  readonly end: number;
  /** The needs' ids, as one word. */
  readonly id: string;
  readonly needs: readonly Group[];
  /** The same needs as terms of the posts that speak of them besides the one they are about. */
  readonly spoken: readonly Group[];
  /** What else people say who have such a need, each as stems. */
  readonly cues: readonly Group[];
  /** Needs that say how much it may cost, and nothing of the product. */
  readonly price: boolean;
}

/** What a query asks for: a plan, or the word that says that it is no physical product. */
export interface Reading {
  readonly plan: QueryPlan;
  /** "rental" in "bike rental"; null where a product may be meant. */
  readonly service: string | null;
}

/** A query of common words alone means nothing in particular: weights count as shares of this at least. */
const LEAST_WEIGHT = 0.8;
/** The share a post must carry: where it is about the head, and else. */
const FLOOR = 0.25;
const WEAK_FLOOR = 0.6;
const SIMILAR_QUALITY = 0.85;
/** A need that posts are searched for says as much as a fairly rare word. */
const NEED_WEIGHT = 0.65;
/** A long query lists more than anybody says at once: beside its head so much weight is enough. */
const MOST_ASKED = 1.75;
/** The part of it that a post must meet. */
const FAIR_PART = 0.4;
/** Words that ask, praise or count weigh as the most common words do. */
const ASKING_WEIGHT = 0.1;

/**
 * What is said of the product: all of these words together, or a need that they speak of. However common
 * its words are, a need is a thing to ask of the product, unless it is its price.
 */
function said(words: readonly QueryWord[], need: NeedSpan | undefined): Weighed {
  const stems: Group[] = [stemsOf(words)];
  const similar = words.length === 1 ? words.flatMap((word) => word.similar) : [];
  const asks = words.every(({ word }) => onlyAsks(word));
  const least = need?.price === false ? NEED_WEIGHT : 0;
  const own = asks ? ASKING_WEIGHT : weightOf(words);
  const weight = Math.min(MOST_WEIGHT, Math.max(least, own));
  return {
    head: false,
    weight,
    specific: isSpecific(weight) && need?.price !== true,
    levels: [
      level([...stems, ...need?.needs ?? []], "A", 1),
      level(stems, "AB", 0.95),
      level(stems, null, 0.85),
      level(need?.cues ?? [], null, 0.8),
      level(similar.map((stem) => [stem]), null, 0.85 * SIMILAR_QUALITY),
      level(need?.spoken ?? [], null, 0.7),
    ],
  };
}

/** Words after which the name of a need says what the product should not be. */
const NEGATING = new Set(["not", "isnt", "arent", "non", "without"]);

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return own === need.id && NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** The parts of a query, one for each different thing that it says. */
function partsOf(
  words: readonly QueryWord[],
  head: Head,
  needs: readonly NeedSpan[],
): readonly Weighed[] {
  const known = head.spans.length === 0 ? null : knownHead(words, head.spans);
  // "Bike helmet" says "bike" of every bike helmet: the kind's own words are nothing to ask besides.
  const own = new Set(
    head.spans.flatMap(({ kinds }) => kinds).flatMap((kind) => kind.split(/[\s-]+/)),
  );
  const used = new Set(known?.used ?? [head.last]);
  words.forEach(({ word }, i) => known !== null && own.has(word) && used.add(i));
  const parts = [known?.part ?? unknownHead(words, head)];
  const seen = new Set([...used].map((i) => stemsOf(words.slice(i, i + 1)).join(" ")));
  for (let i = 0; i < words.length;) {
    const need = needs.find(({ start, end }) =>
      start === i && words.slice(start, end).every((_, at) => !used.has(start + at))
    );
    const end = need?.end ?? i + 1;
    const own = words.slice(i, end);
    const stems = stemsOf(own).join(" ");
    const key = need?.id ?? stems;
    const isNew = ![key, stems].some((one) => seen.has(one)) &&
      (need !== undefined || stems !== "");
    if (isNew && !used.has(i) && !(need !== undefined && isNegated(words, need))) {
      parts.push(said(own, need));
    }
    seen.add(key).add(stems);
    i = end;
  }
  return parts;
}

/**
 * Reads what a query means. A query that says nothing, or asks for no physical product, gives a plan
 * without concepts, which nothing matches.
 */
export function planQuery(
  words: readonly QueryWord[],
  spans: readonly HeadSpan[],
  needs: readonly NeedSpan[],
  category: string | null,
): Reading {
  const head = readHead(words, spans);
  const parts = head === null || head.service !== null ? [] : partsOf(words, head, needs);
  const weigh = (part: (weighed: Weighed) => boolean) =>
    parts.filter(part).reduce((sum, { weight }) => sum + weight, 0);
  const others = Math.min(MOST_ASKED, weigh(({ head }) => !head));
  const total = Math.max(LEAST_WEIGHT, weigh(({ head }) => head) + others);
  const concepts = parts.map(({ head, weight, specific, levels }): Concept => {
    const filled = levels.filter(({ groups }) => groups.length > 0);
    const groups = new Map(
      filled.flatMap(({ groups }) => groups).map((group) => [group.join(" & "), group]),
    );
    return {
      head,
      share: rounded(weight / total, 6),
      specific: specific ? weight : 0,
      groups: [...groups.values()],
      levels: filled,
    };
  }).filter(({ levels }) => levels.length > 0);
  const specific = concepts.reduce((sum, concept) => sum + concept.specific, 0);
  const asked = rounded(Math.min(MOST_ASKED, specific), 6);
  const plan = { concepts, category, floor: FLOOR, weakFloor: WEAK_FLOOR, asked, fair: FAIR_PART };
  return { plan, service: head?.service ?? null };
}
