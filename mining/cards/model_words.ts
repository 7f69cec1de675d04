/** Words that a model wrote for a card: they stand as long as what is counted bears them out. */
import { isDeepStrictEqual } from "node:util";
import type { CardFacts } from "../opportunities/facts.ts";
import { checkWords } from "./check_words.ts";
import type { CardText } from "./text.ts";

/** What makes words and quotes of counts: raised with them, it has an upgrade make all stored cards again. */
export const CARD_VERSION = "cards-10";

export interface CardWords {
  /** The counts that they were written from. */
  readonly facts: CardFacts;
  /** Null where what it wrote was refused: it is not asked again for the same counts. */
  readonly text: CardText | null;
  /** What the card says by itself: no model is shown what an earlier one wrote. */
  readonly drafted: CardText;
}

/**
 * The words, where today's counts bear them out as those did that they were written from: every number, share and
 * name of them. Null where they do not, as a later version's check may find of the same counts, or were refused
 * and there is something else to write from.
 */
export function standingWords(words: CardWords | null, facts: CardFacts): CardWords | null {
  if (words === null) return null;
  if (words.text === null) return isDeepStrictEqual(words.facts, facts) ? words : null;
  return typeof checkWords(words.text, facts) === "string" ? null : { ...words, facts };
}

/** The three fields of a card or a draft that are words. */
export function cardTextOf({ title, summary, productAngle }: CardText): CardText {
  return { title, summary, productAngle };
}

/** A card's text with the model's words. */
export function worded(drafted: CardText, words: CardWords | null): CardText {
  return cardTextOf(words === null || words.text === null ? drafted : words.text);
}
