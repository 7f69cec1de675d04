/** Turns changed wants into cards, a chunk and a transaction at a time, and folds those that say the same. */
import {
  claimSlug,
  dropFormerSample,
  type Folded,
  formerCards,
  heirsOf,
  insertOpportunities,
  saveCards,
  type SavedCard,
  saveFolding,
  storedOpportunities,
  type StoredOpportunity,
  takeUnfoldedKinds,
} from "../../db/corpus/opportunities.ts";
import { showingsMeeting, touchShownKinds } from "../../db/corpus/showings.ts";
import { markServed } from "../../db/corpus/removal.ts";
import type { Tx } from "../../db/sql.ts";
import {
  type CountRow,
  countsOf,
  type DirtyWant,
  largeMarkets,
  mostStated,
  shownStatements,
  takeDirtyWants,
  wantTimes,
  wellShown,
} from "../../db/corpus/want_counts.ts";
import { ALL_KINDS, openPairs, type PairRow } from "../../db/corpus/wants.ts";
import { readReview, reviewed, standingReview } from "./review.ts";
import { type Card, readCard } from "./types.ts";
import { cardTextOf, readWords, standingWords, worded } from "./model_words.ts";
import { QUOTED } from "./evidence.ts";
import { buildCard, type CardDraft, type ShownWant } from "./build.ts";
import { countedFacts, narrowerValues, type WantCounts } from "./eligibility.ts";
import { comparedWords } from "../opportunities/showing.ts";
import { Counts } from "../opportunities/counts.ts";
import { WANT_TYPES } from "../extract/types.ts";
import { beside, CARD_TYPES, LEAST_BESIDE, MARKET_TYPES } from "../opportunities/facts.ts";
import { foldKinds, sharedBy } from "./fold.ts";
import { valuesOf, wantId } from "../opportunities/ids.ts";

/** Wants in one transaction, so that its dozen statements and its commit are spread over many. */
const CHUNK = 200;
/**
 * Values read of each type, those that half of a want's authors state among them; sums and months are read whole, since
 * medians and ages need them all.
 */
const VALUES = 12;
const WHOLE = 400;
/** Quotes to choose from. */
const QUOTES = 24;
const SLUG_CHARACTERS = 80;
/** How many posts that show what was made are read for each want. */
const SHOWINGS = 50;

/** What a refresh of the cards works by. */
export interface RefreshOptions {
  /** The corpus clock. */
  readonly asOf: Date;
  readonly now: Date;
  /** Distinct authors who must state a want before it is a card. */
  readonly minAuthors: number;
  /** Whether the catalogue of an earlier version gives way: its cards lead to those that hold their authors. */
  readonly moved: boolean;
  /** Runs a transaction while the lease is held; the work may run again where its connection is lost. */
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** What was made of the changed wants. */
export interface RefreshResult {
  /** Wants looked at. */
  readonly refreshed: number;
  /** Cards that a polling client would see a change of. */
  readonly changed: number;
}

/**
 * Remakes the cards of all changed wants, and folds those of the kinds that changed, here or in a run that ended
 * before it folded them.
 */
export async function refreshCards(options: RefreshOptions): Promise<RefreshResult> {
  const { transaction } = options;
  let refreshed = 0;
  let changed = 0;
  await transaction(touchShownKinds);
  for (;;) {
    const chunk = await transaction((tx) => refreshChunk(tx, options));
    refreshed += chunk.taken;
    changed += chunk.changed;
    // Pairs that were opened are changed wants.
    if (chunk.taken < CHUNK && chunk.opened === 0) break;
  }
  changed += await transaction(async (tx) => {
    const folded = await foldKinds(tx, await takeUnfoldedKinds(tx), options);
    return folded + (options.moved ? await retireFormer(tx, options.now) : 0);
  });
  return { refreshed, changed };
}

async function refreshChunk(
  tx: Tx,
  options: RefreshOptions,
): Promise<{ taken: number; opened: number; changed: number }> {
  const taken = await takeDirtyWants(tx, CHUNK);
  const wants = taken.filter(({ value }) => value !== "");
  const many = wants.filter(({ authors }) => authors >= options.minAuthors);
  // Of a want that lacks quotes each pair lacks them, too: its counts need not be read.
  const quotable = await wellShown(tx, many.map(({ id }) => id), QUOTED);
  const enough = many.filter(({ id }) => quotable.has(id));
  const counted = await readCounts(tx, enough, options.minAuthors);
  const pairs = counted.flatMap((want): PairRow[] =>
    narrowerValues(want, options.minAuthors).map((value) => {
      const { kind } = want;
      const [first = "", second = ""] = valuesOf(value).map((one) => wantId(kind, one));
      return { id: wantId(kind, value), kind, value, first, second };
    })
  );
  const drafts = new Map<string, CardDraft | null>();
  const shared = new Map<string, SavedCard["shared"]>();
  // Few wants become cards: the posts of those that their counts rule out need not be read.
  const promising = counted.filter((want) => countedFacts(want) !== null);
  for (const want of await readShown(tx, promising, options.asOf)) {
    const id = wantId(want.kind, want.value);
    drafts.set(id, buildCard(want, options.asOf));
    shared.set(id, sharedBy(want));
  }
  const opened = await openPairs(tx, pairs);
  await insertOpportunities(
    tx,
    new Map(
      enough.filter(({ id }) => drafts.get(id) != null)
        .map(({ id, kind, value }) => [id, `${kind}/${value}`]),
    ),
  );
  const stored = await storedOpportunities(tx, wants.map(({ id }) => id));
  const saved: SavedCard[] = [];
  for (const before of stored.values()) {
    const draft = drafts.get(before.id) ?? null;
    saved.push({
      ...await finish(tx, before, draft, options.now),
      shared: shared.get(before.id) ?? {},
    });
  }
  await saveCards(tx, saved);
  await markServed(tx, saved.map(({ id }) => id));
  const moment = options.now.toISOString();
  return {
    taken: taken.length,
    opened,
    changed: saved.filter(({ changedAt }) => changedAt === moment).length,
  };
}

/** What is counted of these wants, in a fixed number of statements. */
async function readCounts(
  tx: Tx,
  wants: readonly DirtyWant[],
  minAuthors: number,
): Promise<WantCounts[]> {
  if (wants.length === 0) return [];
  const ids = wants.map(({ id }) => id);
  const markets = new Map(wants.map(({ kind }) => [kind, wantId(kind, "")]));
  const marketIds = [...markets.values()];
  const own = [
    ...await mostStated(tx, ids, CARD_TYPES, VALUES),
    ...await mostStated(tx, ids, ["price", "month"], WHOLE),
  ];
  const ofWant = Map.groupBy(own, ({ wantId: id }) => id);
  const asked = wants.flatMap(({ id, kind, value: wanted }) => {
    const wantId = markets.get(kind) ?? "";
    return [
      ...beside(ofWant.get(id) ?? []).map(({ type, value }) => ({ wantId, type, value })),
      ...valuesOf(wanted).flatMap((value) => WANT_TYPES.map((type) => ({ wantId, type, value }))),
    ];
  });
  const market: CountRow[] = [
    ...await mostStated(tx, marketIds, MARKET_TYPES, VALUES),
    ...await mostStated(tx, marketIds, ["price"], WHOLE),
    ...await countsOf(tx, asked),
  ];
  const ofMarket = Map.groupBy(market, ({ wantId: id }) => id);
  // Counts over all kinds decide the type of a want, and whether a user is a person.
  const weighed = [
    ...wants.flatMap(({ value }) => valuesOf(value)),
    ...own.filter(({ type, authors }) => type === "user" && authors >= LEAST_BESIDE)
      .map(({ value }) => value),
  ];
  const anything = new Counts([
    ...await mostStated(tx, [ALL_KINDS], ["pattern"], VALUES),
    ...await countsOf(
      tx,
      [...new Set(weighed)].flatMap((value) =>
        WANT_TYPES.map((type) => ({ wantId: ALL_KINDS, type, value }))
      ),
    ),
  ]);
  const parts = new Set(own.filter(({ type }) => type === "spec").map(({ value }) => value));
  const partMarkets = [...parts].map((kind) => wantId(kind, ""));
  const products = await largeMarkets(tx, partMarkets, minAuthors);
  return wants.map(({ id, kind, value, authors }) => ({
    kind,
    value,
    authors,
    own: new Counts(ofWant.get(id) ?? []),
    market: new Counts(ofMarket.get(markets.get(kind) ?? "") ?? []),
    anything,
    products,
  }));
}

/** The wants with when they are stated and the posts that show them, in a fixed number of statements. */
async function readShown(
  tx: Tx,
  wants: readonly WantCounts[],
  asOf: Date,
): Promise<ShownWant[]> {
  if (wants.length === 0) return [];
  const ids = wants.map(({ kind, value }) => wantId(kind, value));
  const sizes = new Map((await wantTimes(tx, ids, asOf)).map((size) => [size.wantId, size]));
  const shown = Map.groupBy(await shownStatements(tx, ids, QUOTES), ({ wantId: id }) => id);
  const meeting = wants.flatMap(({ kind, value }) => {
    const words = comparedWords(value);
    return words.length === 0 ? [] : [{ id: wantId(kind, value), kind, words }];
  });
  const made = Map.groupBy(await showingsMeeting(tx, meeting, SHOWINGS), ({ wantId: id }) => id);
  return wants.flatMap((want): ShownWant[] => {
    const id = wantId(want.kind, want.value);
    const size = sizes.get(id);
    if (size === undefined) return [];
    return [{ ...want, size, shown: shown.get(id) ?? [], showings: made.get(id) ?? [] }];
  });
}

/** Gives a draft its id and slug, and decides whether anybody needs to hear of the change. */
async function finish(
  tx: Tx,
  before: StoredOpportunity,
  draft: CardDraft | null,
  now: Date,
): Promise<Omit<SavedCard, "shared">> {
  const { id, changedAt } = before;
  const former = readCard(before.card);
  const review = draft && standingReview(readReview(before.review), id, draft);
  if (draft === null || review?.listed === false) {
    // A card that leaves changes its category's list; one that had left before, or was never listed, does not.
    const left = changedAt === null || former === null ? changedAt : now;
    return {
      id,
      state: "forming",
      slug: before.slug,
      category: former?.category ?? null,
      score: 0,
      card: null,
      words: null,
      review: before.review,
      changedAt: left?.toISOString() ?? null,
    };
  }
  const { state, ...rest } = review === null ? draft : reviewed(draft, review);
  const words = standingWords(readWords(before.words), rest.facts);
  const slug = before.slug ?? await claimSlug(tx, slugOf(rest.title), id);
  const card: Card = {
    id,
    slug,
    ...rest,
    ...worded(rest, words),
    lastUpdated: changedAt?.toISOString() ?? now.toISOString(),
  };
  const same = former !== null && changedAt !== null && fingerprint(former) === fingerprint(card);
  const lastUpdated = same ? changedAt.toISOString() : now.toISOString();
  return {
    id,
    // Whether it is listed, or folded into another card, is decided in fold.ts.
    state: before.state === "active" || before.state === "dormant" ? state : before.state,
    slug,
    category: card.category,
    score: card.score,
    card: { ...card, lastUpdated },
    words: words === null ? null : { ...words, drafted: cardTextOf(rest) },
    review,
    changedAt: lastUpdated,
  };
}

/** A title as a card's address: lower-case ASCII letters, digits and single hyphens, at most 80 characters. */
function slugOf(title: string): string {
  const ascii = title.normalize("NFKD").replace(/[\u0300-\u036f'’]/g, "").toLowerCase();
  const slug = ascii.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  if (slug === "") return "opportunity";
  if (slug.length <= SLUG_CHARACTERS) return slug;
  const cut = slug.slice(0, SLUG_CHARACTERS + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf("-"), 1));
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

/**
 * Points cards of an earlier version that no want is behind to the card that holds most of their posts, or nowhere;
 * returns how many there were.
 */
async function retireFormer(tx: Tx, now: Date): Promise<number> {
  const former = await formerCards(tx);
  const heirs = Map.groupBy(await heirsOf(tx, former.map(({ id }) => id)), (row) => row.former);
  const folded = former.map(({ id, posts }): Folded => {
    const [best] = heirs.get(id) ?? [];
    const heir = best !== undefined && best.posts * 2 >= posts ? best.heir : null;
    return { id, state: heir === null ? "forming" : "merged", mergedInto: heir, covers: [] };
  });
  await saveFolding(tx, folded, now);
  await dropFormerSample(tx);
  return folded.length;
}
