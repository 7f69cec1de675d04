/** The numbers behind a verdict: what a rationale may name, and sentences that name them. */
import { DAY_MS, dayOf } from "../../core/clock.ts";
import { ABOUT_FROM } from "../../db/matching/plan.ts";
import type { Nearest } from "../match/funnel.ts";
import type { Funnel, Match } from "../types.ts";
import { RECENT_DAYS, toldPeople } from "./verdict_score.ts";

export interface Facts {
  readonly funnel: Funnel;
  /** The name that the query has for the product, where it was read as another one ("macbook": laptop). */
  readonly readAs: string | null;
  /** What was asked and goes without saying for the product. */
  readonly implied: readonly string[];
  /** What only stands beside what is asked. */
  readonly aside: readonly string[];
  readonly nearest: Nearest | null;
  /** People who want it as asked, of the corpus's last 180 days; what the score is made of. */
  readonly asAsked: number;
  /** The nearest who are about the product: the funnel's communities and times are theirs. */
  readonly shown: number;
  /** Of those: with intensity 2 or 3. */
  readonly strong: number;
  /** Of those: who name a sum of money or would pay more. */
  readonly money: number;
  readonly newestDays: number;
  readonly topUpvotes: number;
  /** Found by the live search. */
  readonly live: number;
  /** The day that ages count from, as YYYY-MM-DD, where that is more than a week ago; else null. */
  readonly asOf: string | null;
  /** Of those: people by pattern, the most frequent first. */
  readonly patterns: readonly { readonly pattern: string; readonly people: number }[];
}

/** A corpus whose clock stands so far back is an archive: what is recent in it is not recent now. */
const ARCHIVE_DAYS = 7;

const count = (matches: readonly Match[], test: (match: Match) => boolean): number =>
  matches.filter(test).length;

/** Counts the facts of at least one match, one of each person, at the time `now`; ages in whole days by the clock `asOf`. */
export function factsOf(
  matches: readonly Match[],
  asOf: Date,
  options: {
    readonly funnel: Funnel;
    readonly readAs: string | null;
    readonly implied: readonly string[];
    readonly aside: readonly string[];
    readonly nearest: Nearest | null;
    /** Effective people of all that match. */
    readonly asAsked: number;
    readonly live: ReadonlySet<string>;
    readonly now: Date;
  },
): Facts {
  const { funnel, readAs, implied, aside, nearest, asAsked, live, now } = options;
  const age = (match: Match) =>
    Math.max(0, Math.floor((asOf.getTime() - match.createdAt.getTime()) / DAY_MS));
  const about = matches.filter(({ head }) => head >= ABOUT_FROM);
  const patterns = new Map<string, number>();
  for (const { pattern } of about) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
  return {
    funnel,
    readAs,
    implied,
    aside,
    nearest,
    asAsked: toldPeople(asAsked),
    shown: about.length,
    strong: count(about, ({ intensity }) => intensity >= 2),
    money: count(about, ({ wtp }) => wtp >= 2),
    newestDays: Math.min(...matches.map(age)),
    topUpvotes: Math.max(...matches.map(({ upvotes }) => upvotes)),
    live: count(matches, ({ postId }) => live.has(postId)),
    asOf: now.getTime() - asOf.getTime() > ARCHIVE_DAYS * DAY_MS ? dayOf(asOf) : null,
    patterns: [...patterns].map(([pattern, people]) => ({ pattern, people }))
      .sort((a, b) => b.people - a.people || (a.pattern < b.pattern ? -1 : 1)),
  };
}

const number = (n: number): string => n === 0 ? "none" : String(n);
const people = (n: number): string => n === 1 ? "1 person" : `${n} people`;
const month = (iso: string): string => iso.slice(0, 7);
const state = (n: number): string => n === 1 ? "states" : "state";
/** "a", "a and b", "a, b and c". */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** How many state each thing asked, as a clause. */
function stating({ wants, statingAll }: Funnel): string {
  const [only, ...others] = wants;
  if (only === undefined) return "";
  if (others.length === 0) {
    return `; ${number(only.count)} of them ${state(only.count)} "${only.want}"`;
  }
  const each = wants.map(({ want, count }) => `${number(count)} ${state(count)} "${want}"`);
  return `; of them ${listed(each)}, and ${number(statingAll)} all of it`;
}

/** What nobody is counted for, and why; "" for nothing. */
function notCounted({ implied, aside }: Facts): string {
  const said = (all: readonly string[], one: string, more: string): string => {
    const names = [...new Set(all)].map((name) => `"${name}"`);
    return names.length === 0 ? "" : `${listed(names)} ${names.length === 1 ? one : more}. `;
  };
  return said(
    implied,
    "goes without saying and is not counted",
    "go without saying and are not counted",
  ) +
    said(aside, "weighs little and is not counted", "weigh little and are not counted");
}

/** Who asks for the product, and how many of them state what. */
function funnelSentence(facts: Facts): string {
  const { funnel, readAs, asOf, shown } = facts;
  const { product, askingForProduct, communities, from, to, corpusSignals } = funnel;
  const read = (readAs === null ? "" : `"${readAs}" was read as ${product}. `) + notCounted(facts);
  const dated = asOf === null ? "" : `As of ${asOf}, `;
  if (askingForProduct === 0) {
    const nobody = asOf === null ? "Nobody" : "nobody";
    return `${read}${dated}${nobody} among ${corpusSignals} demand signals asks for "${product}" itself.`;
  }
  const nearest = shown < askingForProduct ? `the ${shown} that fit best in ` : "";
  const where = nearest + (communities === 1 ? "1 community" : `${communities} communities`);
  const when = from === null || to === null || month(from) === month(to)
    ? ""
    : `, ${month(from)} to ${month(to)}`;
  const ask = askingForProduct === 1 ? "asks" : "ask";
  return `${read}${dated}${people(askingForProduct)} (${where}${when}) ${ask} for "${product}"${
    stating(funnel)
  }.`;
}

/** How many of them count, or what is nearest if nobody states all of it; "" if there is nothing near. */
function askedSentence({ asAsked, nearest, funnel }: Facts): string {
  if (nearest !== null) {
    const are = nearest.people === 1 ? "is" : "are";
    if (!nearest.mentions) return `Nearest ${are} ${people(nearest.people)} for "${nearest.what}".`;
    const [asks, mentions] = nearest.people === 1 ? ["asks", "mentions"] : ["ask", "mention"];
    return `Nearest ${are} ${
      people(nearest.people)
    } who ${asks} for "${nearest.what}" and ${mentions} it.`;
  }
  if (funnel.wants.length > 0 && funnel.statingAll === 0) {
    return asAsked === 0 ? "" : `What comes near it counts as about ${people(asAsked)} in all.`;
  }
  if (asAsked > funnel.askingForProduct) {
    return `With what comes near it, that counts as about ${people(asAsked)} in all.`;
  }
  const many = asAsked === 0 ? "nobody" : `about ${people(asAsked)}`;
  const weight = funnel.wants.length === 0 ? "strongly they ask for it" : "much of it they state";
  return `Those of the last ${RECENT_DAYS} days of the corpus, each counted by how ${weight}, come to ${many}.`;
}

/** How they speak, or "" where nothing can be said of it. */
function toneSentence({ strong, money, patterns }: Facts): string {
  const [most, second] = patterns;
  const pattern = most === undefined || most.people === 1 || most.people === second?.people
    ? ""
    : `The most frequent pattern is ${most.pattern.replaceAll("_", " ")} (${most.people})`;
  const names = money === 1 ? "names" : "name";
  const tone = [
    ...strong === 0 ? [] : [`${strong} ${strong === 1 ? "is" : "are"} clear or strong in tone`],
    ...money === 0 ? [] : [`${money} ${names} a price or a budget`],
  ].join(" and ");
  const parts = [pattern, tone].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}

/**
 * The facts as sentences: the funnel, how many count of late or what is nearest, and the tone, "" where there
 * is nothing to say of it. Every number in them is one of the facts.
 */
export function factSentences(facts: Facts): readonly [string, string, string] {
  return [funnelSentence(facts), askedSentence(facts), toneSentence(facts)];
}

/** The numbers of the facts, each with its name. */
function namedNumbers(facts: Facts): readonly (readonly [name: string, value: number])[] {
  const { funnel, nearest } = facts;
  return [
    ["demand signals looked through", funnel.corpusSignals],
    ["people who ask for the product", funnel.askingForProduct],
    ...funnel.wants.map(({ count }, i) =>
      [`of them state want ${i + 1} of the query`, count] as const
    ),
    ["of them state all that is asked", funnel.statingAll],
    [
      `people who want it as asked in the last ${RECENT_DAYS} days, weighed by how much of it each states`,
      facts.asAsked,
    ],
    ...nearest === null ? [] : [["people for the nearest that is wanted", nearest.people] as const],
    ...facts.shown < funnel.askingForProduct
      ? [["nearest people, whose communities and months follow", facts.shown] as const]
      : [],
    ["communities", funnel.communities],
    ["clear or strong in tone", facts.strong],
    ["name a price or a budget", facts.money],
    ["age of the newest in days", facts.newestDays],
    ["most upvotes", facts.topUpvotes],
    ...facts.live === 0 ? [] : [["found by the live search", facts.live] as const],
    ...facts.patterns.map(({ pattern, people }) => [`pattern ${pattern}`, people] as const),
  ];
}

/** The months and days that the facts name, and for how long back they count. */
export function factDates({ funnel: { from, to }, asOf }: Facts): string[] {
  const days = [`${RECENT_DAYS} days`, `${RECENT_DAYS}-day`];
  return [...[from, to].flatMap((time) => time === null ? [] : month(time)), asOf ?? "", ...days]
    .filter((date) => date !== "");
}

/** The numbers of the facts, as they compare. */
export const factNumbers = (facts: Facts): string[] =>
  namedNumbers(facts).map(([, value]) => String(value));

/** The facts as lines for a prompt: a name and a number each, then their dates. */
export function factLines(facts: Facts): string[] {
  const { funnel: { from, to }, asOf } = facts;
  return [
    ...namedNumbers(facts).map(([name, value]) => `${name}: ${value}`),
    ...from === null || to === null ? [] : [`months from ${month(from)} to ${month(to)}`],
    ...asOf === null ? [] : [`ages are counted from: ${asOf}`],
  ];
}
