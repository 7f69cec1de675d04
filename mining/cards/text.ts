/** A card's title, summary and product angle, written from its counts alone: the same counts, the same words. */
import type { Budgets } from "../opportunities/counts.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import {
  capital,
  count,
  listed,
  many,
  type Noun,
  nounOf,
  spelled,
  withArticle,
} from "./text_noun.ts";
import { wantPhrase } from "./text_want.ts";

/** The words of a card. */
export interface CardText {
  readonly title: string;
  readonly summary: string;
  readonly productAngle: string;
}

/** What the words need besides the counts. */
export interface Coverage {
  /** False where the source names no authors: then the words speak of posts, not of people. */
  readonly authorsKnown: boolean;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
}

/** Fewer people than this say something of themselves, not of a market: two of a few, three of many. */
export const few = ({ authors }: CardFacts): number => authors >= 10 ? 3 : 2;
/** Fewer sums are no market's price. */
export const SUMS = 5;
/** A middle half that spans more than this is no price to build for: its median is given alone. */
const WIDE = 2.5;
/** What so many times more of them ask for than others of the kind belongs to the product that they want. */
const TELLING_LIFT = 1.2;
/** Nothing is to be built for what a smaller share of them state. */
export const ANGLE_SHARE = 0.25;

/** Title, summary and product angle. */
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
 * The number of those whose posts were read to say so: a reader of posts finds a part of what they say, so
 * that there may be more (docs/extraction.md).
 */
const atLeast = (authors: number): string => `(${authors}+)`;

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
  const sentences = [
    `At least ${count(facts.authors)} of the ${count(facts.askingForProduct)} ${who} that ask for ${
      many(noun)
    } ${facts.want.type === "problem" ? `say “${spelled(facts.want.value)}”` : `want ${want}`}.`,
  ];
  const money = moneySentence(facts);
  if (money !== "") sentences.push(money);
  const fails = said(facts.failures, 4).map(({ problem, product, authors }) =>
    `“${problem}”${product === null ? "" : ` in the ${spelled(product)}`} ${atLeast(authors)}`
  );
  if (fails.length > 0) sentences.push(`What fails them: ${listed(fails)}.`);
  const counted = ({ value, authors }: { value: string; authors: number }): string =>
    `${spelled(value)} ${atLeast(authors)}`;
  const users = said(facts.users, 3).map(counted);
  if (users.length > 0) sentences.push(`Who they are: ${listed(users)}.`);
  const also = alsoSentence(said(facts.alsoWanted, 4));
  if (also !== "") sentences.push(also);
  const brands = brandSentence(facts);
  if (brands !== "") sentences.push(brands);
  sentences.push(`Posted ${period(coverage.firstSeen, coverage.lastSeen)}.`);
  return sentences.join(" ");
}

/** "Of the 17 sums that they name, the middle half lies at $150 to $300, the median at $200; …" */
function moneySentence(facts: CardFacts): string {
  const { budgets: [main], wouldPayMore } = facts;
  const more = wouldPayMore >= few(facts)
    ? `${count(wouldPayMore)} would pay more for the right one`
    : "";
  if (main === undefined || main.authors < SUMS) return more === "" ? "" : `${capital(more)}.`;
  const { authors, median, ceilings, currency, marketMedian } = main;
  const parts = [
    `Of the ${count(authors)} sums that they name, ${
      isNarrow(main)
        ? `the middle half lies at ${band(main)}, the median at ${money(median, currency)}`
        : `the median is ${money(median, currency)}`
    }`,
  ];
  if (ceilings > 0) {
    parts.push(`${count(ceilings)} ${ceilings === 1 ? "is a limit" : "are limits"}`);
  }
  if (marketMedian !== null && marketMedian !== median) {
    parts.push(`the median of all who ask for one is ${money(marketMedian, currency)}`);
  }
  if (more !== "") parts.push(more);
  return `${parts.join("; ")}.`;
}

/** Whether the middle half is a price to build for. */
const isNarrow = ({ low, high }: Budgets): boolean => low < high && high <= WIDE * low;

const band = ({ low, high, currency }: Budgets): string =>
  `${money(low, currency)} to ${money(high, currency)}`;

function brandSentence(facts: CardFacts): string {
  const { brands } = facts;
  const least = few(facts);
  const role = (list: CardFacts["brands"]["owned"]): string =>
    listed(
      list.filter(({ authors }) => authors >= least).slice(0, 3)
        .map(({ name, authors }) => `${spelled(name)} ${atLeast(authors)}`),
    );
  const parts = [
    [role(brands.rejected), "turned down"],
    [role(brands.considered), "weighed"],
    [role(brands.owned), "owned"],
  ].flatMap(([names, verb]) => names === "" ? [] : [`${verb}: ${names}`]);
  return parts.length === 0 ? "" : `${capital(parts.join("; "))}.`;
}

type Also = CardFacts["alsoWanted"][number];

/** "They also ask for bass (3) and over-ear (3), want it for gaming (5), and want it to work with iPhone (3)." */
function alsoSentence(also: readonly Also[]): string {
  const groups = Map.groupBy(also, (one) => leadOf(one));
  const parts = [...groups].map(([lead, rows]) =>
    `${lead} ${listed(rows.map(({ value, authors }) => `${spelled(value)} ${atLeast(authors)}`))}`
  );
  return parts.length === 0 ? "" : `They also ${listed(parts)}.`;
}

/** What stands before the value of something else that they ask for. */
function leadOf({ type, value }: Also): string {
  if (type === "use") return "want it for";
  if (type !== "compat") return "ask for";
  return /^(?:fits|works with) /.test(value) ? "ask that it" : "want it to work with";
}

/**
 * What to build, at what price, what to promise and beside whom, from this card's counts. What they ask for
 * besides is told of how many, one by one: nothing counts who asks for all of it together.
 */
function angle(facts: CardFacts, want: string, noun: Noun): string {
  const least = few(facts);
  const [main] = facts.budgets;
  const known = main !== undefined && main.authors >= SUMS;
  const price = !known
    ? ""
    : isNarrow(main)
    ? ` at ${band(main)}`
    : ` at about ${money(main.median, main.currency)}`;
  const against = known && main.marketMedian !== null && main.marketMedian !== main.median
    ? `, where the median for ${many(noun)} is ${money(main.marketMedian, main.currency)}`
    : "";
  const build = facts.want.type === "problem"
    ? `Build ${withArticle(noun)} that ${noun.number === "plural" ? "answer" : "answers"} “${
      spelled(facts.want.value)
    }”`
    : `Build ${want}`;
  const sentences = [`${build}${price}${against}.`];
  const telling = facts.alsoWanted.filter(({ authors, lift }) =>
    authors >= Math.max(least, ANGLE_SHARE * facts.authors) && lift >= TELLING_LIFT
  ).slice(0, 2).map((one) =>
    `at least ${count(one.authors)} also ${leadOf(one)} ${spelled(one.value)}`
  );
  if (telling.length > 0) {
    sentences.push(`Of the ${count(facts.authors)}, ${telling.join(" and ")}.`);
  }
  const [worst, second] = facts.failures.filter(({ authors }) => authors >= least);
  if (worst !== undefined) {
    const where = worst.product === null ? "" : ` in the ${spelled(worst.product)}`;
    const also = second === undefined
      ? ""
      : `, then “${second.problem}” ${atLeast(second.authors)}`;
    sentences.push(
      `Answer “${worst.problem}” first: at least ${worst.authors} of ${facts.authors} report it${where}${also}.`,
    );
  }
  const [rival] = facts.brands.considered;
  if (rival !== undefined && rival.authors >= least) {
    sentences.push(
      `Compare it with the ${spelled(rival.name)}, which at least ${rival.authors} of them weigh.`,
    );
  }
  return sentences.join(" ");
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
