/**
 * Reads questions that choose, "which kettle is quiet" or "which one is", and finds the product that "one" stands for in
 * what was told before.
 */
import { AUXILIARIES, EMPTY_WORDS, PRONOUNS, wordSet } from "../../words/word_classes.ts";
import { wording } from "../../words/wording.ts";
import {
  asking,
  type Clause,
  isEmpty,
  MOST_BETWEEN,
  PHRASE_END,
  telling,
  withBehind,
} from "./clause.ts";
import { type FindKinds, isUnnamed } from "../head.ts";
import { foldedWords, foldQuery } from "../../input.ts";
import { namesKind } from "../kinds.ts";

/** "…, and ask which kettle to get", "what tent to buy for two". */
const TO_GET = new RegExp(
  wording`^(?<told>.*?)\b(?:which|what) (?<name>.+?) to (?:get|buy|choose|pick)\b(?<more>.*)$`,
  "i",
);
const AUXILIARY = "would|should|do|does|can|could|will|is|are";
/**
 * "My tea gets cold, so which kettle do you all use?", but neither "the bag in which it fits" nor "I don't know which
 * kettle". With no question behind the name it may be a relative clause.
 */
const AFTER_TOLD = new RegExp(
  wording`^(?<told>.*\w)(?<!\b(?:in|for|of|with|to|on|by|at|from|know|matter))\W+
    (?:which|what) (?<name>\S+(?: \S+){0,4}?)
    (?: (?:${AUXILIARY}|did)\s+
    (?=(?:i|we|you|people|folks|they|one|anyone|everyone|best|better|the)\b)(?<question>.*))?$`,
  "i",
);
/** "…, which kettle really keeps tea hot", "…, any kettles that whistle": behind a comma, whatever the verb. */
const BEHIND_COMMA =
  /^(?<told>.*\w)[,;]\s*(?:so\s+|and\s+)?(?<word>which|what|any)\s+(?<more>.+)$/i;
/** "…, which one is best", "…, who sells one that's dry", of what was named before. */
const WHICH_ONE = new RegExp(
  wording`^(?<told>.*\w)\W+(?:which|what|who \w+s)(?:'?s)? ones?\b(?:'s\b)?(?<more>.*)$`,
  "i",
);
/** "Which kettle suits that?", "what kettle should I get". */
const AT_START = new RegExp(
  wording`^\s*(?:which|what) (?<name>.+?) (?:suits?|fits?|works?|${AUXILIARY})(?<more>\s.*)?$`,
  "i",
);

/** What says no more than that somebody chooses: "which mouse do I pick". */
const CHOOSES = new RegExp(
  wording`^\s+(?:${[...PRONOUNS].join("|")}) (?:pick|choose|select|prefer|love|like)\W*$`,
  "i",
);

/** Words that a relative clause stands behind, beside a product and what has no name: "that one which fits". */
const POINTING = wordSet("one ones that this it");
/** A verb of a relative clause: "which holds a phone". */
const RELATIVE_VERB = /(?:[^s]s|ed)$/;
/** What stands for a product that another clause names. */
const STANDING = /^(?:one|some|any|it|them|a pair)\b(?!\s+of\b)/i;

/** Whether a text ends with a product or what stands for one, from which "which" goes on: "a tent which fits". */
function endsWithProduct(text: string, findKinds: FindKinds): boolean {
  const words = foldedWords(text);
  const last = words.at(-1) ?? "";
  return isUnnamed(last) || POINTING.has(last) ||
    findKinds(words).some(({ end }) => end === words.length);
}

/** Whether "which" goes on from what stands before it: "a tent which fits in a backpack". */
function isRelative(before: string, behind: string, findKinds: FindKinds): boolean {
  const [first = ""] = foldedWords(behind);
  return AUXILIARIES.has(first) || RELATIVE_VERB.test(first) || endsWithProduct(before, findKinds);
}

/** The product that a text names last, with what stands before it: "bivy bag" of "rain soaks my bivy bag"; "" for none. */
function lastProduct(text: string, findKinds: FindKinds): string {
  const words = foldedWords(text);
  const last = findKinds(words).at(-1);
  if (last === undefined) return "";
  const before = words.slice(Math.max(0, last.start - MOST_BETWEEN), last.start);
  const from = before.findLastIndex((word) => EMPTY_WORDS.has(word) || PHRASE_END.has(word)) + 1;
  return [...before.slice(from), ...words.slice(last.start, last.end)].join(" ");
}

/** The words up to the first product, where it is named soon: "good LED lamps" of "good LED lamps are made for tanks"; "" for none. */
function firstProduct(text: string, findKinds: FindKinds): string {
  const words = text.split(/\s+/);
  const folded = words.map(foldQuery);
  const first = findKinds(folded).at(0);
  const isSoon = first !== undefined && first.start <= MOST_BETWEEN &&
    folded.slice(0, first.start).every((word) => !AUXILIARIES.has(word) && !PHRASE_END.has(word));
  return isSoon ? words.slice(0, first.end).join(" ") : "";
}

/** What "which" asks for by such a name: the product, or for "analog one" the last that was told of; "" for none. */
function chosen(name: string, told: string, findKinds: FindKinds): string {
  const words = foldedWords(name);
  if (findKinds(words).some(({ end }) => end === words.length)) return name;
  const product = lastProduct(told, findKinds);
  const [, how = ""] = /^(.+?)\s+ones?$/i.exec(name) ?? [];
  return product === "" || isEmpty(how) ? "" : `${how} ${product}`;
}

type Reader = (text: string, findKinds: FindKinds) => readonly Clause[] | null;

const toGet: Reader = (text) => {
  const { told = "", name = "", more = "" } = TO_GET.exec(text)?.groups ?? {};
  if (isEmpty(name)) return null;
  return [asking(name + more), ...isEmpty(told) ? [] : [telling(told)]];
};

const afterTold: Reader = (text, findKinds) => {
  const { told = "", name = "", question } = AFTER_TOLD.exec(text)?.groups ?? {};
  if (isEmpty(told)) return null;
  if (question === undefined && isRelative(told, name, findKinds)) return null;
  const product = chosen(name, told, findKinds);
  if (product === "") return null;
  const said = `${told.replace(/\W+so$/i, "")} ${question?.trim() ?? ""}`.trim();
  return [asking(product), telling(said)];
};

const behindComma: Reader = (text, findKinds) => {
  const { told = "", word = "", more = "" } = BEHIND_COMMA.exec(text)?.groups ?? {};
  const product = firstProduct(more, findKinds);
  if (product === "" || isEmpty(told)) return null;
  // "A phone, which cameras make heavy".
  if (/^which$/i.test(word) && endsWithProduct(told, findKinds)) return null;
  const rest = more.slice(product.length);
  return [asking(withBehind(product, rest)), telling(told)];
};

const whichOne: Reader = (text, findKinds) => {
  const { told = "", more = "" } = WHICH_ONE.exec(text)?.groups ?? {};
  const product = lastProduct(told, findKinds);
  return product === "" ? null : [asking(`${product} that${more}`), telling(told)];
};

const atStart: Reader = (text, findKinds) => {
  const { name = "", more = "" } = AT_START.exec(text)?.groups ?? {};
  if (isEmpty(name)) return null;
  if (isEmpty(more) || CHOOSES.test(more)) return [asking(name)];
  return firstProduct(name, findKinds) === name ? [asking(`${name} that${more}`)] : null;
};

const READERS: readonly Reader[] = [toGet, afterTold, behindComma, whichOne, atStart];

/** What "which" and the like ask for, wherever they stand; null where nothing does. */
export const askedByWhich: Reader = (text, findKinds) => {
  for (const read of READERS) {
    const found = read(text, findKinds);
    if (found !== null) return found;
  }
  return null;
};

/** A clause that asks for "one", with the product that another clause names in its place. */
export function withProduct(
  { text, asks }: Clause,
  others: readonly Clause[],
  findKinds: FindKinds,
): Clause {
  const product = others.map((other) => lastProduct(other.text, findKinds))
    .find((name) => name !== "");
  return !asks || product === undefined || namesKind(text, findKinds)
    ? { text, asks }
    : { text: text.replace(STANDING, product), asks };
}
