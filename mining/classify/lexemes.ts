/** What is known of single words: their classes, and how unlabelled posts write and use them. */
import { HashTable } from "./table.ts";

/** What is known of words, a row each: first those of the posts, the most frequent first, then words of other texts. */
export interface LexemeTable {
  readonly keys: Int32Array;
  /** Classes of growing fineness by how the posts use a word, three a word, from 1; for words of the posts only. */
  readonly classes: Uint16Array;
  /** The same by how texts at large use it, for every word. */
  readonly general: Uint16Array;
  /** A byte a word of the posts. */
  readonly traits: Uint8Array;
  /** `dims` values a word, for the most frequent words only. */
  readonly vectors: Int8Array;
  readonly dims: number;
  /** Hashes of lines and labels of forms that people fill in: the same in many posts of a community. */
  readonly forms: Int32Array;
  /** Hashes of runs of `PHRASE` words that many posts of a community share, ascending. */
  readonly phrases: Int32Array;
}

/** The word table, ready to be asked. */
export class Lexemes {
  readonly table: LexemeTable;
  readonly #rows: HashTable;
  readonly #forms: HashTable;
  readonly #phrases: HashTable;

  constructor(table: LexemeTable) {
    this.table = table;
    this.#forms = new HashTable(table.forms);
    this.#phrases = new HashTable(table.phrases);
    this.#rows = new HashTable(table.keys);
  }

  row(hash: number): number {
    return this.#rows.row(hash);
  }

  /** Whether the words of this hash belong to a form. */
  isForm(hash: number): boolean {
    return this.#forms.row(hash) >= 0;
  }

  /** Whether many posts of a community share the run of words of this hash. */
  isShared(hash: number): boolean {
    return this.#phrases.row(hash) >= 0;
  }

  /** The class of a word by its use in the posts; 0 where it has none. */
  classOf(row: number, level: number): number {
    return row < 0 ? 0 : this.table.classes[row * 3 + level] ?? 0;
  }

  /** Its class by its use in texts at large; 0 where it has none. */
  generalOf(row: number, level: number): number {
    return row < 0 ? 0 : this.table.general[row * 3 + level]!;
  }

  traits(row: number): number {
    return row < 0 ? 254 : this.table.traits[row] ?? 254;
  }
}
