/** Turns changed clusters into cards, a chunk and a transaction at a time. */
import {
  claimSlug,
  dirtyOpportunities,
  type DirtyOpportunity,
  saveCards,
  type SavedCard,
} from "../../db/opportunities.ts";
import { markServed } from "../../db/removal.ts";
import {
  type CardSignal,
  newestSignals,
  type QuoteRow,
  quotes,
  type SignalTotals,
  signalTotals,
} from "../../db/signals.ts";
import type { Database, Tx } from "../../db/sql.ts";
import { buildCard, type CardDraft, LEAST_CERTAINTY, WINDOW } from "./build.ts";
import { slugOf } from "./slug.ts";
import type { Card, Evidence } from "./types.ts";
import { type CardWords, standingWords, textOf, worded } from "./words.ts";

/** Clusters a transaction: with a full window each, some 20,000 rows. */
const CHUNK = 50;

export interface RefreshOptions {
  readonly asOf: Date;
  readonly now: Date;
  /** Runs in each chunk's transaction: the lease's fence. */
  readonly within: (tx: Tx) => Promise<void>;
}

/** Remakes the cards of all changed clusters; gives how many clusters were looked at and changed. */
export async function refreshCards(
  database: Database,
  options: RefreshOptions,
): Promise<{ refreshed: number; changed: number }> {
  let refreshed = 0;
  let changed = 0;
  for (;;) {
    const chunk = await database.sql.begin((tx) => refreshChunk(tx, options));
    refreshed += chunk.refreshed;
    changed += chunk.changed;
    if (chunk.refreshed < CHUNK) return { refreshed, changed };
  }
}

async function refreshChunk(
  tx: Tx,
  options: RefreshOptions,
): Promise<{ refreshed: number; changed: number }> {
  await options.within(tx);
  const dirty = await dirtyOpportunities(tx, CHUNK);
  const ids = dirty.map(({ id }) => id);
  const signals = Map.groupBy(
    await newestSignals(tx, ids, WINDOW, LEAST_CERTAINTY),
    (s) => s.opportunityId,
  );
  const totals = await totalsOfLarge(tx, signals);
  const drafts = dirty.map((opportunity) => ({
    opportunity,
    draft: buildCard(
      signals.get(opportunity.id) ?? [],
      totals.get(opportunity.id) ?? null,
      options.asOf,
    ),
  }));
  const evidence = await quotes(tx, drafts.flatMap(({ draft }) => draft?.evidenceIds ?? []));
  const saved: SavedCard[] = [];
  let changed = 0;
  for (const { opportunity, draft } of drafts) {
    const words = standingWords(opportunity.words, signals.get(opportunity.id) ?? []);
    const row = await finish(tx, { ...opportunity, words }, draft, evidence, options.now);
    if (row.changedAt === options.now.toISOString()) changed++;
    saved.push(row);
  }
  await saveCards(tx, saved);
  await markServed(tx, saved.flatMap(shownIds));
  return { refreshed: dirty.length, changed };
}

async function totalsOfLarge(
  tx: Tx,
  signals: ReadonlyMap<string, readonly CardSignal[]>,
): Promise<Map<string, SignalTotals>> {
  const large = [...signals].filter(([, list]) => list.length >= WINDOW).map(([id]) => id);
  if (large.length === 0) return new Map();
  return new Map(
    (await signalTotals(tx, large, LEAST_CERTAINTY)).map((row) => [row.opportunityId, row]),
  );
}

/** Gives a draft its id, slug and quotes, and decides whether anybody needs to hear of the change. */
async function finish(
  tx: Tx,
  opportunity: DirtyOpportunity & { readonly words: CardWords | null },
  draft: CardDraft | null,
  evidence: ReadonlyMap<string, QuoteRow>,
  now: Date,
): Promise<SavedCard> {
  const before = opportunity.card as Card | null;
  const { id, changedAt, words } = opportunity;
  if (draft === null || (draft.state === "forming" && changedAt === null)) {
    const signalCount = draft?.signalCount ?? 0;
    // A card that leaves is a change of its category's; what left before, or was never listed, is none.
    const left = changedAt === null || before === null ? changedAt : now;
    return {
      id,
      state: "forming",
      slug: opportunity.slug,
      category: draft?.category ?? before?.category ?? null,
      score: 0,
      signalCount,
      card: null,
      words: null,
      changedAt: left?.toISOString() ?? null,
    };
  }
  const { state, ...rest } = draft;
  const slug = opportunity.slug ?? await claimSlug(tx, slugOf(rest.title), id);
  const card: Card = {
    id,
    slug,
    ...rest,
    ...worded(rest, words),
    evidence: rest.evidenceIds.flatMap((postId) => evidenceItem(evidence.get(postId))),
    lastUpdated: changedAt?.toISOString() ?? now.toISOString(),
  };
  const same = before !== null && changedAt !== null && opportunity.state === state &&
    fingerprint(before) === fingerprint(card);
  const lastUpdated = same ? changedAt.toISOString() : now.toISOString();
  return {
    id,
    state,
    slug,
    category: card.category,
    score: card.score,
    signalCount: card.signalCount,
    card: { ...card, lastUpdated },
    words: words === null ? null : { ...words, drafted: textOf(rest) },
    changedAt: lastUpdated,
  };
}

/** Posts whose quotes the saved card shows. */
function shownIds({ state, card }: SavedCard): readonly string[] {
  return state === "active" && card !== null ? (card as Card).evidenceIds : [];
}

function evidenceItem(row: QuoteRow | undefined): Evidence[] {
  if (row === undefined) return [];
  const { quote, permalink, upvotes, community } = row;
  return [{ quote, permalink, upvotes, subreddit: community }];
}

/** What a client that polls would call a change: membership, evidence, the whole-number score. */
function fingerprint(card: Card): string {
  const { title, signalCount, distinctAuthors, lastSeen, evidence, score } = card;
  return JSON.stringify([
    title,
    signalCount,
    distinctAuthors,
    lastSeen,
    evidence.map(({ quote, permalink }) => [quote, permalink]),
    Math.round(score),
  ]);
}
