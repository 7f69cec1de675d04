/** A card's title, summary and product angle, written from its counts alone: the same counts, the same words. */
import { z } from "zod";
import type { Parsed } from "../../core/json.ts";
import { type Budgets, ENOUGH_SUMS } from "../opportunities/counts.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import {
  capital,
  count,
  listed,
  many,
  type Noun,
  nounOf,
  productNamed,
  spelled,
  withArticle,
  withThe,
} from "./text_noun.ts";
import { askedAlso, people, wantPhrase } from "./text_want.ts";

export const cardTextSchema = z.looseObject({
  title: z.string(),
  summary: z.string(),
  productAngle: z.string(),
});

/** The words of a card. */
export type CardText = Parsed<typeof cardTextSchema>;

/** What the words need besides the counts. */
interface Coverage {
  /** As the card has it: where false, the words speak of posts and not of people. */
  readonly authorsKnown: boolean;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
}

/**
 * How many people must state something beside the want for the words to tell it: two of up to nine,
 * three of ten or more. Fewer say something of themselves, not of a market.
 */
export const few = ({ authors }: CardFacts): number => authors >= 10 ? 3 : 2;
/** A middle half that spans more than this names no price to build for: its median is given alone. */
const WIDE = 2.5;
/** What so many times more of them ask for than others of the kind belongs to the product that they want. */
const TELLING_LIFT = 1.2;
/** From this lift on, what is asked for beside the want is a gap in build. */
export const BUILD_LIFT = 1.6;
/** Sums whose median is this far from the kind's (a logarithm) are a gap in price. */
const PRICE_GAP = 0.25;
/**
 * What a smaller share of the authors states is told as something to build only where it is a gap.
 */
export const ANGLE_SHARE = 0.25;

/** Title, summary and product angle of a card, in English. The same counts give the same words. */
export function cardText(facts: CardFacts, coverage: Coverage): CardText {
  const noun = nounOf(facts.product, facts.product);
  const want = wantPhrase(noun, facts.want, facts.narrowedBy);
  return {
    title: facts.want.type === "problem"
      ? `Complaint about ${many(noun)}: ${complaint(facts)}`
      : capital(want.replace(/^an? /, "")),
    summary: summary(facts, coverage, noun, want),
    productAngle: angle(facts, want, noun),
  };
}

/**
 * The numbers of those whose posts were read to say so: a reader of posts finds a part of what they say, so that
 * there may be more (docs/extraction.md). The first says what is counted: "(5+ people)", then "(4+)".
 */
function counter(who: string): (authors: number) => string {
  let isFirst = true;
  return (authors) => {
    const of = isFirst ? ` ${who}` : "";
    isFirst = false;
    return `(${authors}+${of})`;
  };
}

/** A problem as people name it, and what else all of these authors state. */
function complaint({ want, narrowedBy }: CardFacts): string {
  return listed(
    [want, ...narrowedBy === null ? [] : [narrowedBy]].map(({ value }) => spelled(value)),
  );
}

function summary(facts: CardFacts, coverage: Coverage, noun: Noun, want: string): string {
  const who = coverage.authorsKnown ? "people" : "posts";
  const least = few(facts);
  const said = <T extends { readonly authors: number }>(rows: readonly T[], most: number): T[] =>
    rows.filter(({ authors }) => authors >= least).slice(0, most);
  const atLeast = counter(who);
  const { authors, askingForProduct } = facts;
  const share = authors === askingForProduct
    ? `All ${count(authors)} ${who}`
    : `At least ${count(authors)} of the ${count(askingForProduct)} ${who}`;
  const sentences = [
    `${share} that ask for ${many(noun)} ${
      facts.want.type === "problem"
        ? `say something like “${spelled(facts.want.value)}”`
        : `want ${want}`
    }.`,
  ];
  const money = moneySentence(facts);
  if (money !== "") sentences.push(money);
  const fails = said(facts.failures, 4).map(({ problem, product, authors }) =>
    `“${problem}”${product === null ? "" : ` in ${withThe(product)}`} ${atLeast(authors)}`
  );
  if (fails.length > 0) sentences.push(`What fails them, in words like these: ${listed(fails)}.`);
  const users = said(facts.users, 3).map(({ value, authors }) =>
    `${people(spelled(value))} ${atLeast(authors)}`
  );
  if (users.length > 0) sentences.push(`Who it is for: ${listed(users)}.`);
  const also = alsoSentence(noun, said(facts.alsoWanted, 4), atLeast);
  if (also !== "") sentences.push(also);
  const brands = brandSentence(facts, atLeast);
  if (brands !== "") sentences.push(brands);
  sentences.push(`Posted ${period(coverage.firstSeen, coverage.lastSeen)}.`);
  return sentences.join(" ");
}

/** "Half of the 17 sums that they name lie between $150 and $300; the median is $200; …" */
function moneySentence(facts: CardFacts): string {
  const { budgets: [main], wouldPayMore } = facts;
  const more = wouldPayMore >= few(facts)
    ? `${count(wouldPayMore)} would pay more for the right one`
    : "";
  if (main === undefined || main.authors < ENOUGH_SUMS) {
    return more === "" ? "" : `${capital(more)}.`;
  }
  const { authors, median, ceilings, currency, marketMedian } = main;
  const middle = `the median${
    isNarrow(main) ? "" : ` of the ${count(authors)} sums that they name`
  } is ${money(median, currency)}`;
  const parts = isNarrow(main)
    ? [
      `half of the ${count(authors)} sums that they name lie between ${
        money(main.low, currency)
      } and ${money(main.high, currency)}`,
      middle,
    ]
    : [middle];
  if (ceilings > 0) {
    parts.push(`${count(ceilings)} ${ceilings === 1 ? "is a limit" : "are limits"}`);
  }
  if (marketMedian !== null && marketMedian !== median) {
    parts.push(`the median of all who ask for one is ${money(marketMedian, currency)}`);
  }
  if (more !== "") parts.push(more);
  return `${capital(parts.join("; "))}.`;
}

/** Whether the middle half is a price to build for. */
const isNarrow = ({ low, high }: Budgets): boolean => low < high && high <= WIDE * low;

function brandSentence(facts: CardFacts, atLeast: (authors: number) => string): string {
  const { brands } = facts;
  const least = few(facts);
  const role = (list: CardFacts["brands"]["owned"]): string =>
    listed(
      list.filter(({ authors }) => authors >= least).slice(0, 3)
        .map(({ name, authors }) => `${productNamed(name).name} ${atLeast(authors)}`),
    );
  const parts = [
    [role(brands.rejected), "turned down"],
    [role(brands.considered), "weighed"],
    [role(brands.owned), "owned"],
  ].flatMap(([names, verb]) => names === "" ? [] : [`${verb}: ${names}`]);
  return parts.length === 0 ? "" : `${capital(parts.join("; "))}.`;
}

type Also = CardFacts["alsoWanted"][number];

/** "They also ask for bass (3+ people), want them for gaming (5+) and ask that they fold flat (3+)." */
function alsoSentence(
  noun: Noun,
  also: readonly Also[],
  atLeast: (authors: number) => string,
): string {
  const asked = also.map((one) => ({ ...askedAlso(noun, one), authors: one.authors }));
  const parts = [...Map.groupBy(asked, ({ lead }) => lead)].map(([lead, rows]) =>
    `${lead} ${listed(rows.map(({ words, authors }) => `${words} ${atLeast(authors)}`))}`
  );
  return parts.length === 0 ? "" : `They also ${listed(parts)}.`;
}

/**
 * What the counts say beyond the title: what fails them and where, what goes along more often than with others of the
 * kind, for whom, at what price where that is not the usual one, and beside whom. What they ask for besides is told
 * of how many, one by one: nothing counts who asks for all of it together. Where nothing is beyond, it is short.
 */
function angle(facts: CardFacts, want: string, noun: Noun): string {
  const answers = facts.want.type === "problem"
    ? `Build ${withArticle(noun)} that ${noun.number === "plural" ? "answer" : "answers"} “${
      spelled(facts.want.value)
    }”.`
    : "";
  const told = [
    answers,
    failureAngle(facts),
    alsoAngle(facts, noun),
    userAngle(facts, noun),
    priceAngle(facts, noun),
    rivalAngle(facts, noun),
  ].filter((sentence) => sentence !== "");
  if (told.length > 0) return told.join(" ");
  const [main] = facts.budgets;
  return main === undefined || main.authors < ENOUGH_SUMS
    ? `Build ${want}.`
    : `Build ${want} at about ${money(main.median, main.currency)}.`;
}

const pronoun = (noun: Noun): string => noun.number === "plural" ? "them" : "it";

/** The worst failure, with the product that has it, and the next. */
function failureAngle(facts: CardFacts): string {
  const [worst, second] = facts.failures.filter(({ authors }) => authors >= few(facts))
    .map(({ problem, product, authors }) => ({
      words: `“${problem}”`,
      where: product === null ? "" : ` in ${withThe(product)}`,
      authors,
    }));
  if (worst === undefined) return "";
  const also = second === undefined
    ? ""
    : `, then ${second.words}${second.where} (at least ${second.authors})`;
  return `Answer ${worst.words} first: at least ${worst.authors} of ${facts.authors} report it${worst.where}${also}.`;
}

/** The two other wants that set these authors apart most. */
function alsoAngle(facts: CardFacts, noun: Noun): string {
  const telling = facts.alsoWanted.filter(({ authors, lift }) =>
    authors >= few(facts) &&
    (lift >= BUILD_LIFT || lift >= TELLING_LIFT && authors >= ANGLE_SHARE * facts.authors)
  ).sort((a, b) => b.authors * b.lift - a.authors * a.lift || (a.value < b.value ? -1 : 1))
    .slice(0, 2).sort((a, b) => b.authors - a.authors);
  if (telling.length === 0) return "";
  const parts = telling.map((one) => {
    const { lead, words } = askedAlso(noun, one);
    return `at least ${count(one.authors)} also ${lead} ${words}`;
  });
  const lift = Math.floor(Math.min(...telling.map((one) => one.lift)));
  const often = lift < 2 ? "more often than" : `at least ${times(lift)} as often as`;
  return `Of the ${count(facts.authors)}, ${parts.join(" and ")}, ${
    telling.length > 1 ? "each " : ""
  }${often} all who ask for ${many(noun)}.`;
}

const times = (number: number): string => number === 2 ? "twice" : `${count(number)} times`;

function userAngle(facts: CardFacts, noun: Noun): string {
  const [user] = facts.users.filter(({ authors }) =>
    authors >= Math.max(few(facts), ANGLE_SHARE * facts.authors)
  );
  return user === undefined
    ? ""
    : `Make ${pronoun(noun)} for ${people(spelled(user.value))}: at least ${
      count(user.authors)
    } of the ${count(facts.authors)} say so.`;
}

/** Whether so many name sums so far from what others of the kind name that it is a price of this want's own. */
export const isPricedApart = (
  { authors, median, marketMedian }: CardFacts["budgets"][number],
): boolean =>
  authors >= ENOUGH_SUMS && marketMedian !== null &&
  Math.abs(Math.log(median / marketMedian)) >= PRICE_GAP;

/** How many would pay how much more, or less, than others of the kind. */
function priceAngle(facts: CardFacts, noun: Noun): string {
  const [main] = facts.budgets;
  if (main === undefined || main.marketMedian === null || !isPricedApart(main)) return "";
  const { authors, low, median, high, marketMedian, currency } = main;
  const isMore = median > marketMedian;
  // The part of the middle half in which they differ from the others.
  const [from, to] = isMore ? [median, high] : [low, median];
  const price = isNarrow(main) && from < to
    ? `${money(from, currency)} to ${money(to, currency)}`
    : `about ${money(median, currency)}`;
  return `Price ${pronoun(noun)} at ${price}: at least half of the ${count(authors)} sums are ${
    money(median, currency)
  } or ${isMore ? "more" : "less"}, where the median of all who ask for ${many(noun)} is ${
    money(marketMedian, currency)
  }.`;
}

function rivalAngle(facts: CardFacts, noun: Noun): string {
  const [rival] = facts.brands.considered;
  return rival === undefined || rival.authors < few(facts)
    ? ""
    : `Compare ${pronoun(noun)} with ${
      withThe(rival.name)
    }, which at least ${rival.authors} of them weigh.`;
}

const SYMBOLS: Readonly<Record<string, string>> = { usd: "$", gbp: "£", eur: "€" };
const DIGITS = new Intl.NumberFormat("en-US");

/** "$150", "150 CAD". */
function money(amount: number, currency: Budgets["currency"]): string {
  const symbol = SYMBOLS[currency];
  const digits = DIGITS.format(amount);
  return symbol === undefined ? `${digits} ${currency.toUpperCase()}` : `${symbol}${digits}`;
}

const MONTH = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });

function period(first: Date, last: Date): string {
  const [from, to] = [MONTH.format(first), MONTH.format(last)];
  return from === to ? `in ${from}` : `from ${from} to ${to}`;
}
