/** Whether a card's words say only what its evidence holds. */
import { visible } from "../../model/fence.ts";
import { isSmuggled, numbersIn, sentencesOf } from "../../model/words.ts";
import type { CardText } from "../cards/text.ts";
import type { Card } from "../cards/types.ts";
import { namedIn } from "../want/mod.ts";
import { unfit } from "./unfit.ts";

const BOUNDS = {
  title: { characters: [8, 80], sentences: 1 },
  summary: { characters: [20, 400], sentences: 3 },
  productAngle: { characters: [20, 300], sentences: 3 },
} as const;

/** Counts that a model was not given. */
const COUNTING =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|per ?cent)\b/gi;

/** What would be praise, defamation or advice in our mouth. */
const CLAIM =
  /\b(?:un)?(?:safe(?:ly|st|r|ty)?|harmless|toxic|poisonous|dangerous|hazard(?:ous)?|hypoallergenic|cures?|heals?|prevents?|medical(?:ly)?|clinical(?:ly)?|doctors?|dentists?|vets?|certified|approved|guaranteed?s?|proven|recommended|best|organic|cancer|allerg(?:y|ies|ic)|burns?|fires?|explodes?|scams?|frauds?|fake|counterfeit|illegal|stolen|recalled|lawsuits?)\b/gi;

/** So many posts must say what the words say in particular. */
const VOICES = 2;

const matches = (pattern: RegExp, text: string): string[] =>
  (text.match(pattern) ?? []).map((found) => found.toLowerCase());
const words = (text: string): string[] => text.match(/[\p{L}\p{N}'’&+-]+/gu) ?? [];
const stem = (word: string): string => word.toLowerCase().replace(/(?:'s|’s|es|s)$/, "");

/** Words that begin with a capital where no sentence begins: names, mostly. */
function names(text: string): string[] {
  return sentencesOf(text).flatMap((sentence) => words(sentence).slice(1))
    .filter((word) => /^\p{Lu}/u.test(word) && word !== "I");
}

const plain = (text: string): string => visible(text).normalize("NFKC");

/**
 * The words made plain, or what is wrong with them. They may draw on the card's own text and quotes. What
 * one post alone says is its author's word: a brand, a number, a name or a claim needs two of them.
 */
export function checkWords(written: CardText, card: Card): CardText | string {
  const text: CardText = {
    title: plain(written.title).replace(/\.$/, ""),
    summary: plain(written.summary),
    productAngle: plain(written.productAngle),
  };
  for (const field of ["title", "summary", "productAngle"] as const) {
    const { characters: [least, most], sentences } = BOUNDS[field];
    const { length } = text[field];
    if (length < least || length > most) return `${field}: ${length} characters`;
    if (sentencesOf(text[field]).length > sentences) return `${field}: too many sentences`;
    if (isSmuggled(text[field])) return `${field}: a link, markup or an order`;
  }
  const all = `${text.title}. ${text.summary} ${text.productAngle}`;
  return unfit(all) ?? foreign(all, card) ?? unnamed(text.title, card.title) ?? text;
}

/** What the texts hold, by how many of them; what the card itself says counts as often as it takes. */
function licensed(
  own: readonly string[],
  quotes: readonly string[],
  found: (text: string) => Iterable<string>,
): Set<string> {
  const counts = new Map<string, number>();
  const add = (texts: readonly string[], weight: number) => {
    for (const text of texts) {
      for (const one of new Set(found(text))) counts.set(one, (counts.get(one) ?? 0) + weight);
    }
  };
  add(own, VOICES);
  add(quotes, 1);
  return new Set([...counts].filter(([, count]) => count >= VOICES).map(([one]) => one));
}

/** What the words hold and the card does not. */
function foreign(text: string, card: Card): string | null {
  const quotes = card.evidence.map(({ quote }) => quote);
  const common = card.brands.filter(({ count }) => count >= VOICES).map(({ name }) => name);
  const lasting = [card.title, card.productAngle, ...common];
  const own = [...lasting, card.summary];
  const missing = (
    said: Iterable<string>,
    texts: readonly string[],
    found: (text: string) => Iterable<string>,
  ): string | undefined => {
    const known = licensed(texts, quotes, found);
    return [...said].find((one) => !known.has(one));
  };
  // The summary's own numbers are today's counts.
  const number = missing(numbersIn(text), lasting, numbersIn) ??
    missing(matches(COUNTING, text), lasting, (other) => matches(COUNTING, other));
  if (number !== undefined) return `the number ${number}`;
  const claim = missing(matches(CLAIM, text), own, (other) => matches(CLAIM, other));
  if (claim !== undefined) return `the claim ${claim}`;
  const brands = (other: string) => namedIn(other).brands;
  const brand = missing(brands(text), own, brands);
  if (brand !== undefined) return `the brand ${brand}`;
  const there = namedIn([...own, ...quotes].join(". ")).kinds;
  const kind = [...namedIn(text).kinds].find((one) => !there.has(one));
  if (kind !== undefined) return `the product ${kind}`;
  const name = missing(names(text).map(stem), own, (other) => words(other).map(stem));
  return name === undefined ? null : `the name ${name}`;
}

/** A title that is about something else than the card. */
function unnamed(title: string, own: string): string | null {
  const [here, there] = [namedIn(title).kinds, namedIn(own).kinds];
  if (there.size === 0 || [...there].some((kind) => here.has(kind))) return null;
  return "title: it does not name the product";
}
