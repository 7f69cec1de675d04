/** Posts as the removal checks see them: which are due, what became of them, and how they leave. */
import { storedColumns, type StoredPost } from "./posts.ts";
import type { Queryable } from "../sql.ts";

/** Ids of posts not confirmed since `before`, the longest unconfirmed first. */
export async function duePosts(
  sql: Queryable,
  due: { readonly served: boolean; readonly before: Date; readonly limit: number },
): Promise<string[]> {
  const { served, before, limit } = due;
  if (limit <= 0) return [];
  // Two scans of one index, each of which stops where its posts end.
  const those = served ? sql`served and` : sql``;
  const rows = await sql<{ id: string }[]>`
    (select id from posts where ${those} checked_at is null
      order by checked_at nulls first, id limit ${limit})
    union all
    (select id from posts where ${those} checked_at < ${before}
      order by checked_at nulls first, id limit ${limit})
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** A stored post, and what a check of it needs besides. */
export interface CheckedPost extends StoredPost {
  readonly absentAt: Date | null;
  /** Of its signal. */
  readonly quote: string;
}

/** The posts as they are stored, those that are gone left out. */
export async function storedPosts(sql: Queryable, ids: readonly string[]): Promise<CheckedPost[]> {
  return await sql<CheckedPost[]>`
    select ${storedColumns(sql)}, p.absent_at as "absentAt", coalesce(s.quote, '') as quote
    from posts p left join signals s on s.post_id = p.id where p.id = any(${[...ids]})`;
}

export interface Confirmation {
  readonly id: string;
  readonly upvotes: number;
  readonly comments: number;
}

/** Records that posts stand, with their votes; a changed vote remakes the cards that may show it. */
export async function confirmPosts(
  sql: Queryable,
  confirmed: readonly Confirmation[],
  now: Date,
): Promise<void> {
  if (confirmed.length === 0) return;
  const ids = confirmed.map(({ id }) => id);
  const upvotes = confirmed.map((post) => post.upvotes);
  const changed = await sql<{ id: string }[]>`
    select p.id from unnest(${ids}::text[], ${upvotes}::int[]) as c (id, upvotes)
      join posts p using (id) where p.upvotes <> c.upvotes`;
  await sql`
    update posts p set checked_at = ${now}, absent_at = null, upvotes = c.upvotes,
      comments = c.comments
    from unnest(${ids}::text[], ${upvotes}::int[], ${
    confirmed.map(({ comments }) => comments)
  }::int[]) as c (id, upvotes, comments)
    where p.id = c.id`;
  await sql`
    update signals s set upvotes = c.upvotes
    from unnest(${ids}::text[], ${upvotes}::int[]) as c (id, upvotes)
    where s.post_id = c.id and s.upvotes <> c.upvotes`;
  if (changed.length === 0) return;
  const posts = changed.map(({ id }) => id);
  await sql`
    update wants set dirty = true where id in (
      select id from wants where id in (
        select want_id from want_statements where post_id = any(${posts})
        union select o.id from showings s join wants w on w.kind = s.kind and w.kept
          join opportunities o on o.id = w.id
          where s.post_id = any(${posts}) and o.card -> 'makers' -> 'postIds' ? s.post_id)
      order by id for update)`;
}

/** Notes that the source does not know these posts; the first such time counts. */
export async function noteAbsent(
  sql: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`update posts set absent_at = ${now} where id = any(${[...ids]}) and absent_at is null`;
}

/**
 * The ids of cards that these posts stand behind, those of earlier versions included; the wants of
 * all that count them, or may show their makers, are marked as changed and locked, in one order for
 * all.
 */
export async function touchOwners(sql: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const posts = [...ids];
  const wants = await sql<{ id: string }[]>`
    with touched as (
      update wants set dirty = true where id in (
        select id from wants where id in (
          select want_id from want_statements where post_id = any(${posts})
          union select w.id from showings s join wants w on w.kind = s.kind and w.kept
            where s.post_id = any(${posts}))
        order by id for update)
      returning id
    )
    select id from touched where id in (
      select want_id from want_statements where post_id = any(${posts}))`;
  const former = await sql<{ id: string }[]>`
    select distinct opportunity_id as id from signals
    where post_id = any(${posts}) and opportunity_id is not null`;
  return [...new Set([...wants, ...former].map(({ id }) => id))].sort();
}

/**
 * Takes the quotes of these posts out of stored cards, with their makers and a model's review that
 * was made of them, and drops a sample that shows one. Gives the ids of the cards, found by what they
 * show: while stored posts are read again, that is not what the posts state. A model's words are made
 * of counts: they are checked when the card is made again.
 */
export async function stripQuotes(sql: Queryable, postIds: readonly string[]): Promise<string[]> {
  const gone = [...postIds];
  // In one order for all writers, so that two of them cannot wait for each other.
  const shown = await sql<{ id: string }[]>`
    select id from opportunities
    where evidence_ids ?| ${gone}::text[]
      or card -> 'makers' -> 'postIds' ?| ${gone}::text[]
      or review -> 'shows' ?| ${gone}::text[]
    order by id for update`;
  const cards = shown.map(({ id }) => id);
  await sql`
    update opportunities o set card = o.card || (
      select jsonb_build_object(
        'evidenceIds', coalesce(jsonb_agg(i.id order by i.n), '[]'),
        'evidence', coalesce(jsonb_agg(e.item order by i.n), '[]'))
      from jsonb_array_elements_text(o.evidence_ids) with ordinality as i (id, n)
      join jsonb_array_elements(o.card -> 'evidence') with ordinality as e (item, n) using (n)
      where i.id <> all(${gone}::text[]))
    where o.id = any(${cards}) and o.evidence_ids ?| ${gone}::text[]`;
  await sql`
    update opportunities set review = null
    where id = any(${cards}) and review -> 'shows' ?| ${gone}::text[]`;
  await sql`
    update opportunities set card = card || '{"makers": null}'
    where id = any(${cards}) and card -> 'makers' -> 'postIds' ?| ${gone}::text[]`;
  await sql`delete from sample where card -> 'evidenceIds' ?| ${gone}::text[]`;
  return cards;
}

/** Leaves a tombstone for each id, so that no archive or listing brings the post back. */
export async function addTombstones(
  sql: Queryable,
  ids: readonly string[],
  day: string,
): Promise<void> {
  // One order for all writers, so that two of them cannot wait for each other.
  await sql`
    insert into seen_posts (id, seen_on, forgotten)
    select id, ${day}::date, true from unnest(${[...ids].sort()}::text[]) as id
    on conflict (id) do update set forgotten = true`;
}

/** Deletes posts, their text and their signals with them; gives how many there were. */
export async function deletePosts(sql: Queryable, ids: readonly string[]): Promise<number> {
  const result = await sql`delete from posts where id = any(${[...ids]})`;
  return result.count;
}

/** Gives a post its edited text; false if it is gone. */
export async function editPost(
  sql: Queryable,
  post: Confirmation & { readonly title: string; readonly body: string },
  now: Date,
): Promise<boolean> {
  const result = await sql`
    update posts set title = ${post.title}, body = ${post.body}, upvotes = ${post.upvotes},
      comments = ${post.comments}, checked_at = ${now}, absent_at = null
    where id = ${post.id}`;
  return result.count === 1;
}

/** Deletes the signals of posts, which stay. */
export async function deleteSignals(sql: Queryable, postIds: readonly string[]): Promise<void> {
  if (postIds.length === 0) return;
  await sql`delete from signals where post_id = any(${[...postIds]})`;
}

/**
 * Notes that the posts are shown which these cards show; to be called where cards are stored or become
 * listed, in that transaction.
 */
export async function markServed(sql: Queryable, cardIds: readonly string[]): Promise<void> {
  if (cardIds.length === 0) return;
  const cards = sql`opportunities where id = any(${[...cardIds]})`;
  await sql`
    update posts set served = true where not served and id = any(array(
      select jsonb_array_elements_text(evidence_ids) from ${cards}
      union all select jsonb_array_elements_text(card -> 'makers' -> 'postIds') from ${cards}))`;
}

/**
 * Clears the mark of posts that no card, no sample and no verdict good at `now` shows any more.
 *
 * How many ids a card lists is unknown to the planner, which for `not in` or `not exists` may compare each
 * post with each of them. `except` sorts or hashes, whatever it thinks, and posts are found by their ids.
 */
export async function unmarkUnserved(sql: Queryable, now: Date): Promise<void> {
  await sql`
    update posts set served = false where served and id = any(array(
      select id from posts where served
      except (
        select jsonb_array_elements_text(evidence_ids) from opportunities
          where state = 'active' and card is not null
        union all
        select jsonb_array_elements_text(card -> 'makers' -> 'postIds') from opportunities
          where state = 'active' and card is not null
        union all select jsonb_array_elements_text(card -> 'evidenceIds') from sample
        union all select jsonb_array_elements_text(verdict -> 'evidenceIds') from verdicts
          where expires_at > ${now})))`;
}

/** Ids of posts behind served quotes that were not confirmed since `since`. */
export async function staleServed(sql: Queryable, since: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from posts where served and checked_at is null
    union all select id from posts where served and checked_at < ${since}`;
  return rows.map(({ id }) => id);
}
