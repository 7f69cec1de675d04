/** What cards are made of: the counts of wants, when they are stated, and the quotes that show them. */
import type { Queryable } from "../sql.ts";
import { readFacts, type StoredFact } from "./signals.ts";
import type { WantRow } from "./wants.ts";

/** Statements that tell whether authors have names: more of a want must not cost more. */
const NEWEST = 50;

/** How many state one thing, among the authors of a want. */
export interface CountRow {
  readonly wantId: string;
  readonly type: string;
  readonly value: string;
  readonly authors: number;
}

/** What is stated most beside each want: up to `limit` values of each of the types, most authors first. */
export async function mostStated(
  sql: Queryable,
  wantIds: readonly string[],
  types: readonly string[],
  limit: number,
): Promise<CountRow[]> {
  return await sql<CountRow[]>`
    select f.want_id as "wantId", f.type, f.value, f.authors
    from unnest(${[...wantIds]}::text[]) as w (id), unnest(${[...types]}::text[]) as t (type)
    cross join lateral (
      select * from want_facts where want_id = w.id and type = t.type and authors > 0
      order by authors desc, value collate "C" limit ${limit}) f
    order by f.want_id collate "C", f.type collate "C", f.authors desc, f.value collate "C"`;
}

/** How many authors of each want state each of the values named. */
export async function countsOf(
  sql: Queryable,
  asked: readonly { readonly wantId: string; readonly type: string; readonly value: string }[],
): Promise<CountRow[]> {
  if (asked.length === 0) return [];
  // A row's place stands in no index: the planner would go through all values of a type in want_facts_most rather than
  // descend to one by the primary key, for the sake of not reading the row.
  return await sql<CountRow[]>`
    select a.want_id as "wantId", a.type, a.value, f.authors
    from unnest(${asked.map((a) => a.wantId)}::text[], ${asked.map((a) => a.type)}::text[],
      ${asked.map((a) => a.value)}::text[]) as a (want_id, type, value)
    cross join lateral (select authors from want_facts
      where want_id = a.want_id and type = a.type and value = a.value and ctid <> '(0,0)' limit 1) f`;
}

/** The kinds of those markets in which at least `least` authors stand. */
export async function largeMarkets(
  sql: Queryable,
  marketIds: readonly string[],
  least: number,
): Promise<Set<string>> {
  const rows = await sql<{ kind: string }[]>`
    select kind from wants where id = any(${[...marketIds]}::text[]) and authors >= ${least}`;
  return new Set(rows.map(({ kind }) => kind));
}

export interface DirtyWant extends WantRow {
  readonly authors: number;
}

/**
 * Up to `limit` changed wants, kind by kind; their mark is cleared, and they are locked, in one order for all
 * writers.
 */
export async function takeDirtyWants(
  sql: Queryable,
  limit: number,
): Promise<DirtyWant[]> {
  return await sql<DirtyWant[]>`
    update wants set dirty = false where id in (
      select id from wants where id in (
        select id from wants where dirty order by kind, id limit ${limit})
      order by id for update)
    returning id, kind, value, authors`;
}

/** Every want that may be, or was, a card is made again: a new day, formula or number of authors. */
export async function markKeptDirty(sql: Queryable): Promise<void> {
  await sql`
    update wants set dirty = true where id in (
      select id from wants where kept and not dirty order by id for update)`;
}

/** Those of the wants that `least` counted statements show at least so well. */
export async function wellShown(
  sql: Queryable,
  wantIds: readonly string[],
  { shown, least }: { readonly shown: number; readonly least: number },
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select w.id from unnest(${[...wantIds]}::text[]) as w (id)
    cross join lateral (
      select s.shown from want_statements s
      where s.want_id = w.id and s.counted and s.shown is not null
      order by s.shown desc offset ${least - 1} limit 1) s
    where s.shown >= ${shown}`;
  return new Set(rows.map(({ id }) => id));
}

export interface WantSize {
  readonly wantId: string;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** Counted statements of the 7 days before `asOf`, and of the 28 before those. */
  readonly days7: number;
  readonly days28: number;
  /** Whether most authors are known by name, and not by text: of the newest 50 statements. */
  readonly authorsKnown: boolean;
}

/** From when to when a want is stated, how often of late, and whether its authors have names. */
export async function wantTimes(
  sql: Queryable,
  wantIds: readonly string[],
  asOf: Date,
): Promise<WantSize[]> {
  return await sql<WantSize[]>`
    select w.id as "wantId", first.at as "firstSeen", last.at as "lastSeen",
      (select count(*)::int from want_statements s where s.want_id = w.id and s.counted
        and s.created_at > ${asOf}::timestamptz - interval '7 days') as "days7",
      (select count(*)::int from want_statements s where s.want_id = w.id and s.counted
        and s.created_at > ${asOf}::timestamptz - interval '35 days'
        and s.created_at <= ${asOf}::timestamptz - interval '7 days') as "days28",
      last.known as "authorsKnown"
    from unnest(${[...wantIds]}::text[]) as w (id)
    cross join lateral (select s.created_at as at from want_statements s
      where s.want_id = w.id and s.counted order by s.created_at limit 1) first
    cross join lateral (
      select max(s.created_at) as at,
        2 * count(*) filter (where s.author <> s.text_key) > count(*) as known
      from want_statements s where s.want_id = w.id and s.counted
        and s.created_at >= coalesce((select n.created_at from want_statements n
          where n.want_id = w.id and n.counted
          order by n.created_at desc offset ${NEWEST - 1} limit 1), first.at)) last`;
}

export interface ShownStatement {
  readonly wantId: string;
  readonly postId: string;
  readonly shown: number;
  /** Title, line feed, body. */
  readonly text: string;
  /** Verbatim, and where it begins in the text. */
  readonly quote: string;
  readonly start: number;
  readonly permalink: string;
  readonly community: string;
  readonly upvotes: number;
  readonly createdAt: Date;
  /** What the post states. */
  readonly facts: readonly StoredFact[];
}

/** The statements of each want whose quotes show it best, with their quotes; best first. */
export async function shownStatements(
  sql: Queryable,
  wantIds: readonly string[],
  limit: number,
): Promise<ShownStatement[]> {
  const rows = await sql<
    (Omit<ShownStatement, "facts" | "quote"> & { end: number; facts: unknown })[]
  >`
    select s.want_id as "wantId", s.post_id as "postId", s.shown, p.title || E'\n' || p.body as text,
      s.quote_start as "start", s.quote_end as "end", p.permalink, p.community, p.upvotes,
      s.created_at as "createdAt", g.facts
    from unnest(${[...wantIds]}::text[]) as w (id)
    cross join lateral (
      select * from want_statements where want_id = w.id and counted and shown is not null
      order by shown desc, created_at desc, post_id collate "C" limit ${limit}) s
    join posts p on p.id = s.post_id join signals g on g.post_id = s.post_id
    order by s.want_id, s.shown desc, s.created_at desc, s.post_id collate "C"`;
  // Offsets count UTF-16 units, which the database does not.
  return rows.map(({ end, facts, ...row }) => ({
    ...row,
    facts: readFacts(facts),
    quote: row.text.slice(row.start, end),
  }));
}
