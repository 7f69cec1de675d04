/** Which stored posts a language model has still to read, what its question shows of what is known, and its readings. */
import { storedColumns, type StoredPost } from "./posts.ts";
import type { Queryable } from "../sql.ts";

export interface UnreadSignal extends StoredPost {
  /** Of its signal, as it was read without a model. */
  readonly kind: string;
  readonly pattern: string;
  readonly quote: string;
}

/** Cards, the best first, and statements of each, that are searched for posts to read first. */
const CARDS = 500;
const PER_CARD = 50;

/** Whether a post is stored that no model has read with today's question. */
export async function hasUnread(sql: Queryable, versions: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select from signals where reviewed_at is null and versions = any(${[...versions]}) limit 1`;
  return rows.length > 0;
}

/**
 * Up to `limit` posts that no model has read with today's question, of those that the versions named have read:
 * those behind served quotes first, then those that are counted on listed cards, then the newest.
 */
export async function unreadSignals(
  sql: Queryable,
  versions: readonly string[],
  limit: number,
): Promise<UnreadSignal[]> {
  const columns = sql`${storedColumns(sql)}, s.kind, s.pattern, s.quote`;
  // Written out, as the partial index has it: a parameter would not match.
  const unread = sql`s.reviewed_at is null and s.versions = any(${[...versions]})`;
  if (!await hasUnread(sql, versions)) return [];
  const found = new Map<string, UnreadSignal>();
  const add = (rows: readonly UnreadSignal[]): boolean => {
    for (const row of rows) {
      if (found.size < limit && !found.has(row.id)) found.set(row.id, row);
    }
    return found.size >= limit;
  };
  const isFull = add(
    await sql<UnreadSignal[]>`
    select ${columns} from posts p join signals s on s.post_id = p.id
    where p.served and ${unread}
    order by s.created_at desc, s.post_id collate "C" limit ${limit}`,
  ) || add(
    await sql<UnreadSignal[]>`
    select ${columns}
    from (select id, score from opportunities where state = 'active'
        order by score desc, id collate "C" limit ${CARDS}) o
    cross join lateral (
      select t.post_id from want_statements t join signals s on s.post_id = t.post_id
      where t.want_id = o.id and t.counted and ${unread}
      order by t.created_at desc, t.post_id collate "C" limit ${PER_CARD}) t
    join signals s on s.post_id = t.post_id join posts p on p.id = t.post_id
    order by o.score desc, o.id collate "C", s.created_at desc, s.post_id collate "C" limit ${limit}`,
  );
  if (!isFull) {
    add(
      await sql<UnreadSignal[]>`
      select ${columns} from signals s join posts p on p.id = s.post_id
      where ${unread}
      order by s.created_at desc, s.post_id limit ${limit}`,
    );
  }
  return [...found.values()];
}

/** Lets posts be read again whose reading was by one of these versions. */
export async function forgetReadings(sql: Queryable, versions: readonly string[]): Promise<void> {
  if (versions.length === 0) return;
  await sql`
    update signals set reviewed_at = null
    where versions = any(${[...versions]}) and reviewed_at is not null`;
}

/** Those of the posts that are still stored with this text, and their signals with them, locked until the end. */
export async function lockUnchanged(
  sql: Queryable,
  posts: readonly Pick<UnreadSignal, "id" | "title" | "body">[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string; title: string; body: string }[]>`
    select p.id, p.title, p.body from posts p join signals s on s.post_id = p.id
    where p.id = any(${posts.map(({ id }) => id)}) order by p.id for update`;
  const texts = new Map(posts.map((post) => [post.id, post]));
  return new Set(
    rows.filter(({ id, title, body }) => {
      const read = texts.get(id);
      return read !== undefined && read.title === title && read.body === body;
    }).map(({ id }) => id),
  );
}

/**
 * Notes that a model was asked about these posts; its reading, where it gave a usable one, is stored
 * beside. Where it gave none, the reading by a `former` question stands as that of `today`: it would
 * be forgotten, and asked about, in every run.
 */
export async function markRead(
  sql: Queryable,
  ids: readonly string[],
  { now, former, today }: {
    readonly now: Date;
    readonly former: readonly string[];
    readonly today: string;
  },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update signals set reviewed_at = ${now},
      versions = case when versions = any(${[...former]}::text[]) then ${today} else versions end
    where post_id = any(${[...ids]})`;
}

/** The kinds of products that most authors want, the most common first. */
export async function commonKinds(sql: Queryable, limit: number): Promise<string[]> {
  const rows = await sql<{ kind: string }[]>`
    select kind from wants where value = '' and kept and authors > 1
    order by authors desc, kind collate "C" limit ${limit}`;
  return rows.map(({ kind }) => kind);
}
