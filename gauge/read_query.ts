/** What a query means in the words of the index: which kinds, needs and stems it speaks of. */
import { type Group, kindTerm, needTerm, type QueryPlan } from "../db/matching_plan.ts";
import { readTerms, similarTerms, type TermCount, type WordTerms } from "../db/matching_terms.ts";
import type { Sql } from "../db/sql.ts";
import { slips, slipsAllowed } from "../core/slips.ts";
import { american } from "../mining/want/tokens.ts";
import { isKnownWord, wordWeight } from "./common.ts";
import { planQuery } from "./concepts.ts";
import { type FindKinds, type KindSpan, phrasesAt } from "./head.ts";
import { findNeeds, type SpokenNeeds } from "./needs.ts";
import { isSpecific } from "./parts.ts";
import { foldQuery } from "./query.ts";
import { onlyAsks } from "./services.ts";
import { meantWord } from "./spelling.ts";
import type { GaugeInput, Searched } from "./types.ts";

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
  /** Words that say something and that no signal has. */
  readonly unheard: readonly string[];
  /** Signals of the category that was asked for; null where none was. */
  readonly scope: number | null;
}

/** A product's name put as needs and what is left: "left handed scissors" as scissors for the left hand. */
interface PartedName {
  readonly needs: readonly SpokenNeeds[];
  readonly kinds: readonly string[];
}

/** The name so parted where its first words speak of a need and the others name a product, else null. */
function partedName(
  words: readonly string[],
  { start, end, kinds }: KindSpan,
  findKinds: FindKinds,
): PartedName | null {
  for (let cut = start + 1; cut < end; cut++) {
    const rest = words.slice(cut, end);
    const plain = findKinds(rest).find((span) => span.start === 0 && span.end === rest.length);
    if (plain === undefined || plain.kinds.some((kind) => kinds.includes(kind))) continue;
    const front = words.slice(start, cut);
    const needs = findNeeds(front, [plain]).filter((need) =>
      need.start === 0 && need.end === front.length
    );
    if (needs.length > 0) return { needs, kinds: plain.kinds };
  }
  return null;
}

/** A query by the word lists alone. */
interface Listed {
  readonly words: readonly string[];
  readonly spans: readonly KindSpan[];
  /** For each span, the same name put otherwise. */
  readonly parted: readonly (PartedName | null)[];
  readonly needs: readonly SpokenNeeds[];
}

function byLists({ query }: GaugeInput, findKinds: FindKinds): Listed {
  const words = foldQuery(query).split(" ").slice(0, MAX_WORDS).map(american).map(meantWord);
  const spans = findKinds(words);
  const parted = spans.map((span) => partedName(words, span, findKinds));
  return { words, spans, parted, needs: findNeeds(words, spans) };
}

/** Terms of the index that no text yields: kinds and needs that the query may mean. */
function namedTerms({ words, spans, parted, needs }: Listed): readonly string[] {
  const phrases = words.flatMap((_, i) => phrasesAt(words, i));
  const others = parted.flatMap((other) => other ?? []);
  return [
    ...[...spans, ...phrases, ...others].flatMap(({ kinds }) => kinds).map(kindTerm),
    ...[...needs, ...others.flatMap((other) => other.needs)].flatMap(({ ids }) => ids)
      .map(needTerm),
  ];
}

/** The corpus's words that doubtful ones may have been meant to be: unknown, and named by no list. */
async function meantTerms(
  sql: Sql,
  { words, spans }: Listed,
  stems: WordTerms["stems"],
): Promise<readonly (TermCount & { readonly stem: string })[]> {
  const isNamed = (i: number) => spans.some(({ start, end }) => start <= i && i < end);
  const doubtful = words.flatMap((word, i) =>
    slipsAllowed(word) > 0 && !isKnownWord(word) && !isNamed(i) ? stems[i] ?? [] : []
  );
  return (await similarTerms(sql, doubtful)).filter(({ stem, term }) => {
    const limit = slipsAllowed(stem);
    return term !== stem && term[0] === stem[0] && slips(stem, term, limit) <= limit;
  });
}

/**
 * Reads a query: two small queries to the database, of which the second only looks for typing errors.
 */
export async function readQuery(
  sql: Sql,
  input: GaugeInput,
  findKinds: FindKinds,
): Promise<ReadQuery> {
  const listed = byLists(input, findKinds);
  const { words, spans, parted, needs } = listed;
  const allNeeds = [...needs, ...parted.flatMap((other) => other?.needs ?? [])];
  const needWords = [...new Set(allNeeds.flatMap(({ names, cues }) => [...names, ...cues].flat()))];
  const scope = input.category === null ? null : `c/${input.category}`;
  const named = [...namedTerms(listed), ...scope === null ? [] : [scope]];
  const terms = await readTerms(sql, [...words, ...needWords], [...new Set(named)]);
  const stemOf = new Map(needWords.map((word, i) => [word, terms.stems[words.length + i] ?? []]));
  // "For work" without its "for" is said of anything: phrases count whole.
  const whole = (phrases: readonly (readonly string[])[]): Group[] =>
    phrases.map((phrase) => phrase.map((word) => stemOf.get(word) ?? []))
      .filter((phrase) => phrase.every(({ length }) => length > 0)).map((phrase) => phrase.flat())
      .filter((group, i, all) => all.findIndex((other) => includes(group, other)) === i);
  const otherwise = ({ kinds, needs }: PartedName): Group[] => {
    const asked = needs.flatMap(({ ids, names }) => [
      ...ids.map((id) => [needTerm(id)]),
      ...whole(names),
    ]);
    return kinds.flatMap((kind) => asked.map((need) => [kindTerm(kind), ...need]));
  };
  const similar = await meantTerms(sql, listed, terms.stems);
  const counts = new Map(terms.counts);
  for (const { term, id, signals } of similar) counts.set(term, { term, id, signals });
  const { plan, service } = planQuery(
    words.map((word, i) => {
      const stems = terms.stems[i] ?? [];
      const meant = similar.filter(({ stem }) => stems.includes(stem));
      return { word, stems, similar: meant.map(({ term }) => term) };
    }),
    spans.map((span, i) => ({ ...span, otherwise: parted[i] ? otherwise(parted[i]) : [] })),
    needs.map(({ names, ids, cues, ...span }) => ({
      ...span,
      id: ids.join(" "),
      needs: whole(names),
      spoken: ids.map((id) => [needTerm(id)]),
      cues: whole(cues),
    })),
    input.category,
  );
  const isHeard = (i: number) => (terms.stems[i] ?? []).some((stem) => counts.has(stem));
  return {
    plan,
    service,
    unheard: words.filter((word, i) =>
      !isHeard(i) && !onlyAsks(word) && isSpecific(wordWeight(word))
    ),
    scope: scope === null ? null : counts.get(scope)?.signals ?? 0,
    terms: { ...terms, counts },
  };
}

/** What was looked through for a query, of `all` signals, and why nothing may have been found. */
export function searched(
  { scope, service, unheard }: ReadQuery,
  input: GaugeInput,
  all: number,
): Searched {
  const signals = scope ?? all;
  const counted = `${signals} ${signals === 1 ? "signal" : "signals"}`;
  const what = scope === null ? counted : `${counted} of the category ${input.category}`;
  return { what, service, unheard };
}
