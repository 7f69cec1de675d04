/** The part of a query that says which product is asked for, by the lexicon or by its words. */
import { type Group, kindTerm, type Level } from "../db/matching_plan.ts";
import type { Head, HeadSpan } from "./head.ts";
import { namesBrand } from "./kinds.ts";
import { level, MOST_WEIGHT, type QueryWord, stemsOf, type Weighed, weightOf } from "./parts.ts";
import { namingWords, partsOfKind } from "./same.ts";

function headOf(words: readonly QueryWord[], levels: readonly Level[]): Weighed {
  const weight = Math.max(MOST_WEIGHT, weightOf(words));
  return { head: true, weight, specific: false, levels };
}

/** What the words of a query say of a product that the lexicon knows, as groups of terms for the levels. */
interface Named {
  /** The name and all that it means. */
  readonly all: Group[];
  /** Narrower names: the kind, and the words besides. */
  readonly some: Group[];
  /** Kinds that are one of this kind, and the same product put in other ways. */
  readonly parts: Group[];
  /** The words that name it; others of the phrase are something said of it. */
  readonly used: readonly number[];
}

function nameOf(words: readonly QueryWord[], { start, end, kinds, otherwise }: HeadSpan): Named {
  const phrase = words.slice(start, end);
  const typed = phrase.map(({ word }) => word);
  const stems = stemsOf(phrase);
  const [all, some, parts]: [Group[], Group[], Group[]] = [[], [], [...otherwise]];
  let used: readonly number[] = typed.map((_, i) => i);
  for (const kind of kinds) {
    const naming = namingWords(typed, kind);
    if (naming.length === 0) {
      if (stems.length > 0) some.push([kindTerm(kind), ...stems]);
      continue;
    }
    used = naming;
    all.push([kindTerm(kind)]);
    parts.push(...partsOfKind(kind).map((part): Group => [kindTerm(part)]));
  }
  return { all, some, parts, used: used.map((i) => start + i) };
}

/**
 * A product that the lexicon knows. Signals are about it by their kind alone: a word of their text may
 * belong to another product ("phone" in that of a phone case). A name that means a part of the kind must
 * stand in the signal besides ("macbook"); a word before the kind's own name ("gaming mouse") is
 * something said of it. Gives the head and the words that it is made of.
 */
export function knownHead(
  words: readonly QueryWord[],
  spans: readonly HeadSpan[],
): { readonly part: Weighed; readonly used: readonly number[] } {
  const names = spans.map((span) => ({ ...nameOf(words, span), span }));
  const named = names.flatMap(({ all, some, span: { start, end } }) => [
    ...all.map((group): Group => [...group, ...stemsOf(words.slice(start, end))]),
    ...some,
  ]);
  const used = names.flatMap((name) => name.used);
  const part = headOf(used.flatMap((i) => words[i] ?? []), [
    level(named, "A", 1, true),
    level(names.flatMap(({ all }) => all), "A", 0.97, true),
    level(names.flatMap(({ some, parts }) => [...some, ...parts]), null, 0.9, true),
  ]);
  return { part, used };
}

/** A product that the lexicon does not know: by the kind that a post's own words gave, or by its words. */
export function unknownHead(words: readonly QueryWord[], { phrases, last }: Head): Weighed {
  const own = words.slice(last, last + 1);
  const together = stemsOf(own);
  const longest = stemsOf(words.slice(phrases[0]?.start ?? last, last + 1));
  const brands = phrases.map(({ start, end }) => words.slice(start, end))
    .filter((phrase) => namesBrand(phrase.map(({ word }) => word)));
  return headOf(own, [
    level(
      phrases.flatMap(({ kinds }) => kinds.map((kind): Group => [kindTerm(kind)])),
      "A",
      1,
      true,
    ),
    level(longest.length > together.length ? [longest] : [], "A", 1, true),
    level(brands.map(stemsOf), "A", 0.9, true),
    level(own.flatMap(({ similar }) => similar.map((stem): Group => [stem])), "A", 0.72, true),
    level([together], "AB", 0.45),
    level([together], null, 0.35),
  ]);
}
