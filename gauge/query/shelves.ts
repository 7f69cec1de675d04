/**
 * The kind that a query tells of without its name, by all its words: "clippers for facial hair" are a beard trimmer.
 * What people write about who want a kind of product says which one is meant where the noun leaves it open.
 */
import shelvesText from "./shelves.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { statedShare } from "./common.ts";
import type { Head, KindSpan } from "./head.ts";
import type { QueryWord } from "./parts.ts";
import { onlyAsks } from "./word_classes.ts";

/** Weights in shelves.txt are quarters of a logarithm. */
const QUARTERS = 4;

/** How far a query's stems speak of a kind. */
export interface Shelf {
  readonly kind: string;
  /** The sum of the logarithms of how much likelier its stems are in posts of this kind than in any. */
  readonly score: number;
  /** The stems that speak of it, with those logarithms. */
  readonly told: ReadonlyMap<string, number>;
}

interface Entry {
  readonly kind: string;
  readonly weight: number;
}

const table = once((): ReadonlyMap<string, readonly Entry[]> => {
  const stems = new Map<string, Entry[]>();
  for (const line of shelvesText.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [kind = "", words = ""] = line.split(" = ");
    for (const word of words.split(" ")) {
      const [stem = "", weight = ""] = word.split(":");
      const entry = { kind, weight: Number(weight) / QUARTERS };
      const known = stems.get(stem);
      if (known === undefined) stems.set(stem, [entry]);
      else known.push(entry);
    }
  }
  return stems;
});

/** The kinds that these stems speak of, the likeliest first. */
export function shelvesOf(stems: Iterable<string>): readonly Shelf[] {
  const found = new Map<string, { score: number; told: Map<string, number> }>();
  for (const stem of new Set(stems)) {
    for (const { kind, weight } of table().get(stem) ?? []) {
      const shelf = found.get(kind) ?? { score: 0, told: new Map<string, number>() };
      shelf.score += weight;
      shelf.told.set(stem, weight);
      found.set(kind, shelf);
    }
  }
  return [...found].map(([kind, shelf]) => ({ kind, ...shelf }))
    .sort((a, b) => b.score - a.score || (a.kind < b.kind ? -1 : 1));
}

/** How much further a query speaks of a kind than of the one that is called by its noun. */
const MARGIN = 1.5;
/** How far it speaks of the kind at least, by so many stems, and by which share of all that tell something. */
const LEAST = 5;
const LEAST_STEMS = 2;
const LEAST_SHARE = 0.4;
/** Words that texts hold without stating anything by them tell of no kind: "suggest". */
const STATED = 0.1;
/** Words that speak so much of the kind are what it is, and ask for nothing besides. */
const TELLING = 1;

/** A kind that a query tells of without its name. */
export interface ToldKind {
  readonly kind: string;
  /** The words that tell of it, the query's noun among them. */
  readonly words: ReadonlySet<number>;
}

/** Whether a word stands for itself alone: brands, models and numbers tell of no kind. */
const isProper = ({ word }: QueryWord): boolean =>
  /\d/.test(word) || lexicon().terms.get([word])?.type === "brand";

/**
 * The kind that a query tells of where no list knows the noun at `noun`, or where nobody wants what lists know by it
 * and the noun speaks of the kind as well ("a notebook that can run games"): null where that is not so, or where the
 * query does not speak plainly enough of any kind. Products that are named behind the noun are what it is for.
 */
export function toldKind(
  words: readonly QueryWord[],
  head: Head,
  spans: readonly KindSpan[],
  noun: number,
  isWanted: (kind: string) => boolean,
): ToldKind | null {
  const called = words[noun];
  const known = head.spans.filter(({ start }) => start <= noun);
  // A name of several words leaves nothing open.
  const isPlain = ({ start, end, kinds }: KindSpan): boolean =>
    end - start > 1 || kinds.some(isWanted);
  if (called === undefined || known.some(isPlain)) return null;
  const says = words.map((word) =>
    word.stems.length > 0 && !onlyAsks(word.word) && !isProper(word)
  );
  const all = new Set(
    words.flatMap(({ stems }, i) => says[i] ? stems : [])
      .filter((stem) => (statedShare(stem) ?? 1) >= STATED),
  );
  const beside = new Set(spans.filter(({ start }) => start > noun).flatMap(({ kinds }) => kinds));
  const shelves = shelvesOf(all).filter(({ kind }) => !beside.has(kind));
  const [best] = shelves;
  if (best === undefined || best.score < LEAST || best.told.size < LEAST_STEMS) return null;
  if (best.told.size < LEAST_SHARE * all.size) return null;
  if (known.length > 0 && !called.stems.some((stem) => best.told.has(stem))) return null;
  const names = [called.word, singular(called.word)];
  const own = shelves.find(({ kind }) => names.includes(kind));
  if (own === best || (own !== undefined && best.score < own.score + MARGIN)) return null;
  const told = words.flatMap(({ stems }, i) =>
    says[i] && stems.some((stem) => (best.told.get(stem) ?? 0) >= TELLING) ? [i] : []
  );
  // All words of a product that it is for tell of it: "electric guitar" of a pedal for one.
  const whole = spans.filter((span) => told.some((i) => span.start <= i && i < span.end))
    .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
  return { kind: best.kind, words: new Set([noun, ...told, ...whole]) };
}
