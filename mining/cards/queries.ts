/** What the catalogue answers: one function a question, pure, from memory. */
import { ServiceError } from "../../core/errors.ts";
import type { Card, Catalogue, CategoryEntry, DataSpan, Evidence, Makers } from "./types.ts";

/** Posts behind cards are looked up before all others, and the catalogue is read again this often. */
const CARD_RETRY_SECONDS = 600;
/** A query may match any stored post, and a run looks those up last: half an hour apart by default. */
const MATCHES_RETRY_SECONDS = 1_800;

/** The refusal of an answer whose quotes are all withheld: the source did not confirm the posts lately. */
function unconfirmed(posts: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    "source_unavailable",
    `The posts ${posts} could not be confirmed at their source lately; try again later.`,
    { retryAfterSeconds },
  );
}

/** What a card without a quote is: its evidence is what it is bought for. */
const unconfirmedCard = (): ServiceError => unconfirmed("behind this card", CARD_RETRY_SECONDS);

/** Posts that may have been removed meanwhile are no evidence, and no sign of a cold market either. */
export const unconfirmedMatches = (): ServiceError =>
  unconfirmed("that match", MATCHES_RETRY_SECONDS);

/** The index of categories, empty ones included. */
export interface CategoryIndex extends DataSpan {
  readonly categories: readonly CategoryEntry[];
  readonly generatedAt: string;
}

/** A card as it is shown whole. */
export interface FullCard extends
  DataSpan,
  Omit<
    Card,
    | "authorsKnown"
    | "evidenceIds"
    | "makers"
    | "scoring"
    | "signals7d"
    | "signals28d"
    | "lastUpdated"
  > {
  readonly scoreVersion: string;
  /** Present where it is false of the card. */
  readonly authorsKnown?: false;
  readonly builderMomentum: Omit<Makers, "postIds"> | null;
  readonly fetchedAt: string;
}

/** The free card: fixed, and saying so. */
export interface SampleOpportunity extends FullCard {
  readonly sample: true;
  readonly note: string;
  readonly cardAsOf: string;
}

const SAMPLE_NOTE =
  "One fixed card of this corpus, free, to learn the shape from; paid routes give current ones.";
const DEMONSTRATION_NOTE =
  "One fixed card of the demonstration corpus, whose posts are invented, to learn the shape from.";

/** The slug of every category, in display order: what an input named `category` may be. */
export const categorySlugs = ({ categories }: Catalogue): string[] =>
  categories.map(({ slug }) => slug);

/** The index of all categories of the registry, in display order. */
export function categoryIndex(catalogue: Catalogue): CategoryIndex {
  return {
    categories: catalogue.categories,
    generatedAt: catalogue.builtAt,
    dataFrom: catalogue.dataFrom,
    dataTo: catalogue.dataTo,
  };
}

/**
 * The fixed sample, or undefined before there was a card to freeze.
 * @throws ServiceError `source_unavailable` where every quote of it is withheld.
 */
export function sampleOpportunity(catalogue: Catalogue): SampleOpportunity | undefined {
  if (catalogue.sample === null) return undefined;
  const { card, cardAsOf } = catalogue.sample;
  if (card.evidence.length === 0) throw unconfirmedCard();
  const note = catalogue.demonstration ? DEMONSTRATION_NOTE : SAMPLE_NOTE;
  return { ...fullCard(card, cardAsOf), sample: true, note, cardAsOf };
}

/**
 * An active card by its id or by its slug, former ones included, with at least one quote.
 * @throws ServiceError `opportunity_not_found`, or `source_unavailable` where every quote is withheld.
 */
export function oneCard(
  catalogue: Catalogue,
  key: { readonly id: string } | { readonly slug: string },
): Card {
  const card = "id" in key ? catalogue.byId(key.id) : catalogue.bySlug(key.slug);
  if (card === undefined) {
    const param = "id" in key ? "id" : "slug";
    const message = `No active opportunity has this ${param}: ids go into id, slugs into slug.`;
    throw new ServiceError("opportunity_not_found", message, { param });
  }
  if (card.evidence.length === 0) throw unconfirmedCard();
  return card;
}

/** In the order of documents, which the database does not keep. */
const shownEvidence = ({ quote, permalink, upvotes, subreddit, postedAt }: Evidence): Evidence => ({
  quote,
  permalink,
  upvotes,
  subreddit,
  ...(postedAt === undefined ? {} : { postedAt }),
});

function builderMomentum({ makers }: Card): FullCard["builderMomentum"] {
  if (!makers) return null;
  const { makers: number, newest, evidence } = makers;
  return { makers: number, newest, evidence: evidence.map(shownEvidence) };
}

/** The ids of all posts that a card quotes. */
export const quotedIds = ({ evidenceIds, makers }: Card): readonly string[] => [
  ...evidenceIds,
  ...makers?.postIds ?? [],
];

/** A card with nothing in it that is not for callers. */
export function fullCard(card: Card, fetchedAt: string): FullCard {
  return {
    id: card.id,
    slug: card.slug,
    title: card.title,
    category: card.category,
    score: card.score,
    freqScore: card.freqScore,
    intensityScore: card.intensityScore,
    wtpScore: card.wtpScore,
    scoreVersion: card.scoring.version,
    productAngle: card.productAngle,
    summary: card.summary,
    signalCount: card.signalCount,
    distinctAuthors: card.distinctAuthors,
    ...(card.authorsKnown ? {} : { authorsKnown: false }),
    firstSeen: card.firstSeen,
    lastSeen: card.lastSeen,
    ...(card.facts === undefined ? {} : { facts: card.facts }),
    evidence: card.evidence.map(shownEvidence),
    builderMomentum: builderMomentum(card),
    fetchedAt,
    ...spanOf([card]),
  };
}

/** From when to when the posts behind these cards were written. */
export function spanOf(cards: readonly Pick<Card, "firstSeen" | "lastSeen">[]): DataSpan {
  const [first] = cards;
  if (first === undefined) return { dataFrom: null, dataTo: null };
  // ISO 8601 in UTC sorts as text.
  return {
    dataFrom: cards.reduce((at, { firstSeen }) => firstSeen < at ? firstSeen : at, first.firstSeen),
    dataTo: cards.reduce((at, { lastSeen }) => lastSeen > at ? lastSeen : at, first.lastSeen),
  };
}
