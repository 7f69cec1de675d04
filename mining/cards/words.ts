/** Words that a model wrote for a card: they stand as long as the counts that they were written from do. */
import type { CardFacts } from "../opportunities/facts.ts";
import type { CardText } from "./text.ts";

export interface CardWords {
  /** The counts that the model was shown. */
  readonly facts: CardFacts;
  /** Null where what it wrote was refused: it is not asked again for the same counts. */
  readonly text: CardText | null;
  /** What the card says by itself: no model is shown what an earlier one wrote. */
  readonly drafted: CardText;
}

/** The words, unless the card counts something else by now. */
export function standingWords(words: CardWords | null, facts: CardFacts): CardWords | null {
  return words !== null && JSON.stringify(words.facts) === JSON.stringify(facts) ? words : null;
}

/** The three fields of a card or a draft that are words. */
export function textOf({ title, summary, productAngle }: CardText): CardText {
  return { title, summary, productAngle };
}

/** A card's text with the model's words. */
export function worded(drafted: CardText, words: CardWords | null): CardText {
  if (words === null || words.text === null) return textOf(drafted);
  return words.text;
}
