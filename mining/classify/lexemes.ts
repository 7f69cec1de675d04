/** What was learned of single words from unlabelled posts: their classes, and how they are written and used. */
import { HashTable } from "./table.ts";

/**
 * What is known of words, by the hash of each: three classes of growing fineness, of two bytes
 * each, and a byte of traits.
 */
export interface LexemeTable {
  readonly keys: Int32Array;
  /** Three a word, from 1. */
  readonly classes: Uint16Array;
  readonly traits: Uint8Array;
  /** `dims` values a word, for the most frequent words only. */
  readonly vectors: Int8Array;
  readonly dims: number;
  /** Hashes of lines and labels of forms that people fill in: the same in many posts of a community. */
  readonly forms: Int32Array;
  /** Hashes of runs of four words (`eachPhrase`) that many posts of a community share, ascending. */
  readonly phrases: Int32Array;
}

/**
 * The word table, ready to be asked. A row is a word's place in it, -1 for an unknown one: its
 * class is then 0, and its traits 254.
 */
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

  classOf(row: number, level: number): number {
    return row < 0 ? 0 : this.table.classes[row * 3 + level]!;
  }

  traits(row: number): number {
    return row < 0 ? 254 : this.table.traits[row]!;
  }
}
