/** Reads a query into what the index can look for: a product and wants. */
import type { Group } from "../../db/matching/plan.ts";
import type { WordTerms } from "../../db/matching/search_terms.ts";
import type { Sql } from "../../db/sql.ts";
import { communitiesGranting } from "../words/granted.ts";
import { isUncommon } from "../words/common.ts";
import { splitName } from "../words/same.ts";
import { asTyped } from "../words/spelling.ts";
import { onlyAsks } from "../words/word_classes.ts";
import type { GaugeInput } from "../input.ts";
import { signalsOf } from "./corpus/counts.ts";
import { hintsOf } from "./corpus/hints.ts";
import { type Corrected, lookUpWords } from "./corpus/mod.ts";
import { type FindKinds, type Head, readHead } from "./head.ts";
import type { SpokenNeeds } from "./needs.ts";
import { planQuery, type ReadPlan } from "./plan.ts";
import { isAnother, type NamedProducts, saidIn, type SaidWords } from "./said/mod.ts";
import type { Unasked } from "./said/unasked.ts";
import type { NeedSpan } from "./want_levels.ts";

/** What to look for, and the counts that say how. */
export interface ReadQuery extends ReadPlan {
  readonly terms: WordTerms;
  /** The words that were taken for mistakes, left to right. */
  readonly corrected: readonly Corrected[];
  /** Words that say something and that no product, fact, quote or title has. */
  readonly unknownWords: readonly string[];
  /** Why the query asks for no product; null where it may. */
  readonly unasked: Unasked | null;
  /** Signals of the category that was asked for; null where none was. */
  readonly scope: number | null;
}

/**
 * Reads a query, with a few small statements to the database, and more where words are unknown or name several products.
 * Where its words do not say what it asks for, the reader of posts may know better.
 */
export async function readQuery(
  sql: Sql,
  input: GaugeInput,
  findKinds: FindKinds,
): Promise<ReadQuery> {
  const { found, ...said } = saidIn(input.query, findKinds);
  const { read, head } = await readWords(sql, input, said, findKinds);
  const isRead = found === null || head === null || !isAnother(found.product, head, said.words);
  const meant = isRead
    ? read
    : (await readWords(sql, input, { ...found, unasked: null }, findKinds)).read;
  return { ...meant, product: asTyped(meant.product, input.query) };
}

/** A query as it was read; without a head where it asks for no product, or for one that was told by its description. */
interface Reading {
  readonly read: ReadQuery;
  readonly head: NamedProducts | null;
}

type StemsOf = (word: string) => Group;

/** Whether all of `part` stands in `group`, so that whatever has `group` has `part`. */
const includes = (group: Group, part: Group): boolean => part.every((stem) => group.includes(stem));

/** Phrases as stems, without those that have another one in them; "work" without its "for" is said of anything. */
const wholePhrases = (phrases: readonly (readonly string[])[], stemsOf: StemsOf): Group[] =>
  phrases.map((phrase) => phrase.map(stemsOf))
    .filter((phrase) => phrase.every(({ length }) => length > 0)).map((phrase) => phrase.flat())
    .filter((group, i, all) => all.findIndex((other) => includes(group, other)) === i);

/** A need by the stems of its words. */
const stemmedNeed = (
  { names, ids, cues, wider = [], denied = [], asksAlone = false, isBroken = false, ...span }:
    SpokenNeeds,
  stemsOf: StemsOf,
): NeedSpan => ({
  ...span,
  asksAlone,
  isBroken,
  id: ids.join(" "),
  needs: wholePhrases(names, stemsOf),
  cues: wholePhrases(cues, stemsOf),
  wider: wholePhrases(wider, stemsOf),
  granting: names.flatMap(communitiesGranting),
  denied: wholePhrases(denied, stemsOf),
});

async function readWords(
  sql: Sql,
  input: GaugeInput,
  { unasked, ...said }: SaidWords & { readonly unasked: Unasked | null },
  findKinds: FindKinds,
): Promise<Reading> {
  const scope = input.category === null ? null : `c/${input.category}`;
  const lookedUp = await lookUpWords(sql, said, scope, findKinds);
  const { listed, words, terms, inCorpus } = lookedUp;
  const { spans, needs, description } = listed;
  const { counts } = terms;
  const stemsOf: StemsOf = (word) => terms.stemsOf.get(word) ?? [];
  const measures = said.amounts.measures.map(({ name, number, units }) => ({
    name,
    number: stemsOf(number),
    units: units.map(stemsOf).filter(({ length }) => length > 0),
  }));
  const head = unasked === null ? readHead(words, spans, inCorpus) : null;
  const plan = planQuery({
    words,
    head,
    needs: needs.map((need) => stemmedNeed(need, stemsOf)),
    measures,
    price: said.amounts.price,
    otherSums: said.amounts.otherSums,
    category: input.category,
    frequency: (term) => counts.get(term)?.signals ?? 0,
    hints: await hintsOf(sql, words, head, listed, counts),
    spoken: (name) => splitName(name).map((word) => ({ word, stems: stemsOf(word), similar: [] })),
    description,
    spans,
  });
  return {
    read: {
      ...plan,
      readAs: lookedUp.describedBy ?? plan.readAs,
      corrected: lookedUp.corrected,
      unknownWords: words.filter(({ word, stems }) =>
        signalsOf(stems, counts) === 0 && !onlyAsks(word) && isUncommon(word)
      ).map(({ word }) => word),
      unasked,
      scope: scope === null ? null : counts.get(scope)?.signals ?? 0,
      terms,
    },
    head: lookedUp.describedBy === null && head !== null && head.service === null
      ? productsNamed(listed.words, head)
      : null,
  };
}

/** The products of a head. */
const productsNamed = (words: readonly string[], { spans, last }: Head): NamedProducts => ({
  words: spans.length === 0
    ? words.slice(last, last + 1)
    : spans.flatMap(({ start, end }) => words.slice(start, end)),
  kinds: spans.flatMap(({ kinds }) => kinds),
});

/** How many of `all` signals were searched for a query, as a number and in words. */
export function searched(
  { scope }: ReadQuery,
  input: GaugeInput,
  all: number,
): { readonly signals: number; readonly searched: string } {
  const signals = scope ?? all;
  const counted = `${signals.toLocaleString("en-US")} demand ${
    signals === 1 ? "signal" : "signals"
  }`;
  return {
    signals,
    searched: scope === null ? counted : `${counted} of the category ${input.category}`,
  };
}
