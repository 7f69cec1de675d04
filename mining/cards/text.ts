/** A card's title, summary and product angle, made of counts and word lists alone. */
import type { Pattern } from "../types.ts";
import { PATTERNS } from "../types.ts";
import { isRival } from "../want/brands.ts";
import { needById, saysNeed } from "../want/needs.ts";
import { typeName } from "../want/types_of.ts";
import { capital, count, type Noun, nounOf, withArticle } from "./text_noun.ts";
import { counted, DOING, summary } from "./text_summary.ts";
import { alsoAsked, type Asked, type Wanted, wantPhrase } from "./text_want.ts";

/** What a card's words may be made of: counts over the signals of one cluster. */
export interface CardFacts {
  readonly kind: string;
  /** The most common phrasing among the signals. */
  readonly product: string;
  readonly need: string | null;
  readonly category: string;
  readonly patterns: Readonly<Record<Pattern, number>>;
  /** Ids of other needs that the posts speak of, most often spoken of first. */
  readonly spoken: readonly { readonly name: string; readonly count: number }[];
  /** Brands the posts name, most often named first. */
  readonly brands: readonly { readonly name: string; readonly count: number }[];
  readonly signalCount: number;
  readonly distinctAuthors: number;
  /** False where the source names no authors: then the words speak of posts, not of people. */
  readonly authorsKnown: boolean;
  /** Of the signals that `patterns` counts, those that name a sum of money or would pay more. */
  readonly paying: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
}

/** The words of a card. */
export interface CardText {
  readonly title: string;
  readonly summary: string;
  readonly productAngle: string;
}

/** Title, summary and product angle, from counts and word lists alone: the same facts, the same words. */
export function cardText(facts: CardFacts): CardText {
  const known = facts.need === null ? null : needById(facts.need) ?? null;
  const type = facts.need === null ? undefined : typeName(facts.need);
  const product = type !== undefined
    ? type
    : known !== null && saysNeed(facts.product, known)
    ? facts.kind
    : facts.product;
  // "running shoes" say what they are for: the need is in the name already.
  const need = known !== null && saysNeed(product, known) ? null : known;
  const noun = nounOf(product, facts.kind);
  const main = mainPattern(facts.patterns);
  const want = need === null ? null : wantPhrase(noun, need);
  const asked = alsoAsked(facts.spoken, { noun, own: facts.need, all: counted(facts) });
  return {
    title: capital(want ?? generalTitle(noun, main, facts)),
    summary: summary(facts, noun, { want, asked }),
    productAngle: angle(facts, noun, { want, asked }, main),
  };
}

/** The pattern of most signals; of equals the more specific. */
function mainPattern(patterns: Readonly<Record<Pattern, number>>): Pattern {
  let best: Pattern = "recommendation_request";
  for (const pattern of PATTERNS) {
    if ((patterns[pattern] ?? 0) > (patterns[best] ?? 0)) best = pattern;
  }
  return best;
}

/** A title for people who want no one thing of the product: by what most of them do. */
function generalTitle(noun: Noun, main: Pattern, facts: CardFacts): string {
  const most = facts.patterns[main] * 2 > counted(facts) || LET_DOWN.has(main);
  switch (most ? main : "recommendation_request") {
    case "recommendation_request":
      return `which ${noun.bare} to buy`;
    case "alternative_seeking":
      // Which of the brands they name is the one to leave, the counts do not say.
      return `which ${noun.bare} to choose`;
    case "willingness_to_pay":
      return `${withArticle(noun)} worth paying more for`;
    case "replacement_hunt":
      return `a replacement for ${worn(noun)}`;
    case "repeat_failure":
      return `${withArticle(noun)} that ${
        noun.number === "plural" ? "do" : "does"
      } not keep failing`;
    case "frustration":
      return `${withArticle(noun)} that ${letDown(noun, facts.category)}`;
    case "unmet_need":
      return `the ${noun.bare} nobody can find`;
    case "workaround":
      return `${withArticle(noun)} that ${
        noun.number === "plural" ? "need" : "needs"
      } no makeshift`;
  }
}

/** The patterns of a cluster of people who are let down: its title speaks of that even without a majority. */
const LET_DOWN: ReadonlySet<Pattern> = new Set<Pattern>([
  "repeat_failure",
  "frustration",
  "workaround",
]);

/** Where things have a function, they should work; elsewhere, they should not disappoint. */
function letDown(noun: Noun, category: string): string {
  const one = noun.number !== "plural";
  if (WORN_OR_LIVED_WITH.has(category)) return `${one ? "does" : "do"} not disappoint`;
  return one ? "works as it should" : "work as they should";
}

const WORN_OR_LIVED_WITH: ReadonlySet<string> = new Set([
  "clothing",
  "footwear",
  "bags",
  "beauty",
  "health",
  "home-furnishings",
  "kitchen",
  "pets",
]);

function worn(noun: Noun): string {
  return noun.number === "one" ? `a worn-out ${noun.bare}` : `worn-out ${noun.bare}`;
}

/** With this share of them, those who speak of money are many. */
const MANY_PAYING = 0.4;
/** A brand that fewer posts name is none that the market compares with. */
const RIVAL_LEAST = 3;

/** What so many of those who want no one thing ask for is what to offer first. */
const FIRST_LEAST = 3;
const FIRST_SHARE = 0.1;

function angle(facts: CardFacts, noun: Noun, { want, asked }: Wanted, main: Pattern): string {
  const all = counted(facts);
  const first = want === null
    ? `${capital(withArticle(noun))} for people who ${DOING[main][1]}: ${GENERAL[main]}.` +
      firstOffer(asked[0], all)
    : `${capital(want)}: make that the promise, and show how it is kept.`;
  if (facts.patterns.repeat_failure * 2 > all) {
    return `${first} Back it with a long warranty, because failures are what most of these posts report.`;
  }
  if (facts.patterns.frustration * 2 > all && want !== null) {
    return `${first} Answer the complaints first: most of these posts make one.`;
  }
  if (facts.patterns.replacement_hunt * 2 > all && want !== null) {
    return `${first} Keep it on sale and keep it the same: most of these posts look for what they had before.`;
  }
  if (facts.paying >= MANY_PAYING * all) {
    return `${first} Put the price up front: many of these posts name a sum or would pay more.`;
  }
  const rival = facts.brands.find(({ name, count }) =>
    count >= RIVAL_LEAST && isRival(name, facts.kind)
  )?.name;
  return rival === undefined
    ? first
    : `${first} Say how it differs from ${rival}, which some of them name.`;
}

function firstOffer(most: Asked | undefined, all: number): string {
  if (most === undefined || most.count < Math.max(FIRST_LEAST, FIRST_SHARE * all)) return "";
  return ` Offer ${most.phrase} first: ${count(most.count)} of these posts ask for that.`;
}

/** What answers people who want no one thing in particular of a product. */
const GENERAL: Readonly<Record<Pattern, string>> = {
  repeat_failure: "find the part that gives way and build that part to last",
  workaround: "sell ready-made what they now put together themselves",
  unmet_need: "make what they describe, or show them where it exists",
  replacement_hunt: "offer the closest thing to what they had, and keep it on sale",
  alternative_seeking: "win the comparison they are making, point by point",
  willingness_to_pay: "give the better version that they say they would pay for",
  recommendation_request: "few models, plain differences, and honest limits make the choice easy",
  frustration: "begin with the complaint heard most and remove its cause",
};
