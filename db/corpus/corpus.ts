/** The corpus as a whole: its revision, its clock, where it came from, and the frozen sample. */
import { json, type Queryable } from "../sql.ts";
import { clearVerdicts } from "./verdicts.ts";

export type CorpusOrigin = "none" | "demo" | "real";

export interface CorpusState {
  readonly revision: number;
  readonly origin: CorpusOrigin;
  readonly clock: "archive" | "wall";
  readonly asOf: Date | null;
  readonly lastMinedAt: Date | null;
  /** When what is served was last made. */
  readonly builtAt: Date | null;
  /** YYYY-MM-DD. */
  readonly scoredOn: string | null;
  readonly firstStartedAt: Date | null;
  /** What read the posts that the catalogue is made of; null for a version that did not say. */
  readonly readVersion: string | null;
  /** The number of authors that its cards were made for. */
  readonly minAuthors: number | null;
}

/** Replicas on Postgres listen here; the payload is the new revision. */
export const REVISION_CHANNEL = "demand_revision";

/** The corpus as it is; there is one from the first migration on. */
export async function corpusState(sql: Queryable): Promise<CorpusState> {
  const [row] = await sql<CorpusState[]>`
    select revision, origin, clock, as_of as "asOf", last_mined_at as "lastMinedAt",
      built_at as "builtAt", scored_on::text as "scoredOn", first_started_at as "firstStartedAt",
      read_version as "readVersion", min_authors as "minAuthors" from corpus`;
  if (row === undefined) throw new Error("the corpus row is missing");
  return row;
}

/** When the oldest and the newest post that carries a signal were written; null if there is none. */
export interface CorpusSpan {
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

/**
 * Reads both ends of the index signals_of_card, of whose first column all signals of today have null; the
 * order names that column, since the planner does not take `is null` for a constant.
 */
export async function corpusSpan(sql: Queryable): Promise<CorpusSpan> {
  const [row] = await sql<CorpusSpan[]>`
    select (select created_at from signals where opportunity_id is null
        order by opportunity_id desc, created_at, post_id desc limit 1) as oldest,
      (select created_at from signals where opportunity_id is null
        order by opportunity_id, created_at desc, post_id limit 1) as newest`;
  return row ?? { oldest: null, newest: null };
}

/** The revision alone: what replicas poll. */
export async function corpusRevision(sql: Queryable): Promise<number> {
  const [row] = await sql<{ revision: number }[]>`select revision from corpus`;
  return row?.revision ?? 0;
}

/** Tells every replica to read what is served again, of which something has left. */
export async function announceRemoval(sql: Queryable): Promise<void> {
  await sql`
    update corpus set revision = revision + 1
    returning pg_notify(${REVISION_CHANNEL}, revision::text)`;
}

/** Tells every replica that what is served has changed. */
export async function publishRevision(
  sql: Queryable,
  change: {
    readonly builtAt: Date;
    /** Null for a change outside a mining run, such as a removal. */
    readonly lastMinedAt: Date | null;
    /** YYYY-MM-DD. */
    readonly scoredOn: string;
    /** What read the posts behind it, and the number of authors its cards were made for. */
    readonly readVersion: string | null;
    readonly minAuthors: number | null;
  },
): Promise<void> {
  await sql`
    update corpus set revision = revision + 1, built_at = ${change.builtAt},
      last_mined_at = coalesce(${change.lastMinedAt}::timestamptz, last_mined_at),
      scored_on = ${change.scoredOn}::date, read_version = ${change.readVersion},
      min_authors = ${change.minAuthors}
    returning pg_notify(${REVISION_CHANNEL}, revision::text)`;
}

/** Sets the corpus clock, back too. */
export async function setAsOf(sql: Queryable, asOf: Date): Promise<void> {
  await sql`update corpus set as_of = ${asOf}`;
}

/** Moves the corpus clock forward to `asOf`; one that is ahead of that stays. */
export async function advanceAsOf(sql: Queryable, asOf: Date): Promise<void> {
  await sql`update corpus set as_of = greatest(as_of, ${asOf})`;
}

/** Says what the corpus is made of and which clock its ages count from: no cards were made of one that was empty. */
export async function setOrigin(
  sql: Queryable,
  origin: CorpusOrigin,
  clock: "archive" | "wall",
): Promise<void> {
  await sql`update corpus set origin = ${origin},
    scored_on = case when origin = 'none' then null else scored_on end,
    clock = case when clock = 'wall' then 'wall' else ${clock} end`;
}

/**
 * Empties everything mined: posts, signals, cards, the sample, kept verdicts. Payments stay. What begins
 * anew begins `now`: categories must not say that they were last updated before what they had.
 */
export async function clearCorpus(sql: Queryable, now: Date): Promise<void> {
  await clearVerdicts(sql);
  await sql`delete from sample`;
  await sql`delete from want_statements`;
  await sql`delete from want_facts`;
  await sql`delete from wants`;
  await sql`delete from signals`;
  await sql`delete from posts`;
  await sql`delete from opportunity_slugs`;
  await sql`delete from opportunities`;
  await sql`delete from seen_posts where not forgotten`;
  await sql`update corpus set as_of = null, scored_on = null, origin = 'none',
    first_started_at = ${now}`;
}

/** Keeps the first start's time; gives it back on every later one. */
export async function firstStart(sql: Queryable, now: Date): Promise<Date> {
  const [row] = await sql<{ at: Date }[]>`
    update corpus set first_started_at = coalesce(first_started_at, ${now})
    returning first_started_at as at`;
  return row?.at ?? now;
}

/** The key of the authors' hashes: made once, by whoever comes first. Hex. */
export async function authorHashKey(sql: Queryable, fresh: string): Promise<string> {
  const [known] = await sql<{ key: string | null }[]>`
    select encode(author_hash_key, 'hex') as key from corpus`;
  if (known?.key != null) return known.key;
  const [row] = await sql<{ key: string }[]>`
    update corpus set author_hash_key = coalesce(author_hash_key, decode(${fresh}, 'hex'))
    returning encode(author_hash_key, 'hex') as key`;
  return row?.key ?? fresh;
}

export interface SampleRow {
  readonly card: unknown;
  readonly cardAsOf: Date;
}

/** The frozen sample, or null before there is one. */
export async function sampleRow(sql: Queryable): Promise<SampleRow | null> {
  const [row] = await sql<SampleRow[]>`select card, card_as_of as "cardAsOf" from sample`;
  return row ?? null;
}

/** Freezes the sample, once: a sample that is there stays. */
export async function freezeSample(sql: Queryable, card: unknown, asOf: Date): Promise<void> {
  await sql`insert into sample (card, card_as_of) values (${json(sql, card)}, ${asOf})
    on conflict do nothing`;
}
