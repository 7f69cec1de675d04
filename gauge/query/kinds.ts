/** The product kinds that a query names, by the lexicon that named those of the signals. */
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { findNamedKinds } from "../../mining/lexicon/mentions.ts";
import { splitWords } from "../../mining/lexicon/tokens.ts";
import { kindsAsked, namingWords, wholeKind } from "../words/same.ts";
import { beginsPhrase, endsCompound, ENOUGH, modelParts, wordSet } from "../words/word_classes.ts";
import type { FindKinds, KindSpan } from "./head.ts";
import { foldedWords } from "../input.ts";
import { includesAt, overlaps, type Range } from "./parts.ts";

/** Words behind which nothing is said of a name before them: "resistant to rain". */
const isSaid = (word: string | undefined): boolean => word !== undefined && !beginsPhrase(word);

/**
 * Whether a name only says how a product is: "dishwasher safe travel mug" asks for no dishwasher, nor safe; "light enough
 * to carry" for no light.
 */
function onlyDescribes(words: readonly string[], { start, end }: Range): boolean {
  const isBehind = endsCompound(words[end - 1], words[end]) &&
    (start > 0 || isSaid(words[end + 1]));
  return isBehind || words[end] === ENOUGH ||
    (end === start + 1 && endsCompound(words[start - 1], words[start]));
}

/**
 * Finds kinds in folded words. A word with several meanings, between which a short query cannot choose,
 * names all of them.
 */
export const findKinds: FindKinds = (words) => {
  const split = splitWords(words.join(" "));
  // Scripts with combining marks are split differently; the lexicon knows none of their words.
  if (split.word.length !== words.length) return [];
  const spans: KindSpan[] = findNamedKinds(split).map(({ start, end, kind }) => ({
    start,
    end,
    kinds: [kind.name],
  }));
  for (const { start, end, value } of lexicon().terms.all(split.word, split.breakAfter)) {
    if (value.type !== "senses" || spans.some(includesAt(start))) continue;
    const kinds = new Set(value.senses.flatMap(({ kind }) => kind === null ? [] : [kind.name]));
    if (kinds.size > 0) spans.push({ start, end, kinds: [...kinds] });
  }
  for (const { start, end, value } of kindsAsked().all(split.word, split.breakAfter)) {
    const inside = spans.filter(overlaps({ start, end }));
    // A longer name says more: "foundation makeup" is no makeup.
    if (inside.some((span) => span.start < start || span.end > end)) continue;
    for (const span of inside) spans.splice(spans.indexOf(span), 1);
    spans.push({ start, end, kinds: [value] });
  }
  const named = spans.filter((span) => !onlyDescribes(words, span))
    .sort((a, b) => a.start - b.start);
  const found: KindSpan[] = [];
  for (const span of named) {
    if ((found.at(-1)?.end ?? 0) > span.start) continue;
    found.push(longerName(words, span, named.find(({ start }) => start === span.end)) ?? span);
  }
  return found;
};

/** Whether a text names a kind of product anywhere. */
export const namesKind = (text: string, findKinds: FindKinds): boolean =>
  findKinds(foldedWords(text)).length > 0;

/** Words that a name goes on with at most. */
const MOST_MORE = 3;

/**
 * The name that the last word of a name begins: a "computer desk chair" is no desk, and a "gaming headphone jack
 * splitter" no pair of headphones. One that is no longer must have more claim to the word: the first name has a word that only asks, or the
 * product `behind` it is of this kind, or of the first name's by that alone ("gaming desktop computer"). Null for none.
 */
function longerName(
  words: readonly string[],
  { start, end, kinds }: KindSpan,
  behind: KindSpan | undefined,
): KindSpan | null {
  const length = end - start;
  const own = words.slice(start, end);
  const isPartly = (naming: number): boolean => naming > 0 && naming < length;
  for (let more = MOST_MORE; length > 1 && more >= length - 1; more--) {
    const name = words.slice(end - 1, end + more);
    const isApart = (word: string): boolean => beginsPhrase(word) || word === "of";
    if (name.length <= more || name.some(isApart)) continue;
    const kind = wholeKind(name);
    if (kind === undefined) continue;
    const hasClaim = name.length > length || kinds.includes(kind) ||
      kinds.every((one) => isPartly(namingWords(own, one).length)) ||
      behind?.kinds.some((one) => one === kind || kinds.includes(one)) === true;
    if (hasClaim) return { start: end - 1, end: end + more, kinds: [kind] };
  }
  return null;
}

/** Forms in which what is rubbed in is sold, whatever it is called. */
const FORMS = wordSet("lotion cream");

/** Words without the form behind a name that says the product alone: "sunblock lotion" is sunblock. */
export function withoutForms(
  words: readonly string[],
  findKinds: FindKinds,
): readonly string[] {
  if (!words.some((word) => FORMS.has(word))) return words;
  const spans = findKinds(words);
  return words.filter((word, i) => {
    const name = spans.find(({ end }) => end === i);
    const kind = lexicon().kinds.get(name?.kinds[0] ?? "");
    const isForm = FORMS.has(word) && name !== undefined && name.kinds.length === 1 &&
      kind?.category === "beauty" &&
      !spans.some(({ start, end }) => start < i && i < end) &&
      words.slice(i + 1).every((after) => !findKinds([after]).length);
    return !isForm || namingWords(words.slice(name.start, i), name.kinds[0] ?? "").length === 0;
  });
}

/**
 * Brands and models in folded words, with the kinds of products that they make or are: for a query that names no kind.
 */
export function findBrands(words: readonly string[]): KindSpan[] {
  const { terms } = lexicon();
  const split = splitWords(words.join(" "));
  if (split.word.length !== words.length) return [];
  const models = words.flatMap((word, i) => {
    const name = word + (words[i + 1] ?? "");
    return modelParts(name) !== null && modelParts(word) === null
      ? [{ start: i, end: i + 2, name }]
      : [];
  }).flatMap(({ start, end, name }) => {
    const value = terms.get([name]);
    return value === undefined ? [] : [{ start, end, value }];
  });
  const found = [...models, ...terms.all(split.word, split.breakAfter)];
  const spans = found.flatMap(({ start, end, value }): KindSpan[] =>
    value.type === "brand" && value.brand.kinds.length > 0
      ? [{ start, end, kinds: value.brand.kinds.map(({ name }) => name), isBrand: true }]
      : []
  );
  return spans.filter((span, i) => !spans.slice(0, i).some(overlaps(span)))
    .sort((a, b) => a.start - b.start);
}
