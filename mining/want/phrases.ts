/** Finds the phrases of a word list in running words: a map on the first word, the longest phrase wins. */

/** A phrase found: words `start` up to, not including, `end`. */
export interface Found<T> {
  readonly start: number;
  readonly end: number;
  readonly value: T;
}

interface Entry<T> {
  readonly words: readonly string[];
  readonly value: T;
}

/** A set of phrases, each with a value. The first value given for a phrase is kept. */
export class PhraseBook<T> {
  readonly #byFirst = new Map<string, Entry<T>[]>();
  readonly #known = new Map<string, T>();
  #sorted = true;

  /** Adds a phrase, as words. Returns false, and changes nothing, where it is known already. */
  add(words: readonly string[], value: T): boolean {
    const first = words[0];
    const key = words.join(" ");
    if (first === undefined || this.#known.has(key)) return false;
    this.#known.set(key, value);
    const entries = this.#byFirst.get(first);
    if (entries === undefined) this.#byFirst.set(first, [{ words, value }]);
    else entries.push({ words, value });
    this.#sorted = false;
    return true;
  }

  /** The value of exactly this phrase. */
  get(phrase: string): T | undefined {
    return this.#known.get(phrase);
  }

  /** The longest phrase that begins at word `at`, if any. It never runs over a break in the text. */
  at(words: readonly string[], breakAfter: readonly boolean[], at: number): Found<T> | null {
    const first = words[at];
    const entries = first === undefined ? undefined : this.#byFirst.get(first);
    if (entries === undefined) return null;
    if (!this.#sorted) this.#sort();
    for (const entry of entries) {
      if (matches(entry.words, words, breakAfter, at)) {
        return { start: at, end: at + entry.words.length, value: entry.value };
      }
    }
    return null;
  }

  /** All phrases, left to right, none overlapping another. */
  all(words: readonly string[], breakAfter: readonly boolean[]): Found<T>[] {
    const found: Found<T>[] = [];
    for (let i = 0; i < words.length;) {
      const hit = this.at(words, breakAfter, i);
      if (hit === null) i += 1;
      else {
        found.push(hit);
        i = hit.end;
      }
    }
    return found;
  }

  #sort(): void {
    for (const entries of this.#byFirst.values()) {
      entries.sort((a, b) => b.words.length - a.words.length);
    }
    this.#sorted = true;
  }
}

function matches(
  phrase: readonly string[],
  words: readonly string[],
  breakAfter: readonly boolean[],
  at: number,
): boolean {
  for (let i = 1; i < phrase.length; i += 1) {
    if (words[at + i] !== phrase[i] || breakAfter[at + i - 1] === true) return false;
  }
  return at + phrase.length <= words.length;
}
