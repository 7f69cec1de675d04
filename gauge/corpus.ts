/** Matches a query against the corpus, and against posts that are not in it. */
import { BOUNDS, type Bounds, matchSignals } from "../db/matching.ts";
import { matchLoose, readMatches } from "../db/matching_rows.ts";
import type { Sql } from "../db/sql.ts";
import type { ReadQuery } from "./read_query.ts";
import type { LiveSignal, Match } from "./types.ts";

/**
 * The strongest signals that match, one a voice, with their posts; in no particular order. Quotes that
 * their source did not confirm since `shownSince` are withheld; null, without a source, shows all.
 */
export async function matchCorpus(
  sql: Sql,
  { plan, terms }: ReadQuery,
  bounds: Bounds = BOUNDS,
  shownSince: Date | null = null,
): Promise<{ readonly matches: readonly Match[]; readonly capped: boolean }> {
  const candidates = await matchSignals(sql, plan, terms, bounds);
  const rows = await readMatches(sql, candidates.map(({ postId }) => postId));
  const matches = candidates.flatMap(({ postId, relevance }): Match[] => {
    const row = rows.get(postId);
    if (row === undefined) return [];
    const { checkedAt, ...match } = row;
    const withheld = shownSince !== null && (checkedAt === null || checkedAt < shownSince);
    return [{ ...match, relevance, withheld }];
  });
  return { matches, capped: candidates.length === bounds.voices };
}

/** Those of the posts read at request time that match, as if they were in the corpus. */
export async function matchLive(
  sql: Sql,
  { plan }: ReadQuery,
  signals: readonly LiveSignal[],
): Promise<readonly Match[]> {
  const candidates = await matchLoose(
    sql,
    plan,
    signals.map(({ post, signal }) => ({
      postId: post.id,
      product: signal.product,
      kind: signal.kind,
      values: signal.facts.map(({ v }) => v),
      quote: signal.quote,
      title: post.title,
      category: signal.category,
    })),
  );
  const relevance = new Map(candidates.map((candidate) => [candidate.postId, candidate.relevance]));
  return signals.flatMap(({ post, signal, stated }): Match[] => {
    const found = relevance.get(post.id);
    if (found === undefined) return [];
    return [{
      postId: post.id,
      wantIds: stated.wants.map(({ id }) => id),
      pattern: signal.pattern,
      category: signal.category,
      product: signal.product,
      intensity: signal.intensity,
      wtp: signal.wtp,
      confidence: signal.confidence,
      quote: signal.quote,
      permalink: post.permalink,
      community: post.community,
      upvotes: post.upvotes,
      createdAt: post.createdAt,
      voice: signal.voice,
      textKey: signal.textKey,
      relevance: found,
    }];
  });
}
