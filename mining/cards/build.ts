/** Makes the card of a want from its counts: a pure function of the counts and the day. */
import type { ShownPost } from "../../db/corpus/showings.ts";
import type { ShownStatement, WantSize } from "../../db/corpus/want_counts.ts";
import { DAY_MS } from "../../core/clock.ts";
import { BUILD_LIFT, cardText, few, isPricedApart } from "./text.ts";
import { capital, spelledAsIn } from "./text_noun.ts";
import type { Card, Makers } from "./types.ts";
import { goesWithoutSaying } from "../lexicon/inherent.ts";
import {
  components,
  compositeScore,
  SCORE_VERSION,
  type ScoredEvidence,
  WEIGHTS,
} from "./score.ts";
import { type FactType, WANT_TYPES } from "../extract/types.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import {
  budgetsOf,
  type Count,
  type Counts,
  ENOUGH_SUMS,
  sumsOf,
} from "../opportunities/counts.ts";
import {
  type CardFacts,
  cardFacts,
  companions,
  factsOnly,
  saysItself,
  typeOf,
} from "../opportunities/facts.ts";
import { pairValue, valuesOf } from "../opportunities/ids.ts";
import {
  asEvidence,
  borneOut,
  chooseEvidence,
  holds,
  ownWords,
  QUOTED,
  saidByAuthors,
} from "./evidence.ts";

const DORMANT_DAYS = 90;
/** Most quotes of those who made something for the want. */
const MAKERS_QUOTED = 3;
/** How many counted facts beside the want a card needs to teach something; a problem to be solved is one. */
const LEAST_FACTS = 2;
/** The share of those who state a problem which must ask for something: who only complains wants no product. */
const ASKING_SHARE = 0.5;
/** How many people must be failed by the same thing. */
const TELLING = 2;
/**
 * Types that say for whom, for what or beside what, and not what to build. Such a want teaches only if it is asked of
 * this kind far more often than of others, and, in a market that is large enough to show gaps, if there are two gaps.
 */
const CIRCUMSTANCES: ReadonlySet<FactType> = new Set<FactType>(["use", "user", "compat"]);
/** A want of more than this share of a market is what the kind is anyway. */
const MOST_SHARE = 0.5;
/** A smaller market cannot tell. */
const MARKET_LEAST = 100;
/** How many times more often a want must be asked of this kind than of others. */
const LEAST_LIFT = { build: 1.3, circumstance: 2 } as const;
/** A circumstance that this share of those state who want other kinds is common to all kinds ("beginner", "gaming"). */
const COMMON = 0.015;
/** How many authors of other kinds make shares of them reliable. */
const OTHERS_LEAST = 1_000;
/**
 * A property that is asked mostly of this kind means one thing if its authors call the product the same: if two of
 * them, drawn by chance, do so this often. Otherwise ("powerful") it needs a second value that narrows it.
 */
const SAME_PRODUCT = { own: 0.25, general: 0.3 } as const;
const OWN_SHARE = 0.35;
/**
 * A property that is asked more of other kinds ("durable") is a want of this kind if it is asked of it this many times
 * more often, or if this share of all who want the kind ask for it and call the product the same.
 */
const GENERAL_LIFT = 10;
const GENERAL_SHARE = 0.1;
/** A circumstance that more than this share of a large market states is a part of the market, which wants all sorts. */
const PART_SHARE = 0.12;
/** A use whose authors name more than this many others, in the mean, is one of a list ("plays X, Y and Z"). */
const LISTED = 1;
/** A part whose authors name more than this many products, in the mean, that people ask for alone is one of a list. */
const LISTED_PRODUCTS = 0.5;
/** A circumstance that is stated of this kind in half of all cases ("ESXi" of servers) needs no second gap. */
const OWN_CIRCUMSTANCE = 0.5;
/** How many values may narrow a broad want, and how much more often they must be stated beside it than by others. */
const NARROWED = 4;
const NARROWS = 1.15;
/** Nouns of kinds that are whole shelves of products: no want of them says which product to build. */
const SHELF =
  /(?:^| )(?:accessories|clothes|clothing|components?|electronics|equipment|furniture|gear|goods|items?|parts?|peripherals|products?|stuff|supplies|tools)$/;

export type CardDraft =
  & Omit<Card, "id" | "slug" | "lastUpdated" | "facts">
  & { readonly facts: CardFacts }
  & { readonly state: "active" | "dormant" };

/** Everything that is counted of a want. */
export interface WantCounts {
  readonly kind: string;
  /** Both values of a pair. */
  readonly value: string;
  readonly authors: number;
  readonly own: Counts;
  readonly market: Counts;
  /** What is stated of all kinds together. */
  readonly anything: Counts;
  /** Of the values stated with the want, those that are kinds of products with a market of their own. */
  readonly products: ReadonlySet<string>;
}

/** Everything a card is made of: what is counted of its want, when the want is stated, and the posts that show it. */
export interface ShownWant extends WantCounts {
  readonly size: WantSize;
  /** The best first. */
  readonly shown: readonly ShownStatement[];
  /** Posts of authors who made do, the newest first. */
  readonly showings: readonly ShownPost[];
}

/** A want whose newest statement is of this moment or older is dormant: 90 times 24 hours, not whole days. */
export function dormantSince(asOf: Date): Date {
  return new Date(asOf.getTime() - DORMANT_DAYS * DAY_MS);
}

/** A component of four decimals as it is served, with nothing lost: the score can be recomputed from it. */
const hundredfold = (component: number): number => Math.round(component * 10_000) / 100;

/** What a card of the want tells, by its counts alone; null where these rule it out, whatever its posts show. */
export function countedFacts(want: WantCounts): CardFacts | null {
  const facts = cardFacts(want, want.own, want.market, want.anything);
  // Posts take from what is told, and add nothing.
  return isOneWant(want, facts) && teaches(want, facts, facts) ? facts : null;
}

/** The card of a want, as of the corpus clock; null for one that would teach a maker nothing. */
export function buildCard(want: ShownWant, asOf: Date): CardDraft | null {
  const { authors, own, market, size } = want;
  const counted = countedFacts(want);
  if (counted === null) return null;
  const shown = ownWords(want.kind, own.of("product").map(({ value }) => value), want.shown);
  const isSaid = (value: string): boolean => saidByAuthors(value, want.shown, shown);
  const isTrue = (value: string): boolean => isSaid(value) && holds(value, want.shown);
  if (!valuesOf(want.value).every(isTrue)) return null;
  const facts = factsOnly(counted, ({ value }) => isSaid(value));
  const evidence = chooseEvidence(want.value, shown, facts);
  if (evidence.length < QUOTED.least) return null;
  const told = borneOut(facts, evidence);
  if (!teaches(want, facts, told)) return null;
  const text = cardText(told, {
    authorsKnown: size.authorsKnown,
    firstSeen: size.firstSeen,
    lastSeen: size.lastSeen,
  });
  const spell = spelledAsIn(shown.map(({ text }) => text), valuesIn(told));
  const parts = components({
    months: own.of("month"),
    authors,
    listed: listedAs(facts),
    unmet: facts.unmet.authors,
    unmetShare: facts.unmet.marketShare,
    failed: facts.failures.reduce((sum, failure) => sum + failure.authors, 0),
    intensity: meanLevel(own),
    marketIntensity: meanLevel(market),
    budgets: budgetsOf(own.of("price"))[0] ?? null,
    marketMedian: facts.budgets[0]?.marketMedian ?? null,
    asking: facts.askingForProduct,
    naming: namingOf(own),
    marketNaming: market.total === 0 ? 0 : namingOf(market) / market.total,
    payingMore: facts.wouldPayMore,
    cheap: facts.cheap,
  }, asOf);
  return {
    state: size.lastSeen > dormantSince(asOf) ? "active" : "dormant",
    title: capital(spell(text.title)),
    summary: spell(text.summary),
    productAngle: spell(text.productAngle),
    category: own.of("category")[0]?.value ?? "",
    score: compositeScore(parts),
    freqScore: hundredfold(parts.frequency),
    intensityScore: hundredfold(parts.intensity),
    wtpScore: hundredfold(parts.wtp),
    signalCount: authors,
    distinctAuthors: authors,
    authorsKnown: size.authorsKnown,
    firstSeen: size.firstSeen.toISOString(),
    lastSeen: size.lastSeen.toISOString(),
    evidence: evidence.map(asEvidence),
    evidenceIds: evidence.map(({ postId }) => postId),
    facts,
    makers: makersOf(want.showings),
    scoring: {
      version: SCORE_VERSION,
      components: parts,
      weights: WEIGHTS,
      patterns: Object.fromEntries(
        PATTERNS.map((pattern): [Pattern, number] => [pattern, own.authors("pattern", pattern)])
          .filter(([, number]) => number > 0),
      ),
    },
    signals7d: size.days7,
    signals28d: size.days28,
  };
}

/** What kind of `spec` a want is; null where it, or what narrows it, is none. */
function listedAs({ want, narrowedBy }: CardFacts): ScoredEvidence["listed"] {
  const stated = [want, narrowedBy].filter((one) => one !== null);
  if (!stated.every(({ type }) => type === "spec")) return null;
  return stated.every(({ value }) => /\d/.test(value)) ? "measure" : "part";
}

/** All that a card's words may name beside brands, which have their makers' spelling. */
const valuesIn = ({ want, narrowedBy, alsoWanted, users }: CardFacts): string[] =>
  [want, narrowedBy, ...alsoWanted, ...users].flatMap((one) => one?.value ?? []);

/** How many name a sum. */
const namingOf = (counts: Counts): number =>
  sumsOf(counts.of("price")).reduce((total, { authors }) => total + authors, 0);

/** Mean intensity, 0-3. */
function meanLevel(counts: Counts): number {
  const levels = counts.of("intensity");
  const total = levels.reduce((sum, { authors }) => sum + authors, 0);
  return total === 0
    ? 0
    : levels.reduce((sum, { value, authors }) => sum + Number(value) * authors, 0) / total;
}

/** How many authors must call the product so for it to be a name of it. */
const CALLED = 3;

/**
 * Whether the want is one thing of one product: asked of this kind more than of any, not what all of it are ("portable"
 * of a laptop), and not said already by the kind's name or by what its authors call the product ("home lab" of a
 * server, "build" of a gaming build). Most of those who state a problem must ask for something.
 */
function isOneWant(want: WantCounts, facts: CardFacts): boolean {
  if (SHELF.test(want.kind)) return false;
  const nouns = want.market.of("product").filter(({ authors }) => authors >= CALLED)
    .map(({ value }) => value.slice(value.lastIndexOf(" ") + 1));
  const names = [want.kind, ...want.own.of("product").map(({ value }) => value), ...nouns]
    .map(lettersOf);
  if (
    valuesOf(want.value).some((value) =>
      saysItself(want.kind, value) || goesWithoutSaying(want.kind, value) ||
      names.includes(lettersOf(value))
    )
  ) return false;
  if (facts.want.type === "problem") {
    const complaints = want.own.authors("pattern", "frustration");
    if (complaints > (1 - ASKING_SHARE) * want.authors) return false;
  }
  return facts.narrowedBy === null ? breadthOf(want, want.value) === null : isNarrow(want, facts);
}

/** How many counted facts stand beside the want. */
function countedOf(facts: CardFacts): number {
  const { rejected, owned, considered } = facts.brands;
  return [facts.failures, facts.alsoWanted, facts.users, rejected, owned, considered].flat()
    .filter(({ authors }) => authors >= few(facts)).length +
    facts.budgets.filter(({ authors }) => authors >= ENOUGH_SUMS).length;
}

/**
 * Whether a maker learns something: the words tell a failure, a gap in price or in build, or two other things that the
 * authors want, pay, are or have; and enough is counted.
 */
function teaches(want: WantCounts, facts: CardFacts, told: CardFacts): boolean {
  const isCircumstance = CIRCUMSTANCES.has(facts.want.type);
  const isProblem = facts.want.type === "problem";
  const gaps = [
    isProblem || told.failures.some((failure) => failure.authors >= TELLING),
    told.budgets.slice(0, 1).some(isPricedApart),
    told.narrowedBy !== null ||
    told.alsoWanted.some((other) =>
      (other.type !== "use" || !isCircumstance) && other.lift >= BUILD_LIFT &&
      other.authors >= few(facts)
    ),
  ].filter((gap) => gap).length;
  const needsTwo = isCircumstance && want.market.total >= MARKET_LEAST &&
    ownShare(want, facts.want.value) < OWN_CIRCUMSTANCE;
  const counted = countedOf(facts) + (isProblem ? 1 : 0);
  if (counted < LEAST_FACTS) return false;
  return needsTwo ? gaps >= 2 : gaps >= 1 || countedOf(told) >= LEAST_FACTS;
}

/**
 * Why a value alone is not a single want of this kind: one of a list of products that are needed together ("listed":
 * keyboard, mouse and monitor of a desktop PC), what the kind is ("most"), what anything is asked to be or is for
 * ("common"), or a property that means another thing to each ("general"). Null where it is one.
 */
type Breadth = "listed" | "most" | "common" | "general";

/** Values that no other value narrows to a single want. */
const NEVER_NARROW: ReadonlySet<Breadth | null> = new Set<Breadth>(["listed", "most"]);

function breadthOf({ own, market, anything, products }: WantCounts, value: string): Breadth | null {
  const type = typeOf(value, own);
  if (
    type === "spec" &&
    namedBeside(own, "spec", value, (other) => products.has(other)) > LISTED_PRODUCTS
  ) return "listed";
  const [here, all] = [stating(market, value), stating(anything, value)];
  if (here > MOST_SHARE * market.total && market.total >= MARKET_LEAST) return "most";
  if (type === "problem") return null;
  const others = anything.total - market.total;
  if (others < OTHERS_LEAST) return null;
  if (type === "attribute") {
    const same = agreement(own.of("product"));
    const isOne = here >= OWN_SHARE * all
      ? same >= SAME_PRODUCT.own
      : here / market.total >= GENERAL_LIFT * (all - here) / others ||
        same >= SAME_PRODUCT.general && here >= GENERAL_SHARE * market.total;
    if (!isOne) return "general";
  }
  const isCircumstance = CIRCUMSTANCES.has(type);
  if (isCircumstance && market.total >= MARKET_LEAST && here > PART_SHARE * market.total) {
    return "common";
  }
  const base = Math.max(0, all - here) / others;
  if (isCircumstance && base > COMMON) return "common";
  if (type === "use" && namedBeside(own, "use", value) > LISTED) return "common";
  const lift = isCircumstance ? LEAST_LIFT.circumstance : LEAST_LIFT.build;
  return base > 0 && here / market.total < lift * base ? "common" : null;
}

/** How many state the value, as a fact of any type. */
const stating = (counts: Counts, value: string): number =>
  WANT_TYPES.reduce((sum, one) => sum + counts.authors(one, value), 0);

/** How many other counted values of the type its authors name, in the mean. */
const namedBeside = (
  own: Counts,
  type: FactType,
  value: string,
  isCounted: (other: string) => boolean = () => true,
): number =>
  own.of(type).reduce(
    (sum, one) => sum + (one.value === value || !isCounted(one.value) ? 0 : one.authors),
    0,
  ) / Math.max(1, own.authors(type, value));

/** What share of all who state the value state it of this kind. */
function ownShare({ market, anything }: WantCounts, value: string): number {
  return stating(market, value) / Math.max(1, stating(anything, value));
}

/** How often two of the authors, drawn by chance, state the same (Simpson's index, unbiased). */
function agreement(counts: readonly Count[]): number {
  const total = counts.reduce((sum, { authors }) => sum + authors, 0);
  const same = counts.reduce((sum, { authors }) => sum + authors * (authors - 1), 0);
  return total < 2 ? 0 : same / (total * (total - 1));
}

/**
 * Whether the two values of a pair make one want: at least one says what to build, neither is ruled out for good, and
 * not both are properties that mean different things to different people.
 */
function isNarrow(want: WantCounts, facts: CardFacts): boolean {
  const values = valuesOf(want.value);
  const breadths = values.map((value) => breadthOf(want, value));
  if (breadths.some((breadth) => NEVER_NARROW.has(breadth))) return false;
  const types = [facts.want, facts.narrowedBy].flatMap((stated) => stated?.type ?? []);
  if (types.every((type) => CIRCUMSTANCES.has(type))) return false;
  return types.some((type, i) => type !== "attribute" || breadths[i] !== "general");
}

/** The pairs that narrow a broad want: its value with each that goes along with it. Empty for a want that is not broad. */
export function narrowerValues(want: WantCounts, minAuthors: number): string[] {
  const { own, market, value } = want;
  if (valuesOf(value).length > 1) return [];
  const breadth = breadthOf(want, value);
  if (breadth === null || NEVER_NARROW.has(breadth)) return [];
  if (saysItself(want.kind, value)) return [];
  return companions(want, [value], own, market)
    .filter((other) => other.authors >= minAuthors && other.lift >= NARROWS)
    .sort((a, b) => b.authors * b.lift - a.authors * a.lift || (a.value < b.value ? -1 : 1))
    .slice(0, NARROWED).map((other) => pairValue(value, other.value));
}

const lettersOf = (name: string): string => name.replace(/[\s-]/g, "");

/** The makers among the authors of these posts, the newest post first; null if there is none. */
function makersOf(posts: readonly ShownPost[]): Makers | null {
  const ofEach = [
    ...new Map(posts.toReversed().map((post) => [post.authorKey, post])).values(),
  ].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.postId < b.postId ? -1 : 1));
  const [newest] = ofEach;
  if (newest === undefined) return null;
  const quoted = ofEach.slice(0, MAKERS_QUOTED);
  return {
    makers: ofEach.length,
    newest: newest.createdAt.toISOString(),
    evidence: quoted.map(asEvidence),
    postIds: quoted.map(({ postId }) => postId),
  };
}
