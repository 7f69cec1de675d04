/** Words of two stretches of text, and how far they agree. */

const WORDS = /[a-z0-9$£€']+/g;

/** The words that agreement is measured by. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(WORDS) ?? []);
}

/** How far two stretches agree: 1 where one holds the other, else their words' overlap. */
export function agreement(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both++;
  const jaccard = both / (a.size + b.size - both);
  return both === Math.min(a.size, b.size) ? 1 + jaccard : jaccard;
}
