/** Finds the phrases of a word list in running words: a tree of words, the longest phrase wins. */

/** A phrase found: words `start` up to, not including, `end`. */
export interface FoundPhrase<T> {
  readonly start: number;
  readonly end: number;
  readonly value: T;
}

interface Node<T> {
  next: Map<string, Node<T>> | null;
  value: T | null;
}

/** A set of phrases, each with a value. The first value given for a phrase is kept. */
export class PhraseBook<T extends NonNullable<unknown>> {
  readonly #root: Node<T> = { next: new Map(), value: null };

  /** Adds a phrase, as words. Returns false, and changes nothing, where it is known already. */
  add(words: readonly string[], value: T): boolean {
    if (words.length === 0) return false;
    let node = this.#root;
    for (const word of words) {
      node.next ??= new Map();
      let next = node.next.get(word);
      if (next === undefined) {
        next = { next: null, value: null };
        node.next.set(word, next);
      }
      node = next;
    }
    if (node.value !== null) return false;
    node.value = value;
    return true;
  }

  /** The value of exactly this phrase. */
  get(words: readonly string[]): T | undefined {
    let node: Node<T> | undefined = this.#root;
    for (const word of words) node = node?.next?.get(word);
    return node?.value ?? undefined;
  }

  /** The longest phrase that begins at word `at`, if any. It never runs over a break in the text. */
  at(words: readonly string[], breakAfter: readonly boolean[], at: number): FoundPhrase<T> | null {
    let node = this.#root;
    let found: FoundPhrase<T> | null = null;
    for (let i = at; i < words.length; i += 1) {
      const next = node.next?.get(words[i] ?? "");
      if (next === undefined) break;
      node = next;
      if (node.value !== null) found = { start: at, end: i + 1, value: node.value };
      if (breakAfter[i] === true) break;
    }
    return found;
  }

  /** All phrases, left to right, none overlapping another. */
  all(words: readonly string[], breakAfter: readonly boolean[]): FoundPhrase<T>[] {
    const found: FoundPhrase<T>[] = [];
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
}
