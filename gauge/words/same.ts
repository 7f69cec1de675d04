/** Which names of a product kind mean the whole kind, and which only a part of it. */
import calledText from "./called.txt" with { type: "text" };
import sameText from "./same.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { reviewedKinds } from "../../mining/extract/product/names.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { isKnownWord } from "./common.ts";
import { wordSet } from "./word_classes.ts";
import { plural, singular } from "../../mining/lexicon/grammar.ts";
import { PhraseBook } from "../../mining/lexicon/phrases.ts";
import { listLines } from "../../mining/lexicon/word_lists.ts";

/** A word as names are compared, whatever its number: "headphones" has no singular of its own. */
function bare(word: string): string {
  const one = singular(word).replace(/s$/, "");
  return one === "bicycle" ? "bike" : one;
}

const bareAll = (words: readonly string[]): string => words.map(bare).join(" ");

/** The words of a name, whose compounds may be joined by hyphens. */
export const splitName = (name: string): readonly string[] => name.trim().split(/[\s-]+/);

/** The lines of a file with this mark: a kind and names. */
const listed = (text: string, mark: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    listLines(text).filter((line) => line.includes(mark))
      .map((line): [string, string[]] => {
        const [kind = "", others = ""] = line.split(mark);
        return [kind, others.split(", ")];
      }),
  );

/** The kinds that are called by other names, with these. */
export const otherNames = once(() => listed(sameText, " = "));

/** The kinds with names that only queries are read by: they are looked for in no post. */
export const askedNames = once(() => listed(calledText, " = "));

/** The kinds by these names. */
export const kindsAsked = once((): PhraseBook<string> => {
  const book = new PhraseBook<string>();
  for (const [kind, names] of askedNames()) {
    for (const name of names) {
      for (const form of new Set([name, singular(name), plural(name)])) {
        book.add(splitName(form), kind);
      }
    }
  }
  return book;
});

/** The kind that the words are a name of, of posts or of queries alone; undefined for none. */
export function kindCalled(words: readonly string[]): string | undefined {
  const term = lexicon().terms.get(words);
  return term?.type === "kind" ? term.kind.name : kindsAsked().get(words);
}

/** The kind that all of the words mean as a whole; undefined for none. */
export function wholeKind(words: readonly string[]): string | undefined {
  const kind = kindCalled(words);
  return kind !== undefined && namingWords(words, kind).length === words.length ? kind : undefined;
}

/** Whether words are the name of a maker or a model, which by itself stands for its kind: "Le Creuset". */
export function isProperName(words: readonly string[]): boolean {
  const term = lexicon().terms.get(words);
  return term?.type === "brand" || (term?.type === "kind" && wholeKind(words) === undefined);
}

const names = once((): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...otherNames()].map(([kind, names]) => [
      kind,
      new Set(names.map((name) => bareAll(splitName(name)))),
    ]),
  )
);

/**
 * Narrower kinds by their wider kind: those of same.txt, and what posts are read as and the lexicon has for a name of the
 * wider one: a "delay pedal" of guitar pedals.
 */
const parts = once((): ReadonlyMap<string, readonly string[]> => {
  const { kinds, terms } = lexicon();
  const found = new Map(listed(sameText, " > "));
  for (const name of reviewedKinds()) {
    const term = terms.get(splitName(name));
    if (term?.type !== "kind" || kinds.has(name)) continue;
    found.set(term.kind.name, [...found.get(term.kind.name) ?? [], name]);
  }
  return found;
});

/** Kinds of their own that are one of this kind, too: a mechanical keyboard is a keyboard. */
export const partsOfKind = (kind: string): readonly string[] => parts().get(kind) ?? [];

/**
 * Whether these words mean the whole kind: words of its own name, its last among them or a short form of
 * it ("mouse", "dryer", "car stereo"), or another name for the same ("sofa").
 */
function meansKind(words: readonly string[], kind: string): boolean {
  const own = new Set(splitName(kind).map(bare));
  if (words.map(bare).join("") === splitName(kind).map(bare).join("")) return true;
  if (words.every((word) => own.has(bare(word)))) return true;
  if (kindsAsked().get(words) === kind) return true;
  const others = names().get(kind);
  if (others?.has(bareAll(words)) === true) return true;
  // "Rucksack", where what is asked says that it is a hiking backpack.
  if (names().get(splitName(kind).at(-1) ?? "")?.has(bareAll(words)) === true) return true;
  // "Welding machine", where "welding unit" means the kind.
  return words.length > 1 && isAnyProduct(words.at(-1) ?? "") &&
    [...ANY_PRODUCT].some((noun) => others?.has(bareAll([...words.slice(0, -1), noun])) === true);
}

/** Words that a name may end with and means no other product: "home alarm system". */
const ANY_PRODUCT = wordSet("system machine set kit device unit gear equipment");

/** Whether a word may end the name of any product. */
export const isAnyProduct = (word: string): boolean => ANY_PRODUCT.has(bare(word));

/** The names under which all of a kind may be known: its own, the ends of it that mean it, and others for the same. */
export function wholeNames(kind: string): readonly string[] {
  const all = [kind, ...meaningEnds(kind), ...otherNames().get(kind) ?? []];
  return [...new Set(all.flatMap((name) => [name, plural(name), singular(name)]))];
}

/** Ends of a kind's name that mean it where nothing speaks for another: "mouse", and "table" for a dining table. */
function meaningEnds(kind: string): readonly string[] {
  const words = kind.split(" ");
  const { terms } = lexicon();
  return words.slice(1).map((_, i) => words.slice(i + 1)).filter((end) => {
    const term = terms.get(end);
    return term?.type === "kind" ? term.kind.name === kind : term?.type === "senses" &&
      term.senses.some((sense) => sense.kind?.name === kind) &&
      term.senses.at(-1)?.kind?.name === kind;
  }).map((end) => end.join(" "));
}

/** Those of the whole names that end the names of other kinds, which are called by them, too: "wheel" of car wheels. */
export function sharedNames(kind: string): ReadonlySet<string> {
  const shared = meaningEnds(kind).filter((end) => {
    const term = lexicon().terms.get(end.split(" "));
    return term?.type === "senses" &&
      term.senses.some((sense) =>
        sense.kind !== null && sense.kind.name !== kind &&
        bare(splitName(sense.kind.name).at(-1) ?? "") === bare(end)
      );
  });
  return new Set(shared.flatMap((name) => [name, plural(name), singular(name)]));
}

/**
 * Other kinds whose names end with one of the whole names, by which the lists call them, too: studio monitors and baby
 * monitors of a "monitor".
 */
export function namesakes(kind: string): readonly string[] {
  const own = new Set([...wholeNames(kind), ...partsOfKind(kind)]);
  const others = baseNames(kind).flatMap((name) => {
    const term = lexicon().terms.get(splitName(name));
    const senses = term?.type === "senses" ? term.senses : [];
    return senses.flatMap((sense) => sense.kind?.name ?? [])
      .filter((other) => bareAll(splitName(other)).endsWith(` ${bareAll(splitName(name))}`));
  });
  return [...new Set(others)].filter((other) => !own.has(other));
}

/** Other kinds that are of this one with its name beside theirs: moisturizers, since "moisturizer with SPF" is a sunscreen. */
export function kindsWith(kind: string): readonly string[] {
  const own = new Set(baseNames(kind).map((name) => bareAll(splitName(name))));
  const others = (lexicon().names.get(kind) ?? []).flatMap((name) => {
    const words = splitName(name);
    const at = words.indexOf("with");
    const other = at > 0 && own.has(bareAll(words.slice(at + 1)))
      ? wholeKind(words.slice(0, at))
      : undefined;
    return other === undefined || other === kind ? [] : [other];
  });
  return [...new Set(others)];
}

/** The shortest parts of a word that is written together. */
const LEAST_JOINED_PART = 4;

/** The noun that a name of a product ends with, where it has more: "light" of a bike light and a flashlight. */
export function nounIn(name: string): string | null {
  const words = splitName(name);
  const last = words.at(-1) ?? "";
  if (words.length > 1) return last;
  for (let at = LEAST_JOINED_PART; at <= last.length - LEAST_JOINED_PART; at++) {
    if (isKnownWord(last.slice(0, at)) && isKnownWord(last.slice(at))) return last.slice(at);
  }
  return null;
}

/** The names under which all of a kind may be known, each in one number. */
export function baseNames(kind: string): readonly string[] {
  return [...new Set(wholeNames(kind).map((name) => singular(name)))];
}

/**
 * Which of the words name the kind as a whole: the longest end of them that means it, or those that stand in
 * its own name, where that ends as they do ("gaming mouse" for a computer mouse). None where they name a
 * part of the kind.
 */
export function namingWords(words: readonly string[], kind: string): readonly number[] {
  const from = words.findIndex((_, i) => meansKind(words.slice(i), kind));
  if (from >= 0) return words.flatMap((_, i) => i >= from ? [i] : []);
  const own = splitName(kind).map(bare);
  const plain = words.flatMap((word, i) => ANY_PRODUCT.has(bare(word)) ? [] : [i]);
  if (plain.length < words.length && plain.length > 0) {
    return namingWords(plain.map((i) => words[i] ?? ""), kind).map((i) => plain[i] ?? 0);
  }
  const last = words.at(-1);
  // A name that the lists have for the kind and that begins with all of its own: "pannier bags".
  if (own.every((word, i) => bare(words[i] ?? "") === word)) return words.map((_, i) => i);
  if (last === undefined || bare(last) !== own.at(-1)) return [];
  return words.flatMap((word, i) => own.includes(bare(word)) ? [i] : []);
}
