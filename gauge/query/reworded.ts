/**
 * Products that are said otherwise than by their names: by what they do ("machine for grinding coffee" as "coffee
 * grinder"), with the words of the name apart ("chair to sit on at a desk" as "desk chair") or more of them ("messenger
 * style bag"). And beginners who say so otherwise.
 */
import { singular } from "../../mining/lexicon/grammar.ts";
import { inherentWords } from "../../mining/lexicon/inherent.ts";
import { namingWords, wholeKind } from "../words/same.ts";
import { ARTICLES, OPENING, wordSet } from "../words/word_classes.ts";
import { CLAUSE, DETERMINERS, type FindKinds, PURPOSE } from "./head.ts";
import { includesAt } from "./parts.ts";

/** Nouns of anything that does something. */
const DOING = wordSet(
  "machine machines device devices tool tools appliance appliances gadget gadgets",
);
/** Words between such a noun and the verb; behind "that" the verb has an ending of its own. */
const BEFORE_VERB = wordSet("for to that which");
/** Words that go before a noun. */
const BEFORE_NOUN = new Set([...ARTICLES, ...wordSet("any my your his her our their old small")]);
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
  const [object, ...others] = words.slice(at + 3).filter((word) => !BEFORE_NOUN.has(word));
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
function withAgentNouns(words: readonly string[], findKinds: FindKinds): readonly string[] {
  const at = words.findIndex((word) => DOING.has(word));
  if (at < 0) return words;
  const after = behind(words, at, findKinds);
  if (after !== undefined) return [...words.slice(0, at), ...after];
  const own = before(words, at, findKinds);
  return own === undefined ? words : [...words.slice(0, at - 2), ...own, ...words.slice(at + 1)];
}

/** Words of what somebody does with a product, or of how fit it is, before what it is for: "that I can use for". */
const USING = wordSet(
  "good great suitable ideal perfect best used use meant made designed is are that which i we can",
);
/** Words behind which nothing says what a product is for. */
const AFTER_PURPOSE = new Set([
  ...[...OPENING].filter((word) => word !== "for"),
  ...wordSet("not no like than instead"),
]);

/** The forms of a verb that a name may have: "film" and "filming". */
function formsOf(word: string): string[] {
  if (word.endsWith("ing")) {
    const stem = word.slice(0, -3);
    return [stem, `${stem}e`, ...stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : []];
  }
  return [
    `${word}ing`,
    `${word}${word.at(-1)}ing`,
    ...word.endsWith("e") ? [`${word.slice(0, -1)}ing`] : [],
  ];
}

/** Whether a word, in one form or another, says nothing of this kind: sitting of a desk chair. */
function saysNothing(kind: string, word: string): boolean {
  const { all } = inherentWords(kind);
  return PURPOSE.has(word) || DETERMINERS.has(word) || USING.has(word) ||
    [word, singular(word), ...formsOf(word)].some((form) => all.includes(form));
}

/** A name of the word lists, and the whole kind that it means. */
interface Named {
  readonly name: readonly string[];
  readonly kind: string;
}

/** The name that ends with the noun, of which `said` are the other words, in whatever form; undefined for none. */
function nameOf(said: readonly string[], noun: string): Named | undefined {
  const before = said.slice(0, -1);
  const last = said.at(-1) ?? "";
  for (const form of [last, singular(last), ...formsOf(last)]) {
    const name = [...before, form, noun];
    const kind = wholeKind(name);
    if (kind !== undefined) return { name, kind };
  }
  return undefined;
}

/**
 * "Speakers for my car" as "car speakers", where the word lists have that as one product; not where it is another
 * name for what stands there: a "sleeping bag for camping" is not asked for as a "camping bag".
 */
function attributive(words: readonly string[], findKinds: FindKinds): readonly string[] {
  for (const [at, word] of words.entries()) {
    const named = at > 0 && (word === "for" || word === "to")
      ? namedAcross(words, at, findKinds)
      : undefined;
    if (named !== undefined) return named;
  }
  return words;
}

/** The same across the "for" or "to" at `at`; undefined where no name is said so. */
function namedAcross(
  words: readonly string[],
  at: number,
  findKinds: FindKinds,
): readonly string[] | undefined {
  let end = at;
  while (end > 1 && USING.has(words[end - 1] ?? "")) end--;
  const noun = words[end - 1] ?? "";
  // "Surround speakers for travel" have a name of their own.
  if (findKinds(words.slice(0, end)).some((span) => span.end === end && span.start < end - 1)) {
    return undefined;
  }
  // "A knife for camping or survival" is for either.
  const closes = (i: number): boolean => {
    const next = words[i + 1] ?? "for";
    return PURPOSE.has(next) || CLAUSE.has(next);
  };
  let said: readonly string[] | undefined;
  for (let i = at + 1; i < words.length && !AFTER_PURPOSE.has(words[i] ?? ""); i++) {
    // "A machine for drying food" is not a drying machine.
    if (!closes(i)) continue;
    for (const from of [i - 1, i]) {
      const named = from > at ? nameOf(words.slice(from, i + 1), noun) : undefined;
      if (named === undefined) continue;
      const { name, kind } = named;
      // "A chair for sitting at a desk" is a desk chair, and a "bag for cold nights in a tent" no tent bag.
      if (!words.slice(at, from).every((word) => saysNothing(kind, word))) continue;
      const after = words.slice(i + 1);
      // "A light to film with".
      const rest = after.every((word) => PURPOSE.has(word)) ? [] : after;
      said = [...words.slice(0, end - 1), ...name, ...rest];
    }
  }
  return said;
}

/** Nouns that say only that a product is of a sort: "messenger style bag". */
const OF_SORT = wordSet("style styled type");

/** The words without such nouns inside names: "messenger style bag" as "messenger bag", "courier style shoulder bag". */
const withoutSorts = (words: readonly string[]): readonly string[] =>
  words.filter((word, i) =>
    !OF_SORT.has(word) ||
    [i + 2, i + 3].every((end) =>
      wholeKind([words[i - 1] ?? "", ...words.slice(i + 1, end)]) === undefined
    )
  );

/** Words for people, or before what they are; and words for those to whom things are new. */
const WHO_IS = wordSet("someone somebody anyone anybody person people im am is are be being");
const KNOWING = wordSet("me us you them the");

/** "First kayak" and "new to kayaking" as the wish of a beginner; "the first kayak" says which of several. */
function asBeginner(words: readonly string[], findKinds: FindKinds): readonly string[] {
  const isFirst = (i: number): boolean =>
    words[i] === "first" && words[i - 1] !== "the" &&
    findKinds(words).some(({ start }) => start === i + 1);
  const isNew = (i: number): boolean =>
    words[i] === "new" && words[i + 1] === "to" && WHO_IS.has(words[i - 1] ?? "") &&
    !KNOWING.has(words[i + 2] ?? "");
  return words.map((word, i) => isFirst(i) || isNew(i) ? "beginner" : word);
}

/** The words of a query with what it asks for called by a name that the word lists have, where the words stand together. */
const asSaid = (words: readonly string[], findKinds: FindKinds): readonly string[] =>
  withoutSorts(withAgentNouns(asBeginner(words, findKinds), findKinds));

/**
 * The words of a query with its product called by a name that the word lists have, where they have one, and with what
 * says that whoever asks is a beginner.
 */
export const asNamed = (words: readonly string[], findKinds: FindKinds): readonly string[] =>
  attributive(asSaid(words, findKinds), findKinds);

/** Words of a query as they stand, of which a name was put together, and the kinds that this name and they name. */
interface Apart {
  readonly words: readonly string[];
  readonly together: readonly string[];
  readonly kind: string;
}

/**
 * The words with those left apart of which a name was put together, where one of them names a whole kind by itself: "vacuum
 * for dog hair". Null where none was.
 */
export function leftApart(words: readonly string[], findKinds: FindKinds): Apart | null {
  const said = asSaid(words, findKinds);
  const named = attributive(said, findKinds);
  const at = named.findIndex((word, i) => word !== said[i]);
  const kind = wholeKind([said[at] ?? ""]);
  if (at < 0 || kind === undefined) return null;
  const together = findKinds(named).filter(includesAt(at)).flatMap(({ kinds }) => kinds);
  return { words: said, together, kind };
}
