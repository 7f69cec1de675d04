/** What a verdict shows of the signals that match; and the match of posts that are not in the corpus. */
import type { QueryPlan } from "./plan.ts";
import type { MatchCandidate } from "./searches.ts";
import { measuredRows, relevance } from "./sql.ts";
import type { SignalRow } from "../corpus/signals.ts";
import { json, type Queryable, type Sql } from "../sql.ts";

/** A matched signal with its post, without relevance. */
export interface MatchedRow
  extends Omit<SignalRow, "createdAt" | "facts" | "readBy" | "ruledOut" | "unsaid" | "said"> {
  /** The wants that it states, which are the ids of their cards. */
  readonly wantIds: readonly string[];
  readonly title: string;
  readonly permalink: string;
  readonly community: string;
  readonly createdAt: Date;
  /** When its source last confirmed the post; null for never. */
  readonly checkedAt: Date | null;
}

/** The signals of these posts with what a verdict shows of them; posts that are gone are missing. */
export async function readMatches(
  sql: Queryable,
  postIds: readonly string[],
): Promise<Map<string, MatchedRow>> {
  const rows = await sql<MatchedRow[]>`
    select s.post_id as "postId", to_json(array(select t.want_id from want_statements t where t.post_id = s.post_id
        order by t.want_id)) as "wantIds", s.pattern, s.also, s.category,
      s.product, s.kind, s.intensity, s.wtp, s.confidence, s.quote, p.title, p.permalink, p.community, s.upvotes,
      s.created_at as "createdAt", encode(s.voice, 'hex') as "authorKey",
      encode(s.text_key, 'hex') as "textKey", p.checked_at as "checkedAt"
    from signals s join posts p on p.id = s.post_id where s.post_id = any(${[...postIds]})`;
  return new Map(rows.map((row) => [row.postId, row]));
}

/** The words of a post that is not in the corpus. */
interface LooseSignal {
  readonly postId: string;
  readonly product: string;
  readonly kind: string;
  /** Canonical values of what it states. */
  readonly values: readonly string[];
  /** Those of them that are sums. */
  readonly prices: readonly string[];
  /** Words that it only rules out, those that are not its author's, and what it says in words like them. */
  readonly ruledOut: readonly string[];
  readonly unsaid: readonly string[];
  readonly said: readonly string[];
  readonly quote: string;
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly community: string;
}

/** Those of `signals` that match a plan, by the same rule as stored ones; of any category. */
export async function matchLoose(
  sql: Sql,
  plan: QueryPlan,
  signals: readonly LooseSignal[],
): Promise<MatchCandidate[]> {
  if (plan.head.length === 0 || signals.length === 0) return [];
  const columns = sql`"postId"`;
  const from = sql`(
    select "postId", ts_delete(signal_words(product, kind, values, quote, title, category, 0),
        r.ruled_out || r.unsaid)
        || product_terms(product, kind, prices) || ruled_out_terms(r.ruled_out)
        || array_to_tsvector(array['r/' || lower(community)]) as words,
      ts_delete(body_terms(body), r.ruled_out || r.unsaid) as body
    from jsonb_to_recordset(${json(sql, signals)}) as s (
      "postId" text, product text, kind text, values text[], prices text[], quote text, title text, body text,
      category text, community text, "ruledOut" text[], unsaid text[], said text[]),
      lateral (select stems_apart("ruledOut", said) as ruled_out,
        stems_apart(unsaid, said) as unsaid) r) s`;
  return await sql<MatchCandidate[]>`
    select "postId", ${relevance(sql, plan)} as relevance, head, covered, met
    from (${measuredRows(sql, plan, columns, from)}) found`;
}
