/** Opportunities: the clusters, their state, their slugs, and the card each is served as. */
import { json, type Queryable } from "./sql.ts";

export type OpportunityState = "forming" | "active" | "dormant" | "merged";

/** Makes sure that each cluster exists (id by key) and marks it as changed. */
export async function touchOpportunities(
  sql: Queryable,
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  if (keys.size === 0) return;
  // One order for all writers, so that two of them cannot wait for each other.
  const ids = [...keys.keys()].sort();
  await sql`
    insert into opportunities (id, key)
    select * from unnest(${ids}::text[], ${ids.map((id) => keys.get(id) ?? "")}::text[])
    on conflict (id) do update set dirty = true where not opportunities.dirty`;
}

export interface DirtyOpportunity {
  readonly id: string;
  readonly key: string;
  readonly state: OpportunityState;
  readonly slug: string | null;
  /** As stored by `saveCards`, or null. */
  readonly card: unknown;
  /** Words that a model wrote for the card, or null. */
  readonly words: unknown;
  readonly changedAt: Date | null;
}

/** Up to `limit` changed clusters, by id; locked, so that a change meanwhile waits and marks them again. */
export async function dirtyOpportunities(
  sql: Queryable,
  limit: number,
): Promise<DirtyOpportunity[]> {
  return await sql<DirtyOpportunity[]>`
    select id, key, state, slug, card, words, changed_at as "changedAt" from opportunities
    where dirty and state <> 'merged' order by id limit ${limit} for update`;
}

/** A new day or a new formula: every card that is or was listed is made again. */
export async function markAllCardsDirty(sql: Queryable): Promise<void> {
  // One order for all writers, so that two of them cannot wait for each other.
  await sql`
    update opportunities set dirty = true where id in (
      select id from opportunities where changed_at is not null and not dirty
        and state <> 'merged' order by id for update)`;
}

/** Listed cards without a signal since `moment`: they are made again, to be listed no more. */
export async function markSilentDirty(sql: Queryable, moment: Date): Promise<void> {
  await sql`
    update opportunities set dirty = true where id in (
      select id from opportunities where state = 'active' and not dirty
        and (card->>'lastSeen')::timestamptz <= ${moment} order by id for update)`;
}

export interface SavedCard {
  readonly id: string;
  readonly state: OpportunityState;
  readonly slug: string | null;
  readonly category: string | null;
  readonly score: number;
  readonly signalCount: number;
  readonly card: unknown;
  /** The model's words that still stand, or null. */
  readonly words: unknown;
  /** ISO 8601, or null while the cluster was never listed. */
  readonly changedAt: string | null;
}

/** Writes what was made of changed clusters and clears their mark. */
export async function saveCards(sql: Queryable, cards: readonly SavedCard[]): Promise<void> {
  if (cards.length === 0) return;
  await sql`
    update opportunities o set state = c.state, slug = c.slug, category = c.category,
      score = c.score, signal_count = c."signalCount", card = c.card, words = c.words,
      changed_at = c."changedAt", dirty = false
    from jsonb_to_recordset(${json(sql, cards)}) as c (
      id text, state text, slug text, category text, score double precision,
      "signalCount" integer, card jsonb, words jsonb, "changedAt" timestamptz)
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

/**
 * The cards of active opportunities as stored, best score first, then by id. A model's words that were
 * written from one of the posts `withheld` give way to the card's own.
 */
export async function activeCards(
  sql: Queryable,
  withheld: readonly string[],
): Promise<{ id: string; card: unknown }[]> {
  return await sql<{ id: string; card: unknown }[]>`
    select id, case when words -> 'basis' ?| ${[...withheld]}::text[]
      then card || coalesce(words -> 'drafted', '{}') else card end as card
    from opportunities where state = 'active' order by score desc, id`;
}

/** How many cards are served. */
export async function countActive(sql: Queryable): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from opportunities where state = 'active'`;
  return row?.n ?? 0;
}

/** The best active card in its own words: a model's may be of posts that the card does not show. */
export async function bestCard(sql: Queryable): Promise<unknown> {
  const [row] = await sql<{ card: unknown }[]>`
    select card || coalesce(words -> 'drafted', '{}') as card from opportunities
    where state = 'active' order by score desc, id limit 1`;
  return row?.card ?? null;
}

/** Every slug that leads to an active opportunity, directly or through a merge. */
export async function activeSlugs(sql: Queryable): Promise<{ slug: string; id: string }[]> {
  return await sql<{ slug: string; id: string }[]>`
    select s.slug, o.id from opportunities o join opportunity_slugs s on s.opportunity_id = o.id
    where o.state = 'active'
    union all
    select s.slug, o.id from opportunities m join opportunities o on o.id = m.merged_into
    join opportunity_slugs s on s.opportunity_id = m.id
    where m.state = 'merged' and o.state = 'active'`;
}

/** Ids of merged opportunities whose survivor is active. */
export async function mergedIds(sql: Queryable): Promise<{ id: string; survivor: string }[]> {
  return await sql<{ id: string; survivor: string }[]>`
    select m.id, o.id as survivor from opportunities m
    join opportunities o on o.id = m.merged_into and o.state = 'active'
    where m.state = 'merged'`;
}

/** When a card of each category last changed, listed or not. */
export async function categoryChanges(
  sql: Queryable,
): Promise<{ category: string; changedAt: Date }[]> {
  return await sql<{ category: string; changedAt: Date }[]>`
    select category, max(changed_at) as "changedAt" from opportunities
    where changed_at is not null and category is not null group by category`;
}
