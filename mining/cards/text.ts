import type { Pattern } from "../types.ts";
import { PATTERNS } from "../types.ts";
import { type Need, needById } from "../want/needs.ts";
import { typeName } from "../want/types_of.ts";
import { capital, count, listed, many, type Noun, nounOf, withArticle } from "./text_noun.ts";

/** What a card's words may be made of: counts over the signals of one cluster. */
export interface CardFacts {
  readonly kind: string;
  /** The most common phrasing among the signals. */
  readonly product: string;
  readonly need: string | null;
  readonly category: string;
  readonly patterns: Readonly<Record<Pattern, number>>;
  /** Brands the posts name, most often named first. */
  readonly brands: readonly { readonly name: string; readonly count: number }[];
  readonly signalCount: number;
  readonly distinctAuthors: number;
  /** Share of the signals that name a sum of money or more, 0-1. */
  readonly wtpShare: number;
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
    : known !== null && repeats(facts.product, known)
    ? facts.kind
    : facts.product;
  // "running shoes" say what they are for: the need is in the name already.
  const need = known !== null && repeats(product, known) ? null : known;
  const noun = nounOf(product, facts.kind);
  const main = mainPattern(facts.patterns);
  const want = wantPhrase(noun, need);
  return {
    title: capital(want ?? generalTitle(noun, main, facts)),
    summary: summary(facts, noun, want),
    productAngle: angle(facts, noun, want, main),
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

/** Whether a product's name says the need already: "wireless keyboard", "keychain light". */
function repeats(product: string, need: Need): boolean {
  const said = new Set(`${need.phrase} ${need.id}`.split(/[^a-z]+/));
  return product.split(/[ -]/).some((word) => word.length > 3 && said.has(word.replace(/'s$/, "")));
}

/** "headphones whose cable does not break", "a quiet keyboard"; null without a need. */
function wantPhrase(noun: Noun, need: Need | null): string | null {
  if (need === null) return null;
  if (need.phrase.startsWith("^")) return withArticle(noun, need.phrase.slice(1));
  const phrase = need.phrase.replace(
    /\{([^|}]*)\|([^}]*)\}/g,
    (_, one: string, more: string) => noun.number === "plural" ? more : one,
  );
  return `${withArticle(noun)} ${phrase}`;
}

/** How many signals the counts by pattern are over. */
function counted({ patterns }: CardFacts): number {
  return PATTERNS.reduce((sum, pattern) => sum + (patterns[pattern] ?? 0), 0);
}

/** A title for people who want no one thing of the product: by what most of them do. */
function generalTitle(noun: Noun, main: Pattern, facts: CardFacts): string {
  const rival = facts.brands[0];
  const known = rival !== undefined && rival.count > 1 && rival.count * 2 >= counted(facts);
  const most = facts.patterns[main] * 2 > counted(facts) || LET_DOWN.has(main);
  switch (most ? main : "recommendation_request") {
    case "recommendation_request":
      return `which ${noun.bare} to buy`;
    case "alternative_seeking":
      return known
        ? `an alternative to ${rival.name} ${many(noun)}`
        : `which ${noun.bare} to choose`;
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

const DOING: Readonly<Record<Pattern, readonly [one: string, more: string]>> = {
  repeat_failure: [
    "reports the same thing failing again and again",
    "report the same thing failing again and again",
  ],
  workaround: ["describes a makeshift", "describe a makeshift"],
  unmet_need: ["cannot find what is needed", "cannot find what they need"],
  replacement_hunt: ["looks for a replacement", "look for a replacement"],
  alternative_seeking: [
    "weighs alternatives to a product they know",
    "weigh alternatives to a product they know",
  ],
  willingness_to_pay: ["would pay more for the right one", "would pay more for the right one"],
  recommendation_request: ["asks what to buy", "ask what to buy"],
  frustration: ["complains of what they have", "complain of what they have"],
};

function summary(facts: CardFacts, noun: Noun, want: string | null): string {
  const people = facts.distinctAuthors === 1
    ? "One person wants"
    : `${capital(count(facts.distinctAuthors))} people want`;
  const posts = facts.signalCount > facts.distinctAuthors
    ? ` in ${count(facts.signalCount)} posts`
    : "";
  const sentences = [`${people} ${want ?? `the right ${noun.bare}`}${posts}.`];
  const doing = PATTERNS.filter((pattern) => facts.patterns[pattern] > 0)
    .sort((a, b) => facts.patterns[b] - facts.patterns[a]).slice(0, 3)
    .map((pattern) =>
      `${count(facts.patterns[pattern])} ${DOING[pattern][facts.patterns[pattern] === 1 ? 0 : 1]}`
    );
  if (doing.length > 0) {
    // A card counts patterns over its newest signals only.
    const newest = counted(facts) < facts.distinctAuthors
      ? `of the newest ${count(counted(facts))}, `
      : "";
    sentences.push(`${capital(newest + listed(doing))}.`);
  }
  const last = [brandPart(facts), moneyPart(facts)].filter((part) => part !== "");
  if (last.length > 0) sentences.push(`${capital(last.join("; "))}.`);
  return sentences.join(" ");
}

function brandPart(facts: CardFacts): string {
  const brands = facts.brands.filter((brand) => brand.count > 1).slice(0, 3);
  if (brands.length === 0) return "";
  return `the ${brands.length === 1 ? "brand" : "brands"} named most often: ${
    listed(brands.map((brand) => `${brand.name} (${brand.count})`))
  }`;
}

function moneyPart(facts: CardFacts): string {
  const paying = Math.round(facts.wtpShare * facts.signalCount);
  if (paying === 0) return "";
  return `${count(paying)} of ${count(facts.signalCount)} ${
    paying === 1 ? "names" : "name"
  } a sum of money`;
}

function angle(facts: CardFacts, noun: Noun, want: string | null, main: Pattern): string {
  const failing = facts.patterns.repeat_failure + facts.patterns.frustration +
    facts.patterns.replacement_hunt;
  const first = want === null
    ? `${capital(withArticle(noun))} for people who ${DOING[main][1]}: ${GENERAL[main]}.`
    : `${capital(want)}: make that the promise, and show how it is kept.`;
  if (failing * 2 > counted(facts)) {
    return `${first} Back it with spare parts and a long warranty, because failures are what these people report.`;
  }
  if (facts.wtpShare >= 0.4) {
    return `${first} Put the price up front: many of these people come with a sum in mind.`;
  }
  const rival = facts.brands.find((brand) => brand.count > 1)?.name;
  return rival === undefined
    ? first
    : `${first} Say how it differs from ${rival}, which they know.`;
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
