/** Whether a want becomes a card, alone or as a pair, by what is counted of it. */
import { type FactType, WANT_TYPES } from "../extract/types.ts";
import { goesWithoutSaying } from "../lexicon/inherent.ts";
import { type Count, type Counts, ENOUGH_SUMS } from "../opportunities/counts.ts";
import {
  type CardFacts,
  cardFacts,
  companions,
  saysItself,
  typeOf,
} from "../opportunities/facts.ts";
import { pairValue, valuesOf } from "../opportunities/ids.ts";
import { BUILD_LIFT, few, isPricedApart } from "./text.ts";

/** How many counted facts beside the want a card needs to teach something; a problem to be solved is one. */
const MIN_FACTS = 2;
/** The share of those who state a problem which must ask for something: who only complains wants no product. */
const MIN_ASKING_SHARE = 0.5;
/** How many people must be failed by the same thing. */
const MIN_FAILED = 2;
/**
 * Types that say for whom, for what or beside what, and not what to build. Such a want teaches only if it is asked of
 * this kind far more often than of others, and, in a market that is large enough to show gaps, if there are two gaps.
 */
const CIRCUMSTANCES: ReadonlySet<FactType> = new Set<FactType>(["use", "user", "compat"]);
/** A want of more than this share of a market is what the kind is anyway. */
const MAX_MARKET_SHARE = 0.5;
/** Shares of a market of fewer authors tell nothing. */
const MIN_MARKET = 100;
/** How many times more often a want must be asked of this kind than of others. */
const MIN_LIFT = { build: 1.3, circumstance: 2 } as const;
/** A circumstance that this share of those state who want other kinds is common to all kinds ("beginner", "gaming"). */
const MAX_SHARE_ELSEWHERE = 0.015;
/** How many authors of other kinds make shares of them reliable. */
const MIN_OTHERS = 1_000;
/**
 * A property that is asked mostly of this kind means one thing if its authors call the product the same: if two of
 * them, drawn by chance, do so this often. Otherwise ("powerful") it needs a second value that narrows it.
 */
const SAME_PRODUCT = { own: 0.25, general: 0.3 } as const;
/** A property of which this kind has that share of all who state it is asked mostly of this kind. */
const OWN_SHARE = 0.35;
/**
 * A property that is asked more of other kinds ("durable") is a want of this kind if it is asked of it this many times
 * more often, or if this share of all who want the kind ask for it and call the product the same.
 */
const GENERAL_LIFT = 10;
const GENERAL_SHARE = 0.1;
/** A circumstance that more than this share of a large market states is a part of the market, which wants all sorts. */
const MAX_CIRCUMSTANCE_SHARE = 0.12;
/** A use whose authors name more than this many others, in the mean, is one of a list ("plays X, Y and Z"). */
const MAX_USES_BESIDE = 1;
/** A part whose authors name more than this many products, in the mean, that people ask for alone is one of a list. */
const MAX_PRODUCTS_BESIDE = 0.5;
/** A circumstance that is stated of this kind in half of all cases ("ESXi" of servers) needs no second gap. */
const NARROW_CIRCUMSTANCE_SHARE = 0.5;
/** How many values may narrow a broad want. */
const MAX_PAIRS = 4;
/** How many times more often a value that narrows a want must be stated beside it than by others of the kind. */
const MIN_PAIR_LIFT = 1.15;
/** Nouns of kinds that are whole shelves of products: no want of them says which product to build. */
const SHELVES =
  /(?:^| )(?:accessories|clothes|clothing|components?|electronics|equipment|furniture|gear|goods|items?|parts?|peripherals|products?|stuff|supplies|tools)$/;

/** How many authors must call the product so for it to be a name of it. */
const MIN_CALLING = 3;

/** Everything that is counted of a want; all counts are of distinct authors. */
export interface WantCounts {
  readonly kind: string;
  /** Both values of a pair. */
  readonly value: string;
  readonly authors: number;
  /** What those who state it state. */
  readonly own: Counts;
  /** What all state who want the kind. */
  readonly market: Counts;
  /** What is stated of all kinds together. */
  readonly anything: Counts;
  /** Of the values stated with the want, those that are kinds of products with a market of their own. */
  readonly products: ReadonlySet<string>;
}

/** What a card of the want tells, by its counts alone; null where these rule it out, whatever its posts show. */
export function countedFacts(want: WantCounts): CardFacts | null {
  const facts = cardFacts(want, want.own, want.market, want.anything);
  // Posts take from what is told, and add nothing.
  return isOneWant(want, facts) && teaches(want, facts, facts) ? facts : null;
}

/**
 * Whether the want is one thing of one product: asked of this kind more than of any, not what all of it are ("portable"
 * of a laptop), and not said already by the kind's name or by what its authors call the product ("home lab" of a
 * server, "build" of a gaming build). Most of those who state a problem must ask for something.
 */
function isOneWant(want: WantCounts, facts: CardFacts): boolean {
  if (SHELVES.test(want.kind)) return false;
  const nouns = want.market.of("product").filter(({ authors }) => authors >= MIN_CALLING)
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
    if (complaints > (1 - MIN_ASKING_SHARE) * want.authors) return false;
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
 * Whether a maker learns something. `facts` are the want's counts, `told` those of them that its
 * words tell. They tell a failure, a gap in price or in build, or two other things that the authors
 * want, pay, are or have; and enough is counted.
 */
export function teaches(want: WantCounts, facts: CardFacts, told: CardFacts): boolean {
  const isCircumstance = CIRCUMSTANCES.has(facts.want.type);
  const isProblem = facts.want.type === "problem";
  const gaps = [
    isProblem || told.failures.some((failure) => failure.authors >= MIN_FAILED),
    told.budgets.slice(0, 1).some(isPricedApart),
    told.narrowedBy !== null ||
    told.alsoWanted.some((other) =>
      (other.type !== "use" || !isCircumstance) && other.lift >= BUILD_LIFT &&
      other.authors >= few(facts)
    ),
  ].filter((gap) => gap).length;
  const needsTwo = isCircumstance && want.market.total >= MIN_MARKET &&
    ownShare(want, facts.want.value) < NARROW_CIRCUMSTANCE_SHARE;
  const counted = countedOf(facts) + (isProblem ? 1 : 0);
  if (counted < MIN_FACTS) return false;
  return needsTwo ? gaps >= 2 : gaps >= 1 || countedOf(told) >= MIN_FACTS;
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
    namedBeside(own, "spec", value, (other) => products.has(other)) > MAX_PRODUCTS_BESIDE
  ) return "listed";
  const [here, all] = [stating(market, value), stating(anything, value)];
  if (here > MAX_MARKET_SHARE * market.total && market.total >= MIN_MARKET) return "most";
  if (type === "problem") return null;
  const others = anything.total - market.total;
  if (others < MIN_OTHERS) return null;
  if (type === "attribute") {
    const same = agreement(own.of("product"));
    const isOne = here >= OWN_SHARE * all
      ? same >= SAME_PRODUCT.own
      : here / market.total >= GENERAL_LIFT * (all - here) / others ||
        same >= SAME_PRODUCT.general && here >= GENERAL_SHARE * market.total;
    if (!isOne) return "general";
  }
  const isCircumstance = CIRCUMSTANCES.has(type);
  if (
    isCircumstance && market.total >= MIN_MARKET && here > MAX_CIRCUMSTANCE_SHARE * market.total
  ) {
    return "common";
  }
  const base = Math.max(0, all - here) / others;
  if (isCircumstance && base > MAX_SHARE_ELSEWHERE) return "common";
  if (type === "use" && namedBeside(own, "use", value) > MAX_USES_BESIDE) return "common";
  const lift = isCircumstance ? MIN_LIFT.circumstance : MIN_LIFT.build;
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

/**
 * The values of the pairs that narrow a want which is broad: its own with each that goes along with
 * it, of at least `minAuthors` authors, at most four, the most telling first. Empty for a pair, and
 * for a want that is not broad.
 */
export function narrowerValues(want: WantCounts, minAuthors: number): string[] {
  const { own, market, value } = want;
  if (valuesOf(value).length > 1) return [];
  const breadth = breadthOf(want, value);
  if (breadth === null || NEVER_NARROW.has(breadth)) return [];
  if (saysItself(want.kind, value)) return [];
  return companions(want, [value], own, market)
    .filter((other) => other.authors >= minAuthors && other.lift >= MIN_PAIR_LIFT)
    .sort((a, b) => b.authors * b.lift - a.authors * a.lift || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_PAIRS).map((other) => pairValue(value, other.value));
}

const lettersOf = (name: string): string => name.replace(/[\s-]/g, "");
