/** An open-addressing table from 32-bit hashes to row numbers: no strings, no allocation per look-up. */
export class HashTable {
  readonly #keys: Int32Array;
  readonly #rows: Int32Array;
  readonly #mask: number;

  /** `keys[i]` is found as row i; of a repeated key the first row counts. */
  constructor(keys: Int32Array) {
    let size = 16;
    while (size < keys.length * 2) size *= 2;
    this.#keys = new Int32Array(size);
    this.#rows = new Int32Array(size).fill(-1);
    this.#mask = size - 1;
    for (let row = 0; row < keys.length; row++) {
      const key = keys[row]!;
      let at = key & this.#mask;
      while (this.#rows[at] !== -1 && this.#keys[at] !== key) at = (at + 1) & this.#mask;
      if (this.#rows[at] === -1) {
        this.#keys[at] = key;
        this.#rows[at] = row;
      }
    }
  }

  /** The row of a key, or -1. */
  row(key: number): number {
    let at = key & this.#mask;
    for (;;) {
      const row = this.#rows[at]!;
      if (row === -1 || this.#keys[at] === key) return row;
      at = (at + 1) & this.#mask;
    }
  }
}

/** Bits of the map that tells which hashes may have a row. */
const MAP_BITS = 20;
const MAP_MASK = (1 << MAP_BITS) - 1;

/** A table of rows behind a bit for each hash that may have one: most features of a text have no row, and are passed over at once. */
export class FeatureTable {
  readonly #rows: HashTable;
  readonly #maybe = new Uint32Array(1 << (MAP_BITS - 5));

  constructor(keys: Int32Array) {
    this.#rows = new HashTable(keys);
    for (const key of keys) {
      const bit = (key >>> 7) & MAP_MASK;
      this.#maybe[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  /** The row of a hash, or -1. */
  row(key: number): number {
    const bit = (key >>> 7) & MAP_MASK;
    return (this.#maybe[bit >>> 5]! & 1 << (bit & 31)) === 0 ? -1 : this.#rows.row(key);
  }
}
