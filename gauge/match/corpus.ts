/** Matches a query against the corpus, and against posts that are not in it. */
import { BOUNDS, type Found, matchSignals } from "../../db/matching/mod.ts";
import type { Bounds } from "../../db/matching/searches.ts";
import { matchLoose, readMatches } from "../../db/matching/rows.ts";
import type { Sql } from "../../db/sql.ts";
import type { ReadQuery } from "../query/read.ts";
import type { LiveSignal, Match } from "../types.ts";

/** The posts that want what was asked, nearest first, and how many state what. */
export interface Matched extends Pick<Found, "stating" | "peoplePerRead"> {
  readonly matches: readonly Match[];
}

/**
 * The strongest signals that match, one a person, with their posts. Quotes that their source did not confirm
 * since `shownSince` are withheld; null, without a source, shows all.
 */
export async function matchCorpus(
  sql: Sql,
  { plan, terms }: ReadQuery,
  shownSince: Date | null,
  bounds: Bounds = BOUNDS,
): Promise<Matched> {
  const { candidates, stating, peoplePerRead } = await matchSignals(sql, plan, terms, bounds);
  const rows = await readMatches(sql, candidates.map(({ postId }) => postId));
  const matches = candidates.flatMap(({ postId, relevance, head, covered, met }): Match[] => {
    const row = rows.get(postId);
    if (row === undefined) return [];
    const { checkedAt, ...match } = row;
    const withheld = shownSince !== null && (checkedAt === null || checkedAt < shownSince);
    return [{ ...match, relevance, head, covered, met, withheld }];
  });
  return { matches, stating, peoplePerRead };
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
      values: signal.facts.map(({ value }) => value),
      prices: signal.facts.filter(({ type }) => type === "price").map(({ value }) => value),
      ruledOut: signal.ruledOut,
      unsaid: signal.unsaid,
      said: signal.said,
      quote: signal.quote,
      title: post.title,
      body: post.body,
      category: signal.category,
      community: post.community,
    })),
  );
  const found = new Map(candidates.map((candidate) => [candidate.postId, candidate]));
  return signals.flatMap(({ post, signal, stated }): Match[] => {
    const candidate = found.get(post.id);
    if (candidate === undefined) return [];
    return [{
      ...candidate,
      wantIds: stated.wants.map(({ id }) => id),
      pattern: signal.pattern,
      also: signal.also,
      category: signal.category,
      product: signal.product,
      kind: signal.kind,
      intensity: signal.intensity,
      wtp: signal.wtp,
      confidence: signal.confidence,
      quote: signal.quote,
      title: post.title,
      permalink: post.permalink,
      community: post.community,
      upvotes: post.upvotes,
      createdAt: post.createdAt,
      authorKey: signal.authorKey,
      textKey: signal.textKey,
    }];
  });
}
