/** Products said by what they do: "machine for grinding coffee" and "coffee grinding machine" as "coffee grinder". */
import { singular } from "../../mining/lexicon/grammar.ts";
import { namingWords } from "../words/same.ts";
import type { FindKinds } from "./head.ts";

/** Nouns of anything that does something. */
const DOING = new Set(
  "machine machines device devices tool tools appliance appliances gadget gadgets".split(" "),
);
/** Words between such a noun and the verb; behind "that" the verb has an ending of its own. */
const BEFORE_VERB = new Set("for to that which".split(" "));
/** Words that go before a noun. */
const PASSED = new Set("a an the any my your his her our their old small".split(" "));
/** How many words behind the verb may name what it is done to: "blows the fallen leaves". */
const MOST_OBJECTS = 3;

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

/** "Machine for grinding coffee beans", from the noun on: the name, and how many words it stands for. */
function behind(
  words: readonly string[],
  at: number,
  findKinds: FindKinds,
): { readonly name: string[]; readonly length: number } | null {
  const joining = words[at + 1] ?? "";
  const verb = words[at + 2] ?? "";
  if (!BEFORE_VERB.has(joining) || (joining === "for") !== verb.endsWith("ing")) return null;
  const agents = agentsOf(verb, joining === "that" || joining === "which");
  let from = at + 3;
  while (PASSED.has(words[from] ?? "")) from++;
  for (let i = from; i < Math.min(words.length, from + MOST_OBJECTS); i++) {
    if (BEFORE_VERB.has(words[i] ?? "")) break;
    const object = singular(words[i] ?? "");
    const name = known(agents.map((agent) => [object, agent]), findKinds);
    if (name !== undefined) return { name, length: i + 1 - at };
  }
  return null;
}

/** "Coffee grinding machine", from the verb on. */
function before(words: readonly string[], at: number, findKinds: FindKinds) {
  const verb = words[at - 1] ?? "";
  if (!verb.endsWith("ing")) return null;
  const object = words[at - 2];
  const agents = agentsOf(verb, false);
  const names = object === undefined ? [] : agents.map((agent) => [object, agent]);
  const isNamed = findKinds([verb, words[at] ?? ""]).some(({ end }) => end === 2);
  const name = known([...names, ...isNamed ? [] : agents.map((agent) => [agent])], findKinds);
  return name === undefined ? null : { name, length: name.length + 1 };
}

/** The words with what a product does replaced by its name, where the lists have one. */
export function withAgentNouns(words: readonly string[], findKinds: FindKinds): readonly string[] {
  const at = words.findIndex((word) => DOING.has(word));
  if (at < 0) return words;
  const after = behind(words, at, findKinds);
  if (after !== null) {
    return [...words.slice(0, at), ...after.name, ...words.slice(at + after.length)];
  }
  const own = before(words, at, findKinds);
  return own === null
    ? words
    : [...words.slice(0, at + 1 - own.length), ...own.name, ...words.slice(at + 1)];
}
