/**
 * The kind of product that a query tells of without its name, by all its words: "something to type on from the couch"
 * is a keyboard. What other people say of each kind was learned (tasks/gauge_kinds.ts).
 */
import describedText from "./described.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { type FindKinds, type Head, isUnnamed, type KindSpan } from "./head.ts";
import { needsIn } from "./needs.ts";
import type { QueryWord } from "./parts.ts";
import { baseNames, isAnyProduct, namingWords } from "./same.ts";
import { isProper, onlyAsks } from "./word_classes.ts";

/** Weights are steps of a quarter of a logarithm. */
const STEPS = 4;
/** Digits of the numbers of kinds (two) and of weights (one), in an order that sorts. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_~";
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));
const ENTRY = 3;

/** How much likelier another kind is whose logarithm is one greater: words of a query repeat each other. */
const TEMPER = 0.8;
/** As likely as this logarithm, and one more with each stem, is it that something is meant that is none of the kinds. */
const NONE = 4;

/** A kind that words speak of. */
export interface SpokenKind {
  readonly kind: string;
  /** How far they do: a sum of logarithms. */
  readonly score: number;
  /** Its share among all kinds and what is none of them, 0-1. */
  readonly share: number;
}

/** What stems say of kinds. */
export class KindTable {
  readonly #kinds: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #stems: ReadonlyMap<string, string>;

  /** Reads what `write` wrote. */
  constructor(text: string) {
    const [kinds = "", ...lines] = text.split("\n").filter((line) =>
      line !== "" && !line.startsWith("#")
    );
    this.#kinds = kinds.split("|");
    this.#known = new Set(this.#kinds);
    this.#stems = new Map(lines.map((line) => {
      const at = line.indexOf(" ");
      return [line.slice(0, at), line.slice(at + 1)];
    }));
  }

  /** A table as text: the kinds, and a line for each stem. */
  static write(
    speaking: ReadonlyMap<string, readonly (readonly [kind: string, weight: number])[]>,
  ): string {
    const kinds = [...new Set([...speaking.values()].flatMap((all) => all.map(([kind]) => kind)))]
      .sort();
    const numbers = new Map(kinds.map((kind, i) => [kind, i]));
    const digit = (value: number): string => DIGITS[Math.min(DIGITS.length - 1, value)] ?? "";
    const lines = [...speaking].map(([stem, all]) => {
      const entries = all.map(([kind, weight]) => {
        const number = numbers.get(kind) ?? 0;
        return digit(Math.floor(number / DIGITS.length)) + digit(number % DIGITS.length) +
          digit(Math.round(weight * STEPS));
      });
      return `${stem} ${entries.join("")}`;
    });
    return [
      "# Made by tasks/gauge_kinds.ts: kinds of products, then stems with the kinds that they speak of (two digits) and",
      "# the logarithm of how much likelier those are then, in quarters (one digit).",
      kinds.join("|"),
      ...lines,
      "",
    ].join("\n");
  }

  /** How much likelier each kind is where this stem stands, as a logarithm. */
  of(stem: string): ReadonlyMap<string, number> {
    const entries = this.#stems.get(stem) ?? "";
    const value = (at: number): number => VALUES.get(entries[at] ?? "") ?? 0;
    const found = new Map<string, number>();
    for (let at = 0; at < entries.length; at += ENTRY) {
      const kind = this.#kinds[value(at) * DIGITS.length + value(at + 1)];
      if (kind !== undefined) found.set(kind, value(at + 2) / STEPS);
    }
    return found;
  }

  /** All kinds that any stem speaks of. */
  get kinds(): readonly string[] {
    return this.#kinds;
  }

  /** Whether any stem speaks of this kind. */
  has(kind: string): boolean {
    return this.#known.has(kind);
  }

  /** The kinds but `not` that stems speak of, the likeliest first; `also` adds to what they say. */
  read(
    stems: Iterable<string>,
    also: ReadonlyMap<string, number> = new Map(),
    not: ReadonlySet<string> = new Set(),
  ): SpokenKind[] {
    const scores = new Map(also);
    const asked = new Set(stems);
    for (const stem of asked) {
      for (const [kind, weight] of this.of(stem)) {
        if (!not.has(kind)) scores.set(kind, (scores.get(kind) ?? 0) + weight);
      }
    }
    const likely = (score: number): number => Math.exp(TEMPER * score);
    const idle = Math.max(0, this.#kinds.length - scores.size);
    const all = [...scores.values()].reduce((sum, score) => sum + likely(score), idle) +
      likely(NONE + asked.size);
    return [...scores].map(([kind, score]) => ({ kind, score, share: likely(score) / all }))
      .sort((a, b) => b.score - a.score || (a.kind < b.kind ? -1 : 1));
  }
}

/** What words say of kinds, as learned (tasks/gauge_kinds.ts). */
export const describedKinds = once(() => new KindTable(describedText));

const lastWord = (name: string): string => singular(name.slice(name.lastIndexOf(" ") + 1));

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

/**
 * What it adds to a kind that a name of it ends with the noun ("bag" of a sleeping bag), or that word lists have the noun
 * for; and to the one that they choose for it by what stands beside it ("a nib pen").
 */
const ENDING = 3;
const CHOSEN = 5;
/** A kind that has a smaller share than this by the noun alone is told by the other words: "bag to sleep in". */
const OPEN = 0.15;
/** What else is said hardly speaks of the kind that is named, beside another one: by this part of its logarithm at most. */
const HARDLY = 0.25;
/** The share from which a kind is taken to be meant, and where it has no name or lists have the noun for a part of it. */
const SURE = 0.5;
const UNSURE = 0.25;
/** The share of the less likely of two that are both looked at, and of both together where nothing hints at either. */
const EITHER = 0.2;
const BOTH = 0.85;
/** Words that speak so much of the kind are what it is, and ask for nothing besides. */
const TELLING = 1;

const ARTICLES = new Set("a an the".split(" "));

/** What a query tells of without its name. */
export interface ToldKind {
  /** One kind, or two that are nearly as likely. */
  readonly kinds: readonly string[];
  /** The words that tell of it, the query's noun among them. */
  readonly words: ReadonlySet<number>;
  /** Words that ask something of it besides: needs that the word lists know, brands and numbers. */
  readonly asked: ReadonlySet<number>;
  /** How likely it is that something else is meant, 0-1. */
  readonly doubt: number;
}

/** Words that ask something of one of these kinds, whatever they tell of it. */
function askedOf(words: readonly QueryWord[], kinds: readonly string[]): ReadonlySet<number> {
  const needs = needsIn(words.map(({ word }) => word), kinds).filter(({ value }) =>
    !value.some(({ inherent }) => kinds.some((kind) => inherent.includes(kind)))
  );
  return new Set(
    words.flatMap(({ word }, i) =>
      isProper(word) || needs.some(({ start, end }) => start <= i && i < end) ? [i] : []
    ),
  );
}

/** Whether a kind's name has all words of another's: "guitar synth pedal" of a guitar pedal. */
function isPartOf(kind: string, whole: string): boolean {
  const words = new Set(kind.split(" "));
  return whole.split(" ").every((word) => words.has(word));
}

/**
 * The kind that a query tells of where no list knows the noun at `noun`, or knows it for a part of a kind alone, or
 * where the noun leaves it open: null where that is not so, or where the query does not speak plainly enough of any
 * kind. What the noun names whole stands where anybody wants it, unless it is a name of another kind, too, and
 * what else is said hardly speaks of the first ("a notebook that can run games"). Products that are named behind the
 * noun are what it is for.
 */
export function toldKind(
  words: readonly QueryWord[],
  head: Head,
  spans: readonly KindSpan[],
  noun: number,
  findKinds: FindKinds,
  isWanted: (kind: string) => boolean,
): ToldKind | null {
  const called = words[noun];
  if (called === undefined) return null;
  const at = head.spans.filter(({ start }) => start <= noun);
  const own = at.filter(({ end }) => noun < end).flatMap(({ kinds }) => kinds);
  // A name of several words leaves nothing open, nor one before words that end the name of any product.
  const isNamed = at.some(({ start, end }) =>
    noun < end ? end - start > 1 : noun > end || isAnyProduct(called.word)
  );
  if (isNamed) return null;
  // "A machine for 3-D printing" is none of those that are called machines.
  const isAny = isUnnamed(called.word) || isAnyProduct(called.word);
  const listed = new Set(
    isAny ? [] : [...at, ...findKinds([called.word])].flatMap(({ kinds }) => kinds),
  );
  const whole = [...listed].filter((kind) => namingWords([called.word], kind).length > 0);
  const ending = isAny ? new Set<string>() : endings().get(singular(called.word)) ?? new Set();
  const bonus = new Map([...ending].map((kind) => [kind, ENDING]));
  const isChosen = own.length === 1 &&
    findKinds([called.word]).every(({ kinds }) => kinds.length > 1);
  for (const kind of isAny ? [] : own) bonus.set(kind, isChosen ? CHOSEN : ENDING);
  // "A machine for drying food (a food dryer)": named after all, and not what it is for.
  const isApposed = (start: number): boolean =>
    isAny && ARTICLES.has(words[start - 1]?.word ?? "") &&
    (words[start - 2]?.stems.length ?? 0) > 0;
  const beside = spans.filter(({ start }) => start > noun && !isApposed(start))
    .flatMap(({ kinds }) => kinds);
  // Where lists know the noun, what it is for tells of nothing beside: "a band for a smartwatch" of no tracker.
  const isFor = (i: number): boolean =>
    !isAny && own.length > 0 &&
    spans.some(({ start, end }) =>
      start <= i && i < end && words.slice(noun, start).some(({ word }) => word === "for")
    );
  const found = describedKinds().read(
    // "Type" asks for nothing before the noun, and tells of a keyboard behind it.
    words.flatMap(({ word, stems }, i) => (i >= noun || !onlyAsks(word)) && !isFor(i) ? stems : []),
    bonus,
    new Set(beside.filter((kind) => !ending.has(kind))),
  );
  const [best, next] = found;
  // "A stroller hook" is none, whatever else speaks of strollers.
  const before = spans.filter(({ end }) => end === noun).flatMap(({ kinds }) => kinds);
  if (best === undefined || before.includes(best.kind)) return null;
  // What the noun says alone, and what all else does.
  const alone = describedKinds().read(called.stems, bonus);
  const isOpen = (kind: string): boolean =>
    describedKinds().has(kind) && (alone.find((one) => one.kind === kind)?.share ?? 0) < OPEN;
  if (whole.includes(best.kind)) {
    if (!isOpen(best.kind)) return null;
  } else if (whole.some(isWanted)) {
    const others = describedKinds().read(words.flatMap(({ stems }, i) => i === noun ? [] : stems));
    const said = (kind: string) => others.find((one) => one.kind === kind)?.score ?? 0;
    const isSpoken = (kind: string): boolean =>
      said(kind) > HARDLY * said(best.kind) ||
      (!describedKinds().has(kind) && (best.share < BOTH || !ending.has(best.kind)));
    const isAlso = ending.has(best.kind) || (best.share >= BOTH &&
      alone.some(({ kind, score }) => kind === best.kind && score >= TELLING));
    if (whole.some(isSpoken) || (!isAlso && !whole.every(isOpen))) return null;
  }
  const isHinted = isAny || listed.has(best.kind);
  const isEither = next !== undefined && next.share >= EITHER && !isPartOf(next.kind, best.kind) &&
    best.share + next.share >= (isHinted ? SURE : BOTH);
  const sure = isUnnamed(called.word) ? EITHER : isHinted ? UNSURE : SURE;
  if (best.share < sure && !isEither) return null;
  const meant = isEither ? [best, next] : [best];
  const kinds = meant.map(({ kind }) => kind);
  const telling = words.flatMap(({ stems }, i) => {
    const isTelling = stems.some((stem) => {
      const said = describedKinds().of(stem);
      return kinds.some((kind) => (said.get(kind) ?? 0) >= TELLING);
    });
    return isTelling && i !== noun ? [i] : [];
  });
  // One word alone may be a name that lists lack, or one that is narrower than the kind.
  if (telling.length === 0) return null;
  const asked = askedOf(words, kinds);
  const told = telling.filter((i) => !asked.has(i));
  // All words of a product that it is for tell of it: "electric guitar" of a pedal for one.
  const wholly = spans.filter((span) => told.some((i) => span.start <= i && i < span.end))
    .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
  return {
    kinds,
    words: new Set([noun, ...told, ...wholly]),
    asked,
    doubt: 1 - meant.reduce((sum, { share }) => sum + share, 0),
  };
}
