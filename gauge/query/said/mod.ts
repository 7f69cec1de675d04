/**
 * What a query says by itself, before the corpus is asked what its words mean: its words and amounts without those that only
 * ask, and whether it asks for a product. Where no word of a sentence asks, the built-in reader of posts tells what it
 * asks for ("been making candles at home, but would a lip balm sell"): it was taught by posts, and tells what somebody
 * wants from what they have.
 */
import { singular } from "../../../mining/lexicon/grammar.ts";
import { american } from "../../../mining/lexicon/tokens.ts";
import { extract } from "../../../mining/extract/mod.ts";
import { EMPTY_WEIGHT, wordWeight } from "../../words/common.ts";
import { compounds } from "../../words/spelling.ts";
import { beginsPhrase, ofSentences, wordSet } from "../../words/word_classes.ts";
import { type Amounts, amountsIn } from "../../amounts/amounts.ts";
import { kindsIn, PHRASE_END, productFirst, spelledOut, splitSentences } from "./clause.ts";
import { CLAUSE, type FindKinds, type KindSpan } from "../head.ts";
import { foldedWords, foldQuery, type GaugeInput } from "../../input.ts";
import { namesKind } from "../kinds.ts";
import { withoutAsking } from "./request.ts";
import { type Unasked, unaskedBy } from "./unasked.ts";

/** The most words of a query that are read: 200 characters hold few more that say anything. */
const MAX_WORDS = 24;
/** Words of one thing in a list, at most, and words that begin none. */
const MOST_LISTED = 4;
const UNLISTED = new Set([...CLAUSE, ...wordSet("and but so")]);

/**
 * Whether a comma with these texts on its sides stands in a list that ends with "or", whose parts are of one sort: "for the
 * face, neck or arms", "in a bag, on a belt or in a pocket"; neither "for the face, for dry or oily skin" nor a comma behind
 * the list.
 */
function isListed(before: string, behind: string): boolean {
  const [, items = "", last = ""] = /^(.+?)\bor\s+(.+)$/i.exec(behind) ?? [];
  const listed = items.replace(/,\s*$/, "").split(",").map(foldedWords);
  const isPhrase = ([first = ""]: readonly string[]): boolean => beginsPhrase(first);
  const arePhrases = isPhrase(foldedWords(last));
  return last !== "" &&
    listed.every((words) =>
      isPhrase(words) === arePhrases && words.length <= MOST_LISTED && !UNLISTED.has(words[0] ?? "")
    ) &&
    (!arePhrases || foldedWords(before).some(beginsPhrase));
}

/** What a comma means: "or" in a list that ends with it; "with" where a list of words begins with a product; else "and". */
function commaAt(query: string, at: number, findKinds: FindKinds): string {
  // "Laptop, tablet, or phone" has its word behind the comma.
  if (/^\s*(?:and|or)\b/i.test(query.slice(at + 1))) return " ";
  if (isListed(query.slice(0, at), query.slice(at + 1))) return " or ";
  const [first = ""] = query.split(",");
  const isList = foldedWords(query).every((word) => wordWeight(word) > EMPTY_WEIGHT);
  return isList && namesKind(first, findKinds) ? " with " : " and ";
}

/** What stands before "i.e.", which says more of a product that is named there. */
const THAT_IS = /^(.*?),?\s*\bi\.\s?e\.,?/i;

/** A denial in two words, which is read as people mostly write it: "does not" as "doesn't". */
const DENIAL = /\b(do|does|did)\s+not\b/gi;

/** Rarer words that deny, and what stands between two of which either will do, as posts mostly write them. */
const PLAIN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?<!\bcomic\s)\bsans\b(?!\s+serif)|\bminus(?=\s+(?:the|an?|any)\b)/gi, "without"],
  // "My kitchen is lacking a kettle" wants one.
  [/(?<!(?:\b(?:is|are|am|was|were)|['’](?:m|re|s))\s)\blacking\b/gi, "without"],
  [/(?<=[(,]\s*)([^(),]{2,40}?)\s+or\s+(?:similar|comparable|equivalent|the like)\b/gi, "like $1"],
  [/\b(?:rather than|instead of|as opposed to)\b/gi, "not"],
  [/\b(?:vs|versus)\b\.?/gi, "or"],
  [/\bneither\b|(?<=\b(?:has|have|having)\s+)zero\b/gi, "no"],
];

/** Sizes of batteries as they are spoken, "double-A", but nothing that "can double as" another. */
const SPOKEN_CELLS: readonly (readonly [RegExp, string])[] = [["double", "aa"], ["triple", "aaa"]]
  .map(([spoken = "", size = ""]) => [
    new RegExp(
      String
        .raw`\b${spoken}(?:-a\b|\s+a(?=(?:['’]s)?\s+(?:batter|cell|power|(?:and|or)\s)))(?:['’]s)?`,
      "gi",
    ),
    size,
  ]);

/** A word that is only repeated: "bright bright bright"; twice may be a name. */
const REPEATED = /(?<!\S)(\S+)(?:\s+\1(?!\S)){2,}/gi;

/** The words of a query, at most `most`. */
export function queryWords(
  query: string,
  findKinds: FindKinds = () => [],
  most = MAX_WORDS,
): string[] {
  const said = query.replace(
    THAT_IS,
    (all, before: string) => namesKind(before, findKinds) ? `${before} that is ` : all,
  );
  const written = [...SPOKEN_CELLS, ...PLAIN_WORDS].reduce(
    (text, [spoken, plain]) => text.replaceAll(spoken, plain),
    said,
  );
  const listed = written.replaceAll(REPEATED, "$1").replaceAll(DENIAL, "$1n't").replaceAll(
    /\b(?:e\.\s?g|i\.\s?e)\.,?/gi,
    " like ",
  )
    // "Kettle, that leaks" lists nothing.
    .replaceAll(/,(?=\s*(?:that|which|who)\b)/gi, " ")
    .replaceAll(",", (_, at: number, text: string) => commaAt(text, at, findKinds));
  return compounds(foldedWords(listed).slice(0, most).map(american));
}

/** So many words at least make a sentence. */
const LEAST_WORDS = 5;
/** How certain the reader has to be of the kind. */
const LEAST_CERTAINTY = 0.6;
/** A query that asks anything shows demand; what the classifier of posts would say of it. */
const READ_AS_REQUEST = {
  likelihood: 0.9,
  unphysical: 0.05,
  pattern: "recommendation_request",
} as const;

/** Products by the words of their names, and their kinds. */
export interface NamedProducts {
  readonly words: readonly string[];
  readonly kinds: readonly string[];
}

/** What the reader finds in a query. */
interface FoundProduct extends NamedProducts {
  /** The query with the product first, and the rest behind "because". */
  readonly text: string;
}

/** Where words stand in a sentence, in characters. */
function placesOf(words: readonly string[], sentence: string): number[] {
  let at = 0;
  return words.map((word) => {
    const start = sentence.indexOf(word, at);
    at = start + word.length;
    return start;
  });
}

/** The product that the reader finds in a sentence, where it is sure of a kind that is named; null for none. */
function productFound(query: string, findKinds: FindKinds): FoundProduct | null {
  const typed = foldedWords(query);
  if (typed.length < LEAST_WORDS || !typed.some(ofSentences)) return null;
  const title = spelledOut(query, findKinds);
  const found = extract({ title, body: "", community: "" }, READ_AS_REQUEST);
  if (found === null || found.kindCertainty < LEAST_CERTAINTY) return null;
  const { productSpan } = found;
  if (productSpan === null) return null;
  const sentences = splitSentences(title);
  let from = 0;
  for (const sentence of sentences) {
    const at = title.indexOf(sentence, from);
    from = at + sentence.length;
    if (from <= productSpan.start) continue;
    const words = sentence.split(/\s+/);
    const places = placesOf(words, sentence);
    const isFound = ({ start, end }: KindSpan): boolean =>
      at + (places[start] ?? 0) < productSpan.end &&
      at + (places[end - 1] ?? 0) + (words[end - 1]?.length ?? 0) > productSpan.start;
    const [first, ...more] = kindsIn(sentence, findKinds).filter(isFound);
    if (first === undefined) return null;
    // Of "lights on the bike" the lights, of "dog toys" the toys.
    const isSame = ({ start }: KindSpan): boolean =>
      !words.slice(first.end, start).some((word) => PHRASE_END.has(foldQuery(word)));
    const span = more.findLast(isSame) ?? first;
    return {
      text: productFirst(sentences, sentence, span).map(({ text }) => text).join(" because "),
      words: words.slice(span.start, span.end).flatMap(foldedWords).map(american),
      kinds: span.kinds,
    };
  }
  return null;
}

/** Whether the reader found another product than the one that was read of the words that were typed. */
export function isAnother(
  found: NamedProducts,
  read: NamedProducts,
  typed: readonly string[],
): boolean {
  // "A tool that blows leaves" was read as a leaf blower.
  const isTyped = read.words.every((word) => typed.includes(word));
  const noun = singular(found.words.at(-1) ?? "");
  return isTyped && !found.kinds.some((kind) => read.kinds.includes(kind)) &&
    !read.words.some((word) => singular(word) === noun);
}

/** What a text says: its amounts, and what is left of its words without them. */
export interface SaidWords {
  readonly amounts: Amounts;
  readonly words: readonly string[];
}

/** What a query says, before the corpus is asked what its words mean. */
interface Said extends SaidWords {
  readonly unasked: Unasked | null;
  /** What the reader of posts makes of it, where its words do not say what it asks for; null where they do, or it is not sure. */
  readonly found: SaidWords & { readonly product: FoundProduct } | null;
}

/** Words by which a sum is what somebody would spend. */
const PAYING = /\b(?:pay|spend)/i;

/** What a query says. */
export function saidIn(query: string, findKinds: FindKinds): Said {
  const wordsOf = (text: string): SaidWords => {
    const asked = amountsIn(text);
    // "Would people pay $80 for a kettle": the sum stands before what is asked for.
    const price = asked.price ?? (PAYING.test(query) ? amountsIn(query).price : null);
    return { amounts: { ...asked, price }, words: queryWords(asked.rest, findKinds) };
  };
  const { text, isSaid } = withoutAsking(query, findKinds);
  const unasked = unaskedBy(query, findKinds);
  const product = isSaid || unasked !== null ? null : productFound(query, findKinds);
  const found = product === null ? null : { ...wordsOf(product.text), product };
  return { ...wordsOf(text), unasked, found };
}

/** What makes two calls the same question: all that is read of a query, and the category. */
export function questionKey({ query, category }: GaugeInput, findKinds: FindKinds): string {
  const keyOf = ({ amounts: { measures, price, otherSums }, words }: SaidWords): string[][] => [
    [...words],
    [...measures, ...price === null ? [] : [price], ...otherSums]
      .map(({ name }) => name.toLowerCase().replace(/[\s,]/g, "")),
  ];
  const { unasked, found, ...said } = saidIn(query, findKinds);
  return JSON.stringify([
    ...keyOf(said),
    unasked,
    category,
    ...found === null ? [] : keyOf(found),
  ]);
}
