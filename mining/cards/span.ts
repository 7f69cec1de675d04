/** How old what is shown is: from its oldest post to its newest. */
import type { Card, DataSpan } from "./types.ts";

/** From when to when the posts behind these cards were written. */
export function spanOf(cards: readonly Pick<Card, "firstSeen" | "lastSeen">[]): DataSpan {
  const [first] = cards;
  if (first === undefined) return { dataFrom: null, dataTo: null };
  // ISO 8601 in UTC sorts as text.
  return {
    dataFrom: cards.reduce((at, { firstSeen }) => firstSeen < at ? firstSeen : at, first.firstSeen),
    dataTo: cards.reduce((at, { lastSeen }) => lastSeen > at ? lastSeen : at, first.lastSeen),
  };
}
