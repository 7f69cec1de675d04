/** The product that a query asks for, and the ways in which a signal may be about it. */
import {
  communityTerm,
  endTerm,
  type Frequency,
  type Group,
  kindTerm,
  type PlanLevel,
  productTerm,
} from "../../db/matching/plan.ts";
import { plural, singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import type { Head, KindSpan } from "./head.ts";
import { lastWord, level, type QueryWord, type Range, stemsOf, wordsText } from "./parts.ts";
import {
  baseNames,
  isAnyProduct,
  isProperName,
  kindsWith,
  namesakes,
  namingWords,
  nounIn,
  partsOfKind,
  sharedNames,
  splitName,
  wholeKind,
  wholeNames,
} from "../words/same.ts";
import { communitiesGranting } from "../words/granted.ts";
import { beginsCompound, NEGATING } from "../words/word_classes.ts";

/** Qualities of the ways in which a signal is about the product that is asked for. */
const HEAD = {
  /** The reading's kind. */
  kind: 1,
  /** A kind that belongs to this kind, or a product with all words and the same noun. */
  narrower: 0.95,
  /** A kind called by the noun alone, in a community where the rest of the name goes without saying. */
  granted: 0.9,
  /** All words in the product's name, but not at its end. */
  inProduct: 0.7,
  /** A product with the same noun, and the other words in its facts, quote or title; or in its body. */
  nounSummary: 0.75,
  nounText: 0.5,
  /** All words one after the other in the quote or the title. */
  adjacent: 0.6,
  /** A set of many products, and the words in its quote or title, or in its body. */
  setSummary: 0.6,
  setText: 0.5,
  /** A slip of the keyboard away from the product's noun. */
  slip: 0.8,
  /** All words in the product and the facts, in the quote or the title, and in the body. */
  stated: 0.4,
  summary: 0.3,
  text: 0.2,
  /** The kind's noun, by which other kinds are called, too, where more of the name was typed. */
  shared: 0.4,
  /** Another kind that ends with the same noun. */
  sibling: 0.18,
} as const;
/** From this quality on a text has all words of a name of the product. */
export const MENTIONED_FROM = HEAD.text;

/** From this quality on a signal is of the kind, or of a narrower one. */
export const NARROWER = HEAD.narrower;

/** A product that the query names, and what the name asks of it. */
export interface NamedProduct {
  readonly levels: readonly PlanLevel[];
  /** What is of the kind or kinds that a brand, a model or a part stands for. */
  readonly kindLevels?: readonly PlanLevel[];
  readonly name: string;
  readonly readAs: string | null;
  /** The words that name it, and those of its name that are wants. */
  readonly used: readonly number[];
  readonly asks: readonly (readonly number[])[];
  /** Words that add nothing to the name: "bike" for a bike helmet. */
  readonly own: readonly string[];
  /** The kind that it means; null where that is not known or open. */
  readonly kind: string | null;
}

/**
 * The kind of a name's noun in communities where the rest goes without saying: a "printer" in r/3Dprinting, and in those
 * that are called by the name: a "light" in r/flashlight.
 */
export function grantedNames(words: readonly string[]): readonly Group[] {
  const noun = nounIn(words.join(" "));
  if (noun === null) return [];
  const terms = [...new Set([noun, singular(noun)])].map(kindTerm);
  const own = [words, [...words.slice(0, -1), plural(words.at(-1) ?? "")]];
  return [...communitiesGranting(words.slice(0, -1)), ...own.map((name) => name.join(""))]
    .flatMap((name) => terms.map((term) => [term, communityTerm(name)]));
}

/** The ways to be about a product that is called by these words, the last of them its noun. */
function called(words: readonly QueryWord[]): PlanLevel[] {
  const stems = stemsOf(words);
  const end = words.at(-1)?.stems ?? [];
  const name = wordsText(words);
  const byKind = level([[kindTerm(name)], [kindTerm(singular(name))]], "summary", HEAD.kind);
  // "Can" is not searched for, so that an opener does not become a can opener.
  if (words.length > 1 && stems.length === end.length) return [byKind];
  const many = stems.length > 1;
  const withNoun = many ? [[...end.map(endTerm), ...stems]] : [];
  const similar = words.length === 1 ? words.flatMap((word) => word.similar) : [];
  return [
    byKind,
    level([[...end.map(endTerm), ...stems.map(productTerm)]], "summary", HEAD.narrower),
    level([stems.map(productTerm)], "summary", many ? HEAD.inProduct : HEAD.summary),
    level(similar.map((stem) => [endTerm(stem)]), "summary", HEAD.slip),
    level(withNoun, "summary", HEAD.nounSummary),
    level(withNoun, "text", HEAD.nounText),
    { ...level(many ? [stems] : [], "summary", HEAD.adjacent), adjacent: true },
    level([stems], "stated", HEAD.stated),
    level([stems], "summary", HEAD.summary),
    level(many ? [stems] : [], "text", HEAD.text),
    level(many ? [end.map(endTerm)] : [], "summary", HEAD.sibling),
  ];
}

/** Stems that names of whole sets end with: who asks for furniture, and names a rug, wants a rug as well. */
const SETS = ["furnitur", "gear", "equip"] as const;

/** The names of the whole kind that mean nothing else: no "cooker" of a rice cooker. */
const plainNames = (kind: string): readonly string[] =>
  baseNames(kind).filter((name) => lexicon().terms.get(splitName(name))?.type !== "senses");

/**
 * Sets in whose texts the product is named: furniture by any of its names, other sets by the one that was typed, since more
 * of them cost the database a sixth of a query's time and find nobody.
 */
function inSets(
  typed: readonly QueryWord[],
  names: readonly (readonly QueryWord[])[],
): PlanLevel[] {
  const [furniture, ...others] = SETS;
  const within = (set: string, words: readonly QueryWord[]): readonly Group[] =>
    words.every(({ stems }) => stems.length > 0) ? [[endTerm(set), ...stemsOf(words)]] : [];
  const groups = [
    ...[typed, ...names].flatMap((words) => within(furniture, words)),
    ...others.flatMap((set) => within(set, typed)),
  ];
  return [level(groups, "summary", HEAD.setSummary), level(groups, "text", HEAD.setText)];
}

/** Levels of several names as one list: those of the same place and quality are one level. */
function together(levels: readonly PlanLevel[]): PlanLevel[] {
  const merged = new Map<string, PlanLevel>();
  for (const one of levels) {
    const key = `${one.place} ${one.quality} ${one.adjacent ?? false}`;
    const before = merged.get(key);
    const groups = new Map(
      [...before?.groups ?? [], ...one.groups].map((group) => [group.join(" "), group]),
    );
    merged.set(key, { ...one, groups: [...groups.values()] });
  }
  return [...merged.values()];
}

/** Whether a level is looked up under every name of a kind; weak levels are looked up under one name alone. */
const isSure = ({ quality, place }: PlanLevel): boolean =>
  quality >= HEAD.inProduct && place === "summary";

/** The levels for the other names of the whole kind than the one that was typed, and those that it shares. */
const otherCalls = (
  kind: string,
  typed: string,
  shared: ReadonlySet<string>,
  spoken: SpokenNames,
): PlanLevel[] =>
  baseNames(kind).filter((name) => name !== typed && name !== singular(typed) && !shared.has(name))
    .flatMap((name) => {
      const words = spoken(name);
      return words.every(({ stems }) => stems.length > 0) ? called(words).filter(isSure) : [];
    });

/**
 * Products called only by the noun of one of the kind's names, or by a kind that is this one with its name, in texts that
 * have another name: a "light" of flashlights, and a "moisturizer" of sunscreen.
 */
function byNoun(kind: string, spoken: SpokenNames): PlanLevel[] {
  const names = baseNames(kind).map(spoken)
    .filter((words) => words.every(({ stems }) => stems.length > 0));
  const ends = baseNames(kind).flatMap((name) => nounIn(name) ?? []).flatMap((noun) =>
    stemsOf(spoken(noun))
  );
  const others = names.map(stemsOf).filter((stems) => !ends.some((end) => stems.at(-1) === end));
  const groups = [...new Set(ends)].flatMap((end) =>
    others.map((stems) => [endTerm(end), ...stems])
  );
  const withName = kindsWith(kind).flatMap((other) =>
    names.map((words) => [kindTerm(other), ...stemsOf(words)])
  );
  return [
    level([...groups, ...withName], "summary", HEAD.nounSummary),
    level([...groups, ...withName], "text", HEAD.nounText),
  ];
}

/** The words of a name that the word lists have, with their stems. */
export type SpokenNames = (name: string) => readonly QueryWord[];

/** At most so many words stand from a denial to the word that it denies. */
const MAX_TO_DENIED = 3;

/** Whether a query has a word that it does not deny. */
function says(words: readonly QueryWord[], name: string): boolean {
  const isDenied = (at: number): boolean =>
    words.slice(Math.max(0, at - MAX_TO_DENIED), at).some(({ word }) => NEGATING.has(word));
  return words.some(({ word }, i) => singular(word) === singular(name) && !isDenied(i));
}

/** The longest end of a name that by itself means a whole kind: "footwear" of "minimalist footwear"; null for none. */
function shorterName(words: readonly QueryWord[], { start, end }: Range): KindSpan | null {
  const typed = words.map(({ word }) => word);
  for (let from = start + 1; from < end; from++) {
    const kind = wholeKind(typed.slice(from, end));
    if (kind !== undefined) return { start: from, end, kinds: [kind] };
  }
  return null;
}

/** The places of words, each with the next where the two are the name of a maker or a model: "Swiss Army" of a knife. */
function asNames(words: readonly QueryWord[], places: readonly number[]): readonly number[][] {
  const wordAt = (i: number): string => words[i]?.word ?? "";
  const isName = (i: number | undefined, next: number | undefined): boolean =>
    i !== undefined && next === i + 1 && isProperName([wordAt(i), wordAt(next)]);
  return places.flatMap((i, at) => {
    if (isName(places[at - 1], i)) return [];
    return isName(i, places[at + 1]) ? [[i, i + 1]] : [[i]];
  });
}

/** Whether a name, in either number, is the own name of another kind. */
const isOtherKind = (name: string, kind: string): boolean =>
  singular(name) !== singular(kind) &&
  [name, singular(name)].some((one) => lexicon().kinds.has(one));

/** The words of a query, and what is known of names. */
interface NamingQuery {
  readonly words: readonly QueryWord[];
  readonly frequency: Frequency;
  readonly spoken: SpokenNames;
}

/** How words of a query name a kind as a whole. */
interface WholeName {
  readonly kind: string;
  readonly words: readonly QueryWord[];
  /** Whether the rest of the kind's name stands elsewhere in the query: "amplifier for a car". */
  readonly isApart: boolean;
  /** Whether the words alone would mean another kind. */
  readonly isOther: boolean;
  /** Whether other kinds are called so, too: "a knife for camping" may be a kitchen knife without what is asked. */
  readonly isOpen: boolean;
}

/** Whether products are called by a name: nothing is called a "dog lead" where everybody says leash. */
function isHeard(name: readonly QueryWord[], frequency: Frequency): boolean {
  const noun = name.at(-1)?.stems ?? [];
  return stemsOf(name).some((stem) => frequency(stem) > 0) &&
    (noun.length === 0 || noun.some((stem) => frequency(endTerm(stem)) > 0));
}

/** The ways to be of a kind that is named as a whole, of which `phrase` is the longest name in the query. */
function wholeLevels(
  { words, frequency, spoken }: NamingQuery,
  phrase: readonly QueryWord[],
  { kind, words: typed, isApart, isOther, isOpen }: WholeName,
): PlanLevel[] {
  const short = isHeard(typed, frequency) && !isOther ? typed : spoken(kind);
  const own = called(phrase);
  // What posts were read as by another kind's own name is of that kind: a paper "notebook" is no laptop.
  const others = wholeNames(kind).filter((name) => isOtherKind(name, kind));
  const shared = new Set([...typed.length > 1 || isApart ? sharedNames(kind) : [], ...others]);
  const whole = wholeNames(kind).filter((name) => !shared.has(name));
  // A "subwoofer for a car" may be a car subwoofer.
  const unless = isOpen ? [] : namesakes(kind)
    .filter((other) => !splitName(other).slice(0, -1).every((word) => says(words, word)))
    .map(kindTerm);
  return [
    level(whole.map((name) => [kindTerm(name)]), "summary", HEAD.kind),
    level([...shared].map((name) => [kindTerm(name)]), "summary", HEAD.shared),
    level(partsOfKind(kind).map((part) => [kindTerm(part)]), "summary", HEAD.narrower),
    level(
      [...new Set([wordsText(typed), kind])].flatMap((name) => grantedNames(splitName(name))),
      "summary",
      HEAD.granted,
    ),
    ...together([
      ...called(short),
      ...isOther
        ? own.map((one) => ({ ...one, quality: Math.min(one.quality, HEAD.nounText) }))
        : own,
      ...otherCalls(kind, wordsText(short), shared, spoken),
      ...byNoun(kind, spoken),
      ...inSets(short, plainNames(kind).map(spoken)),
    ]),
  ].map((one) => ({ ...one, unless }));
}

/** A kind that a phrase names as a whole, be it with words that ask something of it; null where it does not. */
function wholeProduct(
  query: NamingQuery,
  { start, end }: Range,
  kind: string,
): NamedProduct | null {
  const { words } = query;
  const phrase = words.slice(start, end);
  const typed = phrase.map(({ word }) => word);
  const naming = namingWords(typed, kind);
  if (naming.length === 0) return null;
  const typedName = naming.map((i) => phrase[i]).filter((word) => word !== undefined);
  const isApart = naming.length === 1 && splitName(kind).every((word) => says(words, word));
  const name: WholeName = {
    kind,
    words: typedName,
    isApart,
    isOther: isApart && !wholeNames(kind).includes(wordsText(typedName)),
    isOpen: naming.length === 1 && !isApart && sharedNames(kind).has(wordsText(typedName)),
  };
  const isName = (i: number): boolean => naming.includes(i) || isAnyProduct(typed[i] ?? "");
  const places = phrase.map((_, i) => start + i);
  const used = places.filter((i) => isName(i - start));
  return {
    levels: wholeLevels(query, phrase, name),
    name: wordsText(words.filter((_, i) => used.includes(i))),
    readAs: null,
    used,
    asks: asNames(words, places.filter((i) => !isName(i - start))),
    own: splitName(kind),
    kind: name.isOpen ? null : kind,
  };
}

/** A product that a phrase names by no whole kind: a kind of signals, or a brand, a model or a part of kinds. */
function partProduct(
  { words, frequency }: NamingQuery,
  { start, end, kinds }: KindSpan,
): NamedProduct {
  const phrase = words.slice(start, end);
  const levels = called(phrase);
  const places = phrase.map((_, i) => start + i);
  const name = wordsText(phrase);
  const isKind = [name, singular(name)].some((kind) => frequency(kindTerm(kind)) > 0);
  const kind = kinds.length === 1 ? kinds[0] ?? null : null;
  if (isKind || kinds.length === 0) {
    return { levels, name, readAs: null, used: places, asks: [], own: [], kind };
  }
  // Of several kinds that a word may mean, those whose names end with it: "holster" does not mean a flashlight.
  const ending = kinds.filter((kind) => kind.endsWith(` ${phrase.at(-1)?.word}`));
  const meant = ending.length > 0 ? ending : kinds;
  const broad = meant.flatMap((kind) => wholeNames(kind).map((name) => [kindTerm(name)]));
  // Those who want the kind and say the name.
  return {
    levels,
    kindLevels: [
      level(broad, "summary", HEAD.kind),
      level(meant.flatMap(partsOfKind).map((part) => [kindTerm(part)]), "summary", HEAD.narrower),
    ],
    name: meant.join(" or "),
    readAs: name,
    used: [],
    asks: [places],
    own: [],
    kind,
  };
}

/** A product that the lexicon knows, by one of its names. */
export function knownProduct(query: NamingQuery, span: KindSpan): NamedProduct {
  for (const kind of span.kinds) {
    const product = wholeProduct(query, span, kind);
    if (product !== null) return product;
  }
  const shorter = span.isBrand === true ? null : shorterName(query.words, span);
  if (shorter === null) return partProduct(query, span);
  const before = Array.from({ length: shorter.start - span.start }, (_, i) => [span.start + i]);
  const product = knownProduct(query, shorter);
  return { ...product, asks: [...before, ...product.asks] };
}

/** A product that no lexicon knows: by the longest end of its name that the corpus knows as a product. */
export function unknownProduct(
  words: readonly QueryWord[],
  { phrases, last }: Head,
  frequency: Frequency,
): NamedProduct {
  const starts = [...phrases.map(({ start }) => start), last];
  const nameAt = (start: number) => words.slice(start, last + 1);
  const known = starts.find((start) => {
    const name = nameAt(start);
    const text = wordsText(name);
    return start < last && [text, singular(text)].some((kind) => frequency(kindTerm(kind)) > 0);
  });
  // A "set" is nothing by itself: a "fondue set" is.
  const isAny = isAnyProduct(words[last]?.word ?? "") && starts.includes(last - 1);
  const from = known ?? (isAny ? last - 1 : last);
  const name = nameAt(from);
  const longest = nameAt(starts[0] ?? last);
  const whole = stemsOf(longest);
  return {
    levels: [
      ...called(name),
      ...(whole.length > stemsOf(name).length
        ? [
          level([whole.map(productTerm)], "summary", HEAD.kind),
          { ...level([whole], "summary", HEAD.inProduct), adjacent: true },
        ]
        : []),
    ],
    name: wordsText(name),
    readAs: null,
    used: name.map((_, i) => from + i),
    asks: [],
    own: [],
    kind: null,
  };
}

/** A word of the product's name whose posts are mostly of one kind: "cctv" of security cameras. */
export interface Hint {
  readonly at: number;
  readonly kind: string;
}

/** Whether a kind's noun is this one, or a compound of it: a "multitool" is a tool. */
const isCalledSo = (called: string, noun: string): boolean =>
  called === noun || (called.endsWith(noun) && beginsCompound(called.slice(0, -noun.length)));

/** The kind that posts with a word of the product's name are mostly of, where it is called otherwise. */
export function hinted(
  words: readonly QueryWord[],
  head: Head,
  named: NamedProduct,
  hints: readonly Hint[],
  frequency: Frequency,
): {
  readonly levels: readonly PlanLevel[];
  readonly readAs: string | null;
  readonly said: readonly number[];
} {
  const noun = words[head.last];
  const isKnown = head.spans.length > 0 ||
    (noun?.stems ?? []).some((stem) => frequency(endTerm(stem)) > 0);
  const fitting = hints.filter(({ at, kind }) =>
    isKnown
      ? at !== head.last && isCalledSo(lastWord(kind), singular(noun?.word ?? ""))
      : at === head.last
  ).filter(({ kind }) => kind !== named.name);
  const levels = fitting.map(({ kind }) =>
    level(
      wholeNames(kind).map((name) => [kindTerm(name)]),
      "summary",
      isKnown ? HEAD.narrower : HEAD.kind,
    )
  );
  const [first] = fitting;
  return {
    levels,
    readAs: first === undefined ? null : first.kind,
    said: isKnown ? fitting.map(({ at }) => at) : [],
  };
}
