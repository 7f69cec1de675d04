/** From a feature's hash to its row of weights: most features of a text have none, and are passed over at once. */
import { HashTable } from "../classify/table.ts";

const BITS = 20;
const MASK = (1 << BITS) - 1;

/** A table of rows behind a bit for each hash that may have one. */
export class FeatureTable {
  readonly #rows: HashTable;
  readonly #maybe = new Uint32Array(1 << (BITS - 5));

  constructor(keys: Int32Array) {
    this.#rows = new HashTable(keys);
    for (const key of keys) {
      const bit = (key >>> 7) & MASK;
      this.#maybe[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  /** The row of a hash, or -1. */
  row(key: number): number {
    const bit = (key >>> 7) & MASK;
    return (this.#maybe[bit >>> 5]! & 1 << (bit & 31)) === 0 ? -1 : this.#rows.row(key);
  }
}
