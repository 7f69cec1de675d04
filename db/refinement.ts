/** What a language model is asked about: unsure signals and cards, and what came of it. */
import type { PostRow } from "./posts.ts";
import { json, type Queryable } from "./sql.ts";

export interface UnsureSignal extends Omit<PostRow, "createdAt" | "origin" | "checkedAt"> {
  readonly createdAt: Date;
  /** Of its signal. */
  readonly quote: string;
  readonly pattern: string;
}

/**
 * Posts whose signal the classifier was not sure of and no model has read: those behind served quotes
 * first, then the newest.
 */
export async function unsureSignals(sql: Queryable, limit: number): Promise<UnsureSignal[]> {
  const columns =
    sql`p.id, p.community, p.title, p.body, encode(p.author_hash, 'hex') as "authorHash",
    p.upvotes, p.comments, p.permalink, p.created_at as "createdAt", s.quote, s.pattern`;
  // Written out, as the partial index has it: a parameter would not match.
  const unsure = sql`s.reviewed_at is null and s.confidence < 0.5`;
  const served = await sql<UnsureSignal[]>`
    select ${columns} from posts p join signals s on s.post_id = p.id
    where p.served and ${unsure}
    order by s.created_at desc, s.post_id limit ${limit}`;
  if (served.length >= limit) return served;
  const newest = await sql<UnsureSignal[]>`
    select ${columns} from signals s join posts p on p.id = s.post_id
    where ${unsure}
    order by s.created_at desc, s.post_id limit ${limit}`;
  const known = new Set(served.map(({ id }) => id));
  return [...served, ...newest.filter(({ id }) => !known.has(id))].slice(0, limit);
}

/** Those of the posts that are still stored with this text, locked until the transaction ends. */
export async function lockUnchanged(
  sql: Queryable,
  posts: readonly Pick<UnsureSignal, "id" | "title" | "body">[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string; title: string; body: string }[]>`
    select id, title, body from posts where id = any(${posts.map(({ id }) => id)})
    order by id for update`;
  const texts = new Map(posts.map((post) => [post.id, post]));
  return new Set(
    rows.filter(({ id, title, body }) => {
      const read = texts.get(id);
      return read !== undefined && read.title === title && read.body === body;
    }).map(({ id }) => id),
  );
}

/** Notes that a model has read these posts. */
export async function markReviewed(
  sql: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`update signals set reviewed_at = ${now} where post_id = any(${[...ids]})`;
}

export interface CardToWrite {
  readonly id: string;
  /** As stored by `saveCards`. */
  readonly card: unknown;
  /** As stored by `saveWords`, or null. */
  readonly words: unknown;
}

/** Active cards that have no words yet or show mostly other posts than their words were written from. */
export async function cardsToWrite(sql: Queryable, limit: number): Promise<CardToWrite[]> {
  return await sql<CardToWrite[]>`
    select id, card, words from opportunities
    where state = 'active' and card is not null and (words is null or (
      select count(*) from jsonb_array_elements_text(card -> 'evidenceIds') as shown (id)
      where words -> 'basis' ? shown.id) * 2 < jsonb_array_length(card -> 'evidenceIds'))
    order by score desc, id limit ${limit}`;
}

/** Keeps the words and marks the card as changed; false where it left meanwhile or shows other posts. */
export async function saveWords(
  sql: Queryable,
  id: string,
  words: { readonly basis: readonly string[] },
): Promise<boolean> {
  const result = await sql`
    update opportunities set words = ${json(sql, words)}, dirty = true
    where id = ${id} and state = 'active'
      and card -> 'evidenceIds' @> ${json(sql, words.basis)}`;
  return result.count === 1;
}
