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
    signals.map(({ post, demand, want }) => ({
      postId: post.id,
      product: want.product,
      kind: want.kind,
      need: want.need,
      brands: want.brands,
      spoken: want.spoken,
      quote: demand.quote,
      title: post.title,
      category: want.category,
    })),
  );
  const relevance = new Map(candidates.map((candidate) => [candidate.postId, candidate.relevance]));
  return signals.flatMap(({ post, demand, want, voice, textKey }): Match[] => {
    const found = relevance.get(post.id);
    if (found === undefined) return [];
    return [{
      postId: post.id,
      opportunityId: null,
      pattern: demand.pattern,
      category: want.category,
      product: want.product,
      intensity: demand.intensity,
      wtp: demand.wtp,
      confidence: demand.confidence,
      quote: demand.quote,
      permalink: post.permalink,
      community: post.community,
      upvotes: post.upvotes,
      createdAt: post.createdAt,
      voice,
      textKey,
      relevance: found,
    }];
  });
}
