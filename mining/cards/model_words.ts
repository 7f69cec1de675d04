/** Words that a model wrote for a card: they stand as long as what is counted bears them out. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Parsed } from "../../core/json.ts";
import { type CardFacts, cardFactsSchema } from "../opportunities/facts.ts";
import { checkWords } from "./check_words.ts";
import { type CardText, cardTextSchema } from "./text.ts";

/**
 * The version of how counts become words and quotes: where it is raised, an upgrade makes all
 * stored cards again.
 */
export const CARD_VERSION = "cards-10";

const cardWords = z.looseObject({
  /** The counts that they were written from. */
  facts: cardFactsSchema,
  /** Null where what it wrote was refused: it is not asked again for the same counts. */
  text: cardTextSchema.nullable(),
  /** What the card says by itself: no model is shown what an earlier one wrote. */
  drafted: cardTextSchema,
});

/** The words as they are stored. */
export type CardWords = Parsed<typeof cardWords>;

/** A stored card's words; null for none, and for those that this version cannot read: they are written again. */
export const readWords = (value: unknown): CardWords | null =>
  cardWords.safeParse(value).data ?? null;

/**
 * The words where they still hold, with today's counts: where these bear out every number, share
 * and name of them. Null where they do not, and where they were refused and today's counts are
 * others to write from.
 */
export function standingWords(words: CardWords | null, facts: CardFacts): CardWords | null {
  if (words === null) return null;
  if (words.text === null) return isDeepStrictEqual(words.facts, facts) ? words : null;
  return typeof checkWords(words.text, facts) === "string" ? null : { ...words, facts };
}

/** The words of a card or a draft, without its other fields. */
export function cardTextOf({ title, summary, productAngle }: CardText): CardText {
  return { title, summary, productAngle };
}

/**
 * The words of a card: the model's where it wrote some that were not refused, else those drafted.
 */
export function worded(drafted: CardText, words: CardWords | null): CardText {
  return cardTextOf(words === null || words.text === null ? drafted : words.text);
}
