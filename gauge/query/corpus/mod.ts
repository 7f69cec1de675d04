/** What the corpus says of a query's words: how many have them, what was meant by them, and which products they name. */
import { communityTerm, kindTerm } from "../../../db/matching/plan.ts";
import { readTerms, type WordTerms } from "../../../db/matching/search_terms.ts";
import type { Sql } from "../../../db/sql.ts";
import { inherentWords } from "../../../mining/lexicon/inherent.ts";
import type { Amounts } from "../../amounts/amounts.ts";
import { communitiesGranting } from "../../words/granted.ts";
import {
  baseNames,
  kindsWith,
  nounIn,
  partsOfKind,
  splitName,
  wholeNames,
} from "../../words/same.ts";
import { type ByLists, byLists } from "../by_lists.ts";
import { type FindKinds, type InCorpus, phrasesAt } from "../head.ts";
import { withoutForms } from "../kinds.ts";
import type { QueryWord } from "../parts.ts";
import { grantedNames } from "../product_levels.ts";
import { asNamed, leftApart } from "../reworded.ts";
import type { SaidWords } from "../said/mod.ts";
import { isWanted } from "./counts.ts";
import { inferredFrom } from "./inferred.ts";
import { endsProducts, listedProduct } from "./listed.ts";
import { corrected, meantTerms } from "./mistakes.ts";

/** A word that was taken for a mistake. */
export interface Corrected {
  readonly typed: string;
  readonly meant: string;
}

/** A query by the word lists, and what the corpus says of its words. */
interface LookedUp {
  readonly listed: ByLists;
  /** The words of `listed`, with their stems and those that they may have been meant to have. */
  readonly words: readonly QueryWord[];
  readonly terms: WordTerms;
  readonly inCorpus: InCorpus;
  /** The words that were taken for mistakes, left to right. */
  readonly corrected: readonly Corrected[];
  /** The words by which a product is described that is not named; null for one that is. */
  readonly describedBy: string | null;
}

/**
 * Looks up what is said: mistakes are corrected, and a product that is only described is named, each followed by another
 * look.
 */
export async function lookUpWords(
  sql: Sql,
  { amounts, words }: SaidWords,
  scope: string | null,
  findKinds: FindKinds,
): Promise<LookedUp> {
  const lookUp = (words: readonly string[]): Promise<Looked> =>
    look(sql, byLists(words, findKinds), amounts, scope);
  const first = await lookFirst(withoutForms(words, findKinds), findKinds, lookUp);
  const typed = first.listed.words;
  const meant = await corrected(sql, typed, first.terms);
  const corrections = typed.flatMap((word, i) => {
    const other = meant[i] ?? word;
    return other === word ? [] : [{ typed: word, meant: other }];
  });
  const named = corrections.length === 0 ? first : await lookUp(meant);
  const inCorpus = await askCorpus(sql, named, findKinds);
  const inferred = inferredFrom(typed, findKinds, named.listed, named.terms, inCorpus);
  if (inferred === null) {
    const read = await withSimilar(sql, named);
    return { ...read, inCorpus, corrected: corrections, describedBy: null };
  }
  const told = await look(sql, inferred.listed, amounts, scope);
  const toldInCorpus = await askCorpus(sql, told, findKinds);
  const read = await withSimilar(sql, told);
  return { ...read, inCorpus: toldInCorpus, corrected: [], describedBy: inferred.said };
}

/** With the terms that unknown words may have been meant to be. */
async function withSimilar(
  sql: Sql,
  { listed, terms }: Looked,
): Promise<Pick<LookedUp, "listed" | "words" | "terms">> {
  const similar = await meantTerms(sql, listed, terms);
  const counts = new Map(terms.counts);
  for (const { term, id, signals } of similar) counts.set(term, { term, id, signals });
  const words = listed.words.map((word) => {
    const stems = terms.stemsOf.get(word) ?? [];
    const meant = similar.filter(({ stem }) => stems.includes(stem));
    return { word, stems, similar: meant.map(({ term }) => term) };
  });
  return { listed, words, terms: { ...terms, counts } };
}

/** Looks up a name that is put together, or where nobody wants what it names, but somebody the noun by itself, the words. */
async function lookFirst(
  said: readonly string[],
  findKinds: FindKinds,
  lookUp: (words: readonly string[]) => Promise<Looked>,
): Promise<Looked> {
  const named = await lookUp(asNamed(said, findKinds));
  const apart = leftApart(said, findKinds);
  if (apart === null || apart.together.some((kind) => isWanted(kind, named.terms.counts))) {
    return named;
  }
  const asSaid = await lookUp(apart.words);
  return isWanted(apart.kind, asSaid.terms.counts) ? asSaid : named;
}

/** A query by the word lists, with what the corpus counts of its words and of those that the lists have for them. */
interface Looked {
  readonly listed: ByLists;
  readonly terms: WordTerms;
}

/** Looks up all words that a plan may need, with the terms of kinds that may be meant and of the category. */
async function look(
  sql: Sql,
  listed: ByLists,
  { measures }: Amounts,
  scope: string | null,
): Promise<Looked> {
  const { words, spans, needs } = listed;
  const kinds = spans.flatMap((span) => span.kinds);
  const kindWords = kinds.flatMap(baseNames)
    .flatMap((name) => [...splitName(name), nounIn(name) ?? ""]).filter((word) => word !== "");
  const needWords = needs.flatMap(({ names, cues, wider = [], denied = [] }) =>
    [...names, ...cues, ...wider, ...denied].flat()
  );
  const inherent = kinds.flatMap((kind) => inherentWords(kind).all);
  const sizes = measures.flatMap(({ number, units }) => [number, ...units]);
  const named = [
    ...kinds,
    ...words.flatMap((_, i) => phrasesAt(words, i)).flatMap((phrase) => phrase.kinds),
    ...kinds.flatMap((kind) => [...wholeNames(kind), ...partsOfKind(kind), ...kindsWith(kind)]),
    ...spans.map(({ start, end }) => words.slice(start, end).join(" ")),
  ].map(kindTerm);
  const granting = [...words.map((word) => [word]), ...needs.flatMap(({ names }) => names)]
    .flatMap(communitiesGranting).map(communityTerm);
  const typedNames = spans.flatMap(({ start, end }) =>
    words.slice(start, end).map((_, i) => words.slice(start + i, end))
  );
  const inCommunities = [...typedNames, ...kinds.map(splitName)].flatMap(grantedNames).flat();
  const asked = [
    ...new Set([...named, ...granting, ...inCommunities, ...scope === null ? [] : [scope]]),
  ];
  const spoken = [...words, ...needWords, ...kindWords, ...inherent, ...sizes];
  return { listed, terms: await readTerms(sql, spoken, asked) };
}

/** What the corpus says of the words that were looked up. */
async function askCorpus(
  sql: Sql,
  { listed, terms }: Looked,
  findKinds: FindKinds,
): Promise<InCorpus> {
  return {
    isProduct: endsProducts(terms.counts),
    ofList: await listedProduct(sql, listed, terms, findKinds),
  };
}
