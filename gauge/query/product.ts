/** The product that a query asks for: which of its words name it, and which of those ask something. */
import {
  endTerm,
  type Frequency,
  kindTerm,
  type PlanLevel,
  productTerm,
} from "../../db/matching/plan.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { lastWord, level, type QueryWord, type Range, stemsOf, wordsText } from "./parts.ts";
import type { Head, KindSpan } from "./head.ts";
import {
  levelsOfName,
  type NamingQuery,
  PRODUCT_QUALITY,
  saysName,
  wholeLevels,
  type WholeName,
} from "./product_levels.ts";
import {
  isAnyProduct,
  isProperName,
  namingWords,
  partsOfKind,
  sharedNames,
  splitName,
  wholeKind,
  wholeNames,
} from "../words/same.ts";
import { beginsCompound } from "../words/word_classes.ts";

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
  const isApart = naming.length === 1 && splitName(kind).every((word) => saysName(words, word));
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
  const levels = levelsOfName(phrase);
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
      level(broad, "summary", PRODUCT_QUALITY.kind),
      level(
        meant.flatMap(partsOfKind).map((part) => [kindTerm(part)]),
        "summary",
        PRODUCT_QUALITY.narrower,
      ),
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
      ...levelsOfName(name),
      ...(whole.length > stemsOf(name).length
        ? [
          level([whole.map(productTerm)], "summary", PRODUCT_QUALITY.kind),
          { ...level([whole], "summary", PRODUCT_QUALITY.inProduct), adjacent: true },
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
export function hintedKind(
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
      isKnown ? PRODUCT_QUALITY.narrower : PRODUCT_QUALITY.kind,
    )
  );
  const [first] = fitting;
  return {
    levels,
    readAs: first === undefined ? null : first.kind,
    said: isKnown ? fitting.map(({ at }) => at) : [],
  };
}
