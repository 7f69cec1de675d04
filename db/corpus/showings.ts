/** Showings: posts whose authors made a product of a kind. */
import { json, type Queryable } from "../sql.ts";

export interface ShowingRow {
  readonly postId: string;
  /** The canonical kind of the product that was made. */
  readonly kind: string;
  /** The sentence that says so, verbatim. */
  readonly quote: string;
  /** The words of the quote, as a want's are compared with them. */
  readonly words: readonly string[];
  /** Hex: the author's hash, or the text's where the author is unknown. */
  readonly authorKey: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Stores showings, one a post; posts that have one already keep it. */
export async function insertShowings(sql: Queryable, rows: readonly ShowingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into showings (post_id, kind, quote, words, author_key, created_at)
    select "postId", kind, quote, words, decode("authorKey", 'hex'), "createdAt"
    from jsonb_to_recordset(${json(sql, rows)}) as s (
      "postId" text, kind text, quote text, words text[], "authorKey" text, "createdAt" timestamptz)
    on conflict (post_id) do nothing`;
}

/** Puts showings in place of what these posts showed before, of which the wants were touched already. */
export async function replaceShowings(
  sql: Queryable,
  postIds: readonly string[],
  rows: readonly ShowingRow[],
): Promise<void> {
  if (postIds.length === 0) return;
  await sql`delete from showings where post_id = any(${[...postIds]})`;
  await insertShowings(sql, rows);
}

/** Marks as changed what is counted of kinds that were shown since their cards were made. */
export async function touchShownKinds(sql: Queryable): Promise<void> {
  await sql`
    with shown as (update showings set fresh = false where fresh returning kind)
    update wants set dirty = true
    where id in (select id from wants where kept and kind in (select kind from shown)
      order by id for update)`;
}

/** Those of the posts whose authors show something. */
export async function showingPosts(sql: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select post_id as id from showings where post_id = any(${[...ids]})`;
  return new Set(rows.map(({ id }) => id));
}

/** A want, and the words by which a showing meets it. */
interface MetBy {
  readonly id: string;
  readonly kind: string;
  /** At least one. */
  readonly words: readonly string[];
}

/** A showing that meets a want, with what is shown of its post. */
export interface ShownPost {
  readonly wantId: string;
  readonly postId: string;
  readonly quote: string;
  /** Hex. */
  readonly authorKey: string;
  readonly community: string;
  readonly permalink: string;
  readonly upvotes: number;
  readonly createdAt: Date;
}

/**
 * The showings that meet each want, up to `limit`, the newest first: products of its kind whose quote, which says
 * that they were made, holds its words. What else a post states may be wanted of another thing than what was made.
 */
export async function showingsMeeting(
  sql: Queryable,
  wants: readonly MetBy[],
  limit: number,
): Promise<ShownPost[]> {
  if (wants.length === 0) return [];
  return await sql<ShownPost[]>`
    select w.id as "wantId", s.post_id as "postId", s.quote,
      encode(s.author_key, 'hex') as "authorKey", p.community, p.permalink, p.upvotes,
      s.created_at as "createdAt"
    from jsonb_to_recordset(${json(sql, wants)}) as w (id text, kind text, words text[])
    cross join lateral (
      select * from showings
      where kind = w.kind and words @> w.words
      order by created_at desc, post_id collate "C" limit ${limit}) s
    join posts p on p.id = s.post_id
    order by w.id, s.created_at desc, s.post_id collate "C"`;
}
