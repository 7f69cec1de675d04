/**
 * Parts a query into clauses: reads the marks of titles as the words they stand for, drops what only says when, how many
 * or how old, and cuts at stops, colons and dashes.
 */
import {
  ARTICLES,
  beginsPhrase,
  EMPTY_WORDS,
  isPeople,
  onlyAsks,
  wordSet,
} from "../../words/word_classes.ts";
import { isAnyProduct } from "../../words/same.ts";
import { anyOf, wording } from "../../words/wording.ts";
import { american } from "../../../mining/lexicon/tokens.ts";
import { CHOICE, type FindKinds, type KindSpan } from "../head.ts";
import { foldedWords, foldQuery } from "../../input.ts";
import type { Range } from "../parts.ts";
import { namesKind } from "../kinds.ts";

/** A part of a query, and whether it names what is asked for rather than what else is said. */
export interface Clause {
  readonly text: string;
  readonly asks: boolean;
}
export const asking = (text: string): Clause => ({ text, asks: true });
export const telling = (text: string): Clause => ({ text, asks: false });

/** Words that may stand between an article and its product: "my old road bike". */
export const MOST_BETWEEN = 2;

/** Words that end the first phrase of a sentence. */
export const PHRASE_END = wordSet(
  "who whose that which with without in on at for to from under of are is was were have has had do does will would",
);

const typedWords = (text: string): string[] =>
  text.toLowerCase().split(/\s+/).filter((word) => word !== "");

/** Whether a text has only words of grammar and words that ask. A word with a mark at it is neither. */
export const isEmpty = (text: string): boolean =>
  typedWords(text.replaceAll(/['’]/g, "")).every((word) => EMPTY_WORDS.has(word));

/** A text without the empty words at both ends, but with its people: "women" of "find women who are". */
export function withoutEmptyEnds(text: string): string {
  const words = text.trim().split(/\s+/);
  const says = (word: string): boolean => !isEmpty(word) || isPeople(word);
  return words.slice(words.findIndex(says), words.findLastIndex(says) + 1).join(" ")
    .replace(/,$/, "");
}

/** How titles of shops are written: "w/ lid", "w/o a lid", "w/out a lid", "kettle / teapot", "gas/electric". */
const TITLE_MARKS: readonly (readonly [RegExp, string])[] = [
  [/\bw\/o(?:ut)?\b\.?\s*/gi, "without "],
  [/(?<![&\d]\s*)\bw\/\s*(?=[a-z]{2})/gi, "with "],
  [/(?<=[a-z]{3})\/(?=[a-z]{3})|\s+\/\s+/gi, " or "],
  // What is denied before an aside ends there: "not glossy (anti glare)".
  [/(?<=\b(?:not|no|without)\s+\S+)\s+\(([^()]+)\)/gi, ", $1"],
];

/** What a bracket says that it should not be: "a synth (not software), the first one". */
const DENIED_ASIDE = /\s*\(((?:not|no|without)\s[^()]+)\)/gi;

/** A query with what its brackets deny at its end, where it denies nothing else; before any reason. */
function withDenialsLast(query: string): string {
  const denials = [...query.matchAll(DENIED_ASIDE)].map(([, denial = ""]) => denial);
  if (denials.length === 0) return query;
  const rest = query.replaceAll(DENIED_ASIDE, "").replace(/[\s,.;!?]+$/, "");
  const reason = rest.search(/\s+because\b/i);
  const at = reason < 0 ? rest.length : reason;
  return [rest.slice(0, at), ...denials].join(", ") + rest.slice(at);
}

/** A product that is set against the one that is asked for, before it: "not a laptop but a tablet", "no tent, a tarp". */
const SET_AGAINST =
  /^\W*(?:not|no)\s+(?<denied>[^,;:.?!]{2,60}?)(?:\s*,(?:\s*(?:but|just|only)\b)?|\s+but)\s+(?<meant>.+)$/i;

/** The product that a text names and says no more of, but for an article; undefined for no such. */
export function onlyProduct(text: string, findKinds: FindKinds): KindSpan | undefined {
  const words = foldedWords(text).filter((word) => !ARTICLES.has(word));
  return findKinds(words).find(({ start, end }) => start === 0 && end === words.length);
}

/** A query with the product behind that it is set against: "a tablet, not a laptop". */
function withProductFirst(query: string, findKinds: FindKinds): string {
  const { denied = "", meant = "" } = SET_AGAINST.exec(query)?.groups ?? {};
  // "No subscription camera, with night vision" asks for a camera.
  const against = onlyProduct(denied, findKinds);
  if (against === undefined) return query;
  const words = foldedWords(meant);
  const [product] = findKinds(words);
  return product === undefined || beginsPhrase(words[0] ?? "") ||
      product.kinds.some((kind) => against.kinds.includes(kind))
    ? query
    : `${meant.replace(/[\s,.;!?]+$/, "")}, not ${denied}`;
}

/** How old or whole a product is that somebody has, before its name of three words at most. */
const HAD = new RegExp(
  wording`\b(my|our|his|her|their)\s+
    (?:(?:old|current|existing|previous|last|present|broken|dead|dying) )+((?:[\w-]+\s*){1,3})`,
  "gi",
);

/** Whether words begin with a product's whole name: "phone screen" is not one of a phone. */
const beginsWithProduct = (words: readonly string[], findKinds: FindKinds): boolean =>
  findKinds(words).some(({ start, end }) =>
    start === 0 && (end === words.length || EMPTY_WORDS.has(words[end] ?? ""))
  );

/**
 * One example of what is asked for, three words at most. None is "and" or "or": otherwise a list could be matched in
 * exponentially many ways.
 */
const EXAMPLE_WORD = String.raw`(?!(?:and|or)\b)[\w'-]+`;
const EXAMPLE = String.raw`${EXAMPLE_WORD}(?:\s${EXAMPLE_WORD}){0,2}?`;
/** Several examples at the end of a query: "footwear such as pumps, sandals and flats", "footwear: pumps, sandals". */
const EXAMPLES = new RegExp(
  String.raw`(?:\s(?:such as|like)|:)\s+` +
    String
      .raw`(?<list>${EXAMPLE}(?:\s*,\s*(?:(?:and|or)\s+)?${EXAMPLE})+(?:\s+(?:and|or)\s+${EXAMPLE})?)[.?!]*$`,
  "i",
);

/** A text with other words in the place of those that were found in it. */
const inPlaceOf = ({ input, index, 0: all }: RegExpExecArray, words: string): string =>
  input.slice(0, index) + words + input.slice(index + all.length);

/** Joins products that a query gives as examples by "or", since any of them will do: "footwear such as pumps or sandals". */
function withExamples(query: string, findKinds: FindKinds): string {
  const found = EXAMPLES.exec(query);
  if (found === null) return query;
  // Examples are of a product that stands right before them: "with: a lens, a bag" has none. A kit has all of its parts.
  const before = foldedWords(query.slice(0, found.index));
  const isNamed = !isAnyProduct(before.at(-1) ?? "") &&
    findKinds(before).some(({ end }) => end === before.length);
  const items = (found.groups?.["list"] ?? "").split(/,|\b(?:and|or)\b/i)
    .map((item) => item.trim()).filter((item) => item !== "");
  return isNamed && items.every((item) => namesKind(item, findKinds))
    ? inPlaceOf(found, ` such as ${items.join(" or ")}`)
    : query;
}

const CHOSEN_AMONG = String.raw`${EXAMPLE}(?:\s*,\s*${EXAMPLE})*\s*,?\s+or\s+${EXAMPLE}`;
/** What is set apart behind a product, in brackets or behind a comma: "a television, new or used", "paint (blue, red or green)". */
const CHOICES = new RegExp(
  String.raw`\s*\((?<bracketed>${CHOSEN_AMONG})\)|,\s*(?<plain>${CHOSEN_AMONG})(?=\s*(?:[,.?!]|$))`,
  "i",
);

/** A query with `CHOICE` before what is set apart behind a product, either of which will do; uses and products are none. */
function withChoice(query: string, findKinds: FindKinds): string {
  const found = CHOICES.exec(query);
  if (found === null) return query;
  const { bracketed, plain = "" } = found.groups ?? {};
  const list = bracketed ?? plain;
  const before = foldedWords(query.slice(0, found.index));
  // "A knife for camping, survival or bushcraft" lists uses.
  const isSetApart =
    findKinds(before).some(({ start, end }) =>
      end === before.length && !before.slice(start).some(beginsPhrase)
    ) &&
    !foldedWords(list).some((word) => beginsPhrase(word) || word === "similar") &&
    (bracketed !== undefined || !namesKind(list, findKinds));
  return isSetApart
    ? inPlaceOf(found, ` ${CHOICE} ${list.replaceAll(/\s*,(?:\s+or\b)?/gi, " or")}`)
    : query;
}

/** A query as a sentence has it: marks of titles in words, "my kettle" for "my old kettle", examples joined by "or". */
export function spelledOut(query: string, findKinds: FindKinds): string {
  const written = TITLE_MARKS.reduce(
    (text, [mark, words]) => text.replaceAll(mark, words),
    withDenialsLast(withChoice(withProductFirst(query, findKinds), findKinds)),
  );
  return withExamples(written, findKinds).replaceAll(
    HAD,
    (all, whose: string, named: string) =>
      beginsWithProduct(foldedWords(named), findKinds) ? `${whose} ${named}` : all,
  );
}

/** When it is asked: "right now"; "this year's" and "from last year" say which product. */
const NOW = new RegExp(
  String.raw`(?<!\b(?:from|for|of|in|by|since|than|before)\s*)\s*\b` +
    anyOf(
      "right now|these days|nowadays|at the moment",
      "(?:this|last) (?:year|season|month|week)",
    ) +
    String.raw`\b(?!['’])`,
  "gi",
);

/** How many, or of what sort, what follows is: "a line of", "pairs of", "one of those". */
const PARTITIVE = new RegExp(
  wording`\b(?:one of (?:those|these|the)|
    (?:(?:an?|the|any|some|new) )*(?:pair|kind|type|sort|couple|number|line|range|piece|length|
    shade|series|collection|selection|brand|style|variety)s? of) (?=[a-z])`,
  "gi",
);

/** Of what sort demand is, or how it is measured: "current buyer demand", "demand level". */
const HOW_MUCH = new RegExp(
  wording`\b(?:current|existing|actual|recent|present) (?=(?:(?:buyer|consumer|customer|market|user|shopper)s? )?
    (?:demand|interest)\b)|(?<=(?<!\b(?:on|in|of) )\b(?:demand|interest) )
    (?:levels?|volumes?|strength|score)\b(?=\s*(?:$|[,;:.?!]|(?:for|of|among|from)\b))`,
  "gi",
);

/** Among whom there is a market: "a market among runners for shoes". */
const AMONG =
  /\b(demand|market|call|interest)\s+(?:among(?:st)?|from|by)\s+[^,;:.?!]*?\s+(?=for\b)/gi;

/** What is done with an idea. A clause of such and empty words says nothing, though each may be said of a product. */
const CHECKS = wordSet(
  "check test verify confirm gauge measure research concept concepts evidence hypothesis",
);
const checks = (word: string): boolean => CHECKS.has(word) || CHECKS.has(word.replace(/ing$/, ""));
const onlyChecks = (text: string): boolean =>
  typedWords(text.replace(/^\W+/, "")).every((word) => EMPTY_WORDS.has(word) || checks(word));

/** Words of what a query is called before a colon, at most: "consumer need assessment: …". */
const MOST_TITLE = 4;

/** A query without what it is called, where that checks or asks, names no product, and what follows does. */
function withoutTitle(query: string, findKinds: FindKinds): string {
  const [, title = "", rest = ""] = /^([^:]+):\s+(.+)$/.exec(query) ?? [];
  const words = foldedWords(title);
  // "For small hands: mouse" asks, though "for" is empty.
  const isTitle = words.length <= MOST_TITLE &&
    words.some((word) => onlyAsks(word) || checks(word));
  return isTitle && !namesKind(title, findKinds) && namesKind(rest, findKinds) ? rest : query;
}

/** A dash or bar between words, as titles of shops have it. */
const DASH = String.raw`\s+[-–—|]+\s+`;
const CLAUSE_END = new RegExp(String.raw`[;:?!]+(?:\s+|$)|(?<=\w\w)\.(?:\s+|$)|${DASH}`);

/** A query cut where a clause ends; some of the texts may say nothing. */
export const cutAtEnds = (query: string): string[] => query.split(CLAUSE_END);

/** A query as its sentences, each with the mark that ends it. */
export const splitSentences = (query: string): string[] =>
  query.split(/(?<=[;?!])\s+|(?<=\w\w\.)\s+/).filter((text) => text.trim() !== "");

const wordsIn = (sentence: string): string[] => sentence.replace(/\W+$/, "").split(/\s+/);

/** The kinds that a sentence names, by the places of its words as they are written: "A/V" is one. */
export function kindsIn(sentence: string, findKinds: FindKinds): KindSpan[] {
  const folded = wordsIn(sentence).flatMap((word, at) =>
    foldedWords(word).map((part) => ({ word: american(part), at }))
  );
  return findKinds(folded.map(({ word }) => word)).map((span) => ({
    ...span,
    start: folded[span.start]?.at ?? 0,
    end: (folded[span.end - 1]?.at ?? 0) + 1,
  }));
}

/** A product's name, and what is said behind it as a clause of its own: "kettle that whistles", but "kettle for tea". */
export function withBehind(name: string, behind: string): string {
  const goesOn = behind.trim() === "" || /[,.]$/.test(name) ||
    PHRASE_END.has(foldedWords(behind)[0] ?? "");
  return `${name}${goesOn ? "" : " that"}${behind}`;
}

/**
 * Sentences with the product first that one of them names at `span`, and then what else they say: of "we sell tea. Should
 * we add a quiet kettle for it?" the "quiet kettle for it".
 */
export function productFirst(
  sentences: readonly string[],
  sentence: string,
  { start, end }: Range,
): Clause[] {
  const words = wordsIn(sentence);
  const before = words.slice(0, start).map(foldQuery)
    .findLastIndex((word) => EMPTY_WORDS.has(word) || PHRASE_END.has(word));
  const from = Math.max(before + 1, start - MOST_BETWEEN);
  const others = sentences.filter((other) => other !== sentence)
    .map((other) => other.replace(/\W+$/, ""));
  const name = words.slice(from, end).join(" ");
  const behind = words.slice(end).map((word) => ` ${word}`).join("");
  return [
    asking(withBehind(name, behind)),
    ...[words.slice(0, from).join(" "), ...others].filter((text) => text !== "").map(telling),
  ];
}

/** The clauses of a query without what says nothing of the product; those that only check an idea if there are no others. */
export function clausesOf(query: string, findKinds: FindKinds): string[] {
  const plain = query.replaceAll(NOW, "").replaceAll(PARTITIVE, "").replaceAll(AMONG, "$1 ")
    .replaceAll(HOW_MUCH, "");
  const clauses = cutAtEnds(withoutTitle(plain, findKinds)).filter((text) => text.trim() !== "");
  const saying = clauses.filter((text) => !onlyChecks(text));
  return saying.length > 0 ? saying : clauses;
}

/** A title up to the first dash behind its product. */
const TITLE_BREAK = new RegExp(String.raw`^[^;:?!]*?\S${DASH}`);

/** The clauses of a title as one: what stands behind a dash says more of the product before it, "kettle - electric". */
export function joinedTitle(
  query: string,
  clauses: readonly Clause[],
  findKinds: FindKinds,
): readonly Clause[] {
  const [first, ...others] = clauses;
  return first !== undefined && others.length > 0 && TITLE_BREAK.test(query) &&
      namesKind(first.text, findKinds)
    ? [asking(clauses.map(({ text }) => text).join(" with "))]
    : clauses;
}
