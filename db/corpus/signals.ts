/** Signals: what posts say of demand, and what they state of the product. */
import { z } from "zod";
import { json, type Queryable } from "../sql.ts";

/** A fact that is stored with its signal. */
export interface StoredFact {
  readonly type: string;
  /** Canonical. */
  readonly value: string;
  /** Where it stands, in title, line feed, body. */
  readonly start: number;
  readonly end: number;
  /** Joint, 0-1: that a product is asked for, that it is of the kind, and that the fact is stated. */
  readonly certainty: number;
  /** Of a problem: the product that has it, where the post names one. */
  readonly owner?: string;
}

/** The stored JSON of facts: letters in place of names, since millions are stored. */
const factsJson = z.array(z.object({
  t: z.string(),
  v: z.string(),
  s: z.number(),
  e: z.number(),
  c: z.number(),
  o: z.string().exactOptional(),
}));

/** The facts of a signal as another version may have stored them; none where this one cannot read them. */
export const readFacts = (value: unknown): readonly StoredFact[] =>
  factsJson.safeParse(value).data?.map(({ t, v, s, e, c, o }): StoredFact => ({
    type: t,
    value: v,
    start: s,
    end: e,
    certainty: c,
    ...(o === undefined ? {} : { owner: o }),
  })) ?? [];

const toFactsJson = (facts: readonly StoredFact[]): z.input<typeof factsJson> =>
  facts.map(({ type, value, start, end, certainty, owner }) => ({
    t: type,
    v: value,
    s: start,
    e: end,
    c: certainty,
    ...(owner === undefined ? {} : { o: owner }),
  }));

/** Signals as a parameter of `jsonb_to_recordset`, their facts as they are stored. */
export const signalsJson = (sql: Queryable, signals: readonly SignalRow[]) =>
  json(sql, signals.map((signal) => ({ ...signal, facts: toFactsJson(signal.facts) })));

export interface SignalRow {
  readonly postId: string;
  readonly pattern: string;
  readonly also: string | null;
  readonly category: string;
  /** The product as the post calls it. */
  readonly product: string;
  /** The canonical kind of product. */
  readonly kind: string;
  /** What the post states of the product. */
  readonly facts: readonly StoredFact[];
  /** Words that the post only rules out ("no gaming"). */
  readonly ruledOut: readonly string[];
  /** Words that only stand in a form's questions or in lines that it quotes. */
  readonly unsaid: readonly string[];
  /** What it says elsewhere in words that begin as those of both do: forms of one word are said. */
  readonly said: readonly string[];
  /** 0-3. */
  readonly intensity: number;
  /** 0-3. */
  readonly wtp: number;
  /** How likely the post is demand for a physical product, 0-1. */
  readonly confidence: number;
  readonly quote: string;
  /** Hex: the author's hash, or the text's where the author is unknown. */
  readonly authorKey: string;
  /** Hex: of the normalised text. */
  readonly textKey: string;
  readonly upvotes: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The version of the reader, or of the question to a model, that read it. */
  readonly readBy: string;
}

/** Merges the words of stored signals that wait in lists into their indexes: each search reads those lists through. */
export async function mergeWaitingWords(sql: Queryable): Promise<void> {
  await sql`
    select merge_waiting_words(
      array['signal_index_words', 'signal_index_slices', 'signal_index_texts']::regclass[])`;
}

/** Stores signals, one a post; posts that have one already keep it. */
export async function insertSignals(sql: Queryable, signals: readonly SignalRow[]): Promise<void> {
  if (signals.length === 0) return;
  await sql`
    insert into signals (post_id, pattern, also, category, product, kind, facts, intensity, wtp,
      confidence, quote, voice, text_key, upvotes, created_at, versions, ruled_out, unsaid)
    select "postId", pattern, also, category, product, kind, facts, intensity, wtp, confidence,
      quote, decode("authorKey", 'hex'), decode("textKey", 'hex'), upvotes, "createdAt", "readBy",
      stems_apart("ruledOut", said), stems_apart(unsaid, said)
    from jsonb_to_recordset(${signalsJson(sql, signals)}) as s (
      "postId" text, pattern text, also text, category text, product text, kind text, facts jsonb,
      intensity smallint, wtp smallint, confidence real, quote text, "authorKey" text, "textKey" text,
      upvotes integer, "createdAt" timestamptz, "readBy" text, "ruledOut" text[],
      unsaid text[], said text[])
    on conflict (post_id) do nothing`;
}

/** Those of these posts that the corpus has a signal of. */
export async function withSignals(
  sql: Queryable,
  postIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (postIds.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    select post_id as id from signals where post_id = any(${[...postIds]})`;
  return new Set(rows.map(({ id }) => id));
}

interface SignalCount {
  /** Monday of the week, UTC. */
  readonly week: string;
  readonly pattern: string;
  readonly category: string;
  readonly count: number;
}

/** Signals by week, pattern and category, from the whole week on that `since` lies in. */
export async function signalsByWeek(sql: Queryable, since: Date): Promise<SignalCount[]> {
  return await sql<SignalCount[]>`
    select (date_trunc('week', created_at at time zone 'utc'))::date::text as week, pattern, category,
      count(*) as count
    from signals
    where created_at >= date_trunc('week', ${since}::timestamptz at time zone 'utc') at time zone 'utc'
    group by 1, 2, 3 order by 1, 2, 3`;
}
