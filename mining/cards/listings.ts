/** The lists that the catalogue answers with: trending, a category's, and the brief. */
import { ServiceError, type ServiceErrorDetails } from "../../core/errors.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import { categoryIndex, spanOf } from "./queries.ts";
import type { Card, Catalogue, CategoryEntry, DataSpan } from "./types.ts";

const TRENDING_MAX = 20;
const CATEGORY_MAX = 50;
const BRIEF_MAX = 10;

/**
 * Signals a week that momentum supposes of every card: with it, one post more or less moves a card
 * of many signals by little, and one of few signals not by multiples.
 */
const MOMENTUM_PRIOR = 2;

/** Fewer signals this week are chance, whatever the weeks before were like. */
const RISING_LEAST = 3;

/** A card in a list. */
interface Teaser {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  readonly score: number;
  readonly signalCount: number;
  readonly lastSeen: string;
  /** See `momentum`. */
  readonly momentum: number;
}

interface SummarisedTeaser extends Teaser {
  readonly summary: string;
}

/** The answer of the list of all categories. */
export interface Trending extends DataSpan {
  readonly opportunities: readonly Teaser[];
  readonly fetchedAt: string;
}

/** A page of one category's cards. */
export interface CategoryListing extends DataSpan {
  readonly category: string;
  readonly opportunities: readonly SummarisedTeaser[];
  /** Cards of the category with at least the score asked for, on all pages together. */
  readonly total: number;
  /** What to ask the next page with; null on the last one. */
  readonly nextCursor: string | null;
  readonly fetchedAt: string;
}

/** The place of a card in its list. It holds while cards come and go, as a number of cards skipped would not. */
interface Cursor {
  readonly score: number;
  readonly id: string;
}

/** Which cards of a category are asked for. */
interface Page {
  readonly minScore?: number | undefined;
  /** At most 50, which is also what is given where nothing is said. */
  readonly limit?: number | undefined;
  /** The card that the page before ended with. */
  readonly after?: Cursor | null;
}

/** A want that is asked for more often this week than in the four before. */
interface TrendingSignal {
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  /** The pattern that most of its signals show. */
  readonly pattern: Pattern;
  readonly signalCount7d: number;
  /** This week's signals over a usual week's, shrunk towards 1; two decimals. */
  readonly momentum: number;
  readonly lastSeen: string;
}

/** The answer of the brief: three lists, each with the time it is of. */
export interface Brief extends DataSpan {
  readonly generatedAt: string;
  readonly category: string | null;
  readonly trending: { readonly asOf: string; readonly signals: readonly TrendingSignal[] };
  readonly opportunities: { readonly asOf: string; readonly items: readonly SummarisedTeaser[] };
  readonly categories: { readonly asOf: string; readonly items: readonly CategoryEntry[] };
}

/** What was mined is added to by every run, half an hour apart by default. */
const RENEWED_SECONDS = 1_800;

/** The refusal of what the catalogue has nothing for: soon over while nothing was mined, else for the reason given. */
export function lacking(
  { warming }: Pick<Catalogue, "warming">,
  reason: string,
  details: ServiceErrorDetails = {},
): ServiceError {
  if (warming) {
    return new ServiceError("corpus_warming", "Nothing has been mined yet; ask again soon.");
  }
  return new ServiceError("corpus_warming", reason, {
    retryAfterSeconds: RENEWED_SECONDS,
    ...details,
  });
}

/** The reason given where no card is active. */
export const NO_CARD =
  "There is no card: no want has the people of late, the quotes and the facts that one needs.";

/**
 * Does nothing where some card is active.
 * @throws ServiceError `corpus_warming` where none is.
 */
export function requireCards(catalogue: Pick<Catalogue, "cards" | "warming">): void {
  if (catalogue.cards.length === 0) throw lacking(catalogue, NO_CARD);
}

/** The 20 active cards with the highest scores. @throws ServiceError `corpus_warming` for none. */
export function trending(catalogue: Catalogue): Trending {
  requireCards(catalogue);
  const listed = catalogue.cards.slice(0, TRENDING_MAX);
  return {
    opportunities: listed.map(teaser),
    fetchedAt: catalogue.builtAt,
    ...spanOf(listed),
  };
}

const CURSOR = /^(\d{1,3}(?:\.\d+)?)_(opp_[a-z2-7]{16})_(.+)$/;

/** What a cursor says of its list: a place in another one would have cards passed over that were never seen. */
const listKey = (category: string, minScore = 0): string => `${minScore}_${category}`;

/**
 * The place that the `nextCursor` of a category's list names.
 * @throws ServiceError `invalid_parameter` for any other text, and for the cursor of another list.
 */
export function parseCursor(text: string, category: string, minScore?: number): Cursor {
  const [, score, id, list] = CURSOR.exec(text) ?? [];
  if (score !== undefined && id !== undefined && list === listKey(category, minScore)) {
    return { score: Number(score), id };
  }
  throw new ServiceError(
    "invalid_parameter",
    '"cursor" should be the nextCursor of an answer before, to the same category and minScore.',
    { param: "cursor" },
  );
}

/** Whether a card comes after a place in the order of lists: best score first, then by id. */
const comesAfter = (card: Card, { score, id }: Cursor): boolean =>
  card.score < score || (card.score === score && card.id > id);

/**
 * A page of the active cards of a category, best first, none below `minScore`; the list may be empty.
 * @throws ServiceError `invalid_category` for an unknown one, `corpus_warming` for one without cards.
 */
export function listCategory(
  catalogue: Catalogue,
  category: string,
  { minScore = 0, limit = CATEGORY_MAX, after = null }: Page = {},
): CategoryListing {
  const cards = catalogue.inCategory(knownCategory(catalogue, category));
  if (cards.length === 0) {
    const filled = catalogue.categories.filter(({ opportunityCount }) => opportunityCount > 0)
      .map(({ slug }) => slug);
    throw lacking(
      catalogue,
      "This category has no card: no want in it has the people of late, the quotes and the facts that one needs. " +
        "Those that have some are in categories.",
      { param: "category", categories: filled },
    );
  }
  const wanted = cards.filter(({ score }) => score >= minScore);
  const rest = after === null ? wanted : wanted.filter((card) => comesAfter(card, after));
  const listed = rest.slice(0, limit);
  const last = listed.at(-1);
  return {
    category,
    opportunities: listed.map(summarised),
    total: wanted.length,
    nextCursor: last === undefined || rest.length === listed.length
      ? null
      : `${last.score}_${last.id}_${listKey(category, minScore)}`,
    fetchedAt: catalogue.builtAt,
    ...spanOf(listed),
  };
}

/**
 * What moves, what scores highest (in one category, if one is given), and every category's counts.
 * @throws ServiceError `invalid_category`; `corpus_warming` where nothing moves and nothing is open.
 */
export function brief(catalogue: Catalogue, category: string | null): Brief {
  const open = category === null
    ? catalogue.cards
    : catalogue.inCategory(knownCategory(catalogue, category));
  const signals = risingSignals(catalogue);
  if (open.length === 0 && signals.length === 0) {
    throw lacking(catalogue, "Nothing is trending, and no card is there to list.");
  }
  const { builtAt, dataFrom, dataTo } = catalogue;
  return {
    generatedAt: builtAt,
    dataFrom,
    dataTo,
    category,
    trending: { asOf: catalogue.asOf, signals },
    opportunities: { asOf: builtAt, items: open.slice(0, BRIEF_MAX).map(summarised) },
    categories: { asOf: builtAt, items: categoryIndex(catalogue).categories },
  };
}

/**
 * This week's signals over the mean week of the four before, each with `MOMENTUM_PRIOR` added
 * (the posterior mean of a rate under a gamma prior): 1 is steady, 2 is twice as many.
 */
export function momentum(
  { signals7d, signals28d }: Pick<Card, "signals7d" | "signals28d">,
): number {
  const ratio = (signals7d + MOMENTUM_PRIOR) / (signals28d / 4 + MOMENTUM_PRIOR);
  return Math.round(ratio * 100) / 100;
}

/** @throws ServiceError `invalid_category`, with the list of the known ones. */
function knownCategory(catalogue: Catalogue, slug: string): string {
  if (catalogue.categories.some((entry) => entry.slug === slug)) return slug;
  throw new ServiceError("invalid_category", "There is no such category.", {
    param: "category",
    categories: catalogue.categories.map((entry) => entry.slug),
  });
}

function risingSignals(catalogue: Catalogue): TrendingSignal[] {
  return catalogue.cards.filter((card) => card.signals7d >= RISING_LEAST && momentum(card) >= 1)
    .sort((a, b) =>
      momentum(b) - momentum(a) || b.signals7d - a.signals7d || (a.id < b.id ? -1 : 1)
    )
    .slice(0, BRIEF_MAX)
    .map((card) => ({
      slug: card.slug,
      title: card.title,
      category: card.category,
      pattern: leadingPattern(card),
      signalCount7d: card.signals7d,
      momentum: momentum(card),
      lastSeen: card.lastSeen,
    }));
}

function leadingPattern({ scoring: { patterns } }: Card): Pattern {
  return PATTERNS.reduce((best, next) =>
    (patterns[next] ?? 0) > (patterns[best] ?? 0) ? next : best
  );
}

function teaser(card: Card): Teaser {
  const { id, slug, title, category, score, signalCount, lastSeen } = card;
  return { id, slug, title, category, score, signalCount, lastSeen, momentum: momentum(card) };
}

function summarised(card: Card): SummarisedTeaser {
  return { ...teaser(card), summary: card.summary };
}
