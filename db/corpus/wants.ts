/**
 * Which post states which want, and what is counted of that: how many distinct authors each want has, and how many of
 * those state what else. Counts are kept as statements come and go, never made by reading all.
 */
import type { Fragment } from "postgres";
import type { Queryable } from "../sql.ts";

/** Aggregates are kept from this many authors on: most wants never have a second one. */
const KEPT_FROM = 2;
/** Longest quote that shows both halves of a pair, in UTF-16 units. */
const PAIR_QUOTE = 400;
/** The want that counts what all signals state, whatever the kind. */
export const ALL_KINDS = "all";

export interface WantRow {
  readonly id: string;
  readonly kind: string;
  /** "" for the market of the kind. */
  readonly value: string;
}

export interface StatementRow {
  readonly wantId: string;
  readonly postId: string;
  /** Hex: the author's hash, or the text's where the author is unknown. */
  readonly author: string;
  /** Hex: of the normalised text. */
  readonly textKey: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** How well the quote shows the want, 0-1000; null where no sentence may be shown. */
  readonly shown: number | null;
  /** In title, line feed, body. */
  readonly quoteStart: number | null;
  readonly quoteEnd: number | null;
}

/** A statement that began or ceased to be the one that counts of its author and text. */
interface Change {
  readonly wantId: string;
  readonly postId: string;
  readonly counted: boolean;
}

/** Stores which stored signals state which wants, and counts them. */
export async function stateWants(
  sql: Queryable,
  wants: readonly WantRow[],
  statements: readonly StatementRow[],
): Promise<void> {
  if (statements.length === 0) return;
  const pairs = await pairsAmong(sql, [...new Set(statements.map(({ wantId }) => wantId))]);
  await lockWants(sql, [...wants, ...pairs]);
  const stated = sql`
    select want, post, decode(author, 'hex') as author, decode(text, 'hex') as text,
      created::timestamptz as created, nullif(shown, -1) as shown, nullif(starts, -1) as starts,
      nullif(ends, -1) as ends
    from unnest(${statements.map((s) => s.wantId)}::text[],
      ${statements.map((s) => s.postId)}::text[], ${statements.map((s) => s.author)}::text[],
      ${statements.map((s) => s.textKey)}::text[], ${statements.map((s) => s.createdAt)}::text[],
      ${statements.map((s) => s.shown ?? -1)}::int[],
      ${statements.map((s) => s.quoteStart ?? -1)}::int[],
      ${statements.map((s) => s.quoteEnd ?? -1)}::int[])
      as s (want, post, author, text, created, shown, starts, ends)`;
  const stored = await insertStatements(sql, stated);
  const both = pairsStated(pairs, statements);
  const statedBoth = both.length === 0 ? [] : await statePairs(
    sql,
    sql`select * from unnest(${both.map(({ id }) => id)}::text[],
      ${both.map(({ postId }) => postId)}::text[])`,
  );
  await count(sql, await counted(sql, [...stored, ...statedBoth]));
}

/** A statement as it was stored. */
interface StoredStatement extends Change {
  /** Hex. */
  readonly author: string;
  readonly textKey: string;
}

/**
 * Stores the statements that a query gives, those that are stored already left out. One of an author and a text that
 * state the want nowhere else counts at once, as nearly all do: all indexes would have it twice otherwise.
 */
async function insertStatements(
  sql: Queryable,
  stated: Fragment,
): Promise<StoredStatement[]> {
  // Each look-up is one descent of an index, whatever the planner believes of the sizes.
  return await sql<StoredStatement[]>`
    insert into want_statements (want_id, post_id, author, text_key, created_at, shown,
      quote_start, quote_end, counted)
    select want, post, author, text, created, shown, starts, ends,
      count(*) over (partition by want, author) = 1 and count(*) over (partition by want, text) = 1
      and (select o.post_id from want_statements o where o.want_id = s.want and o.author = s.author
        order by o.created_at desc, o.post_id collate "C" desc limit 1) is null
      and (select o.post_id from want_statements o where o.want_id = s.want and o.text_key = s.text
        order by o.created_at desc, o.post_id collate "C" desc limit 1) is null
    from (${stated}) s
    on conflict do nothing
    returning want_id as "wantId", post_id as "postId", counted, encode(author, 'hex') as author,
      encode(text_key, 'hex') as "textKey"`;
}

/** The statements that began or ceased to count once these were stored. */
async function counted(sql: Queryable, stored: readonly StoredStatement[]): Promise<Change[]> {
  return [
    ...stored.filter((one) => one.counted),
    ...await recount(sql, stored.filter((one) => !one.counted)),
  ];
}

/** A want of two values of one kind, and the ids of the wants of each. */
export interface PairRow extends WantRow {
  readonly first: string;
  readonly second: string;
}

/**
 * Begins to count these pairs, where that was not begun before; gives how many were new. What states both
 * halves is read once here, and from then on as it comes. A half that no post states surely enough to be a
 * want of its own makes no pair.
 */
export async function openPairs(sql: Queryable, pairs: readonly PairRow[]): Promise<number> {
  if (pairs.length === 0) return 0;
  const rows = [...new Map(pairs.map((pair) => [pair.id, pair])).values()]
    .sort((a, b) => a.id < b.id ? -1 : 1);
  const opened = await sql<{ id: string }[]>`
    insert into wants (id, kind, value, first, second)
    select p.* from unnest(${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ value }) => value)}::text[],
      ${rows.map(({ first }) => first)}::text[], ${rows.map(({ second }) => second)}::text[])
      as p (id, kind, value, first, second)
    where exists (select from wants where id = p.first)
      and exists (select from wants where id = p.second)
    on conflict (id) do nothing returning id`;
  const ids = opened.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const stated = sql`
    select w.id, f.post_id from wants w join want_statements f on f.want_id = w.first
    where w.id = any(${ids})`;
  await count(sql, await counted(sql, await statePairs(sql, stated)));
  return ids.length;
}

/** The pairs that are counted and whose halves are both among these wants. */
async function pairsAmong(sql: Queryable, wantIds: readonly string[]): Promise<PairRow[]> {
  return await sql<PairRow[]>`
    select p.id, p.kind, p.value, p.first, p.second
    from unnest(${[...wantIds]}::text[]) as w (id)
    cross join lateral (select * from wants where first = w.id) p
    where p.second = any(${[...wantIds]})`;
}

/** That a post states a pair: the ids of the pair and of the post. */
interface StatedPair {
  readonly id: string;
  readonly postId: string;
}

/** Which posts state both halves of which pairs. */
function pairsStated(pairs: readonly PairRow[], statements: readonly StatementRow[]): StatedPair[] {
  const stated = new Set(statements.map(({ wantId, postId }) => `${wantId}/${postId}`));
  const byFirst = Map.groupBy(pairs, ({ first }) => first);
  return statements.flatMap(({ wantId, postId }) =>
    (byFirst.get(wantId) ?? []).filter(({ second }) => stated.has(`${second}/${postId}`))
      .map(({ id }) => ({ id, postId }))
  );
}

/**
 * Stores that posts state pairs: `stated` has the id of a pair and of a post in each row. The quote is that of both
 * halves where they overlap; without one the pair is counted and not shown.
 */
async function statePairs(sql: Queryable, stated: Fragment): Promise<StoredStatement[]> {
  // Each look-up is one descent of an index, however many posts state a half.
  return await insertStatements(
    sql,
    sql`
    select p.id as want, a.post_id as post, a.author, a.text_key as text, a.created_at as created,
      q.shown, q.starts, q.ends
    from (${stated}) as g (id, post_id)
      cross join lateral (select * from wants where id = g.id limit 1) p
      cross join lateral (select * from want_statements
        where want_id = p.first and post_id = g.post_id limit 1) a
      cross join lateral (select * from want_statements
        where want_id = p.second and post_id = g.post_id limit 1) b
      left join lateral (
        select least(a.shown, b.shown) as shown, least(a.quote_start, b.quote_start) as starts,
          greatest(a.quote_end, b.quote_end) as ends
        where a.quote_start <= b.quote_end and b.quote_start <= a.quote_end
          and greatest(a.quote_end, b.quote_end) - least(a.quote_start, b.quote_start) <= ${PAIR_QUOTE}) q
        on true`,
  );
}

/** Takes back what these posts state; to be called while their signals are still stored. */
export async function unstateWants(sql: Queryable, postIds: readonly string[]): Promise<void> {
  const ids = [...new Set(postIds)];
  if (ids.length === 0) return;
  await sql`
    select id from wants where id in (
      select want_id from want_statements where post_id = any(${ids})) order by id for update`;
  const gone = await sql<
    { wantId: string; postId: string; counted: boolean; author: string; textKey: string }[]
  >`
    delete from want_statements where post_id = any(${ids})
    returning want_id as "wantId", post_id as "postId", counted,
      encode(author, 'hex') as author, encode(text_key, 'hex') as "textKey"`;
  if (gone.length === 0) return;
  const uncounted = gone.filter(({ counted }) => counted)
    .map(({ wantId, postId }): Change => ({ wantId, postId, counted: false }));
  await count(sql, [...uncounted, ...await recount(sql, gone)]);
  await sql`update wants set dirty = true where id = any(${[
    ...new Set(gone.map(({ wantId }) => wantId)),
  ]})`;
}

/** Makes sure the wants exist, and locks them in one order, so that two writers never wait in a circle. */
async function lockWants(sql: Queryable, wants: readonly WantRow[]): Promise<void> {
  const rows = [...new Map(wants.map((want) => [want.id, want])).values()]
    .sort((a, b) => a.id < b.id ? -1 : 1);
  await sql`
    insert into wants (id, kind, value)
    select * from unnest(${rows.map(({ id }) => id)}::text[], ${
    rows.map(({ kind }) => kind)
  }::text[],
      ${rows.map(({ value }) => value)}::text[])
    on conflict (id) do update set dirty = true`;
}

/**
 * Decides anew which statements count among those that share a want with an author or a text named: one
 * counts where none is newer of its author or of its text. The outcome does not depend on the order in
 * which they came.
 */
async function recount(
  sql: Queryable,
  among: readonly {
    readonly wantId: string;
    readonly author: string;
    readonly textKey: string;
  }[],
): Promise<Change[]> {
  if (among.length === 0) return [];
  // Each look-up is one descent of an index, whatever the planner believes of the sizes. Of an author or a text one
  // statement counts at most; the limit of 8 lets a count that an error left behind end as well.
  return await sql<Change[]>`
    with named as (
      select distinct want, decode(author, 'hex') as author, decode(text, 'hex') as text
      from unnest(${among.map((s) => s.wantId)}::text[], ${among.map((s) => s.author)}::text[],
        ${among.map((s) => s.textKey)}::text[]) as s (want, author, text)
    ), touched as (
      select n.want as want_id, s.post_id from named n cross join lateral (
        (select post_id from want_statements where want_id = n.want and author = n.author
          order by created_at desc, post_id collate "C" desc limit 1)
        union all
        (select post_id from want_statements where want_id = n.want and author = n.author and counted
          order by created_at desc, post_id collate "C" desc limit 8)
        union all
        (select post_id from want_statements where want_id = n.want and text_key = n.text
          order by created_at desc, post_id collate "C" desc limit 1)
        union all
        (select post_id from want_statements where want_id = n.want and text_key = n.text and counted
          order by created_at desc, post_id collate "C" desc limit 8)) s
    ), judged as (
      select t.want_id, t.post_id, (
          select o.post_id from want_statements o
          where o.want_id = t.want_id and o.author = s.author
          order by o.created_at desc, o.post_id collate "C" desc limit 1) = t.post_id
        and (
          select o.post_id from want_statements o
          where o.want_id = t.want_id and o.text_key = s.text_key
          order by o.created_at desc, o.post_id collate "C" desc limit 1) = t.post_id as counts
      from (select distinct want_id, post_id from touched) t cross join lateral (
        select author, text_key from want_statements
        where want_id = t.want_id and post_id = t.post_id limit 1) s
    )
    update want_statements s set counted = j.counts from judged j
    where s.want_id = j.want_id and s.post_id = j.post_id and s.counted <> j.counts
    returning s.want_id as "wantId", s.post_id as "postId", s.counted`;
}

/** Brings the wants' numbers of authors, and what is counted of them, up to the changes. */
async function count(sql: Queryable, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const deltas = new Map<string, number>();
  for (const { wantId, counted } of changes) {
    deltas.set(wantId, (deltas.get(wantId) ?? 0) + (counted ? 1 : -1));
  }
  const wants = await sql<{ id: string; market: boolean; before: boolean; kept: boolean }[]>`
    update wants w set authors = w.authors + d.delta,
      kept = w.kept or w.authors + d.delta >= ${KEPT_FROM}
    from unnest(${[...deltas.keys()]}::text[], ${[...deltas.values()]}::int[]) as d (id, delta)
      cross join lateral (select kept from wants where id = d.id limit 1) before
    where w.id = d.id
    returning w.id, w.value = '' as market, before.kept as before, w.kept`;
  const keptIds = new Set(wants.filter(({ before }) => before).map(({ id }) => id));
  const markets = new Set(wants.filter(({ market }) => market).map(({ id }) => id));
  const freshIds = wants.filter(({ before, kept }) => kept && !before).map(({ id }) => id);
  await addFacts(sql, [
    ...changes.filter(({ wantId }) => keptIds.has(wantId)),
    ...changes.filter(({ wantId }) => markets.has(wantId))
      .map((change) => ({ ...change, wantId: ALL_KINDS })),
    // Wants whose counting begins count all they have.
    ...(freshIds.length === 0 ? [] : await sql<Change[]>`
      select want_id as "wantId", post_id as "postId", counted from want_statements
      where want_id = any(${freshIds}) and counted`),
  ]);
}

/** Adds to the counts of wants what each post states, or takes it away. */
async function addFacts(sql: Queryable, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = sql`
    select c.want_id, f.type, f.value, sum(c.delta)::int as delta
    from unnest(${changes.map(({ wantId }) => wantId)}::text[],
      ${changes.map(({ postId }) => postId)}::text[],
      ${changes.map(({ counted }) => counted ? 1 : -1)}::int[]) as c (want_id, post_id, delta)
    cross join lateral (select * from signals where post_id = c.post_id limit 1) s
    cross join lateral counted_facts(s.facts, s.pattern, s.category, s.product, s.intensity,
      s.created_at, s.confidence) f
    where c.want_id <> ${ALL_KINDS} or f.type <> 'product'
    group by 1, 2, 3`;
  await sql`
    insert into want_facts as f (want_id, type, value, authors)
    select want_id, type, value, delta from (${rows}) r where delta <> 0
    order by want_id, type, value
    on conflict (want_id, type, value) do update set authors = f.authors + excluded.authors`;
  if (changes.every(({ counted }) => counted)) return;
  await sql`
    delete from want_facts f using (${rows}) r
    where f.want_id = r.want_id and f.type = r.type and f.value = r.value and f.authors <= 0`;
}
