/** Opportunities: their state, their slugs, and the card each is served as. */
import { json, type Queryable } from "../sql.ts";

export type OpportunityState = "forming" | "active" | "dormant" | "merged";

/** A card's row as it was before it is made again. */
export interface StoredOpportunity {
  readonly id: string;
  readonly state: OpportunityState;
  readonly slug: string | null;
  /** As stored by `saveCards`, or null. */
  readonly card: unknown;
  /** Words that a model wrote for the card, or null. */
  readonly words: unknown;
  /** What a model said of its quotes, or null. */
  readonly review: unknown;
  readonly changedAt: Date | null;
}

/** The cards of these wants, as far as they ever had one, locked. */
export async function storedOpportunities(
  sql: Queryable,
  ids: readonly string[],
): Promise<Map<string, StoredOpportunity>> {
  const rows = await sql<StoredOpportunity[]>`
    select id, state, slug, card, words, review, changed_at as "changedAt" from opportunities
    where id = any(${[...ids]}) order by id for update`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Makes sure that each want's card has a row; keys by id. */
export async function insertOpportunities(
  sql: Queryable,
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  if (keys.size === 0) return;
  // One order for all writers, so that two of them cannot wait for each other.
  const ids = [...keys.keys()].sort();
  await sql`
    insert into opportunities (id, key, dirty)
    select id, key, false
    from unnest(${ids}::text[], ${ids.map((id) => keys.get(id) ?? "")}::text[]) as o (id, key)
    on conflict (id) do nothing`;
}

/** Clears the marks of `saveCards`; gives the kinds that had one, of which folding is to be decided anew. */
export async function takeUnfoldedKinds(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ kind: string }[]>`
    with taken as (
      update opportunities set dirty = false where id in (
        select id from opportunities where dirty order by id for update)
      returning id
    )
    select distinct w.kind from taken join wants w using (id)`;
  return rows.map(({ kind }) => kind).sort();
}

/** Whether a run ended before it made the cards of all changed wants, or before it folded them. */
export async function hasUnfinishedCards(sql: Queryable): Promise<boolean> {
  const [row] = await sql<{ unfinished: boolean }[]>`
    select exists(select from wants where dirty) or exists(select from opportunities where dirty)
      as unfinished`;
  return row?.unfinished ?? false;
}

/** A card that may be listed, as folding compares it. */
export interface FoldingRow {
  readonly id: string;
  readonly state: OpportunityState;
  readonly mergedInto: string | null;
  readonly kind: string;
  readonly value: string;
  readonly authors: number;
  readonly lastSeen: Date;
  readonly evidenceIds: readonly string[];
  readonly covers: unknown;
  /** How many of its authors state each value that most of them state, as `saveCards` stored it. */
  readonly shared: Readonly<Record<string, number>>;
}

/** Every card of these kinds, those without one left out; the most authors first, then by id. */
export async function cardsOfKinds(
  sql: Queryable,
  kinds: readonly string[],
): Promise<FoldingRow[]> {
  return await sql<FoldingRow[]>`
    select o.id, o.state, o.merged_into as "mergedInto", w.kind, w.value, w.authors,
      o.last_seen::timestamptz as "lastSeen", o.evidence_ids as "evidenceIds",
      o.covers, o.shared
    from wants w join opportunities o on o.id = w.id
    where w.kind = any(${[...kinds]}) and w.kept and o.card is not null
    order by w.authors desc, o.id collate "C"`;
}

export interface Folded {
  readonly id: string;
  readonly state: OpportunityState;
  readonly mergedInto: string | null;
  readonly covers: unknown;
}

/** Writes how cards are listed, which of them lead to another one, and what each covers. */
export async function saveFolding(
  sql: Queryable,
  rows: readonly Folded[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update opportunities o set state = f.state, merged_into = f."mergedInto", covers = f.covers,
      changed_at = ${now}
    from jsonb_to_recordset(${json(sql, rows)}) as f (
      id text, state text, "mergedInto" text, covers jsonb)
    where o.id = f.id`;
}

/** Listed cards without a statement since `moment`, and their wants: they are made again, to be listed no more. */
export async function markSilentDirty(sql: Queryable, moment: Date): Promise<void> {
  await sql`
    update wants set dirty = true where id in (
      select w.id from opportunities o join wants w on w.id = o.id
      where o.state = 'active' and not w.dirty
        and o.last_seen::timestamptz <= ${moment} order by w.id for update of w)`;
}

/** Cards of earlier versions, listed or not, that no want stands behind, with the number of their posts. */
export async function formerCards(
  sql: Queryable,
): Promise<{ id: string; posts: number }[]> {
  return await sql<{ id: string; posts: number }[]>`
    select o.id, (select count(*)::int from signals s where s.opportunity_id = o.id) as posts
    from opportunities o
    where o.state in ('active', 'dormant') and not (o.card ? 'facts')`;
}

/** Drops a sample of an earlier version: its shape differs. */
export async function dropFormerSample(sql: Queryable): Promise<void> {
  await sql`delete from sample where not (card ? 'facts')`;
}

/** Which current cards hold the posts that stood behind these cards of earlier versions, and how many of them. */
export async function heirsOf(
  sql: Queryable,
  ids: readonly string[],
): Promise<{ former: string; heir: string; posts: number }[]> {
  return await sql<{ former: string; heir: string; posts: number }[]>`
    select s.opportunity_id as former, o.id as heir, count(*)::int as posts
    from signals s join want_statements t on t.post_id = s.post_id
      join opportunities o on o.id = t.want_id
    where s.opportunity_id = any(${[...ids]}) and o.card ? 'facts'
      and o.state in ('active', 'dormant')
    group by 1, 2 order by 1, 3 desc, o.id collate "C"`;
}

export interface SavedCard {
  readonly id: string;
  readonly state: OpportunityState;
  readonly slug: string | null;
  readonly category: string | null;
  readonly score: number;
  readonly card: unknown;
  /** How many of its authors state each value that most of them state. */
  readonly shared: Readonly<Record<string, number>>;
  /** The model's words that still stand, or null. */
  readonly words: unknown;
  /** The model's review that still stands, or null. */
  readonly review: unknown;
  /** ISO 8601, or null while it was never listed. */
  readonly changedAt: string | null;
}

/** Writes what was made of changed wants, and marks it: how the cards of their kinds are listed is to be decided anew. */
export async function saveCards(sql: Queryable, cards: readonly SavedCard[]): Promise<void> {
  if (cards.length === 0) return;
  await sql`
    update opportunities o set state = c.state, slug = c.slug, category = c.category,
      score = c.score, card = c.card, shared = c.shared, words = c.words, review = c.review,
      changed_at = c."changedAt", dirty = true
    from jsonb_to_recordset(${json(sql, cards)}) as c (
      id text, state text, slug text, category text, score double precision, card jsonb,
      shared jsonb, words jsonb, review jsonb, "changedAt" timestamptz)
    where o.id = c.id`;
}

/** Takes the first free one of `slug`, `slug-2`, `slug-3`… for the opportunity. */
export async function claimSlug(
  sql: Queryable,
  slug: string,
  opportunityId: string,
): Promise<string> {
  for (let attempt = 1;; attempt++) {
    const candidate = attempt === 1 ? slug : `${slug}-${attempt}`;
    const [row] = await sql<{ owner: string }[]>`
      insert into opportunity_slugs (slug, opportunity_id) values (${candidate}, ${opportunityId})
      on conflict (slug) do update set slug = excluded.slug
      returning opportunity_id as owner`;
    if (row?.owner === opportunityId) return candidate;
  }
}

/** The cards of active opportunities as stored, best score first, then by id. */
export async function activeCards(sql: Queryable): Promise<{ id: string; card: unknown }[]> {
  return await sql<{ id: string; card: unknown }[]>`
    select id, card || case
      when card ? 'facts' then jsonb_build_object('facts',
        (card -> 'facts') || jsonb_build_object('covers', covers)) else '{}' end as card
    from opportunities where state = 'active' order by score desc, id collate "C"`;
}

/** How many cards are served. */
export async function countActive(sql: Queryable): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from opportunities where state = 'active'`;
  return row?.n ?? 0;
}

/**
 * The best active card in its own words, since a model's are checked only when a card is made again,
 * which the sample is not, and without its makers, whom the sample does not show.
 */
export async function bestCard(sql: Queryable): Promise<unknown> {
  const [row] = await sql<{ card: unknown }[]>`
    select (card - 'makers') || coalesce(words -> 'drafted', '{}') as card from opportunities
    where state = 'active' order by score desc, id collate "C" limit 1`;
  return row?.card ?? null;
}

/** Every slug of an active or merged opportunity, with the id of that. */
export async function standingSlugs(sql: Queryable): Promise<{ slug: string; id: string }[]> {
  return await sql<{ slug: string; id: string }[]>`
    select s.slug, o.id from opportunities o join opportunity_slugs s on s.opportunity_id = o.id
    where o.state in ('active', 'merged')`;
}

/**
 * Ids of merged opportunities that lead to an active one, over however many others. They are found
 * from the active ones backwards: those that lead round in a circle are never met.
 */
export async function mergedIds(sql: Queryable): Promise<{ id: string; survivor: string }[]> {
  return await sql<{ id: string; survivor: string }[]>`
    with recursive led as (
      select id, id as survivor from opportunities where state = 'active'
      union all
      select m.id, l.survivor from led l
        join opportunities m on m.merged_into = l.id and m.state = 'merged'
    )
    select id, survivor from led where id <> survivor`;
}

/** When a card of each category last changed, listed or not. */
export async function categoryChanges(
  sql: Queryable,
): Promise<{ category: string; changedAt: Date }[]> {
  return await sql<{ category: string; changedAt: Date }[]>`
    select category, max(changed_at) as "changedAt" from opportunities
    where changed_at is not null and category is not null group by category`;
}

export interface CardRow {
  readonly id: string;
  readonly state: OpportunityState;
  /** The card that a merged one leads to. */
  readonly mergedInto: string | null;
  readonly slug: string | null;
  readonly changedAt: Date | null;
  /** As stored by `saveCards`; null of one that never had enough behind it. */
  readonly card: unknown;
  /** Slugs that it had before. */
  readonly formerSlugs: readonly string[];
}

/** A card by its id, or by a slug that it has or had. */
export async function findCard(sql: Queryable, idOrSlug: string): Promise<CardRow | null> {
  const [row] = await sql<CardRow[]>`
    select o.id, o.state, o.merged_into as "mergedInto", o.slug, o.changed_at as "changedAt", o.card,
      to_json(array(select s.slug from opportunity_slugs s
        where s.opportunity_id = o.id and s.slug is distinct from o.slug order by s.slug collate "C"))
        as "formerSlugs"
    from opportunities o
    where o.id = ${idOrSlug}
      or o.id = (select s.opportunity_id from opportunity_slugs s where s.slug = ${idOrSlug})
    limit 1`;
  return row ?? null;
}

interface ListedCard {
  readonly id: string;
  readonly state: OpportunityState;
  readonly title: string;
  readonly category: string;
  readonly score: number;
  readonly signals: number;
  readonly authors: number;
  readonly lastSeen: string;
}

/** Cards in whose title, summary, category or slug all the words stand, the best first. */
export async function searchCards(
  sql: Queryable,
  { words, state, limit }: {
    readonly words: readonly string[];
    /** One state alone; null for all that have a card. */
    readonly state: OpportunityState | null;
    readonly limit: number;
  },
): Promise<ListedCard[]> {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  return await sql<ListedCard[]>`
    select id, state, card->>'title' as title, coalesce(category, card->>'category') as category,
      score, (card->>'signalCount')::integer as signals,
      (card->>'distinctAuthors')::integer as authors, card->>'lastSeen' as "lastSeen"
    from opportunities
    where card is not null and (${state}::text is null or state = ${state})
      and concat_ws(' ', card->>'title', card->>'summary', card->>'category', slug)
        ilike all (${patterns}::text[])
    order by (state = 'active') desc, score desc, id collate "C" limit ${limit}`;
}
