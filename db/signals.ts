/** Signals: what posts say of demand, and the newest of them that a card is made from. */
import { json, type Queryable } from "./sql.ts";

export interface SignalRow {
  readonly postId: string;
  readonly opportunityId: string;
  readonly pattern: string;
  readonly also: string | null;
  readonly category: string;
  readonly product: string;
  readonly kind: string;
  readonly need: string | null;
  readonly brands: readonly string[];
  /** Ids of other needs that the post speaks of: the search finds it by them, cards count them. */
  readonly spoken: readonly string[];
  /** 0-3. */
  readonly intensity: number;
  /** 0-3. */
  readonly wtp: number;
  /** 0-1. */
  readonly confidence: number;
  readonly quote: string;
  /** How likely the kind of product is right, 0-1. */
  readonly sureness: number;
  /** How well the quote alone shows the want, 0-1. */
  readonly shown: number;
  /** Hex: the author's hash, or the text's where the author is unknown. */
  readonly voice: string;
  /** Hex: of the normalised text. */
  readonly textKey: string;
  readonly upvotes: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Classifier and want versions that made it. */
  readonly versions: string;
}

/** A signal as a card reads it. */
export interface CardSignal extends Omit<SignalRow, "quote" | "createdAt" | "versions"> {
  readonly createdAt: Date;
}

/** Stores signals, one a post; posts that have one already keep it. */
export async function insertSignals(sql: Queryable, signals: readonly SignalRow[]): Promise<void> {
  if (signals.length === 0) return;
  await sql`
    insert into signals (post_id, opportunity_id, pattern, also, category, product, kind, need,
      brands, spoken, intensity, wtp, confidence, quote, sureness, shown, voice, text_key, upvotes,
      created_at, versions)
    select "postId", "opportunityId", pattern, also, category, product, kind, need, brands, spoken,
      intensity, wtp, confidence, quote, sureness, shown, decode(voice, 'hex'), decode("textKey", 'hex'), upvotes,
      "createdAt", versions
    from jsonb_to_recordset(${json(sql, signals)}) as s (
      "postId" text, "opportunityId" text, pattern text, also text, category text, product text,
      kind text, need text, brands text[], spoken text[], intensity smallint, wtp smallint, confidence real,
      quote text, sureness real, shown real, voice text, "textKey" text, upvotes integer, "createdAt" timestamptz,
      versions text)
    on conflict (post_id) do nothing`;
}

/**
 * The newest `limit` signals of each opportunity, newest first, then by post id; those whose confidence times
 * sureness is under `certain` are passed over.
 */
export async function newestSignals(
  sql: Queryable,
  opportunityIds: readonly string[],
  limit: number,
  certain: number,
): Promise<CardSignal[]> {
  return await sql<CardSignal[]>`
    select s.post_id as "postId", s.opportunity_id as "opportunityId", s.pattern, s.also,
      s.category, s.product, s.kind, s.need, to_json(s.brands) as brands,
      to_json(s.spoken) as spoken, s.intensity, s.wtp, s.confidence, s.sureness, s.shown,
      encode(s.voice, 'hex') as voice, encode(s.text_key, 'hex') as "textKey", s.upvotes,
      s.created_at as "createdAt"
    from unnest(${[...opportunityIds]}::text[]) as o (id)
    cross join lateral (
      select * from signals
      where opportunity_id = o.id and confidence * sureness >= ${certain}
      order by created_at desc, post_id limit ${limit}
    ) s`;
}

export interface SignalTotals {
  readonly opportunityId: string;
  readonly signals: number;
  readonly voices: number;
  readonly firstSeen: Date;
}

/** Exact totals for opportunities with more signals than a card reads. */
export async function signalTotals(
  sql: Queryable,
  opportunityIds: readonly string[],
  certain: number,
): Promise<SignalTotals[]> {
  return await sql<SignalTotals[]>`
    select opportunity_id as "opportunityId", count(distinct text_key) as signals,
      count(distinct voice) as voices, min(created_at) as "firstSeen"
    from signals
    where opportunity_id = any(${[...opportunityIds]}) and confidence * sureness >= ${certain}
    group by opportunity_id`;
}

export interface QuoteRow {
  readonly postId: string;
  readonly quote: string;
  readonly permalink: string;
  readonly community: string;
  readonly upvotes: number;
}

/** Quotes with where they come from, by post id. */
export async function quotes(
  sql: Queryable,
  postIds: readonly string[],
): Promise<Map<string, QuoteRow>> {
  const rows = await sql<QuoteRow[]>`
    select s.post_id as "postId", s.quote, p.permalink, p.community, s.upvotes
    from signals s join posts p on p.id = s.post_id where s.post_id = any(${[...postIds]})`;
  return new Map(rows.map((row) => [row.postId, row]));
}
