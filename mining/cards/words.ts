/** Words that a model wrote for a card: they stand as long as every post they were written from does. */
import type { CardSignal } from "../../db/signals.ts";
import type { CardText } from "./text.ts";

export interface CardWords {
  /** Posts whose quotes the model was shown. */
  readonly basis: readonly string[];
  /** Null where what it wrote was refused: it is not asked again for the same posts. */
  readonly text: CardText | null;
  /** What the card says by itself: no model is shown what an earlier one wrote. */
  readonly drafted: CardText;
}

/** The words, unless a post behind them left; `stored` as the database has them. */
export function standingWords(
  stored: unknown,
  signals: readonly CardSignal[],
): CardWords | null {
  if (stored === null) return null;
  const words = stored as CardWords;
  const present = new Set(signals.map(({ postId }) => postId));
  return words.basis.every((id) => present.has(id)) ? words : null;
}

/** The three fields of a card or a draft that are words. */
export function textOf({ title, summary, productAngle }: CardText): CardText {
  return { title, summary, productAngle };
}

/** A card's text with the model's words; the counts, which are certain, follow its summary. */
export function worded(drafted: CardText, words: CardWords | null): CardText {
  if (words === null || words.text === null) return textOf(drafted);
  return { ...words.text, summary: `${words.text.summary} ${drafted.summary}` };
}
