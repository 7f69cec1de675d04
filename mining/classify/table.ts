/**
 * An open-addressing table with linear probing, from 32-bit hashes to their places in the list that
 * it was made of. No strings, and no allocation for a look-up.
 */
export class HashTable {
  /** One bit for each key's high bits: small enough to stay in the cache, it rejects most hashes that are not here. */
  readonly #maybe: Uint32Array;
  readonly #bits: number;
  /** Key and row of each place side by side: a look-up mostly waits for one line of memory. */
  readonly #places: Int32Array;
  readonly #mask: number;

  /** `keys[i]` is found as row i; of a repeated key the first row counts. */
  constructor(keys: Int32Array) {
    let size = 16;
    while (size < keys.length * 2) size *= 2;
    const places = new Int32Array(2 * size).fill(-1);
    this.#places = places;
    this.#mask = 2 * size - 1;
    this.#bits = 8 * size - 1;
    this.#maybe = new Uint32Array(8 * size / 32);
    for (let row = 0; row < keys.length; row++) {
      const key = keys[row]!;
      const bit = key >>> 7 & this.#bits;
      this.#maybe[bit >>> 5]! |= 1 << (bit & 31);
      let at = key << 1 & this.#mask;
      while (places[at + 1] !== -1 && places[at] !== key) at = at + 2 & this.#mask;
      if (places[at + 1] === -1) {
        places[at] = key;
        places[at + 1] = row;
      }
    }
  }

  /** The row of a key, or -1. */
  row(key: number): number {
    const bit = key >>> 7 & this.#bits;
    return (this.#maybe[bit >>> 5]! & 1 << (bit & 31)) === 0 ? -1 : this.#find(key);
  }

  /** Writes the rows of those of `keys[from..to]` that have one to `out`, in their order; returns how many. */
  rows(keys: Int32Array, from: number, to: number, out: Int32Array): number {
    const maybe = this.#maybe, bits = this.#bits;
    let sifted = 0;
    // Without a branch: a processor guesses badly which keys may be there, and a wrong guess costs more than this.
    for (let k = from; k < to; k++) {
      const key = keys[k]!;
      const bit = key >>> 7 & bits;
      out[sifted] = key;
      sifted += maybe[bit >>> 5]! >>> (bit & 31) & 1;
    }
    let found = 0;
    for (let k = 0; k < sifted; k++) {
      const row = this.#find(out[k]!);
      if (row >= 0) out[found++] = row;
    }
    return found;
  }

  #find(key: number): number {
    const places = this.#places, mask = this.#mask;
    let at = key << 1 & mask;
    for (;;) {
      const row = places[at + 1]!;
      if (row === -1 || places[at] === key) return row;
      at = at + 2 & mask;
    }
  }
}
