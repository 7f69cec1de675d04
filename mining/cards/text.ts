/** A card's title, summary and product angle, written from its counts alone: the same counts, the same words. */
import type { Budgets } from "../opportunities/counts.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import { capital, count, listed, many, type Noun, nounOf, spelled } from "./text_noun.ts";
import { wantPhrase } from "./text_want.ts";

/** The words of a card. */
export interface CardText {
  readonly title: string;
  readonly summary: string;
  readonly productAngle: string;
}

/** What the words need besides the counts. */
export interface Told {
  /** False where the source names no authors: then the words speak of posts, not of people. */
  readonly authorsKnown: boolean;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
}

/** Fewer people than this say something of themselves, not of a market: two of a few, three of many. */
const few = ({ authors }: CardFacts): number => authors >= 10 ? 3 : 2;
/** Fewer sums are no market's price. */
const SUMS = 5;
/** A middle half that spans more than this is no price to build for: its median is told alone. */
const WIDE = 2.5;
/** What so many times more of them ask for than others of the kind belongs to the product. */
const TELLING_LIFT = 1.2;
/** What this share of them asks for belongs to the product, whatever others ask for. */
const TELLING_SHARE = 0.25;

/** Title, summary and product angle. */
export function cardText(facts: CardFacts, told: Told): CardText {
  const noun = nounOf(facts.product, facts.product);
  const want = wantPhrase(noun, facts.want.type, facts.want.value);
  return {
    title: capital(want.replace(/^an? /, "")),
    summary: summary(facts, told, noun, want),
    productAngle: angle(facts, want),
  };
}

function summary(facts: CardFacts, told: Told, noun: Noun, want: string): string {
  const who = told.authorsKnown ? "people" : "posts";
  const least = few(facts);
  const said = <T extends { readonly authors: number }>(rows: readonly T[], most: number): T[] =>
    rows.filter(({ authors }) => authors >= least).slice(0, most);
  const sentences = [
    `${capital(count(facts.authors))} of the ${count(facts.askingForProduct)} ${who} that ask for ${
      many(noun)
    } want ${want}.`,
  ];
  const money = moneySentence(facts);
  if (money !== "") sentences.push(money);
  const fails = said(facts.failures, 4).map(({ problem, product, authors }) =>
    `“${problem}”${product === null ? "" : ` in the ${spelled(product)}`} (${authors})`
  );
  if (fails.length > 0) sentences.push(`What fails them: ${listed(fails)}.`);
  const counted = ({ value, authors }: { value: string; authors: number }): string =>
    `${spelled(value)} (${authors})`;
  const users = said(facts.users, 3).map(counted);
  if (users.length > 0) sentences.push(`Who they are: ${listed(users)}.`);
  const also = said(facts.alsoWanted, 4).map(counted);
  if (also.length > 0) sentences.push(`They also ask for ${listed(also)}.`);
  const brands = brandSentence(facts);
  if (brands !== "") sentences.push(brands);
  sentences.push(`Posted ${period(told.firstSeen, told.lastSeen)}.`);
  return sentences.join(" ");
}

/** "The 17 that name a sum would mostly spend $150 to $300, with a median of $200; …" */
function moneySentence(facts: CardFacts): string {
  const { budgets: [main], wouldPayMore } = facts;
  const more = wouldPayMore >= few(facts)
    ? `${count(wouldPayMore)} would pay more for the right one`
    : "";
  if (main === undefined || main.authors < SUMS) return more === "" ? "" : `${capital(more)}.`;
  const { authors, median, ceilings, currency, marketMedian } = main;
  const parts = [
    `The ${count(authors)} that name a sum would ${
      isNarrow(main)
        ? `mostly spend ${band(main)}, with a median of ${money(median, currency)}`
        : `spend ${money(median, currency)} in the median`
    }`,
  ];
  if (ceilings > 0) parts.push(`for ${count(ceilings)} of them that is the limit`);
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
        .map(({ name, authors }) => `${spelled(name)} (${authors})`),
    );
  const parts = [
    [role(brands.rejected), "turned down"],
    [role(brands.considered), "weighed"],
    [role(brands.owned), "owned"],
  ].flatMap(([names, verb]) => names === "" ? [] : [`${verb}: ${names}`]);
  return parts.length === 0 ? "" : `${capital(parts.join("; "))}.`;
}

/** What to build, at what price, what to promise and beside whom, from this card's counts. */
function angle(facts: CardFacts, want: string): string {
  const least = few(facts);
  const told = [facts.want.value];
  const build = facts.alsoWanted.filter(({ type, value, authors, lift }) => {
    if (type === "use" || authors < least || told.some((other) => alike(other, value))) {
      return false;
    }
    if (lift < TELLING_LIFT && authors < TELLING_SHARE * facts.authors) return false;
    told.push(value);
    return true;
  }).slice(0, 2);
  const uses = facts.alsoWanted.filter(({ type, value, authors, lift }) =>
    type === "use" && authors >= least && lift >= TELLING_LIFT &&
    !told.some((other) => alike(other, value))
  ).slice(0, 1);
  const first = [
    `Build ${want}`,
    build.length === 0 ? "" : `: ${listed(build.map(({ value }) => spelled(value)))}`,
    uses[0] === undefined ? "" : `, for ${spelled(uses[0].value)}`,
  ].join("");
  const [main] = facts.budgets;
  const price = main === undefined || main.authors < SUMS
    ? ""
    : isNarrow(main)
    ? `, at ${band(main)}`
    : `, at about ${money(main.median, main.currency)}`;
  const sentences = [`${first}${price}.`];
  const [worst, second] = facts.failures.filter(({ authors }) => authors >= least);
  if (worst !== undefined) {
    const where = worst.product === null ? "" : ` in the ${spelled(worst.product)}`;
    const also = second === undefined ? "" : `, then “${second.problem}” (${second.authors})`;
    sentences.push(
      `Answer “${worst.problem}” first: ${worst.authors} of ${facts.authors} report it${where}${also}.`,
    );
  }
  const [rival] = facts.brands.considered;
  if (rival !== undefined && rival.authors >= least) {
    sentences.push(
      `Compare it with the ${spelled(rival.name)}, which ${rival.authors} of them weigh.`,
    );
  }
  return sentences.join(" ");
}

/** Whether two values share a telling word: "2-person" and "1-2 person", "waterproof" and "water resistant". */
function alike(a: string, b: string): boolean {
  const stems = (value: string): string[] =>
    value.split(/[ -]/).filter((word) => word.length > 3).map((word) => word.slice(0, 5));
  const own = new Set(stems(a));
  return stems(b).some((stem) => own.has(stem));
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
