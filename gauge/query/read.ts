/** Reads a query into what the index can look for: a product and wants. */
import { editDistance, editsAllowed } from "../../core/edit_distance.ts";
import { communityTerm, type Group, kindTerm, RULED_OUT } from "../../db/matching/plan.ts";
import {
  kindsNaming,
  readTerms,
  similarTerms,
  stemsInTexts,
  type TermCount,
  type WordTerms,
} from "../../db/matching/search_terms.ts";
import type { Sql } from "../../db/sql.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { type Amounts, MEASURED } from "../amounts/amounts.ts";
import { inherentWords } from "../../mining/lexicon/inherent.ts";
import { isKnownWord, wordWeight } from "../words/common.ts";
import { communitiesGranting } from "../words/granted.ts";
import {
  askedNoun,
  type FindKinds,
  type Head,
  type InCorpus,
  isInfinitive,
  type KindSpan,
  phrasesAt,
  PURPOSE,
  readHead,
} from "./head.ts";
import type { GaugeInput } from "../input.ts";
import { findBrands, withoutForms } from "./kinds.ts";
import { endsProducts, listedProduct } from "./listed.ts";
import { findNeeds, type SpokenNeeds } from "./needs.ts";
import { includesAt, type QueryWord } from "./parts.ts";
import { type Description, NAMED, planQuery, type ReadPlan } from "./plan.ts";
import {
  baseNames,
  isAnyProduct,
  nounIn,
  partsOfKind,
  splitName,
  wholeNames,
} from "../words/same.ts";
import { grantedNames, type Hint } from "./product.ts";
import { EMPTY_WORDS, onlyAsks } from "../words/word_classes.ts";
import { inferKind } from "./described.ts";
import { asNamed, leftApart } from "./reworded.ts";
import { isAnother, type NamedProducts, saidIn, type SaidWords } from "./said.ts";
import type { Unasked } from "./unasked.ts";
import { areSwapped, asTyped, isMistaken, meantWord, withoutMistake } from "../words/spelling.ts";

/** How many words before the noun may tell the kind, how rare they must be, and in how many signals they may stand. */
const MOST_BEFORE = 3;
const RARE = 0.85;
const MOST_HINTING = 400;
/** The share of a word's posts that are of one kind where the word says the kind. */
const MOSTLY = 0.5;
/** A word that stands in this many signals is not a typing error. */
const HEARD = 3;
/** But one of so many letters is, where a single slip parts it from a word that so many times as many signals have: "moniter". */
const LONG = 6;
const RARER = 20;
/** From this weight on a word says something. */
const TELLING = 0.5;

/** Whether all of `part` stands in `group`, so that whatever has `group` has `part`. */
const includes = (group: readonly string[], part: readonly string[]): boolean =>
  part.every((stem) => group.includes(stem));

/** A word that was taken for a mistake. */
export interface Corrected {
  readonly typed: string;
  readonly meant: string;
}

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

/** A query by the word lists alone. */
interface ByLists {
  readonly words: readonly string[];
  readonly spans: readonly KindSpan[];
  readonly needs: readonly SpokenNeeds[];
  readonly description: Description;
}

/**
 * Whether a noun of anything ends a name that no list has: a "fax machine" is none of the machines that people call so. A
 * need or a word that everybody uses before it leaves it what it is alone, and so does a slip: "sowing machine".
 */
function isUnlisted(words: readonly string[], { start, end, kinds }: KindSpan): boolean {
  const before = words[start - 1] ?? "";
  const name = words.slice(start - 1, end).join(" ");
  return start > 0 && kinds.length > 1 && isAnyProduct(words[start] ?? "") &&
    !EMPTY_WORDS.has(before) && !PURPOSE.has(before) && wordWeight(before) >= TELLING &&
    findNeeds([before], []).length === 0 &&
    !kinds.some((kind) => editDistance(name, singular(kind), 1) <= 1);
}

function byLists(words: readonly string[], findKinds: FindKinds): ByLists {
  const spansOf = (typed: readonly string[]): readonly KindSpan[] => {
    const kinds = findKinds(typed).filter((span) =>
      span.end - span.start > 1 || !(isInfinitive(typed, span.start) || isUnlisted(typed, span))
    );
    return kinds.length > 0 ? kinds : findBrands(typed);
  };
  const first = spansOf(words);
  const ruledOut = findNeeds(words, first).filter(({ start, none }) =>
    none !== undefined || words[start] === "non"
  );
  // A "keyboard that is not mechanical" is a keyboard, and so is a "non-mechanical keyboard".
  const isRuledOut = (i: number): boolean => {
    const named = first.find(includesAt(i));
    return ruledOut.some((need) =>
      includesAt(i)(need) &&
      (named === undefined || need.start < named.start && need.end < named.end)
    );
  };
  const spans = ruledOut.length === 0
    ? first
    : spansOf(words.map((word, i) => isRuledOut(i) ? MEASURED : word));
  return { words, spans, needs: findNeeds(words, spans), description: NAMED };
}

/** How many signals have, or rule out, that one of the stems which the most do. */
const signalsOf = (stems: readonly string[] = [], counts: WordTerms["counts"]): number =>
  Math.max(
    0,
    ...stems.flatMap((stem) => [stem, RULED_OUT + stem]).map((term) =>
      counts.get(term)?.signals ?? 0
    ),
  );

/** The words, with those that the corpus lacks, and plain mistakes, replaced by what was probably meant. */
async function corrected(
  sql: Sql,
  words: readonly string[],
  { stemsOf, counts }: WordTerms,
): Promise<readonly string[]> {
  const ownStems = (i: number): Group => stemsOf.get(words[i] ?? "") ?? [];
  const meant = words.map((word, i) =>
    signalsOf(ownStems(i), counts) < HEARD ? meantWord(word) : withoutMistake(word, ownStems(i))
  );
  const doubtful = words.flatMap((word, i) => word === meant[i] ? [] : [i]);
  if (doubtful.length === 0) return words;
  const written = await stemsInTexts(sql, doubtful.flatMap(ownStems));
  const isWritten = (i: number): boolean => {
    const [word = "", other = ""] = [words[i], meant[i]];
    const own = ownStems(i);
    return own.some((stem) => written.has(stem) || counts.has(RULED_OUT + stem)) &&
      !isMistaken(word, other, own);
  };
  // A product's name corrects no word that people write as it is, but a slip that some of them make.
  const slips = doubtful.filter((i) => {
    const word = words[i] ?? "";
    const isSlip = editDistance(word, meant[i] ?? "", 1) <= 1 || areSwapped(word, meant[i] ?? "");
    return isWritten(i) && word.length >= LONG && isSlip;
  });
  const others = slips.length === 0
    ? null
    : await readTerms(sql, slips.map((i) => meant[i] ?? ""), []);
  const isRarer = (i: number): boolean =>
    others !== null && signalsOf(others.stemsOf.get(meant[i] ?? ""), others.counts) >=
      RARER * Math.max(1, signalsOf(ownStems(i), counts));
  const mistakes = new Set([...doubtful.filter((i) => !isWritten(i)), ...slips.filter(isRarer)]);
  return words.map((word, i) => mistakes.has(i) ? meant[i] ?? word : word);
}

/** For words before the noun, and for a noun that no product has: the kind that most of their posts are of. */
async function hintsOf(
  sql: Sql,
  words: readonly QueryWord[],
  head: Head | null,
  { spans, needs }: ByLists,
  counts: WordTerms["counts"],
): Promise<readonly Hint[]> {
  if (head === null || head.service !== null) return [];
  const isNamed = (i: number) => [...spans, ...needs].some(includesAt(i));
  const asked = words.flatMap(({ word, stems }, at) => {
    const [stem] = stems;
    const signals = stem === undefined ? 0 : counts.get(stem)?.signals ?? 0;
    const near = at <= head.last && at >= head.last - MOST_BEFORE;
    const tells = near && !isNamed(at) && !onlyAsks(word) && wordWeight(word) >= RARE;
    return tells && stem !== undefined && signals >= HEARD && signals <= MOST_HINTING
      ? [{ at, stem }]
      : [];
  });
  const found = await kindsNaming(sql, asked.map(({ stem }) => stem));
  return asked.flatMap(({ at, stem }): Hint[] => {
    // Those who call it by its noun alone do not say which kind it is.
    const noun = singular(words[head.last]?.word ?? "");
    const kinds = found.filter((one) => one.stem === stem && singular(one.kind) !== noun);
    const all = kinds.reduce((sum, { signals }) => sum + signals, 0);
    const [most] = kinds;
    return most !== undefined && most.signals >= all * MOSTLY ? [{ at, kind: most.kind }] : [];
  });
}

/** Whether any signal is of a kind. */
const isWanted = (kind: string, counts: WordTerms["counts"]): boolean =>
  wholeNames(kind).some((name) => counts.has(kindTerm(name)));

/** A query that describes a kind, rewritten to name it; null for one that is read as it is. */
function inferredFrom(
  typed: readonly string[],
  findKinds: FindKinds,
  { words, spans, needs }: ByLists,
  { stemsOf, counts }: WordTerms,
  inCorpus: InCorpus,
): { readonly listed: ByLists; readonly said: string } | null {
  // What is ruled out does not describe a kind.
  const isRuledOut = (i: number) =>
    needs.some((need) => need.none !== undefined && includesAt(i)(need));
  const read = words.map((word, i) => ({
    word,
    stems: isRuledOut(i) ? [] : stemsOf.get(word) ?? [],
    similar: [],
  }));
  const head = readHead(read, spans, inCorpus);
  const noun = askedNoun(read, spans);
  if (head === null || head.service !== null || noun < 0) return null;
  // What stands behind a product in a list of words says how it is.
  if (inCorpus.ofList !== null && inCorpus.ofList.end <= noun) return null;
  const inferred = inferKind(read, head, spans, noun, findKinds, (kind) => isWanted(kind, counts));
  if (inferred === null) return null;
  const products: KindSpan[] = [];
  const product: string[] = [];
  for (const kind of inferred.kinds) {
    const words = splitName(kind);
    if (product.length > 0) product.push("or");
    products.push({ start: product.length, end: product.length + words.length, kinds: [kind] });
    product.push(...words);
  }
  const left = words.flatMap((_, i) => inferred.words.has(i) ? [] : [i]);
  const rest = ["for", ...left.map((i) => words[i] ?? "")];
  const describing = new Set(
    left.flatMap((i, at) =>
      inferred.asked.has(i) || isRuledOut(i) ? [] : [product.length + 1 + at]
    ),
  );
  const others = findKinds(rest).map(({ start, end, kinds }) => ({
    start: start + product.length,
    end: end + product.length,
    kinds,
  }));
  const all = [...product, ...rest];
  const found = [...products, ...others];
  return {
    listed: {
      words: all,
      spans: found,
      needs: findNeeds(all, found),
      description: { describing, doubt: inferred.doubt },
    },
    said: typed.slice(Math.min(...inferred.words), Math.max(...inferred.words) + 1)
      .filter((word) => word !== MEASURED).join(" "),
  };
}

/** The corpus's words that unknown words, which no list has either, may have been meant to be. */
async function meantTerms(
  sql: Sql,
  { words, spans }: ByLists,
  { stemsOf, counts }: WordTerms,
): Promise<readonly (TermCount & { readonly stem: string })[]> {
  const isNamed = (i: number) => spans.some(includesAt(i));
  const doubtful = words.flatMap((word, i) =>
    editsAllowed(word) > 0 && !isKnownWord(word) && !isNamed(i)
      ? (stemsOf.get(word) ?? []).filter((stem) => !counts.has(stem))
      : []
  );
  return (await similarTerms(sql, doubtful)).filter(({ stem, term }) => {
    const limit = editsAllowed(stem);
    return term !== stem && term[0] === stem[0] && editDistance(stem, term, limit) <= limit;
  });
}

/** A query by the word lists, with what the corpus knows of its words and of those that the lists have for them. */
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
    ...kinds.flatMap((kind) => [...wholeNames(kind), ...partsOfKind(kind)]),
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

/** What the corpus says of the words that were looked up. */
async function askCorpus(
  sql: Sql,
  { listed: { words, spans }, terms }: Looked,
  findKinds: FindKinds,
): Promise<InCorpus> {
  return {
    isProduct: endsProducts(terms.counts),
    ofList: await listedProduct(sql, words, spans, terms, findKinds),
  };
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
  const { unasked, found, ...said } = saidIn(input.query, findKinds);
  const { read, head } = await readWords(sql, input, said, unasked, findKinds);
  const isRead = found === null || head === null || !isAnother(found.product, head, said.words);
  const meant = isRead ? read : (await readWords(sql, input, found, null, findKinds)).read;
  return { ...meant, product: asTyped(meant.product, input.query) };
}

/** A query as it was read; without a head where it asks for no product, or for one that was told by its description. */
interface Reading {
  readonly read: ReadQuery;
  readonly head: NamedProducts | null;
}

async function readWords(
  sql: Sql,
  input: GaugeInput,
  { amounts, words: spoken }: SaidWords,
  unasked: Unasked | null,
  findKinds: FindKinds,
): Promise<Reading> {
  const scope = input.category === null ? null : `c/${input.category}`;
  const said = withoutForms(spoken, findKinds);
  const lookUp = (words: readonly string[]): Promise<Looked> =>
    look(sql, byLists(words, findKinds), amounts, scope);
  const first = await lookFirst(said, findKinds, lookUp);
  const typed = first.listed.words;
  const meant = await corrected(sql, typed, first.terms);
  const listedAs = meant.every((word, i) => word === typed[i]) ? first : await lookUp(meant);
  const namedInCorpus = await askCorpus(sql, listedAs, findKinds);
  const inferred = inferredFrom(typed, findKinds, listedAs.listed, listedAs.terms, namedInCorpus);
  const final = inferred === null ? listedAs : await look(sql, inferred.listed, amounts, scope);
  const inCorpus = inferred === null ? namedInCorpus : await askCorpus(sql, final, findKinds);
  const { listed, terms } = final;
  const { words, spans, needs } = listed;
  const stemsOf = (word: string): Group => terms.stemsOf.get(word) ?? [];
  // "Work" without its "for" is said of anything, so phrases count as a whole.
  const whole = (phrases: readonly (readonly string[])[]): Group[] =>
    phrases.map((phrase) => phrase.map(stemsOf))
      .filter((phrase) => phrase.every(({ length }) => length > 0)).map((phrase) => phrase.flat())
      .filter((group, i, all) => all.findIndex((other) => includes(group, other)) === i);
  const similar = await meantTerms(sql, listed, terms);
  const counts = new Map(terms.counts);
  for (const { term, id, signals } of similar) counts.set(term, { term, id, signals });
  const read = words.map((word) => {
    const stems = stemsOf(word);
    const meant = similar.filter(({ stem }) => stems.includes(stem));
    return { word, stems, similar: meant.map(({ term }) => term) };
  });
  const measures = amounts.measures.map(({ name, number, units }) => ({
    name,
    number: stemsOf(number),
    units: units.map(stemsOf).filter(({ length }) => length > 0),
  }));
  const head = unasked === null ? readHead(read, spans, inCorpus) : null;
  const plan = planQuery({
    words: read,
    head,
    needs: needs.map((
      { names, ids, cues, wider = [], denied = [], asksAlone = false, ...span },
    ) => ({
      ...span,
      asksAlone,
      id: ids.join(" "),
      needs: whole(names),
      cues: whole(cues),
      wider: whole(wider),
      granting: names.flatMap(communitiesGranting),
      denied: whole(denied),
    })),
    measures,
    price: amounts.price,
    otherSums: amounts.otherSums,
    category: input.category,
    frequency: (term) => counts.get(term)?.signals ?? 0,
    hints: await hintsOf(sql, read, head, listed, counts),
    spoken: (name) => splitName(name).map((word) => ({ word, stems: stemsOf(word), similar: [] })),
    description: listed.description,
    spans,
  });
  return {
    read: {
      ...plan,
      readAs: inferred === null ? plan.readAs : inferred.said,
      corrected: inferred !== null ? [] : typed.flatMap((word, i) => {
        const other = meant[i] ?? word;
        return other === word ? [] : [{ typed: word, meant: other }];
      }),
      unknownWords: words.filter((word) =>
        signalsOf(stemsOf(word), counts) === 0 && !onlyAsks(word) && wordWeight(word) >= TELLING
      ),
      unasked,
      scope: scope === null ? null : counts.get(scope)?.signals ?? 0,
      terms: { ...terms, counts },
    },
    head: inferred === null && head !== null && head.service === null ? namedBy(words, head) : null,
  };
}

/** The products of a head. */
const namedBy = (words: readonly string[], { spans, last }: Head): NamedProducts => ({
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
