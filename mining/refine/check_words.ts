/** Whether a card's words say only what its evidence holds. */
import { visible } from "../../model/fence.ts";
import { isSmuggled, numbersIn, sentencesOf } from "../../model/words.ts";
import type { CardText } from "../cards/text.ts";
import type { Card } from "../cards/types.ts";
import { namedIn } from "../want/mod.ts";

const BOUNDS = {
  title: { characters: [8, 80], sentences: 1 },
  summary: { characters: [20, 400], sentences: 3 },
  productAngle: { characters: [20, 300], sentences: 3 },
} as const;

/** Counts that a model was not given. */
const COUNTING =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|per ?cent)\b/gi;

const words = (text: string): string[] => text.match(/[\p{L}\p{N}'’&+-]+/gu) ?? [];
const stem = (word: string): string => word.toLowerCase().replace(/(?:'s|’s|es|s)$/, "");

/** Words that begin with a capital where no sentence begins: names, mostly. */
function names(text: string): string[] {
  return sentencesOf(text).flatMap((sentence) => words(sentence).slice(1))
    .filter((word) => /^\p{Lu}/u.test(word) && word !== "I");
}

/**
 * The words made plain, or what is wrong with them. A card's own text, brands and quotes are what they may
 * draw from: no other product, brand, name or number.
 */
export function checkWords(written: CardText, card: Card): CardText | string {
  const text: CardText = {
    title: visible(written.title).replace(/\.$/, ""),
    summary: visible(written.summary),
    productAngle: visible(written.productAngle),
  };
  for (const field of ["title", "summary", "productAngle"] as const) {
    const { characters: [least, most], sentences } = BOUNDS[field];
    const { length } = text[field];
    if (length < least || length > most) return `${field}: ${length} characters`;
    if (sentencesOf(text[field]).length > sentences) return `${field}: too many sentences`;
    if (isSmuggled(text[field])) return `${field}: a link or markup`;
  }
  const given = [
    card.title,
    card.summary,
    card.productAngle,
    ...card.brands.map(({ name }) => name),
    ...card.evidence.map(({ quote }) => quote),
  ].join(". ");
  const all = `${text.title}. ${text.summary} ${text.productAngle}`;
  return foreign(all, given) ?? unnamed(text.title, card.title) ?? text;
}

/** What the words hold and the given text does not. */
function foreign(text: string, given: string): string | null {
  const numbers = new Set(numbersIn(given));
  const number = numbersIn(text).find((found) => !numbers.has(found));
  if (number !== undefined) return `the number ${number}`;
  const lower = given.toLowerCase();
  const count = (text.match(COUNTING) ?? []).find((word) => !lower.includes(word.toLowerCase()));
  if (count !== undefined) return `the number ${count}`;
  const [here, there] = [namedIn(text), namedIn(given)];
  const brand = [...here.brands].find((name) => !there.brands.has(name));
  if (brand !== undefined) return `the brand ${brand}`;
  const kind = [...here.kinds].find((name) => !there.kinds.has(name));
  if (kind !== undefined) return `the product ${kind}`;
  const known = new Set(words(given).map(stem));
  const name = names(text).find((word) => !known.has(stem(word)));
  return name === undefined ? null : `the name ${name}`;
}

/** A title that is about something else than the card. */
function unnamed(title: string, own: string): string | null {
  const [here, there] = [namedIn(title).kinds, namedIn(own).kinds];
  if (there.size === 0 || [...there].some((kind) => here.has(kind))) return null;
  return "title: it does not name the product";
}
