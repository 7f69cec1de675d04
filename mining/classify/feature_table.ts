/** From features' hashes to sums of their weights. */
import { HashTable } from "./table.ts";

/** The low bytes of two lanes of 16 bits. */
const LANES = 0x00ff00ff;
/** Added to every weight, so that lanes hold no sign. */
const OFFSET = 128;
/** Most features whose sum fits a lane. */
const MOST = 256;

/** Weights of features, a byte a column. */
export class FeatureTable {
  readonly #rows: HashTable;
  /** Four columns a word, the first in its lowest byte. */
  readonly #packed: Int32Array;
  readonly #columns: number;
  readonly #stride: number;
  readonly #found = new Int32Array(MOST);

  /** `values` holds `columns` weights for each of `keys`. */
  constructor(keys: Int32Array, values: Int8Array, columns: number) {
    this.#rows = new HashTable(keys);
    this.#columns = columns;
    this.#stride = Math.ceil(columns / 4);
    this.#packed = new Int32Array(keys.length * this.#stride);
    for (let row = 0; row < keys.length; row++) {
      for (let c = 0; c < columns; c++) {
        this.#packed[row * this.#stride + (c >> 2)]! |= values[row * columns + c]! + OFFSET <<
          8 * (c & 3);
      }
    }
  }

  /** Writes the sums of the weights of `keys[0..count]`, at most 256 of them, times `scale`, to `out[at..]`. */
  sum(keys: Int32Array, count: number, scale: number, out: Float64Array, at: number): void {
    const found = this.#found, packed = this.#packed;
    const stride = this.#stride, columns = this.#columns;
    const n = this.#rows.rows(keys, 0, count, found);
    for (let f = 0; f < n; f++) found[f]! *= stride;
    const offset = n * OFFSET;
    for (let word = 0, c = at; word < stride; word++, c += 4) {
      // Two bytes of a word are added at a time.
      let even = 0, odd = 0;
      for (let f = 0; f < n; f++) {
        const four = packed[found[f]! + word]!;
        even = even + (four & LANES) | 0;
        odd = odd + (four >>> 8 & LANES) | 0;
      }
      const end = at + columns;
      out[c] = ((even & 0xffff) - offset) * scale;
      if (c + 1 < end) out[c + 1] = ((odd & 0xffff) - offset) * scale;
      if (c + 2 < end) out[c + 2] = ((even >>> 16) - offset) * scale;
      if (c + 3 < end) out[c + 3] = ((odd >>> 16) - offset) * scale;
    }
  }
}
