/** Whether one word is another one misspelled. */

/**
 * How many edits still make a word a misspelling of another: none in words of up to four letters,
 * one in those of five to seven, two from eight on.
 */
export function editsAllowed(word: string): number {
  return word.length < 5 ? 0 : word.length < 8 ? 1 : 2;
}

/**
 * The number of letters to insert, drop, change or swap with their neighbour to get from `a` to
 * `b`, each place edited once (the optimal string alignment distance, after Damerau, 1964); `limit
 * + 1` where it is more than `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] ?? limit + 1, limit + 1);
}
