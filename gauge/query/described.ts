/**
 * The kind of product that a query describes without naming it, by all its words: "something to type on from the
 * couch" is a keyboard. What people say of each kind was learned (gauge/words/kind_table.ts).
 */
import { once } from "../../core/once.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { type FindKinds, type Head, isUnnamed, type KindSpan, segments } from "./head.ts";
import { needsIn, valuePhrases } from "./needs.ts";
import { includesAt, lastWord, overlaps, type QueryWord, type Range } from "./parts.ts";
import { describedKinds, type SpokenKind } from "../words/kind_table.ts";
import { baseNames, isAnyProduct, namingWords } from "../words/same.ts";
import { ARTICLES, isProper, numbersName, onlyAsks } from "../words/word_classes.ts";

/** Kinds by the noun that one of their names ends with. */
const endings = once((): ReadonlyMap<string, ReadonlySet<string>> => {
  const kinds = new Map<string, Set<string>>();
  for (const kind of describedKinds().kinds) {
    for (const noun of new Set(baseNames(kind).map(lastWord))) {
      kinds.set(noun, (kinds.get(noun) ?? new Set()).add(kind));
    }
  }
  return kinds;
});

/** What is added to the logarithm of a kind that the noun of the query may be a name of. */
const BONUS = {
  /** A name of the kind ends with the noun ("bag" of a sleeping bag), or word lists have the noun for the kind. */
  ofNoun: 3,
  /** The words beside the noun choose the kind among several that word lists have the noun for: "a nib pen". */
  chosen: 5,
  /** The other words ask what makes sense of this kind alone: "a notebook that edits videos". */
  alone: 6,
} as const;
/** A kind whose share by the noun alone is smaller than this is decided by the other words: "bag to sleep in". */
const MIN_SHARE_BY_NOUN = 0.15;
/** The other words hardly speak of the named kind if they give it at most this part of what they give another kind. */
const HARDLY_SPOKEN = 0.25;
/** Another kind of the same noun is chosen where its share is so many times the named kind's. */
const FAR_LIKELIER = 20;
/** The share from which a kind is taken to be meant, by what the noun of the query is. */
const MIN_SHARE = {
  /** "Something" and the like. */
  unnamed: 0.2,
  /** The lists have it for a part of the kind, or it stands for a name ("machine"). */
  hinted: 0.25,
  unknown: 0.5,
} as const;
/** A share that leaves hardly anything else to be meant. */
const NEARLY_ALL = 0.85;
/** Of two kinds of which either may be meant, the share from which the less likely one is, and that of both together. */
const MIN_SHARE_OF_OTHER = 0.2;
const MIN_SHARE_TOGETHER = { hinted: 0.5, unknown: NEARLY_ALL } as const;
/** Words that speak this strongly of the kind describe it and are no wants. */
const TELLING = 1;

/** Endings of words that say how something is. */
const ADJECTIVE = /(?:ed|less|able|ible|proof|ful|ive|ous)$/;

/** A product that a query describes without naming it. */
export interface InferredKind {
  /** One kind, or two that are nearly as likely. */
  readonly kinds: readonly string[];
  /** The words that describe it, the query's noun among them. */
  readonly words: ReadonlySet<number>;
  /** Words that also ask something of it: needs that the word lists know, brands and numbers. */
  readonly asked: ReadonlySet<number>;
  /** How likely it is that something else is meant, 0-1. */
  readonly doubt: number;
}

/** Words that ask something of one of these kinds, even if they also describe it. */
function askedOf(words: readonly QueryWord[], kinds: readonly string[]): ReadonlySet<number> {
  const needs = needsIn(words.map(({ word }) => word), kinds).filter(({ value }) =>
    !value.some(({ inherent }) => kinds.some((kind) => inherent.includes(kind)))
  );
  return new Set(
    words.flatMap(({ word }, i) => isProper(word) || needs.some(includesAt(i)) ? [i] : []),
  );
}

/** Needs that make sense of one of these kinds and not of everything. */
const sensibleNeeds = (words: readonly string[], kinds: readonly string[]): readonly Range[] =>
  needsIn(words, kinds).filter(({ value }) => value.some(({ categories }) => categories !== null));

/**
 * Of the kinds that a noun may mean the one of which alone something makes sense that a query asks, and of none of those
 * that the noun names: a computer in "a notebook that can edit videos for school".
 */
function onlySensible(
  words: readonly string[],
  named: readonly string[],
  meant: Iterable<string>,
): { readonly kind: string; readonly needs: readonly Range[] } | null {
  if (named.length === 0) return null;
  const known = sensibleNeeds(words, named);
  const isMore = (need: Range): boolean => !known.some(overlaps(need));
  const sensible = [...meant].map((kind) => ({ kind, needs: sensibleNeeds(words, [kind]) }))
    .filter(({ needs }) => needs.some(isMore));
  return sensible.length === 1 ? sensible[0] ?? null : null;
}

/** Whether a kind's name has all words of another's: "guitar synth pedal" of a guitar pedal. */
function isPartOf(kind: string, whole: string): boolean {
  const words = new Set(kind.split(" "));
  return whole.split(" ").every((word) => words.has(word));
}

/** The noun of a query that may describe a kind, and what it may be a name of. */
interface OpenNoun {
  readonly called: QueryWord;
  readonly at: number;
  /** The words that may describe it. */
  readonly words: readonly QueryWord[];
  /** Whether it stands for a product that has no name: "something", "machine". */
  readonly isAny: boolean;
  /** The kinds that the query names by it, all that the lists have it for, and of these those that it means as a whole. */
  readonly own: readonly string[];
  readonly listed: ReadonlySet<string>;
  readonly whole: readonly string[];
  /** The kinds with a name that ends with it. */
  readonly ending: ReadonlySet<string>;
}

/** A query that may describe a kind, and what is known of kinds. */
interface DescribingQuery {
  readonly words: readonly QueryWord[];
  readonly head: Head;
  /** All products that it names. */
  readonly spans: readonly KindSpan[];
  /** Where its noun stands. */
  readonly noun: number;
  readonly findKinds: FindKinds;
  /** Whether anybody in the corpus wants a kind. */
  readonly isWanted: (kind: string) => boolean;
}

/** The noun of a query; null where it is a name that leaves nothing open, or stands behind the product. */
function openNoun(
  { words: all, head, spans, noun, findKinds }: DescribingQuery,
): OpenNoun | null {
  // Who asks describes what is asked for, and nothing else that is said of them does if it has a name.
  const asking = all[noun]?.word ?? "";
  const reasons = segments(all.map(({ word }) => word), spans).find(({ start }) =>
    all[start - 1]?.word === "because"
  );
  const words = isUnnamed(asking) || isAnyProduct(asking) ? all : all.slice(0, reasons?.end);
  const called = words[noun];
  // A brand or a model is a name, not a description: the lists and the corpus say what it is.
  if (called === undefined || isProper(called.word) || numbersName(words[noun + 1]?.word)) {
    return null;
  }
  const at = head.spans.filter(({ start }) => start <= noun);
  // Behind a product's name words that say how it is name no other one: "usb hub powered", "washing machine quiet".
  const saysHow = (kinds: readonly string[]): boolean =>
    ADJECTIVE.test(called.word) || needsIn([called.word], kinds).length > 0;
  // A name of several words leaves the kind open as little as one that is followed by "machine", "set" and the like.
  const isNamed = at.some(({ start, end, kinds }) =>
    noun < end ? end - start > 1 : noun > end || isAnyProduct(called.word) || saysHow(kinds)
  );
  // "Keyboard ipad" asks for a keyboard, which stands before the noun.
  const isBehind = spans.some(({ start, end }) => head.last < start && start <= noun && noun < end);
  if (isNamed || isBehind) return null;
  // "A machine for 3-D printing" is not one of the kinds that are called machines.
  const isAny = isUnnamed(called.word) || isAnyProduct(called.word);
  const listed = new Set(
    isAny ? [] : [...at, ...findKinds([called.word])].flatMap(({ kinds }) => kinds),
  );
  return {
    called,
    at: noun,
    words,
    isAny,
    own: at.filter(({ end }) => noun < end).flatMap(({ kinds }) => kinds),
    listed,
    whole: [...listed].filter((kind) => namingWords([called.word], kind).length > 0),
    ending: isAny ? new Set() : endings().get(singular(called.word)) ?? new Set(),
  };
}

/** The kinds that words may describe, the likeliest first: with what the noun says of them, and by it alone. */
interface LikelyKinds {
  readonly found: readonly SpokenKind[];
  readonly alone: readonly SpokenKind[];
}

function likelyKinds(
  { called, at: noun, words, isAny, own, ending }: OpenNoun,
  sensible: string | undefined,
  { spans, findKinds }: DescribingQuery,
): LikelyKinds {
  const isChosen = own.length === 1 &&
    findKinds([called.word]).every(({ kinds }) => kinds.length > 1);
  const bonus = new Map<string, number>([...ending].map((kind) => [kind, BONUS.ofNoun]));
  for (const kind of isAny ? [] : own) bonus.set(kind, isChosen ? BONUS.chosen : BONUS.ofNoun);
  if (sensible !== undefined) bonus.set(sensible, BONUS.alone);
  // "A machine for drying food (a food dryer)": named after all, and not what it is for.
  const isApposed = (start: number): boolean =>
    isAny && ARTICLES.has(words[start - 1]?.word ?? "") &&
    (words[start - 2]?.stems.length ?? 0) > 0;
  const beside = spans.filter(({ start }) => start > noun && !isApposed(start))
    .flatMap(({ kinds }) => kinds);
  // Where lists know the noun, what it is for does not describe it: "a band for a smartwatch" is not a tracker.
  const isFor = (i: number): boolean =>
    !isAny && own.length > 0 &&
    spans.some(({ start, end }) =>
      start <= i && i < end && words.slice(noun, start).some(({ word }) => word === "for")
    );
  // "Type" only asks before the noun ("what type of"), and describes a keyboard behind it.
  const describing = words.flatMap(({ word, stems }, i) =>
    (i >= noun || !onlyAsks(word)) && !isFor(i) ? stems : []
  );
  const not = new Set(beside.filter((kind) => !ending.has(kind)));
  return {
    found: describedKinds().read(describing, bonus, not),
    alone: describedKinds().read(called.stems, bonus),
  };
}

/** Whether the noun remains the name that it is, whatever the other words describe best. */
function keepsName(
  { at: noun, words, listed, whole, ending }: OpenNoun,
  best: SpokenKind,
  { found, alone }: LikelyKinds,
  isWanted: DescribingQuery["isWanted"],
): boolean {
  const isOpen = (kind: string): boolean =>
    describedKinds().has(kind) &&
    (alone.find((one) => one.kind === kind)?.share ?? 0) < MIN_SHARE_BY_NOUN;
  if (whole.includes(best.kind)) return !isOpen(best.kind);
  const isSpokenOf = alone.some(({ kind, score }) => kind === best.kind && score >= TELLING);
  if (!whole.some(isWanted)) {
    // What nobody wants is what it is called: a "fish finder for a small boat" is no kayak.
    return whole.length > 0 && !listed.has(best.kind) && !isSpokenOf;
  }
  const others = describedKinds().read(words.flatMap(({ stems }, i) => i === noun ? [] : stems));
  const said = (kind: string) => others.find((one) => one.kind === kind)?.score ?? 0;
  const shareOf = (kind: string): number => found.find((one) => one.kind === kind)?.share ?? 0;
  const isFarLess = (kind: string): boolean =>
    ending.has(best.kind) && FAR_LIKELIER * shareOf(kind) < best.share;
  const isSpoken = (kind: string): boolean =>
    (said(kind) > HARDLY_SPOKEN * said(best.kind) && !isFarLess(kind)) ||
    (!describedKinds().has(kind) && (best.share < NEARLY_ALL || !ending.has(best.kind)));
  const isAlso = ending.has(best.kind) || (best.share >= NEARLY_ALL && isSpokenOf);
  return whole.some(isSpoken) || (!isAlso && !whole.every(isOpen));
}

/** The kind that is likely enough to be meant, or two of which either may be; none where nothing is. */
function meantBy(
  { called, isAny, listed }: OpenNoun,
  [best, next]: readonly SpokenKind[],
  isSensible: boolean,
): readonly SpokenKind[] {
  if (best === undefined) return [];
  const isHinted = isAny || listed.has(best.kind) || isSensible;
  const isEither = next !== undefined && next.share >= MIN_SHARE_OF_OTHER &&
    !isPartOf(next.kind, best.kind) &&
    best.share + next.share >= (isHinted ? MIN_SHARE_TOGETHER.hinted : MIN_SHARE_TOGETHER.unknown);
  const sure = isUnnamed(called.word)
    ? MIN_SHARE.unnamed
    : isHinted
    ? MIN_SHARE.hinted
    : MIN_SHARE.unknown;
  if (!isEither) return best.share < sure ? [] : [best];
  // Of two that are as likely the noun is the name of one.
  const isOwn = [best, next].some(({ kind }) => kind === singular(called.word));
  return isOwn ? [] : [best, next];
}

/**
 * The kind that a query describes, where no list knows its noun, knows it only for a part of a kind, or the
 * noun leaves the kind open. Null otherwise, and where the query speaks plainly of no kind. A noun that names a whole
 * kind keeps it, unless it is also a name of another kind and the other words hardly speak of the first ("a notebook
 * that can run games"). Products named behind the noun are what it is for.
 */
export function inferKind(query: DescribingQuery): InferredKind | null {
  const { spans, noun, isWanted } = query;
  const open = openNoun(query);
  if (open === null) return null;
  const { called, words, whole, ending } = open;
  const sensible = onlySensible(words.map(({ word }) => word), whole, ending);
  const likely = likelyKinds(open, sensible?.kind, query);
  const [best] = likely.found;
  // "A stroller hook" is not a stroller, even if its words speak of strollers.
  const before = spans.filter(({ end }) => end === noun).flatMap(({ kinds }) => kinds);
  if (best === undefined || before.includes(best.kind)) return null;
  if (keepsName(open, best, likely, isWanted)) return null;
  const isSensible = best.kind === sensible?.kind;
  const meant = meantBy(open, likely.found, isSensible);
  if (meant.length === 0) return null;
  const kinds = meant.map(({ kind }) => kind);
  const needs = isSensible ? sensible?.needs ?? [] : [];
  const described = describedBy(open, kinds, spans, needs);
  // "Vegan boots" are boots, and "a notebook that runs games" is a notebook computer. A "crane kit" has a name.
  const [only, ...others] = described?.telling ?? [];
  const isBefore = only !== undefined && others.length === 0 && only < noun;
  const isName = only === noun - 1 && isAnyProduct(called.word);
  if (described === null || (isBefore && (isName || whole.some(isWanted)))) return null;
  return {
    kinds,
    words: described.words,
    asked: described.asked,
    doubt: 1 - meant.reduce((sum, { share }) => sum + share, 0),
  };
}

/** The words that describe one of these kinds beside the noun, and those that also ask something; null for none. */
function describedBy(
  { words, at: noun }: OpenNoun,
  kinds: readonly string[],
  spans: readonly KindSpan[],
  needs: readonly Range[],
): (Pick<InferredKind, "words" | "asked"> & { readonly telling: readonly number[] }) | null {
  const telling = words.flatMap(({ stems }, i) => {
    const isTelling = stems.some((stem) => {
      const said = describedKinds().of(stem);
      return kinds.some((kind) => (said.get(kind) ?? 0) >= TELLING);
    });
    return (isTelling || needs.some(includesAt(i))) && i !== noun ? [i] : [];
  });
  // One word alone may be a name that lists lack, or one that is narrower than the kind.
  if (telling.length === 0) return null;
  const asked = new Set([...askedOf(words, kinds), ...(telling.length === 1 ? telling : [])]);
  // What is asked in several words is not described by one of them: "slip resistant footwear".
  const describing = telling.filter((i) => !asked.has(i));
  const parts = valuePhrases(words.map(({ word }) => word)).filter(({ start, end }) =>
    words.slice(start, end).some((_, i) => !describing.includes(start + i))
  );
  const described = describing.filter((i) => !parts.some(includesAt(i)));
  // All words of the product that it is for describe it: "electric guitar" in "a pedal for an electric guitar".
  const wholly = spans.filter((span) => described.some((i) => includesAt(i)(span)))
    .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
  return { telling, words: new Set([noun, ...described, ...wholly]), asked };
}
