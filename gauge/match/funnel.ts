/** The funnel: how many want the product, how many of them state what, and what is nearest to it. */
import type { AskedWant } from "../query/plan.ts";
import type { ReadQuery } from "../query/read.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { ABOUT_FROM } from "../../db/matching/plan.ts";
import { MENTIONED_FROM } from "../query/product_levels.ts";
import { UNSTATED_POWER } from "../query/want_levels.ts";
import type { Funnel, Match } from "../types.ts";
import type { Matched } from "./corpus.ts";

/** What was found in the corpus and, of that, on the site at request time. */
export interface Counted extends Matched {
  readonly live: readonly Match[];
}

/** What each person states who is found on the site alone: one of the nearest in the corpus is known there. */
function statedLive(known: readonly Match[], live: readonly Match[]): readonly number[] {
  const authors = new Set(known.map(({ authorKey }) => authorKey));
  const texts = new Set(known.map(({ textKey }) => textKey));
  const stated = new Map<string, number>();
  for (const { authorKey, textKey, met } of live) {
    const before = stated.get(authorKey);
    // A copy of a text is nobody more, and its author's other posts are.
    if (authors.has(authorKey) || (before === undefined && texts.has(textKey))) continue;
    texts.add(textKey);
    stated.set(authorKey, (before ?? 0) | met);
  }
  return [...stated.values()];
}

type Plan = ReadQuery["plan"];

/** The places of the wants that are counted so. */
const wantsCounted = ({ wants }: Plan, so: AskedWant["counted"]): readonly number[] =>
  wants.flatMap(({ counted }, i) => counted === so ? [i] : []);

/** The places of the wants that are counted: where nothing else is asked, for whom it is ("women's boots"), but not who asks. */
function countedWants(plan: Plan): readonly number[] {
  const asked = wantsCounted(plan, "always");
  return asked.length > 0 ? asked : wantsCounted(plan, "ifNothingElse");
}

const bitsOf = (wants: readonly number[]): number => wants.reduce((bits, i) => bits | (1 << i), 0);

/** Whether of what is asked the want of this place is among those that `met` has bits of. */
export const isMet = (met: number, want: number): boolean => (met & (1 << want)) !== 0;

/** All that is counted of what is asked of the product, as bits. */
export const wantedBits = (plan: Plan): number => bitsOf(countedWants(plan));

/**
 * The one thing that is asked of the product, as bits; 0 where several are, of which one is often misread, and where hardly
 * anybody says so who wants it: "hardware" of a synthesizer.
 */
export function askedBits(plan: Plan): number {
  const asked = wantsCounted(plan, "always");
  const isSaid = (i: number) => (plan.wants[i]?.power ?? 0) > UNSTATED_POWER;
  return asked.length === 1 && asked.every(isSaid) ? bitsOf(asked) : 0;
}

/** The names of wants that nobody is counted for. */
export function asideNames(plan: Plan): string[] {
  const counted = countedWants(plan);
  return plan.wants.flatMap(({ name }, i) => counted.includes(i) ? [] : [name]);
}

/** Counts from all signals that were read; projected where those stand for more of them. */
export function funnelOf(
  { plan, product }: ReadQuery,
  { matches, live, stating, peoplePerRead }: Counted,
  corpusSignals: number,
): Funnel {
  const about = (match: Match) => match.head >= ABOUT_FROM;
  const fresh = statedLive(matches.filter(about), live.filter(about));
  const counted = countedWants(plan);
  const all = bitsOf(counted);
  const count = (test: (met: number) => boolean): number => {
    const read = stating.reduce((sum, { met, people }) => test(met) ? sum + people : sum, 0);
    const known = matches.filter((match) => about(match) && test(match.met)).length;
    return Math.max(known, Math.round(read * peoplePerRead) + fresh.filter(test).length);
  };
  const shown = [...matches, ...live].filter(about);
  const times = shown.map(({ createdAt }) => createdAt.getTime());
  return {
    product,
    askingForProduct: count(() => true),
    wants: counted.map((i) => ({
      want: plan.wants[i]?.name ?? "",
      count: count((met) => isMet(met, i)),
    })),
    statingAll: count((met) => (met & all) === all),
    communities: new Set(shown.map(({ community }) => community.toLowerCase())).size,
    from: times.length === 0 ? null : new Date(Math.min(...times)).toISOString(),
    to: times.length === 0 ? null : new Date(Math.max(...times)).toISOString(),
    corpusSignals,
  };
}

/** How many of those who count for wants write in communities where those go without saying, be it that they say them, too. */
export interface Granted {
  readonly wants: readonly { readonly want: string; readonly people: number }[];
  /** Those that most of them write in. */
  readonly communities: readonly string[];
}

/** So many communities are named. */
const MOST_GRANTING = 3;

/** Who counts for a want and writes where it goes without saying, of `matches`, one of each person. */
export function grantedIn(plan: Plan, matches: readonly Match[]): Granted {
  const writing = new Map<string, Set<Match>>();
  const wants = countedWants(plan).flatMap((i) => {
    const { name = "", granting = [] } = plan.wants[i] ?? {};
    const granted = matches.filter(({ head, met, community }) =>
      head >= ABOUT_FROM && isMet(met, i) && granting.includes(community.toLowerCase())
    );
    for (const match of granted) {
      const { community } = match;
      writing.set(community, (writing.get(community) ?? new Set()).add(match));
    }
    return granted.length === 0 ? [] : [{ want: name, people: granted.length }];
  });
  const communities = [...writing]
    .sort(([a, x], [b, y]) => y.size - x.size || (a < b ? -1 : 1))
    .slice(0, MOST_GRANTING).map(([community]) => community);
  return { wants, communities };
}

/** The nearest thing that people do want, for a query that nobody states as asked. */
export interface Nearest {
  /** "running headphones", or another kind. */
  readonly what: string;
  readonly people: number;
  /** Whether it is another product, and has no word of the name of what was asked: their posts only mention that. */
  readonly mentions: boolean;
}

/**
 * The nearest to a product that all of is asked of by nobody: the product with as much of it as anybody
 * states, or where nobody wants the product, the kind that most of those want whose posts speak of it.
 */
export function nearestTo(
  { plan, product }: ReadQuery,
  { stating, peoplePerRead, matches }: Matched,
  { askingForProduct, statingAll }: Funnel,
): Nearest | null {
  if (statingAll > 0) return null;
  if (askingForProduct === 0) {
    const words = (name: string): string[] => name.split(/[\s-]+/).map(singular);
    const asked = words(product);
    const isOther = (kind: string) => !words(kind).some((word) => asked.includes(word));
    const kinds = new Map<string, number>();
    for (const { kind, head } of matches) {
      // One word of the name is no mention of it: a card "holder" is none of a harmonica holder.
      if (head >= MENTIONED_FROM || !isOther(kind)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const [most] = [...kinds].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return most === undefined
      ? null
      : { what: most[0], people: most[1], mentions: isOther(most[0]) };
  }
  const counted = countedWants(plan);
  const weigh = (met: number) =>
    counted.reduce((sum, i) => isMet(met, i) ? sum + (plan.wants[i]?.power ?? 0) : sum, 0);
  const [most] = stating.filter(({ met }) => weigh(met) > 0)
    .toSorted((a, b) => weigh(b.met) - weigh(a.met) || a.met - b.met);
  if (most === undefined) return null;
  const wanted = counted.filter((i) => isMet(most.met, i));
  const people = stating.reduce(
    (sum, { met, people }) => wanted.every((i) => isMet(met, i)) ? sum + people : sum,
    0,
  );
  const stated = wanted.map((i) => plan.wants[i]?.name ?? "");
  const what = `${product}: ${stated.join(", ")}`;
  return { what, people: Math.round(people * peoplePerRead), mentions: false };
}
