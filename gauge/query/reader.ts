/**
 * What the built-in reader of posts takes a sentence to ask for: "been making candles at home, but would a lip balm sell".
 * It was taught by posts, and tells what somebody wants from what they have where no words ask.
 */
import { singular } from "../../mining/lexicon/grammar.ts";
import { american } from "../../mining/lexicon/tokens.ts";
import { extract } from "../../mining/extract/mod.ts";
import { ofSentences } from "../words/word_classes.ts";
import { kindsIn, PHRASE_END, productFirst, spelledOut, splitSentences } from "./clause.ts";
import type { FindKinds, KindSpan } from "./head.ts";
import { foldedWords, foldQuery } from "./input.ts";

/** So many words at least make a sentence. */
const LEAST_WORDS = 5;
/** How certain the reader has to be of the kind. */
const LEAST_CERTAINTY = 0.6;
/** A query that asks anything shows demand; what the classifier of posts would say of it. */
const ASKING = { likelihood: 0.9, unphysical: 0.05, pattern: "recommendation_request" } as const;

/** Products by the words of their names, and their kinds. */
export interface NamedProducts {
  readonly words: readonly string[];
  readonly kinds: readonly string[];
}

/** What the reader finds in a query. */
export interface FoundProduct extends NamedProducts {
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
export function productFound(query: string, findKinds: FindKinds): FoundProduct | null {
  const typed = foldedWords(query);
  if (typed.length < LEAST_WORDS || !typed.some(ofSentences)) return null;
  const title = spelledOut(query, findKinds);
  const found = extract({ title, body: "", community: "" }, ASKING);
  if (found === null || found.headCertainty < LEAST_CERTAINTY) return null;
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
    const [product, before] = productFirst(sentence, span);
    const others = sentences.filter((other) => other !== sentence)
      .map((other) => other.replace(/\W+$/, ""));
    const said = [before?.text ?? "", ...others].filter((text) => text !== "");
    return {
      text: [product?.text ?? "", ...said].join(" because "),
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
