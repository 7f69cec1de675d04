/** Matches a query against the corpus: from words to the strongest signals. */
import { BOUNDS, type Bounds, matchSignals } from "../db/matching.ts";
import { matchLoose, readMatches } from "../db/matching_rows.ts";
import { readTerms, similarTerms, type WordTerms } from "../db/matching_terms.ts";
import type { QueryPlan } from "../db/matching_plan.ts";
import type { Sql } from "../db/sql.ts";
import { isKnownWord } from "./common.ts";
import { type FindKinds, planQuery } from "./concepts.ts";
import { foldQuery } from "./query.ts";
import type { GaugeInput, LiveSignal, Match } from "./types.ts";
import { slips, slipsAllowed } from "./typos.ts";

/** Words of a query that are looked at; 200 characters hold few more that say anything. */
const MAX_WORDS = 24;

/** What to look for, and the counts that say how. */
export interface ReadQuery {
  readonly plan: QueryPlan;
  readonly terms: WordTerms;
}

/**
 * Reads a query: two small queries to the database, of which the second only looks for typing errors.
 */
export async function readQuery(
  sql: Sql,
  input: GaugeInput,
  findKinds: FindKinds,
): Promise<ReadQuery> {
  const words = foldQuery(input.query).split(" ").slice(0, MAX_WORDS);
  const spans = findKinds(words);
  const kinds = spans.flatMap((span) => span.kinds.map((kind) => `k/${kind}`));
  const terms = await readTerms(sql, words, kinds);
  const named = (i: number) => spans.some(({ start, end }) => start <= i && i < end);
  const doubtful = words.flatMap((word, i) =>
    slipsAllowed(word) > 0 && !isKnownWord(word) && !named(i) ? terms.stems[i] ?? [] : []
  );
  const similar = (await similarTerms(sql, doubtful)).filter(({ stem, term }) => {
    const limit = slipsAllowed(stem);
    return term !== stem && term[0] === stem[0] && slips(stem, term, limit) <= limit;
  });
  const counts = new Map(terms.counts);
  for (const { term, id, signals } of similar) counts.set(term, { term, id, signals });
  const plan = planQuery(
    words.map((word, i) => {
      const stems = terms.stems[i] ?? [];
      const meant = similar.filter(({ stem }) => stems.includes(stem));
      return { word, stems, similar: meant.map(({ term }) => term) };
    }),
    spans,
    input.category,
  );
  return { plan, terms: { ...terms, counts } };
}

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
