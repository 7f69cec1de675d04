/** The numbers behind a verdict: what a rationale may name, and sentences that name them. */
import { DAY_MS, dayOf } from "../core/clock.ts";
import type { Match } from "./types.ts";

export interface Facts {
  /** Distinct voices that match. */
  readonly voices: number;
  /** True where more may match than were counted. */
  readonly capped: boolean;
  /** Of them, those that carry nearly all of the query. */
  readonly exact: number;
  readonly communities: number;
  /** With intensity 2 or 3. */
  readonly strong: number;
  /** That name a sum of money or would pay more (willingness to pay 2 or 3). */
  readonly money: number;
  /** That are about to buy, at least (1 to 3). */
  readonly buying: number;
  /** Not older than 90 days, by the corpus clock. */
  readonly recent: number;
  readonly newestDays: number;
  readonly topUpvotes: number;
  /** Found by the live search. */
  readonly live: number;
  /** The day that ages count from, as YYYY-MM-DD, where that is more than a week ago; else null. */
  readonly asOf: string | null;
  /** Voices by pattern, the most frequent first. */
  readonly patterns: readonly { readonly pattern: string; readonly voices: number }[];
}

const RECENT_DAYS = 90;
const EXACT = 0.8;
/** A corpus whose clock stands so far back is an archive: what is recent in it is not recent now. */
const ARCHIVE_DAYS = 7;

const count = (matches: readonly Match[], test: (match: Match) => boolean): number =>
  matches.filter(test).length;

/** Counts the facts of at least one match at the time `now`; ages in whole days by the clock `asOf`. */
export function factsOf(
  matches: readonly Match[],
  asOf: Date,
  options: { readonly capped: boolean; readonly live: ReadonlySet<string>; readonly now: Date },
): Facts {
  const age = (match: Match) =>
    Math.max(0, Math.floor((asOf.getTime() - match.createdAt.getTime()) / DAY_MS));
  const patterns = new Map<string, number>();
  for (const { pattern } of matches) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
  return {
    voices: new Set(matches.map(({ voice }) => voice)).size,
    capped: options.capped,
    exact: count(matches, ({ relevance }) => relevance >= EXACT),
    communities: new Set(matches.map(({ community }) => community.toLowerCase())).size,
    strong: count(matches, ({ intensity }) => intensity >= 2),
    money: count(matches, ({ wtp }) => wtp >= 2),
    buying: count(matches, ({ wtp }) => wtp >= 1),
    recent: count(matches, (match) => age(match) <= RECENT_DAYS),
    newestDays: Math.min(...matches.map(age)),
    topUpvotes: Math.max(...matches.map(({ upvotes }) => upvotes)),
    live: count(matches, ({ postId }) => options.live.has(postId)),
    asOf: options.now.getTime() - asOf.getTime() > ARCHIVE_DAYS * DAY_MS ? dayOf(asOf) : null,
    patterns: [...patterns].map(([pattern, voices]) => ({ pattern, voices }))
      .sort((a, b) => b.voices - a.voices || (a.pattern < b.pattern ? -1 : 1)),
  };
}

const many = (n: number, one: string, more = `${one}s`): string => `${n} ${n === 1 ? one : more}`;

/** How the voices speak, or "" where nothing can be said of it. */
function toneSentence({ strong, money }: Facts): string {
  const names = money === 1 ? "names" : "name";
  if (strong === 0) {
    return money === 0 ? "" : `${many(money, "voice")} ${names} a price or a budget.`;
  }
  const tone = `${many(strong, "voice")} ${strong === 1 ? "is" : "are"} clear or strong in tone`;
  return money === 0 ? `${tone}.` : `${tone}, and ${money} ${names} a price or a budget.`;
}

/** The pattern that stands out, or "" where none does. */
function patternSentence({ patterns }: Facts): string {
  const [most, second] = patterns;
  if (most === undefined || most.voices === 1 || most.voices === second?.voices) return "";
  return `The most frequent pattern is ${most.pattern.replaceAll("_", " ")} (${most.voices}).`;
}

/**
 * The facts as sentences: how many voices and how old, then the pattern and the tone, "" where there is
 * nothing to say of them. Every number in them is one of the facts.
 */
export function factSentences(facts: Facts): readonly [string, string, string] {
  const { voices, capped, exact, communities, recent, newestDays, asOf } = facts;
  const shown = capped ? `At least ${many(voices, "voice")}` : many(voices, "distinct voice");
  const dated = asOf === null ? shown : `As of ${asOf}, ${shown.replace("At", "at")}`;
  const newest = newestDays === 0 ? "from the last day" : `${many(newestDays, "day")} old`;
  const ages = voices === 1
    ? `; it is ${newest}`
    : `, ${
      recent === 0 ? "none" : recent
    } of them within ${RECENT_DAYS} days and the newest ${newest}`;
  const part = voices === 1 ? " in part" : `, ${exact || "none"} of them nearly all that it asks`;
  const partly = exact === voices ? "" : part;
  return [
    `${dated} in ${many(communities, "community", "communities")} ${
      voices === 1 ? "matches" : "match"
    } this query${partly}${ages}.`,
    patternSentence(facts),
    toneSentence(facts),
  ];
}

/** The facts as lines for a prompt: a name and a number each. */
export function factLines(facts: Facts): string[] {
  return [
    `distinct voices that match: ${facts.capped ? "at least " : ""}${facts.voices}`,
    `of them about exactly this: ${facts.exact}`,
    `communities: ${facts.communities}`,
    `clear or strong in tone: ${facts.strong}`,
    `name a price or a budget: ${facts.money}`,
    `about to buy: ${facts.buying}`,
    `not older than ${RECENT_DAYS} days: ${facts.recent}`,
    `age of the newest in days: ${facts.newestDays}`,
    `most upvotes: ${facts.topUpvotes}`,
    ...(facts.asOf === null ? [] : [`ages are counted from: ${facts.asOf}`]),
    ...(facts.live === 0 ? [] : [`found by the live search: ${facts.live}`]),
    ...facts.patterns.map(({ pattern, voices }) => `pattern ${pattern}: ${voices}`),
  ];
}
