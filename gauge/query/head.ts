/** Which words of a query name what it asks for: the last noun before "for", "with", "that" and the like. */
import { singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { isAnyProduct, namingWords } from "../words/same.ts";
import { includesAt, type Range } from "./parts.ts";
import {
  ARTICLES,
  CONTRACTED,
  isAnybody,
  isNoGood,
  namesService,
  onlyAsks,
  OPENING,
  PREPOSITIONS,
  wordSet,
} from "../words/word_classes.ts";

/** Words that name one of these product kinds. */
export interface KindSpan extends Range {
  readonly kinds: readonly string[];
  /** Whether the words are a brand or a model, and no name of the kinds. */
  readonly isBrand?: boolean;
}

/** Finds the product kinds that words name, left to right, none overlapping another. */
export type FindKinds = (words: readonly string[]) => readonly KindSpan[];

/** What a query asks for. */
export interface Head {
  /** The known products that it names: several where any will do ("laptop or tablet"), none where unknown. */
  readonly spans: readonly KindSpan[];
  /** Where its last word stands. */
  readonly last: number;
  /** For an unknown product: phrases that end with that word, longest first, as kinds of signals. */
  readonly phrases: readonly KindSpan[];
  /** The word that says that no physical product is asked for, or null. */
  readonly service: string | null;
}

/** After one of these, words tell what the product is for or how it is. */
export const PURPOSE = new Set([
  ...OPENING,
  ...PREPOSITIONS,
  ...wordSet(
    "thatll thatd featuring having including onto of like instead than near as so if made is are do does did not no",
  ),
]);
/** After one of these stands what is said of a product that was named, or of those who ask. */
const BESIDE = wordSet("because with without that which whose");
/** Words between two products of which either will do. */
export const JOINING = wordSet("and or");
/** Verbs that "on" and "in" make adjectives of: "clip on light", "plug in heater". */
const PARTICLED = wordSet(
  `add bolt build built carry clamp click clip drop glue hook iron lace lay lock plug press pull push ride roll screw sew
slide slip snap spray step stick strap thread tie twist walk wrap`,
);
/** Marks a choice that is set apart from the product: "a television, whether new or used". */
export const CHOICE = "whether";
/** Words that begin a clause with a subject of its own. */
export const CLAUSE = wordSet("i im ive id we my our he she it its they there this");
/** Kinds that other products are made of: behind one of those they say how it is ("belt full grain leather"). */
export const MATERIALS = wordSet("leather fabric lumber");
/** Words that repeat the product in a clause of their own: "a razor, the sort you charge". */
const SORT = wordSet("sort kind type one ones");
/** Words that stand for a product that has no name: "something to type on". */
const UNNAMED = wordSet("something anything thing things stuff");

/** Whether a word stands for a product that has no name. */
export const isUnnamed = (word: string): boolean => UNNAMED.has(word);

/** Words before a verb: in "I've run out of tea" nobody asks for a run. */
const SUBJECTS = wordSet("i ive we weve you youve they theyve he she");

/** Verbs before an infinitive. */
const WANTING = wordSet(
  "want wants wanting need needs like likes love hope plan try trying have has going able rather prefer ready",
);

/** Whether a word is what somebody wants to do: in "who want to pedal to work" nobody asks for a pedal. */
export const isInfinitive = (words: readonly string[], at: number): boolean =>
  words[at - 1] === "to" && WANTING.has(words[at - 2] ?? "");

/** Words of a question. */
const WHICH = wordSet("which what");

/** Words in the longest phrase that signals may have as their kind. */
const LONGEST_KIND = 3;

/** A word of a query. */
export interface Readable {
  readonly word: string;
  readonly stems: readonly string[];
}

/** Phrases of words that end at word `last` and lie behind `from`, longest first, with their singular. */
export function phrasesAt(words: readonly string[], last: number, from = 0): KindSpan[] {
  const starts = Array.from({ length: LONGEST_KIND }, (_, i) => last - LONGEST_KIND + 1 + i);
  return starts.filter((start) => start >= from).map((start) => {
    const phrase = words.slice(start, last + 1).join(" ");
    return { start, end: last + 1, kinds: [...new Set([phrase, singular(phrase)])] };
  });
}

/** Words between "for" and what follows it. */
export const DETERMINERS = new Set([...ARTICLES, ...wordSet("my his her our your their")]);

/** Words of what a product joins, on either side of "to": "hdmi to vga adapter". */
const MOST_JOINED = 2;

/**
 * Whether "to" at `at` stands in a product's name: between what it joins, neither of them a product for itself, and with
 * a known product right behind.
 */
function isInName(words: readonly string[], at: number, spans: readonly KindSpan[]): boolean {
  const from = words.findLastIndex((word, i) => i < at && PURPOSE.has(word)) + 1;
  const product = spans.find(({ start, end }) =>
    start > at && end > at + 2 && start - at <= MOST_JOINED + 1
  );
  return product !== undefined && from < at && at - from <= MOST_JOINED &&
    words.slice(at + 1, product.end).every((word) =>
      !PURPOSE.has(word) && !DETERMINERS.has(word)
    ) &&
    words.slice(from, at).every((word) => !isUnnamed(word) && !isAnyProduct(word)) &&
    !spans.some(({ start, end }) => start < at && end > from);
}

/** Whether "on" or "in" at `at` belongs to a verb that says how the product behind it is: "carry on suitcase". */
function isVerbParticle(words: readonly string[], at: number, spans: readonly KindSpan[]): boolean {
  if (!/^(?:on|in)$/.test(words[at] ?? "") || !PARTICLED.has(words[at - 1] ?? "")) return false;
  if (words[at - 2] === "to" || spans.some(({ end }) => end <= at)) return false;
  const product = spans.find(({ end }) => end > at);
  return product !== undefined &&
    words.slice(at + 1, product.start).every((word) =>
      !PURPOSE.has(word) && !DETERMINERS.has(word)
    );
}

/**
 * The parts of a query between words that begin a purpose or another clause, as ranges of words: "notebook computer, my
 * budget tops out" asks for no tops.
 */
export function segments(
  words: readonly string[],
  spans: readonly KindSpan[],
): Range[] {
  const isCut = (word: string, i: number): boolean => {
    // "In ear monitors" begin with no purpose, and "wall to wall carpet" has none; a "backpack for hiking" has one. The
    // second of two products is named by all of "or a moisturizer with SPF".
    const isNamed = ({ start, end, kinds }: KindSpan): boolean =>
      start === i || (start < i && i < end && word !== "for" &&
        ((word === "with" && joinsBefore(words, start) !== null) ||
          kinds.some((kind) => namingWords(words.slice(start, end), kind).length === end - start)));
    if (spans.some(isNamed) || isVerbParticle(words, i, spans)) return false;
    const [next = "", after = ""] = words.slice(i + 1);
    const isChoice = word === CHOICE && spans.some(({ end }) => end <= i);
    // "A liner won't run"; in "caffeine doesn't suit me, which pill has none" what is asked for stands behind.
    const denies = CONTRACTED.test(word) && !words.slice(i).some((other) => WHICH.has(other));
    return denies || isChoice ||
      (PURPOSE.has(word) && !(word === "to" && isInName(words, i, spans))) ||
      (JOINING.has(word) && (CLAUSE.has(next) || (next === "the" && SORT.has(after))));
  };
  const cuts = words.flatMap((word, i) => isCut(word, i) ? [i] : []);
  return [-1, ...cuts].map((cut, i) => ({ start: cut + 1, end: cuts[i] ?? words.length }));
}

/**
 * Whether a name behind a product only says more of it: what it is made of, a part of its kind ("guitar pedal distortion"),
 * or a model or the like that it is for ("headset ps3"), which names no product to everybody.
 */
function saysOf(name: KindSpan, product: KindSpan, typed: readonly string[]): boolean {
  if (name.kinds.every((kind) => MATERIALS.has(kind))) return true;
  const { shown, terms } = lexicon();
  const wordsOf = ({ start, end }: KindSpan) => typed.slice(start, end);
  const isShown = (span: KindSpan): boolean => shown.has(wordsOf(span).join(" "));
  // "Delay pedal" ends as its kind's own name does.
  const isNoun = (span: KindSpan) =>
    span.kinds.some((kind) => namingWords(wordsOf(span), kind).length > 0);
  const isPart = isNoun(product) && name.kinds.some((kind) => product.kinds.includes(kind));
  return name.start === product.end && !isShown(name) && !isNoun(name) &&
    (isPart || (isShown(product) && terms.get(wordsOf(name))?.type === "kind"));
}

/** Where "and" or "or" joins a name to what is before it, also before an article: "a kindle or a nook"; null for none. */
function joinsBefore(words: readonly string[], start: number): number | null {
  const at = ARTICLES.has(words[start - 1] ?? "") ? start - 2 : start - 1;
  return JOINING.has(words[at] ?? "") ? at : null;
}

/** The product, and those before it that are joined to it by "and" or "or". */
function joinedTo(
  span: KindSpan,
  inside: readonly KindSpan[],
  typed: readonly string[],
): KindSpan[] {
  const joins = joinsBefore(typed, span.start);
  const before = inside.find(({ end }) => end === joins);
  return before === undefined ? [span] : [...joinedTo(before, inside, typed), span];
}

/** Whether a word may be part of a name: it neither only asks nor is what somebody wants to do. */
function mayBeInName(
  words: readonly Readable[],
  typed: readonly string[],
  at: number,
): boolean {
  return (words[at]?.stems.length ?? 0) > 0 && !onlyAsks(typed[at] ?? "") &&
    !isInfinitive(typed, at) && !SUBJECTS.has(typed[at - 1] ?? "");
}

/**
 * Where the noun of a query stands: the last word that says anything before the product's purpose, or a word that stands
 * for a name ("something"); -1 for none.
 */
export function askedNoun(words: readonly Readable[], spans: readonly KindSpan[]): number {
  const typed = words.map(({ word }) => word);
  for (const { start, end } of segments(typed, spans)) {
    // "Powered by" says how it is.
    const last = typed[end] === "by" && end - 2 >= start ? end - 2 : end - 1;
    for (let at = last; at >= start; at--) {
      const word = typed[at] ?? "";
      if (isUnnamed(word)) return at;
      if (mayBeInName(words, typed, at)) return at;
    }
  }
  return -1;
}

/** What the corpus says of a query's words. */
export interface InCorpus {
  /** Whether products are called by a word that no list knows. */
  readonly isProduct: (word: Readable) => boolean;
  /** Which of the names of a list is asked for; null where the query is no list. */
  readonly ofList: KindSpan | null;
}

/** The words of a query, and whether products are called by the one at a place. */
interface HeadWords {
  readonly words: readonly Readable[];
  readonly typed: readonly string[];
  readonly isCalled: (at: number) => boolean;
}

/** Where the noun of one part of a query stands, of which `inside` are the known products; null where it has none. */
function partNoun(
  { words, typed, isCalled }: HeadWords,
  { start, end }: Range,
  inside: readonly KindSpan[],
): number | null {
  const says = (at: number): boolean => mayBeInName(words, typed, at);
  const isKnown = (at: number): boolean => inside.some(includesAt(at));
  const isOfAnybody = (at: number): boolean => at > start && isAnybody(typed[at] ?? "");
  const mayEnd = (at: number): boolean =>
    (says(at) && !isOfAnybody(at)) || inside.some((span) => span.end - 1 === at);
  let last = end - 1;
  while (last >= start && !mayEnd(last)) last--;
  if (last < start) return null;
  // "A pointing device shaped for a hand".
  const saysHow = (typed[last] ?? "").endsWith("ed") && !isKnown(last) && !isCalled(last);
  if (saysHow && last > start && says(last - 1)) last--;
  // "Bread maker machine" is a bread maker.
  const isAlone = !isKnown(last) || inside.some((span) => span.start === last && span.end > last);
  const isNamed = last > start && says(last - 1) && (isKnown(last - 1) || isCalled(last - 1));
  return isAlone && isAnyProduct(typed[last] ?? "") && isNamed ? last - 1 : last;
}

/** The product of a part of a query whose noun stands at `noun`; undefined where the lists know none. */
function productIn(
  inside: readonly KindSpan[],
  noun: number,
  typed: readonly string[],
  ofList: KindSpan | null,
): KindSpan | undefined {
  const listed = inside.find((one) => one === ofList);
  const name = inside.find(includesAt(noun)) ?? inside.at(-1);
  const before = inside[inside.findIndex((one) => one === name) - 1];
  const isSaidOf = name !== undefined && before !== undefined && saysOf(name, before, typed);
  return listed ?? (isSaidOf ? before : name);
}

/** The head of a query, or null where no word says anything. */
export function readHead(
  words: readonly Readable[],
  spans: readonly KindSpan[],
  inCorpus: InCorpus,
): Head | null {
  const typed = words.map(({ word }) => word);
  const isCalled = (i: number): boolean => {
    const word = words[i];
    return word !== undefined && !isUnnamed(word.word) && !isAnyProduct(word.word) &&
      inCorpus.isProduct(word);
  };
  // Whoever asks was named, and stands behind.
  const isAsked = typed.includes("because");
  let first: Head | null = null;
  const parts = segments(typed, spans);
  for (const { start, end } of parts) {
    // What those have who ask, and what a product has, is not what they ask for.
    if (first !== null && isAsked && BESIDE.has(typed[start - 1] ?? "")) break;
    const inside = spans.filter((span) => span.start >= start && span.end <= end);
    const last = partNoun({ words, typed, isCalled }, { start, end }, inside);
    if (last === null) continue;
    const isKnown = (at: number): boolean => inside.some(includesAt(at));
    const word = typed[last] ?? "";
    // "Insurance policy".
    const before = last > start && !isKnown(last - 1) ? typed[last - 1] ?? "" : "";
    const service = namesService(word) ? word : isNoGood(before) ? before : undefined;
    // Where somebody goes is nothing that is asked for: "to pedal to work or class".
    const isPlace = PREPOSITIONS.has(typed[start - 1] ?? "") &&
      parts.some((one) => one.end === start - 1 && one.start < one.end);
    if (first === null && !isKnown(last) && service !== undefined && !isPlace) {
      return { spans: [], last, phrases: [], service };
    }
    const span = productIn(inside, last, typed, inCorpus.ofList);
    // "A hood for welders" is no welder.
    if (span !== undefined && first !== null && isCalled(first.last)) continue;
    if (span !== undefined) {
      const all = joinedTo(span, inside, typed);
      return { spans: all, last: span.end - 1, phrases: [], service: null };
    }
    first ??= { spans: [], last, phrases: phrasesAt(typed, last, start), service: null };
  }
  return first;
}

/** The products that are given as examples of the one that is asked for: "footwear such as pumps or sandals". */
export function examplesOf(
  words: readonly string[],
  { spans: asked, last }: Head,
  spans: readonly KindSpan[],
): KindSpan[] {
  if (asked.length === 0 || words.slice(last + 1, last + 3).join(" ") !== "such as") return [];
  const found: KindSpan[] = [];
  let from = last + 3;
  for (const span of spans.filter(({ start }) => start >= from)) {
    const between = words.slice(from, span.start);
    if (!between.every((word) => JOINING.has(word) || ARTICLES.has(word))) break;
    found.push(span);
    from = span.end;
  }
  return found.filter(({ kinds: [kind = "", ...others], isBrand }) =>
    isBrand !== true && others.length === 0 && !asked.some(({ kinds }) => kinds.includes(kind))
  );
}
