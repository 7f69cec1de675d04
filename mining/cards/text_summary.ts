/** A card's summary: counts over its signals, in words. */
import { type Pattern, PATTERNS } from "../types.ts";
import type { CardFacts } from "./text.ts";
import { capital, count, listed, type Noun } from "./text_noun.ts";
import type { Wanted } from "./text_want.ts";

/** How many signals the counts by pattern are over. */
export function counted({ patterns }: CardFacts): number {
  return PATTERNS.reduce((sum, pattern) => sum + (patterns[pattern] ?? 0), 0);
}

/** What the signals of a pattern do, of one and of more. */
export const DOING: Readonly<Record<Pattern, readonly [one: string, more: string]>> = {
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

/** What posts do, where nobody is known to have written them, and people would do it otherwise. */
const SAYING: Readonly<Partial<Record<Pattern, readonly [one: string, more: string]>>> = {
  unmet_need: ["says that it cannot be found", "say that it cannot be found"],
  alternative_seeking: [
    "weighs alternatives to a known product",
    "weigh alternatives to a known product",
  ],
  frustration: ["complains of a bad one", "complain of a bad one"],
};

/** Who wants it, what they do, what else they ask for, and the brands and sums they name. */
export function summary(facts: CardFacts, noun: Noun, { want, asked }: Wanted): string {
  const wanted = want ?? `the right ${noun.bare}`;
  const sentences = [facts.authorsKnown ? byPeople(facts, wanted) : byPosts(facts, wanted)];
  const doing = PATTERNS.filter((pattern) => facts.patterns[pattern] > 0)
    .sort((a, b) => facts.patterns[b] - facts.patterns[a]).slice(0, 3)
    .map((pattern) => {
      const does = (facts.authorsKnown ? undefined : SAYING[pattern]) ?? DOING[pattern];
      return `${count(facts.patterns[pattern])} ${does[facts.patterns[pattern] === 1 ? 0 : 1]}`;
    });
  if (doing.length > 0) {
    // A card counts patterns over its newest signals only.
    const newest = counted(facts) < facts.distinctAuthors
      ? `of the newest ${count(counted(facts))}, `
      : "";
    sentences.push(`${capital(newest + listed(doing))}.`);
  }
  if (asked.length > 0) {
    const besides = asked.map(({ phrase, count }) => `${phrase} (${count})`);
    sentences.push(`Also asked for: ${listed(besides)}.`);
  }
  const last = [brandPart(facts), moneyPart(facts)].filter((part) => part !== "");
  if (last.length > 0) sentences.push(`${capital(last.join("; "))}.`);
  return sentences.join(" ");
}

function byPeople({ distinctAuthors, signalCount }: CardFacts, wanted: string): string {
  const people = distinctAuthors === 1
    ? "One person wants"
    : `${capital(count(distinctAuthors))} people want`;
  const posts = signalCount > distinctAuthors ? ` in ${count(signalCount)} posts` : "";
  return `${people} ${wanted}${posts}.`;
}

function byPosts({ signalCount }: CardFacts, wanted: string): string {
  return `Wanted in ${count(signalCount)} ${signalCount === 1 ? "post" : "posts"}: ${wanted}.`;
}

function brandPart(facts: CardFacts): string {
  const brands = facts.brands.filter((brand) => brand.count > 1).slice(0, 3);
  if (brands.length === 0) return "";
  return `the ${brands.length === 1 ? "brand" : "brands"} named most often: ${
    listed(brands.map((brand) => `${brand.name} (${brand.count})`))
  }`;
}

function moneyPart(facts: CardFacts): string {
  const { paying } = facts;
  if (paying === 0) return "";
  const all = counted(facts);
  const newest = all < facts.distinctAuthors ? "the newest " : "";
  const naming = paying === 1 ? "names a sum or would pay more" : "name a sum or would pay more";
  return `${count(paying)} of ${newest}${count(all)} ${naming}`;
}
