/**
 * What a query means: the product it asks for (its head) and what is said of it, each a concept with a
 * share of the whole. docs/verdicts.md explains the numbers.
 */
import type { Concept, Group, Level, QueryPlan } from "../db/matching_plan.ts";
import { wordWeight } from "./common.ts";
import { type Head, type KindSpan, readHead } from "./head.ts";
import { meansKind, namingWords, partsOfKind } from "./same.ts";
import { onlyAsks } from "./services.ts";

/** A word of a query: as typed, its stems, and stems it may have been meant to have. */
export interface QueryWord {
  readonly word: string;
  readonly stems: readonly string[];
  readonly similar: readonly string[];
}

/** Words `start` up to, not including, `end` speak of needs, each given by the stems of its name. */
export interface NeedSpan {
  readonly start: number;
  readonly end: number;
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

/** The head weighs at least as much as a word that says as much as a word can. */
const HEAD_WEIGHT = 1.2;
/** A query of common words alone means nothing in particular: weights count as shares of this at least. */
const LEAST_WEIGHT = 0.8;
/** The share a post must carry: where it is about the head, and else. */
const FLOOR = 0.25;
const WEAK_FLOOR = 0.6;
const SIMILAR_QUALITY = 0.85;
/** From this weight on a word is a specific thing to ask of a product. */
const SPECIFIC_WEIGHT = 0.5;
/** A long query lists more than anybody says at once: beside its head so much weight is enough. */
const MOST_ASKED = 1.75;
/** The part of it that a post must meet. */
const FAIR_PART = 0.4;
/** Words that ask, praise or count weigh as the most common words do. */
const ASKING_WEIGHT = 0.1;

interface Weighed {
  readonly head: boolean;
  readonly weight: number;
  readonly specific: boolean;
  readonly levels: readonly Level[];
}

const stemsOf = (words: readonly QueryWord[]): Group => words.flatMap(({ stems }) => stems);
const weightOf = (words: readonly QueryWord[]): number =>
  words.reduce((sum, { word }) => sum + wordWeight(word), 0);
const level = (groups: readonly Group[], fields: Level["fields"], quality: number, about = false) =>
  ({ groups, fields, quality, about }) satisfies Level;

function headOf(words: readonly QueryWord[], levels: readonly Level[]): Weighed {
  const weight = Math.max(HEAD_WEIGHT, weightOf(words));
  return { head: true, weight, specific: false, levels };
}

/**
 * A product that the lexicon knows. Signals are about it by their kind alone: a word of their text may
 * belong to another product ("phone" in that of a phone case). A name that means a part of the kind must
 * stand in the signal besides ("macbook"); a word before the kind's own name ("gaming mouse") is
 * something said of it. Gives the head and the words that it is made of.
 */
function knownHead(
  words: readonly QueryWord[],
  { start, end, kinds }: KindSpan,
): { readonly part: Weighed; readonly used: readonly number[] } {
  const phrase = words.slice(start, end);
  const typed = phrase.map(({ word }) => word);
  const stems = stemsOf(phrase);
  const [all, some, parts]: [Group[], Group[], Group[]] = [[], [], []];
  let used: readonly number[] = typed.map((_, i) => i);
  for (const kind of kinds) {
    const whole = meansKind(typed, kind);
    const naming = namingWords(typed, kind);
    if (!whole && naming.length === 0) {
      if (stems.length > 0) some.push([`k/${kind}`, ...stems]);
      continue;
    }
    if (!whole) used = naming;
    all.push([`k/${kind}`]);
    parts.push(...partsOfKind(kind).map((part): Group => [`k/${part}`]));
  }
  const named = all.map((group): Group => [...group, ...stems]);
  const part = headOf(used.flatMap((i) => phrase[i] ?? []), [
    level([...named, ...some], "A", 1, true),
    level(all, "A", 0.97, true),
    level([...some, ...parts], null, 0.9, true),
  ]);
  return { part, used: used.map((i) => start + i) };
}

/** A product that the lexicon does not know: by the kind that a post's own words gave, or by its words. */
function unknownHead(words: readonly QueryWord[], { phrases, last }: Head): Weighed {
  const own = words.slice(last, last + 1);
  const together = stemsOf(own);
  const longest = stemsOf(words.slice(phrases[0]?.start ?? last, last + 1));
  return headOf(own, [
    level(phrases.flatMap(({ kinds }) => kinds.map((kind): Group => [`k/${kind}`])), "A", 1, true),
    level(longest.length > together.length ? [longest] : [], "A", 1, true),
    level(own.flatMap(({ similar }) => similar.map((stem): Group => [stem])), "A", 0.72, true),
    level([together], "AB", 0.45),
    level([together], null, 0.35),
  ]);
}

/** What is said of the product: all of these words together, or a need that they speak of. */
function said(words: readonly QueryWord[], need: NeedSpan | undefined): Weighed {
  const stems: Group[] = [stemsOf(words)];
  const similar = words.length === 1 ? words.flatMap((word) => word.similar) : [];
  const asks = words.every(({ word }) => onlyAsks(word));
  const weight = asks ? ASKING_WEIGHT : Math.min(HEAD_WEIGHT, weightOf(words));
  return {
    head: false,
    weight,
    specific: weight >= SPECIFIC_WEIGHT && need?.price !== true,
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

/** The parts of a query, one for each different thing that it says. */
function partsOf(
  words: readonly QueryWord[],
  head: Head,
  needs: readonly NeedSpan[],
): readonly Weighed[] {
  const known = head.span === null ? null : knownHead(words, head.span);
  // "Bike helmet" says "bike" of every bike helmet: the kind's own words are nothing to ask besides.
  const own = new Set(head.span?.kinds.flatMap((kind) => kind.split(/[\s-]+/)) ?? []);
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
    const key = stemsOf(own).join(" ");
    if (key !== "" && !used.has(i) && !seen.has(key)) parts.push(said(own, need));
    seen.add(key);
    i = end;
  }
  return parts;
}

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/**
 * Reads what a query means. A query that says nothing, or asks for no physical product, gives a plan
 * without concepts, which nothing matches.
 */
export function planQuery(
  words: readonly QueryWord[],
  spans: readonly KindSpan[],
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
      share: rounded(weight / total),
      specific: specific ? weight : 0,
      groups: [...groups.values()],
      levels: filled,
    };
  }).filter(({ levels }) => levels.length > 0);
  const specific = concepts.reduce((sum, concept) => sum + concept.specific, 0);
  const asked = rounded(Math.min(MOST_ASKED, specific));
  const plan = { concepts, category, floor: FLOOR, weakFloor: WEAK_FLOOR, asked, fair: FAIR_PART };
  return { plan, service: head?.service ?? null };
}
