/** The numbers behind a verdict: what a rationale may name, and sentences that name them. */
import { DAY_MS, dayOf } from "../../core/clock.ts";
import { ABOUT_FROM } from "../../db/matching/plan.ts";
import type { Pattern } from "../../mining/types.ts";
import type { Granted, Nearest } from "../match/funnel.ts";
import type { Corrected } from "../query/corpus/mod.ts";
import type { Funnel, Match } from "../types.ts";
import { ageOf, RECENT_DAYS, toldPeople } from "./verdict_score.ts";

/** What a rationale says of the query: how it was read, and what was looked for. */
interface QueryNotes {
  readonly funnel: Funnel;
  /** The name that the query has for the product, where it was read as another one ("macbook": laptop). */
  readonly readAs: string | null;
  /** Words of the query that were taken for mistakes. */
  readonly corrected: readonly Corrected[];
  /** What was asked and goes without saying for the product. */
  readonly implied: readonly string[];
  /** What only stands beside what is asked, or is looked for nowhere. */
  readonly aside: readonly string[];
  /** The sum that is compared as it stands with those that posts name in other money; null for none. */
  readonly unexchanged: string | null;
  /** The categories of the product, where none of them was searched. */
  readonly elsewhere: readonly string[];
  readonly granted: Granted;
  readonly nearest: Nearest | null;
}

/** What is counted of the people who match. */
interface CountedFacts {
  /** Who want it as asked, of the corpus's last 180 days; what the score is made of. */
  readonly asAsked: number;
  /** Of the nearest, of those 180 days: who state all, some and none of what is counted of the query. */
  readonly recent: { readonly all: number; readonly some: number; readonly none: number };
  /** The nearest who are about the product: the funnel's communities and times are theirs. */
  readonly shown: number;
  /** Whether most of those have an author with a name, and not a text alone that stands for one. */
  readonly authorsKnown: boolean;
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

/** All that a rationale may say. */
export interface Facts extends QueryNotes, CountedFacts {}

/** A corpus whose clock stands so far back is an archive: what is recent in it is not recent now. */
const ARCHIVE_DAYS = 7;

const count = (matches: readonly Match[], test: (match: Match) => boolean): number =>
  matches.filter(test).length;

/** Counts at least one match, one of each person, at the time `now`; ages in whole days by the clock `asOf`. */
export function factsOf(
  matches: readonly Match[],
  asOf: Date,
  { asAsked, wanted, live, now }: {
    /** Effective people of all that match. */
    readonly asAsked: number;
    /** What is counted of what is asked, as bits. */
    readonly wanted: number;
    readonly live: ReadonlySet<string>;
    readonly now: Date;
  },
): CountedFacts {
  const age = (match: Match) => Math.floor(ageOf(match, asOf));
  const about = matches.filter(({ head }) => head >= ABOUT_FROM);
  const recent = about.filter((match) => ageOf(match, asOf) <= RECENT_DAYS);
  const all = count(recent, ({ met }) => (met & wanted) === wanted);
  const none = wanted === 0 ? 0 : count(recent, ({ met }) => (met & wanted) === 0);
  const patterns = new Map<string, number>();
  for (const { pattern } of about) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
  return {
    asAsked: toldPeople(asAsked),
    recent: { all, some: recent.length - all - none, none },
    shown: about.length,
    authorsKnown: 2 * count(about, (match) => match.authorKey !== match.textKey) >= about.length,
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

const counted = (n: number): string => n.toLocaleString("en-US");
const people = (n: number): string => n === 1 ? "1 person" : `${counted(n)} people`;
const month = (iso: string): string => iso.slice(0, 7);
/** "a", "a and b", "a, b and c". */
const listed = (parts: readonly string[], last = "and"): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${last} ${parts.at(-1)}`;
const quoted = (names: readonly string[], last?: string): string =>
  listed(names.map((name) => `"${name}"`), last);

/** As what the query was read, what of it is not counted, and what stands for a person; "" for nothing. */
function readingNotes(facts: Facts): string {
  const { funnel, readAs, corrected, implied, aside, unexchanged, granted } = facts;
  const { elsewhere, shown, authorsKnown } = facts;
  const unused = aside.filter((name) => !implied.includes(name));
  return [
    ...readAs === null || readAs === funnel.product
      ? []
      : [` "${readAs}" was read as ${funnel.product}.`],
    ...corrected.map(({ typed, meant }) => ` "${typed}" was read as "${meant}".`),
    ...implied.length === 0 ? [] : [
      ` ${quoted(implied)} ${implied.length === 1 ? "goes" : "go"} without saying for it.`,
    ],
    ...unused.length === 0 ? [] : [
      ` ${quoted(unused)} ${unused.length === 1 ? "was" : "were"} not used to narrow the count.`,
    ],
    ...unexchanged === null ? [] : [
      ` "${unexchanged}" was compared as it stands with the sums that posts name in any currency.`,
    ],
    elsewhereNote(funnel.product, elsewhere),
    grantedNote(granted, shown < funnel.askingForProduct ? "At least " : ""),
    ...authorsKnown ? [] : [" Authors have no names here: each text counts as one person."],
  ].join("");
}

/** That the product's own categories were not searched; "" where they were. */
export function elsewhereNote(product: string, categories: readonly string[]): string {
  if (categories.length === 0) return "";
  const [belongs, was] = categories.length === 1 ? ["category", "was"] : ["categories", "were"];
  return ` "${product}" belongs to the ${belongs} ${
    listed(categories)
  }, which ${was} not searched.`;
}

/** How many count for wants by their community, and in which; "" for none. */
function grantedNote({ wants, communities }: Granted, least: string): string {
  if (wants.length === 0) return "";
  const who = wants.map(({ want, people }) => `${counted(people)} of those who want "${want}"`);
  const write = wants.length === 1 && wants[0]?.people === 1 ? "writes" : "write";
  const where = listed(communities.map((name) => `r/${name}`), "or");
  return ` ${least}${listed(who)} ${write} where that goes without saying: ${where}.`;
}

/** How many want it as asked of late, which the score is made of. */
function askedSentence({ funnel, asAsked, recent, shown, asOf }: Facts): string {
  const { askingForProduct, corpusSignals, product, wants } = funnel;
  if (askingForProduct === 0) {
    const newest = asOf === null ? "" : `, the newest of ${asOf},`;
    return `None of ${counted(corpusSignals)} demand signals${newest} asks for "${product}".`;
  }
  const when = asOf === null
    ? `In the last ${RECENT_DAYS} days`
    : `In the ${RECENT_DAYS} days before ${asOf}`;
  // The nearest alone are looked at one by one.
  const isPart = shown < askingForProduct;
  const least = isPart ? "at least " : "";
  const whole = wants.length === 0 ? "it" : wants.length === 1 ? "it as described" : "all of it";
  const nobody = isPart && shown > 1 ? `none of the nearest ${counted(shown)}` : "nobody";
  const others = [
    ...recent.some === 0 ? [] : [`${least}${counted(recent.some)} for some of it`],
    ...recent.none === 0 ? [] : [`${least}${counted(recent.none)} for the product alone`],
  ];
  const demand = asAsked === 0 ? "less than one person" : `about ${people(asAsked)}`;
  const told = recent.all + recent.some + recent.none;
  if (told === 0) {
    return `${when} ${nobody} asked for ${whole}; what comes near counts as ${demand}.`;
  }
  const said = recent.all === 0
    ? `${when} ${nobody} asked for ${whole}, but ${listed(others)}`
    : `${when} ${listed([`${least}${people(recent.all)} asked for ${whole}`, ...others])}`;
  if (others.length === 0 && asAsked === recent.all) return `${said}.`;
  const weighed = asAsked > told
    ? "with what comes near"
    : asAsked < recent.all
    ? "those who say it weakly or unclearly counting in part"
    : asAsked === recent.all || recent.all === 0
    ? "each counting in part"
    : "with a part of each who asked for less";
  return `${said}; ${weighed}, that is ${demand}.`;
}

/** How many ever asked for the product, and how many of them want what; or what is nearest to it. */
function funnelSentence({ funnel, nearest, asAsked }: Facts): string {
  const { product, askingForProduct, wants, statingAll } = funnel;
  if (askingForProduct === 0) {
    if (nearest === null) {
      return asAsked === 0 ? "" : `What comes near it counts as about ${people(asAsked)}.`;
    }
    const [asks, mentions] = nearest.people === 1 ? ["asks", "mentions"] : ["ask", "mention"];
    const near = `${people(nearest.people)} who ${asks} for "${nearest.what}"`;
    return nearest.mentions
      ? `Nothing is nearer than ${near} and ${mentions} "${product}".`
      : `Closest: ${near}.`;
  }
  const all = `${people(askingForProduct)} ever asked for "${product}"`;
  const wanted = wants.filter(({ count }) => count > 0);
  const unwanted = wants.filter(({ count }) => count === 0).map(({ want }) => want);
  const each = [
    ...wanted.map(({ want, count }, i) =>
      `${counted(count)} ${i > 0 ? "" : count === 1 ? "wants " : "want "}"${want}"`
    ),
    ...unwanted.length === 0
      ? []
      : [`none ${wanted.length > 0 ? "" : "want "}${quoted(unwanted, "or")}`],
  ];
  if (wants.length === 0) return `${all}.`;
  const whole = wants.length === 1
    ? ""
    : statingAll > 0
    ? `; ${counted(statingAll)} ${statingAll === 1 ? "wants" : "want"} all of it`
    : wanted.length === 0
    ? ""
    : "; nobody wants all of it" +
      (nearest === null ? "" : `, closest: ${counted(nearest.people)} for "${nearest.what}"`);
  return `${all}: ${listed(each)}${whole}.`;
}

/** What those do who show a pattern, as one of them and as several. */
const DOING: Readonly<Record<string, readonly [one: string, more: string]>> = {
  repeat_failure: ["had it fail again and again", "had it fail again and again"],
  workaround: ["makes do with something else", "make do with something else"],
  unmet_need: ["finds nothing suitable", "find nothing suitable"],
  replacement_hunt: ["looks for a replacement", "look for a replacement"],
  alternative_seeking: ["looks for an alternative", "look for an alternative"],
  willingness_to_pay: ["says what it may cost", "say what it may cost"],
  recommendation_request: ["asks for a recommendation", "ask for a recommendation"],
  frustration: ["faults what there is", "fault what there is"],
} satisfies Record<Pattern, readonly [string, string]>;

/** Where and when they asked, how, and whether of money; "" where nobody is about the product. */
function scopeSentence({ funnel, shown, money, patterns }: Facts): string {
  if (shown === 0) return "";
  const { askingForProduct, communities, from, to } = funnel;
  const who = shown < askingForProduct
    ? `The nearest ${shown === 1 ? "one is" : `${counted(shown)} of them are`}`
    : askingForProduct === 1
    ? "That one is"
    : askingForProduct === 2
    ? "Both are"
    : `All ${counted(askingForProduct)} are`;
  const where = communities === 1 ? "1 community" : `${communities} communities`;
  const when = from === null || to === null
    ? ""
    : month(from) === month(to)
    ? `, ${month(from)}`
    : `, ${month(from)} to ${month(to)}`;
  const [most, second] = patterns;
  const doing = most === undefined || most.people === second?.people
    ? undefined
    : DOING[most.pattern]?.[most.people === 1 ? 0 : 1];
  const how = [
    ...most === undefined || doing === undefined ? [] : [`${most.people} ${doing}`],
    ...money === 0 ? [] : [`${money} ${money === 1 ? "names" : "name"} a price or a budget`],
  ];
  return `${who} from ${where}${when}${how.length === 0 ? "" : `: ${listed(how)}`}.`;
}

/**
 * The facts as sentences: how many want it as asked of late, the funnel, and where and how they asked with what was read
 * otherwise or not counted, "" where there is nothing to say of it. Every number in them is one of the facts.
 */
export function factSentences(facts: Facts): readonly [string, string, string] {
  const scope = `${scopeSentence(facts)}${readingNotes(facts)}`.trim();
  return [askedSentence(facts), funnelSentence(facts), scope];
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
    [`people of the last ${RECENT_DAYS} days who state all that is asked`, facts.recent.all],
    [`people of the last ${RECENT_DAYS} days who state some of it`, facts.recent.some],
    [`people of the last ${RECENT_DAYS} days who state none of it`, facts.recent.none],
    ...nearest === null ? [] : [["people for the nearest that is wanted", nearest.people] as const],
    ...facts.shown < funnel.askingForProduct
      ? [["nearest people, whose communities and months follow", facts.shown] as const]
      : [],
    ...facts.granted.wants.map(({ want, people }) => {
      const number = 1 + funnel.wants.findIndex((one) => one.want === want);
      return [`who state want ${number} where it goes without saying`, people] as const;
    }),
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
