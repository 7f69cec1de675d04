/** Posts: which were read before, and the text of those that carry a signal. */
import { json, type Queryable, type Sql } from "../sql.ts";

export type Origin = "demo" | "archive" | "live";

export interface PostRow {
  readonly id: string;
  readonly community: string;
  readonly title: string;
  readonly body: string;
  /** Hex, or null where the source names no author. */
  readonly authorHash: string | null;
  readonly upvotes: number;
  readonly comments: number;
  readonly permalink: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly origin: Origin;
  /** ISO 8601: when a live source last showed the post; null for archives. */
  readonly checkedAt: string | null;
}

/** A stored post as it is read again. */
export interface StoredPost extends Omit<PostRow, "createdAt" | "origin" | "checkedAt"> {
  readonly createdAt: Date;
}

/** The columns of a `StoredPost`, of posts that a statement calls `p`. */
export const storedColumns = (sql: Queryable) =>
  sql`p.id, p.community, p.title, p.body, encode(p.author_hash, 'hex') as "authorHash", p.upvotes,
    p.comments, p.permalink, p.created_at as "createdAt"`;

/**
 * Those of `ids` that were read before. They are joined: `id = any($1)` of a prepared statement is compared
 * with one id after the other wherever the planner, which has no statistics of a table that just grew, reads
 * all of it.
 */
export async function seenIds(sql: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select s.id from unnest(${[...ids]}::text[]) as asked (id) join seen_posts s using (id)`;
  return new Set(rows.map(({ id }) => id));
}

/** Those of `ids` that were removed, or forgotten by hand: whoever lists them, they are not shown again. */
export async function forgottenIds(sql: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select s.id from unnest(${[...ids]}::text[]) as asked (id) join seen_posts s using (id)
    where s.forgotten`;
  return new Set(rows.map(({ id }) => id));
}

/** Marks posts as read on `day` (YYYY-MM-DD); gives the ids that nobody had marked before. */
export async function markSeen(
  sql: Queryable,
  ids: readonly string[],
  day: string,
): Promise<Set<string>> {
  // One order for all writers, so that two of them cannot wait for each other.
  const rows = await sql<{ id: string }[]>`
    insert into seen_posts (id, seen_on)
    select id, ${day}::date from unnest(${[...ids].sort()}::text[]) as id
    on conflict (id) do nothing returning id`;
  return new Set(rows.map(({ id }) => id));
}

/** Stores posts; those already there are left as they are. */
export async function insertPosts(sql: Queryable, posts: readonly PostRow[]): Promise<void> {
  if (posts.length === 0) return;
  await sql`
    insert into posts (id, community, title, body, author_hash, upvotes, comments, permalink,
      created_at, origin, checked_at)
    select id, community, title, body, decode("authorHash", 'hex'), upvotes, comments, permalink,
      "createdAt", origin, "checkedAt"
    from jsonb_to_recordset(${json(sql, posts)}) as p (
      id text, community text, title text, body text, "authorHash" text, upvotes integer,
      comments integer, permalink text, "createdAt" timestamptz, origin text,
      "checkedAt" timestamptz)
    on conflict (id) do nothing`;
}

/** Forgets ids of posts without a signal that were read before `day`; tombstones stay. */
export async function pruneSeen(sql: Sql, day: string): Promise<void> {
  await sql`
    delete from seen_posts s where seen_on < ${day}::date and not forgotten
      and not exists (select from posts p where p.id = s.id)`;
}

/** The texts of stored posts. */
export async function readTexts(
  sql: Queryable,
  postIds: readonly string[],
): Promise<Map<string, { readonly title: string; readonly body: string }>> {
  if (postIds.length === 0) return new Map();
  const rows = await sql<{ id: string; title: string; body: string }[]>`
    select id, title, body from posts where id = any(${[...postIds]})`;
  return new Map(rows.map(({ id, ...text }) => [id, text]));
}
