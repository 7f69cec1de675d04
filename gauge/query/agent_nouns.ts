/** Products said by what they do: "machine for grinding coffee" and "coffee grinding machine" as "coffee grinder". */
import { singular } from "../../mining/lexicon/grammar.ts";
import { namingWords } from "../words/same.ts";
import { ARTICLES, wordSet } from "../words/word_classes.ts";
import type { FindKinds } from "./head.ts";

/** Nouns of anything that does something. */
const DOING = wordSet(
  "machine machines device devices tool tools appliance appliances gadget gadgets",
);
/** Words between such a noun and the verb; behind "that" the verb has an ending of its own. */
const BEFORE_VERB = wordSet("for to that which");
/** Words that go before a noun. */
const PASSED = new Set([...ARTICLES, ...wordSet("any my your his her our their old small")]);
const VOWELS = /[aeiou]/;

/** The nouns for who does what the verb says: "grinder" of "grind", "shredder" of "shred" and "shredding". */
function agentsOf(verb: string, isThird: boolean): string[] {
  if (verb.endsWith("ing")) return [verb.replace(/ing$/, "er")];
  const base = isThird
    ? verb.replace(/ies$/, "ys").replace(/(?:(?<=ch|sh|ss|x|z|o)e)?s$/, "")
    : verb;
  const [before = "", vowel = "", last = ""] = base.slice(-3);
  const isDoubled = !VOWELS.test(before) && VOWELS.test(vowel) && /[^aeiouwxy]/.test(last);
  return [
    base.endsWith("e") ? `${base}r` : `${base}er`,
    ...isDoubled ? [`${base}${last}er`] : [],
  ];
}

/** The first of the names that mean the whole of a kind. */
function known(names: readonly string[][], findKinds: FindKinds): string[] | undefined {
  return names.find((name) =>
    findKinds(name).some(({ start, end, kinds: [kind, ...others] }) =>
      start === 0 && end === name.length && kind !== undefined && others.length === 0 &&
      namingWords(name, kind).length === name.length
    )
  );
}

/** "Machine for grinding coffee", from the noun on, where nothing follows. */
function behind(words: readonly string[], at: number, findKinds: FindKinds): string[] | undefined {
  const joining = words[at + 1] ?? "";
  const verb = words[at + 2] ?? "";
  if (!BEFORE_VERB.has(joining) || (joining === "for") !== verb.endsWith("ing")) return undefined;
  const [object, ...others] = words.slice(at + 3).filter((word) => !PASSED.has(word));
  if (object === undefined || others.length > 0) return undefined;
  const agents = agentsOf(verb, joining === "that" || joining === "which");
  return known(agents.map((agent) => [singular(object), agent]), findKinds);
}

/** "Coffee grinding machine", from the object on. */
function before(words: readonly string[], at: number, findKinds: FindKinds): string[] | undefined {
  const [object, verb = ""] = words.slice(Math.max(0, at - 2), at);
  if (object === undefined || !verb.endsWith("ing")) return undefined;
  return known(agentsOf(verb, false).map((agent) => [object, agent]), findKinds);
}

/** The words with what a product does replaced by its name, where the lists have one. */
export function withAgentNouns(words: readonly string[], findKinds: FindKinds): readonly string[] {
  const at = words.findIndex((word) => DOING.has(word));
  if (at < 0) return words;
  const after = behind(words, at, findKinds);
  if (after !== undefined) return [...words.slice(0, at), ...after];
  const own = before(words, at, findKinds);
  return own === undefined ? words : [...words.slice(0, at - 2), ...own, ...words.slice(at + 1)];
}
