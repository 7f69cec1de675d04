/** The catalogue: everything that is served, made in one go from the database and swapped whole. */
import { type CatalogueRows, catalogueRows } from "../../db/corpus/catalogue.ts";
import type { Sql } from "../../db/sql.ts";
import type { Registry } from "../communities/registry.ts";
import { quotedIds, spanOf } from "./queries.ts";
import { type Card, type Catalogue, type CategoryEntry, readCard } from "./types.ts";

/** What the database holds and a catalogue cannot show. */
export interface LeftOutCards {
  /** Categories of cards that the registry does not have. */
  readonly categories: readonly string[];
  /** Cards that this version cannot read. */
  readonly cards: readonly string[];
}

/**
 * Reads the catalogue; `now` stands in for times that an empty corpus does not have yet. Quotes that
 * the source did not confirm since `shownSince` are withheld; null, for a corpus without a source,
 * shows all. `onLeftOut` is called with cards that are left out.
 */
export async function loadCatalogue(
  sql: Sql,
  registry: Registry,
  now: Date,
  shownSince: Date | null,
  onLeftOut: (left: LeftOutCards) => void = () => {},
): Promise<Catalogue> {
  const rows = await catalogueRows(sql, shownSince);
  const read = rows.cards.map(({ id, card }) => ({ id, card: readCard(card) }));
  const cards = read.flatMap(({ card }) => card ?? []);
  const unknown = new Set(
    cards.map(({ category }) => category).filter((slug) => !registry.isCategory(slug)),
  );
  const left = {
    categories: [...unknown].sort(),
    cards: read.filter(({ card }) => card === null).map(({ id }) => id),
  };
  if (left.categories.length + left.cards.length > 0) onLeftOut(left);
  return makeCatalogue(rows, cards.filter(({ category }) => !unknown.has(category)), registry, now);
}

/** A card without the quotes of these posts. */
function without(card: Card, postIds: ReadonlySet<string>): Card {
  const isIn = (id: string): boolean => postIds.has(id);
  if (postIds.size === 0 || !quotedIds(card).some(isIn)) return card;
  const shown = (index: number): boolean => !postIds.has(card.evidenceIds[index] ?? "");
  return {
    ...card,
    evidence: card.evidence.filter((_, index) => shown(index)),
    evidenceIds: card.evidenceIds.filter((_, index) => shown(index)),
    ...(card.makers?.postIds.some(isIn) ? { makers: null } : {}),
  };
}

/** Makes a catalogue of what the database held. */
function makeCatalogue(
  rows: CatalogueRows,
  read: readonly Card[],
  registry: Registry,
  now: Date,
): Catalogue {
  const { corpus, oldest, newest } = rows;
  const withheld = new Set(rows.withheld);
  const cards = read.map((card) => without(card, withheld));
  const sample = rows.sample === null ? null : readCard(rows.sample.card);
  const ids = new Map(cards.map((card) => [card.id, card]));
  for (const { id, survivor } of rows.merged) {
    const card = ids.get(survivor);
    if (card !== undefined) ids.set(id, card);
  }
  const slugs = new Map<string, Card>();
  for (const { slug, id } of rows.slugs) {
    const card = ids.get(id);
    if (card !== undefined) slugs.set(slug, card);
  }
  const byCategory = Map.groupBy(cards, ({ category }) => category);
  const changes = new Map(rows.changes.map((c) => [c.category, c.changedAt.toISOString()]));
  const times = [corpus.firstStartedAt, corpus.builtAt].filter((time) => time !== null);
  const start = new Date(Math.min(...(times.length > 0 ? times : [now]).map(Number))).toISOString();
  return {
    revision: corpus.revision,
    builtAt: (corpus.builtAt ?? now).toISOString(),
    asOf: (corpus.asOf ?? now).toISOString(),
    lastMinedAt: corpus.lastMinedAt?.toISOString() ?? null,
    signalCount: rows.signalCount,
    ...(oldest === null || newest === null
      ? spanOf(cards)
      : { dataFrom: oldest.toISOString(), dataTo: newest.toISOString() }),
    // A catalogue that was published says on what day its cards were scored; an emptied corpus begins anew.
    warming: cards.length === 0 && (corpus.origin === "none" || corpus.scoredOn === null),
    demonstration: corpus.origin === "demo",
    categories: registry.categories.map(({ slug, title }): CategoryEntry => {
      const listed = byCategory.get(slug) ?? [];
      return {
        slug,
        title,
        opportunityCount: listed.length,
        topScore: listed[0]?.score ?? 0,
        lastUpdated: changes.get(slug) ?? start,
        newestPost: spanOf(listed).dataTo,
      };
    }),
    cards,
    inCategory: (slug) => byCategory.get(slug) ?? [],
    byId: (id) => ids.get(id),
    bySlug: (slug) => slugs.get(slug),
    sample: sample === null || rows.sample === null ? null : {
      card: without(sample, withheld),
      cardAsOf: rows.sample.cardAsOf.toISOString(),
    },
  };
}
