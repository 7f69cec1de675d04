/** Matches a query against the corpus: from words to the strongest signals. */
import { BOUNDS, type Bounds, matchSignals } from "../db/matching.ts";
import { matchLoose, readMatches } from "../db/matching_rows.ts";
import { readTerms, similarTerms, type WordTerms } from "../db/matching_terms.ts";
import type { QueryPlan } from "../db/matching_plan.ts";
import type { Sql } from "../db/sql.ts";
import { isKnownWord } from "./common.ts";
import { planQuery } from "./concepts.ts";
import { type FindKinds, phrasesAt } from "./head.ts";
import { findNeeds } from "./needs.ts";
import { foldQuery } from "./query.ts";
import type { GaugeInput, LiveSignal, Match } from "./types.ts";
import { slips, slipsAllowed } from "../core/slips.ts";

/** Words of a query that are looked at; 200 characters hold few more that say anything. */
const MAX_WORDS = 24;

/** Whether all of `part` stands in `group`: who has `group` has `part`, too. */
const includes = (group: readonly string[], part: readonly string[]): boolean =>
  part.every((stem) => group.includes(stem));

/** What to look for, and the counts that say how. */
export interface ReadQuery {
  readonly plan: QueryPlan;
  readonly terms: WordTerms;
  /** The word that says that no physical product is asked for ("rental"), or null. */
  readonly service: string | null;
  /** Signals of the category that was asked for; null where none was. */
  readonly scope: number | null;
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
  const phrases = words.flatMap((_, i) => phrasesAt(words, i));
  const needs = findNeeds(words, spans);
  const named = [
    ...[...spans, ...phrases].flatMap((span) => span.kinds.map((kind) => `k/${kind}`)),
    ...needs.flatMap(({ ids }) => ids.map((id) => `n/${id}`)),
  ];
  const needWords = [...new Set(needs.flatMap(({ names, cues }) => [...names, ...cues].flat()))];
  const scope = input.category === null ? null : `c/${input.category}`;
  const terms = await readTerms(sql, [...words, ...needWords], [
    ...new Set(scope === null ? named : [...named, scope]),
  ]);
  const stemOf = new Map(needWords.map((word, i) => [word, terms.stems[words.length + i] ?? []]));
  // "For work" without its "for" is said of anything: phrases count whole.
  const whole = (phrases: readonly (readonly string[])[]) =>
    phrases.map((phrase) => phrase.map((word) => stemOf.get(word) ?? []))
      .filter((phrase) => phrase.every(({ length }) => length > 0)).map((phrase) => phrase.flat())
      .filter((group, i, all) => all.findIndex((other) => includes(group, other)) === i);
  const isNamed = (i: number) => spans.some(({ start, end }) => start <= i && i < end);
  const doubtful = words.flatMap((word, i) =>
    slipsAllowed(word) > 0 && !isKnownWord(word) && !isNamed(i) ? terms.stems[i] ?? [] : []
  );
  const similar = (await similarTerms(sql, doubtful)).filter(({ stem, term }) => {
    const limit = slipsAllowed(stem);
    return term !== stem && term[0] === stem[0] && slips(stem, term, limit) <= limit;
  });
  const counts = new Map(terms.counts);
  for (const { term, id, signals } of similar) counts.set(term, { term, id, signals });
  const { plan, service } = planQuery(
    words.map((word, i) => {
      const stems = terms.stems[i] ?? [];
      const meant = similar.filter(({ stem }) => stems.includes(stem));
      return { word, stems, similar: meant.map(({ term }) => term) };
    }),
    spans,
    needs.map(({ names, ids, cues, ...span }) => ({
      ...span,
      needs: whole(names),
      spoken: ids.map((id) => [`n/${id}`]),
      cues: whole(cues),
    })),
    input.category,
  );
  return {
    plan,
    service,
    scope: scope === null ? null : counts.get(scope)?.signals ?? 0,
    terms: { ...terms, counts },
  };
}

/** How many signals a query was looked for in, of `all`, in words. */
export function searchedSignals({ scope }: ReadQuery, input: GaugeInput, all: number): string {
  const signals = scope ?? all;
  const counted = `${signals} ${signals === 1 ? "signal" : "signals"}`;
  return scope === null ? counted : `${counted} of the category ${input.category}`;
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
