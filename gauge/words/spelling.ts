/**
 * The ways in which names of products are written: slips of the keyboard ("keybord"), and compounds apart, together or
 * with a hyphen ("sun glasses", "trashcan", "wi-fi").
 */
import { once } from "../../core/once.ts";
import { editDistance, editsAllowed } from "../../core/edit_distance.ts";
import { plural, singular } from "../../mining/lexicon/grammar.ts";
import { lexicon, type LexiconTerm } from "../../mining/lexicon/lexicon.ts";
import { commonWords, isKnownWord, wordWeight } from "./common.ts";
import { askedNames, kindCalled } from "./same.ts";
import { wordSet } from "./word_classes.ts";

/** The words of all product names that anybody understands. */
const vocabulary = once((): ReadonlySet<string> =>
  new Set(
    [...lexicon().shown, ...lexicon().kinds.keys()].flatMap((phrase) => phrase.split(/[ -]/)),
  )
);

/** The words of the names that only queries are read by, in either number. */
const wordsAsked = once((): ReadonlySet<string> =>
  new Set(
    [...askedNames().values()].flat().flatMap((name) => name.split(" "))
      .flatMap((word) => [word, plural(word)]),
  )
);

/** A word with each letter that stands twice once. */
const undoubled = (word: string): string => word.replaceAll(/(.)\1/g, "$1");

const letters = (word: string): string => [...word].sort().join("");

/** Whether two words have the same letters. */
export const areSwapped = (word: string, other: string): boolean =>
  word.length === other.length && word !== other && letters(word) === letters(other);

/** Whether "ie" and "ei" are taken for each other. */
const isMisspelt = (word: string, other: string): boolean =>
  word !== other && word.replaceAll(/ie|ei/g, "_") === other.replaceAll(/ie|ei/g, "_");

/** An ending whose vowel is hard to hear. */
const UNCLEAR_ENDING = /(?:[aeo](r)|[ae](nt|nce)|[ai](ble))s?$/;

/** A word without such an ending, and what the ending is whatever its vowel. */
function ending(word: string): readonly [stem: string, ending: string] | null {
  const found = UNCLEAR_ENDING.exec(word);
  return found === null ? null : [word.slice(0, found.index), found.slice(1).join("")];
}

/**
 * Whether two words differ by the vowel of such an ending alone, of which the one is no word that posts would have: what
 * they have under its stem is another word ("project" of "projecter").
 */
function endsAlike(word: string, other: string, stems: readonly string[]): boolean {
  const [own, theirs] = [ending(word), ending(other)];
  return word !== other && own !== null && theirs !== null && own.join(" ") === theirs.join(" ") &&
    stems.every((stem) => stem.length <= own[0].length);
}

/** Whether a word, with its stems, is a mistake for the other one even where many make it: "reciever", "projecter". */
export const isMistaken = (word: string, other: string, stems: readonly string[]): boolean =>
  isMisspelt(word, other) || endsAlike(word, other, stems);

/** The words that fewest slips part from this one; those with the same letters swapped before all others. */
function nearest(word: string, among: Iterable<string>, allowed: number): readonly string[] {
  let least = allowed;
  let found: string[] = [];
  for (const other of among) {
    if (other[0] !== word[0]) continue;
    const apart = editDistance(word, other, least);
    if (apart > least) continue;
    found = apart < least ? [other] : [...found, other];
    least = apart;
  }
  const sameLetters = found.filter((other) => areSwapped(word, other));
  return sameLetters.length > 0 ? sameLetters : found;
}

/** The words of product names in which two letters are swapped that do not stand together: "bycicle". */
const swapped = (word: string): readonly string[] =>
  [...vocabulary()].filter((other) =>
    other[0] === word[0] && areSwapped(word, other) && editDistance(word, other, 2) <= 2
  );

/** The shortest word and the shortest compound that are worth a look. */
const LEAST = 4;

/** What is put before and behind words to make others, which lists of words do not have all of. */
const DERIVED =
  /^(?:(?:un|non|anti|ultra)(.{3,})|(.{3,})(?:less|proof|free|like|friendly|ers|(?<=.{4})y|ish))$/;

/** Whether a word is made of a known one: "noiseless", "crushproof". */
function isDerived(word: string): boolean {
  const [, behind, before] = DERIVED.exec(word) ?? [];
  const base = behind ?? before;
  return base !== undefined && (isKnownWord(base) || vocabulary().has(base));
}

/** Words of at most this weight are used by everybody. */
const USUAL = 0.5;

/**
 * The word as it was meant: where it is neither an ordinary word, nor made of one, nor one of a product's name, nor a brand,
 * the one word of product names that fewest slips part it from, or else the most common ordinary word that
 * one slip does. First letters agree. Of names that are as near the one is meant that only doubles a letter, else the one
 * that is a product by itself, else the one that is an ordinary word; otherwise none.
 */
export function meantWord(word: string): string {
  const allowed = editsAllowed(word);
  if (word.length < LEAST || isOneWord(word) || isDerived(word)) return word;
  if (wordsAsked().has(word)) return word;
  if (lexicon().terms.get([word]) !== undefined) return word;
  if (allowed === 0) {
    // Of a short word only letters that are swapped tell what was meant, "tetn", or one that a product's name lacks: "kyak".
    const meant = nearest(word, vocabulary(), 1).filter((other) =>
      areSwapped(word, other) ||
      (other.length > word.length && lexicon().terms.get([other])?.type === "kind")
    );
    const [only = word, ...others] = meant;
    return others.length > 0 || word.endsWith("s") ? word : only;
  }
  const near = nearest(word, vocabulary(), allowed);
  const names = near.length > 0 ? near : swapped(word);
  const [common] = nearest(word, commonWords(), 1);
  if (common !== undefined && areSwapped(word, common)) return common;
  // As near as a word that everybody uses, a rare one is not meant: "collage" is no collagen, but "burgler" sounds alike.
  const isRare = (name: string): boolean => !isKnownWord(name) && !isMistaken(word, name, []);
  const isUsual = common !== undefined && wordWeight(common) <= USUAL;
  if (isUsual && names.every((name) => name === common || isRare(name))) return common;
  const [name = common ?? word, ...others] = names;
  if (others.length === 0) return name;
  // A letter that stands twice is what people miss: "trimer" is no timer.
  const [doubled, ...more] = names.filter((other) => undoubled(other) === undoubled(word));
  if (doubled !== undefined && more.length === 0) return doubled;
  // Names are misspelt, too: of "vacuum" and "vaccuum" people mean the one that is an ordinary word.
  const [noun, ...nouns] = names.filter((other) => lexicon().terms.get([other]) !== undefined);
  if (noun !== undefined && nouns.length === 0) return noun;
  return common !== undefined && names.includes(common) ? common : word;
}

/** The word, with its stems, as it was meant if it is misspelt so; only words that may be are looked for among the names. */
export function withoutMistake(word: string, stems: readonly string[]): string {
  const meant = /ie|ei/.test(word) || UNCLEAR_ENDING.test(word) ? meantWord(word) : word;
  return isMistaken(word, meant, stems) ? meant : word;
}

/** The shortest part of a compound: "a long" is no "along". */
const LEAST_PART = 2;

/** Words before a product or a purpose that are never a part of a compound: "for getting" is no "forgetting". */
const LEADING = wordSet(
  "for to in on with from at by of and or not no that is are an the i it my so",
);

/** Words that go on with a verb, and those that it stands behind: "you plug in" does not mean a plug-in. */
const PARTICLES = wordSet("in on up out off over down away by");
const BEFORE_PHRASAL_VERB = wordSet(
  "to i you we they it and or can will that which dont doesnt wont never",
);

/** Whether a word goes on with a verb, or begins a compound that says where something is: "over-ear". */
export const isParticle = (word: string): boolean => PARTICLES.has(word);

/** Whether the word at `at` is a verb with the particle behind it: "to carry on hikes" asks for no carry-on. */
export const isPhrasalVerb = (words: readonly string[], at: number): boolean =>
  PARTICLES.has(words[at + 1] ?? "") && BEFORE_PHRASAL_VERB.has(words[at - 1] ?? "");

/** Words that count what follows: "every day" is how often, and "every day carry" a name. */
const COUNTING = wordSet("every each any some");

/** Folded words with compounds as the word lists have them. */
export function compounds(words: readonly string[]): string[] {
  const { kinds, terms, joined } = lexicon();
  const read: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const [word = "", next = ""] = [words[i], words[i + 1]];
    const both = word + next;
    const isVerb = isPhrasalVerb(words, i);
    const after = words[i + 2];
    const isCounted = COUNTING.has(word) && (after === undefined || LEADING.has(after));
    const isPair = !isVerb && !isCounted && !LEADING.has(word) && word.length >= LEAST_PART &&
      next.length >= LEAST_PART &&
      both.length >= LEAST;
    // "E-ink" is no ink.
    const isElectronic = word === "e" && terms.get([both]) !== undefined;
    // The "tree" of a christmas tree belongs to its name, and not to the stand.
    const isTaken = i > 0 && kinds.has(`${words[i - 1]} ${word}`);
    const isJoined = (isElectronic || (isPair && !isTaken && isOneWord(both))) &&
      !isOther(terms.get([word, next]), both);
    if (isJoined && !isInName(words, i)) {
      read.push(both);
      i++;
      continue;
    }
    const isKnown = isOneWord(word) || terms.get([word]) !== undefined;
    const apart = isKnown ? null : joined.get(word)?.name.split(" ") ?? joinedNames().get(word);
    read.push(...apart ?? [word]);
  }
  return read;
}

/** A word and the next, with the blank or the hyphen between them. */
const PAIRS = /([\p{L}\p{N}]+)(?=([ -])([\p{L}\p{N}]+))/gu;

/** A name with the compounds as a query has them in two words: "slow cooker" for "slowcooker", "multi-tool". */
export function asTyped(name: string, query: string): string {
  const apart = new Map(
    [...query.toLowerCase().matchAll(PAIRS)]
      .map(([, word = "", between = "", next = ""]) => [word + next, word + between + next]),
  );
  return name.split(" ").map((word) => apart.get(word) ?? word).join(" ");
}

/** Names of two words that only queries are read by, by those words written together: "guitarcase". */
const joinedNames = once((): ReadonlyMap<string, readonly string[]> => {
  const joined = new Map<string, readonly string[]>();
  for (const name of [...askedNames().values()].flat()) {
    const words = name.split(" ");
    if (words.length !== 2 || words.some((word) => word.length <= LEAST_PART)) continue;
    for (const form of [name, singular(name), plural(name)]) {
      joined.set(form.replace(" ", ""), form.split(" "));
    }
  }
  return joined;
});

/** Words of the longest name that is looked up. */
const LONGEST_NAME = 4;

/** Whether the words at `at` and behind it are part of a longer name, which has them apart: "wifi light bulb". */
function isInName(words: readonly string[], at: number): boolean {
  for (let from = Math.max(0, at + 2 - LONGEST_NAME); from <= at; from++) {
    for (let to = Math.max(from + 3, at + 2); to <= from + LONGEST_NAME; to++) {
      const name = words.slice(from, to);
      if (to <= words.length && kindCalled(name) !== undefined) return true;
    }
  }
  return false;
}

/** Whether the words apart name a product, and not one whose name is the word. */
const isOther = (apart: LexiconTerm | undefined, together: string): boolean =>
  apart?.type === "kind" &&
  singular(apart.kind.name).replaceAll(/[ -]/g, "") !== singular(together);

const isOneWord = (word: string): boolean => vocabulary().has(word) || isKnownWord(word);
