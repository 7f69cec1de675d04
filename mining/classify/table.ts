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
