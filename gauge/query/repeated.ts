/** Which words of a query ask nothing besides the product, though they are not its name: those that repeat or refuse. */
import { MEASURED } from "../amounts/amounts.ts";
import { isAnyProduct, namingWords } from "../words/same.ts";
import { ARTICLES, BEING, isAmount, standsForProduct } from "../words/word_classes.ts";
import { type Head, type KindSpan, segments } from "./head.ts";
import { includesAt, type QueryWord } from "./parts.ts";
import { partedFrom } from "./placed.ts";

/**
 * Whether a product that is named behind the one that is asked for says nothing besides: another name for it ("a wallet,
 * or billfold"), or what it is for anyway ("guitar pedal for electric guitar").
 */
function repeatsHead(
  words: readonly QueryWord[],
  head: Head,
  { start, end, kinds }: KindSpan,
  isOwn: (word: QueryWord) => boolean,
): boolean {
  if (start <= head.last) return false;
  const named = words.slice(start, end);
  if (named.slice(-1).some(isOwn)) return true;
  const [kind, ...others] = kinds;
  return kind !== undefined && others.length === 0 &&
    head.spans.some((span) => span.kinds.includes(kind)) &&
    namingWords(named.map(({ word }) => word), kind).length === named.length;
}

/** Whether a product behind the one that is asked for should not be it: "a tent, not a hammock". */
export function isRefused(
  words: readonly QueryWord[],
  { last }: Head,
  { start }: KindSpan,
): boolean {
  const at = words.findLastIndex(({ word }, i) => i < start && !ARTICLES.has(word));
  return start > last + 1 && words[at]?.word === "not" && !BEING.has(words[at - 1]?.word ?? "");
}

/** Whether a brand stands right before its model, which says it already: "Sennheiser HD 598". */
const isMaker = ({ spans }: Head, { end, isBrand }: KindSpan): boolean =>
  isBrand === true && spans.some((model) => model.isBrand === true && model.start === end);

/**
 * The word right behind the product that restricts nothing, though no list knows it: another product of which either will
 * do ("sofa or sectional"), or a noun of anything ("welder machine").
 */
function nounBehind(
  words: readonly QueryWord[],
  { last }: Head,
  spans: readonly KindSpan[],
): number[] {
  const typed = words.map(({ word }) => word);
  const next = typed[last + 1] ?? "";
  const other = last + 2;
  const isLast = segments(typed, spans).find(includesAt(last))?.end === other + 1;
  const isNumber = isAmount(typed[other] ?? "");
  if (next === "or" && isLast && !isNumber && !spans.some(includesAt(other))) return [other];
  return isAnyProduct(next) ? [last + 1] : [];
}

/** The places of words that ask nothing besides the product, though they are not its name. */
export function sayNothingMore(
  words: readonly QueryWord[],
  head: Head,
  spans: readonly KindSpan[],
  isOwn: (word: QueryWord) => boolean,
): number[] {
  // "Not a Herman Miller price tag": what goes on from a name is refused with it.
  const refused = spans.filter((span) => isRefused(words, head, span))
    .map(({ start, end }) => ({ start, end: partedFrom(words, end) }));
  const products = [
    ...spans.filter((span) => repeatsHead(words, head, span, isOwn) || isMaker(head, span)),
    ...refused,
  ];
  // "A tent that weighs less than 3 lbs": the measure says it.
  const isOfMeasure = (i: number): boolean =>
    standsForProduct(words[i - 1]?.word) && words[i + 1]?.word === MEASURED;
  return [
    ...words.flatMap((word, i) =>
      isOwn(word) || isOfMeasure(i) || products.some(includesAt(i)) ? [i] : []
    ),
    ...nounBehind(words, head, spans),
  ];
}
