/** Compounds written apart, together or with a hyphen: "sun glasses", "trashcan", "wi-fi". */
import { lexicon, type LexiconTerm } from "../../mining/lexicon/lexicon.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { isKnownWord } from "./common.ts";
import { isProductWord } from "./spelling.ts";

/** The shortest part of a compound: "a long" is no "along". */
const LEAST_PART = 2;
/** The shortest compound that is worth a look. */
const LEAST = 4;

/** Words before a product or a purpose that are never a part of a compound: "for getting" is no "forgetting". */
const LEADING = new Set(
  "for to in on with from at by of and or not no that is are an the i it my so".split(" "),
);

/** Folded words with compounds as the word lists have them. */
export function compounds(words: readonly string[]): string[] {
  const { terms, joined } = lexicon();
  const read: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const [word = "", next = ""] = [words[i], words[i + 1]];
    const both = word + next;
    const isPair = !LEADING.has(word) && word.length >= LEAST_PART && next.length >= LEAST_PART &&
      both.length >= LEAST;
    if (isPair && isOneWord(both) && !isOther(terms.get([word, next]), both)) {
      read.push(both);
      i++;
      continue;
    }
    const kind = isOneWord(word) || terms.get([word]) !== undefined ? undefined : joined.get(word);
    if (kind === undefined) read.push(word);
    else read.push(...kind.name.split(" "));
  }
  return read;
}

/** Whether the words apart name a product, and not one whose name is the word. */
const isOther = (apart: LexiconTerm | undefined, together: string): boolean =>
  apart?.type === "kind" &&
  singular(apart.kind.name).replaceAll(/[ -]/g, "") !== singular(together);

const isOneWord = (word: string): boolean => isProductWord(word) || isKnownWord(word);
