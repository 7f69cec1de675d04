/** What a card is made of: everything counted of its want, in the form that is served beside the card's words. */
import { z } from "zod";
import type { Parsed } from "../../core/json.ts";
import { WANT_TYPES, type WantType } from "../extract/types.ts";
import { isKnownValue } from "../extract/values.ts";
import { valuesOf } from "./ids.ts";
import { isPraise } from "./praise.ts";
import { budgetsOf, type Count, type Counts, ENOUGH_SUMS } from "./counts.ts";
import type { CountRow } from "../../db/corpus/want_counts.ts";

const authors = z.number();
const stated = z.looseObject({ type: z.enum(WANT_TYPES), value: z.string() });
const companion = stated.extend({
  authors,
  /** How much more often than among all who want the kind: 1 is as often. */
  lift: z.number(),
});
const failure = z.looseObject({
  problem: z.string(),
  /** Where the posts say in which. */
  product: z.string().nullable(),
  authors,
});
const brands = z.array(z.looseObject({ name: z.string(), authors }));
const counted = z.array(z.looseObject({ value: z.string(), authors }));

export const cardFactsSchema = z.looseObject({
  /** The kind of product. */
  product: z.string(),
  want: stated,
  /**
   * The other thing that all of them state, where the want alone is too many things; null of one value. Earlier
   * versions had none.
   */
  narrowedBy: stated.nullable().default(null),
  /** Who state the want, with what narrows it. */
  authors,
  /** Who want this kind of product at all. */
  askingForProduct: authors,
  /** By currency, the most common first. */
  budgets: z.array(z.looseObject({
    currency: z.string(),
    authors,
    low: z.number(),
    median: z.number(),
    high: z.number(),
    ceilings: z.number(),
    /** The median of all who want the kind; null where too few name a sum. */
    marketMedian: z.number().nullable(),
  })),
  /** Who would pay more for the right thing, or say that money does not matter. */
  wouldPayMore: authors,
  cheap: authors,
  alsoWanted: z.array(companion),
  failures: z.array(failure),
  /** Who is failed by what there is, does without or makes do. */
  unmet: z.looseObject({ authors, marketShare: z.number() }),
  users: counted,
  brands: z.looseObject({ rejected: brands, owned: brands, considered: brands }),
  places: counted,
  /** Wants of the same kind that are listed on this card, since mostly the same people state them. */
  covers: counted,
});

/** The counts behind a card; every number is one of distinct authors unless it is money or a share. */
export type CardFacts = Parsed<typeof cardFactsSchema>;

/** One thing that is stated of the product, by its canonical value. */
export type Stated = CardFacts["want"];

/** Something else that the same people ask for. */
type Companion = CardFacts["alsoWanted"][number];

/** What fails them, and in which product where the posts say. */
type Failure = CardFacts["failures"][number];

type Brand = CardFacts["brands"]["owned"][number];

/** Types of counts that a card is made of: the facts, and how their posts ask. */
export const CARD_TYPES = [
  ...WANT_TYPES,
  "problem_of",
  "rejected",
  "owned",
  "considered",
  "place",
  "pattern",
  "category",
  "product",
  "intensity",
  "unmet",
] as const;

/** What a market is known by besides what its wants ask for: how its posts ask, and what they call the product. */
export const MARKET_TYPES = ["pattern", "intensity", "unmet", "product"] as const;

/** The types of what else people ask for beside a want. */
export const COMPANION_TYPES = [
  "use",
  "attribute",
  "spec",
  "compat",
] as const satisfies readonly WantType[];
/** Authors who must state a thing for a card to tell it: one may be chance, two say the same. */
export const LEAST_BESIDE = 2;
const SHOWN = { companions: 8, failures: 8, users: 5, brands: 6, places: 3 } as const;

/**
 * The counts that a card tells. `own` are the counts of the want, `market` those of its kind,
 * `anything` those of all kinds together, by which a value that is mostly stated as something else
 * is no user. `alsoWanted`, `failures`, `users`, `brands` and `places` hold what at least
 * `LEAST_BESIDE` authors state, most authors first, up to `SHOWN` lines each. `covers` is left
 * empty: folding fills it.
 */
export function cardFacts(
  want: { readonly kind: string; readonly value: string; readonly authors: number },
  own: Counts,
  market: Counts,
  anything: Counts,
): CardFacts {
  const { authors } = want;
  const askingForProduct = market.total;
  const [first, second] = valuesOf(want.value)
    .map((value) => ({ type: typeOf(value, own), value }))
    .sort((a, b) => PLACE[a.type] - PLACE[b.type]);
  const values = [first, second].flatMap((stated) => stated?.value ?? []);
  const marketBudgets = new Map(
    budgetsOf(market.of("price")).map((budgets) => [budgets.currency, budgets]),
  );
  const least = ({ authors: stating }: Count): boolean => stating >= LEAST_BESIDE;
  const named = (role: string): Brand[] =>
    own.of(role).filter((count) => least(count) && !isOnlyTheKind(count.value, want.kind))
      .slice(0, SHOWN.brands)
      .map(({ value: name, authors: naming }) => ({ name, authors: naming }));
  return {
    product: want.kind,
    want: first ?? { type: "attribute", value: want.value },
    narrowedBy: second ?? null,
    authors,
    askingForProduct: Math.max(askingForProduct, authors),
    budgets: budgetsOf(own.of("price")).filter(({ authors: naming }) => naming >= LEAST_BESIDE)
      .map((budgets) => {
        const all = marketBudgets.get(budgets.currency);
        const known = all !== undefined && all.authors >= ENOUGH_SUMS;
        return { ...budgets, marketMedian: known ? all.median : null };
      }),
    wouldPayMore: own.authors("price", "more") + own.authors("price", "any"),
    cheap: own.authors("price", "cheap"),
    alsoWanted: companions(want, values, own, market),
    failures: failures(values, own),
    unmet: {
      authors: own.authors("unmet", "yes"),
      marketShare: share(market.authors("unmet", "yes"), askingForProduct),
    },
    // What is mostly stated as something else, here or of all kinds, is not a person ("15 inch").
    users: own.of("user").filter((count) =>
      least(count) && !values.includes(count.value) && isKnownValue("user", count.value) &&
      typeOf(count.value, anything) === "user" && typeOf(count.value, own) === "user"
    )
      .slice(0, SHOWN.users),
    brands: {
      rejected: named("rejected"),
      owned: named("owned"),
      considered: named("considered"),
    },
    places: own.of("place").filter(least).slice(0, SHOWN.places),
    covers: [],
  };
}

/**
 * A lower-case word without one ending of number, comparison or a verb: "gaming" and "gamer" become
 * "gam".
 */
export const stemOf = (word: string): string => word.replace(/(?:ing|ers?|es|e|s)$/, "");

/**
 * Whether each word of the value stands in the kind's name, or is what a word of it begins or ends with: "gaming" of a
 * gaming headset, "keys" of a keyboard.
 */
export function saysItself(kind: string, value: string): boolean {
  const named = kind.split(/[ -]/).map(stemOf);
  return value.split(/[ -]/).map(stemOf).every((stem) =>
    named.some((name) =>
      name === stem || stem.length >= PART && (name.startsWith(stem) || name.endsWith(stem))
    )
  );
}

/** The shortest part of a compound that is recognized. */
const PART = 3;

/** Whether a name says no more than the kind, or the kind in a size: "bike", "36d bra". */
function isOnlyTheKind(name: string, kind: string): boolean {
  const ofKind = kind.split(/[ -]/);
  const words = name.split(/[ -]/);
  return words.some((word) => ofKind.includes(word)) &&
    words.every((word) => ofKind.includes(word) || /\d/.test(word));
}

/** A share of two decimals; 0 of nothing. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round(100 * part / whole) / 100;
}

/**
 * The counts without those lines that `keeps` refuses, among what is stated beside the want:
 * companions and users by their value, failures by their problem, brands by their name. All other
 * counts stay.
 */
export function factsOnly(facts: CardFacts, keeps: (beside: Count) => boolean): CardFacts {
  const brands = (list: readonly Brand[]): Brand[] =>
    list.filter(({ name, authors }) => keeps({ value: name, authors }));
  const { rejected, owned, considered } = facts.brands;
  return {
    ...facts,
    alsoWanted: facts.alsoWanted.filter(keeps),
    failures: facts.failures.filter(({ problem, authors }) => keeps({ value: problem, authors })),
    users: facts.users.filter(keeps),
    brands: { rejected: brands(rejected), owned: brands(owned), considered: brands(considered) },
  };
}

/** The place of a want in a pair: what the product is stands before what it is for. */
const PLACE: Readonly<Record<WantType, number>> = {
  attribute: 0,
  spec: 1,
  problem: 2,
  compat: 3,
  user: 4,
  use: 5,
};
const BY_PLACE = WANT_TYPES.toSorted((a, b) => PLACE[a] - PLACE[b]);

/**
 * The type that most authors state the value as; where several types tie, the one that stands first
 * in a pair (`PLACE`), so that a value nobody states is an attribute.
 */
export function typeOf(value: string, own: Counts): WantType {
  return BY_PLACE.reduce((best, next) =>
    own.authors(next, value) > own.authors(best, value) ? next : best
  );
}

/**
 * What else people ask for who want all of `values`, most authors first. `authors` is how many want
 * them. The lift of a companion is the share of its authors among those, over its share of the
 * market, with three authors like the market's added (`LIFT_PRIOR`): 1 is as often as there. Up to
 * `SHOWN.companions` are given, those with the largest product of authors and lift. Left out is
 * what fewer than `LEAST_BESIDE` state, what is praise of any product, and what says the same as
 * the kind, as the values, or as a companion before it.
 */
export function companions(
  { kind, authors }: { readonly kind: string; readonly authors: number },
  values: readonly string[],
  own: Counts,
  market: Counts,
): Companion[] {
  const chosen = [...values];
  const most = new Map<string, { type: WantType; own: number; market: number }>();
  for (const type of COMPANION_TYPES) {
    for (const count of own.of(type)) {
      const before = most.get(count.value);
      most.set(count.value, {
        type: before === undefined || count.authors > before.own ? type : before.type,
        own: count.authors + (before?.own ?? 0),
        market: market.authors(type, count.value) + (before?.market ?? 0),
      });
    }
  }
  return [...most]
    .filter(([other, count]) =>
      count.own >= LEAST_BESIDE && !isPraise(other) && !saysItself(kind, other)
    )
    .map(([other, count]): Companion => ({
      type: count.type,
      value: other,
      authors: count.own,
      lift: liftOf(count.own, authors, count.market, market.total),
    })).sort((a, b) => b.authors * b.lift - a.authors * a.lift || (a.value < b.value ? -1 : 1))
    .filter(({ value }) => {
      if (chosen.some((other) => alike(other, value))) return false;
      chosen.push(value);
      return true;
    })
    .slice(0, SHOWN.companions)
    .sort((a, b) => b.authors - a.authors || (a.value < b.value ? -1 : 1));
}

/**
 * Those of a want's counts that `companions` may choose from: types of `COMPANION_TYPES`, of values
 * that `LEAST_BESIDE` authors state, all types together. The market has to be read for these alone.
 */
export function beside(own: readonly CountRow[]): CountRow[] {
  const types: readonly string[] = COMPANION_TYPES;
  const counts = own.filter(({ type }) => types.includes(type));
  const authors = new Map<string, number>();
  for (const { value, authors: stating } of counts) {
    authors.set(value, (authors.get(value) ?? 0) + stating);
  }
  return counts.filter(({ value }) => (authors.get(value) ?? 0) >= LEAST_BESIDE);
}

/** How many authors like the rest of the market are added to a share, which draws small counts to a lift of 1. */
const LIFT_PRIOR = 3;

/** The share among `of` over the share among `ofAll`, drawn to 1 while there are few; two decimals. */
function liftOf(part: number, of: number, partOfAll: number, ofAll: number): number {
  if (of === 0 || ofAll === 0 || partOfAll === 0) return 1;
  const base = partOfAll / ofAll;
  const drawn = (part + LIFT_PRIOR * base) / (of + LIFT_PRIOR);
  return Math.round(100 * drawn / base) / 100;
}

/**
 * Whether a canonical value says what fails. A single word that is no known problem ("hinge") names
 * a part and not its fault.
 */
export const isProblem = (value: string): boolean =>
  value.includes(" ") || isKnownValue("problem", value);

/** Problems with the product that has them first; of one problem, no more than one line. */
function failures(values: readonly string[], own: Counts): Failure[] {
  const named = own.of("problem_of").flatMap((count): Failure[] => {
    const [problem = "", product = ""] = count.value.split("\t");
    return count.authors < LEAST_BESIDE || !isProblem(problem)
      ? []
      : [{ problem, product, authors: count.authors }];
  });
  const known = new Set(named.map(({ problem }) => problem));
  const plain = own.of("problem")
    .filter((count) =>
      count.authors >= LEAST_BESIDE && isProblem(count.value) && !values.includes(count.value) &&
      !known.has(count.value)
    )
    .map((count): Failure => ({ problem: count.value, product: null, authors: count.authors }));
  return [...named, ...plain].sort((a, b) =>
    b.authors - a.authors || (a.problem < b.problem ? -1 : 1)
  ).slice(0, SHOWN.failures);
}

/** Whether two values share a telling word: "2-person" and "1-2 person", "waterproof" and "water resistant". */
function alike(a: string, b: string): boolean {
  const stems = (value: string): string[] =>
    value.split(/[ -]/).filter((word) => word.length > 3).map((word) => word.slice(0, 5));
  const own = new Set(stems(a));
  return a === b || stems(b).some((stem) => own.has(stem));
}
