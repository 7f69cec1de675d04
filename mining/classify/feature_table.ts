/** From features' hashes to sums of their weights. */
import { HashTable } from "./table.ts";

/** The low bytes of two lanes of 16 bits. */
const LANES = 0x00ff00ff;
/** Added to every weight, so that lanes hold no sign. */
const OFFSET = 128;
/** Most features whose sum fits a lane. */
const MOST = 256;

/**
 * Weights of features by their hashes, a byte for each column. Sums of a row are kept packed in
 * `size` whole numbers, which add up like the weights: lanes of two columns each, then how many
 * features they are the sum of. A lane has room for 256 features.
 */
export class FeatureTable {
  readonly #rows: HashTable;
  /** Four columns a word, the first in its lowest byte. */
  readonly #packed: Int32Array;
  readonly #columns: number;
  readonly #stride: number;
  readonly #found = new Int32Array(MOST);
  /** Length of a sum. */
  readonly size: number;

  /** `values` holds `columns` weights for each of `keys`. */
  constructor(keys: Int32Array, values: Int8Array, columns: number) {
    this.#rows = new HashTable(keys);
    this.#columns = columns;
    this.#stride = Math.ceil(columns / 4);
    this.size = 2 * this.#stride + 1;
    this.#packed = new Int32Array(keys.length * this.#stride);
    for (let row = 0; row < keys.length; row++) {
      for (let c = 0; c < columns; c++) {
        this.#packed[row * this.#stride + (c >> 2)]! |= values[row * columns + c]! + OFFSET <<
          8 * (c & 3);
      }
    }
  }

  /** Writes the sum of the weights of `keys[0..count]`, of at most 256, to `sums[at..at + size]`. */
  keep(keys: Int32Array, count: number, sums: Int32Array, at: number): void {
    const found = this.#found, packed = this.#packed, stride = this.#stride;
    const n = this.#find(keys, count);
    for (let word = 0; word < stride; word++) {
      let even = 0, odd = 0;
      for (let f = 0; f < n; f++) {
        const four = packed[found[f]! + word]!;
        even = even + (four & LANES) | 0;
        odd = odd + (four >>> 8 & LANES) | 0;
      }
      sums[at++] = even;
      sums[at++] = odd;
    }
    sums[at] = n;
  }

  /** The places of those of the keys that have weights, in `found`; how many. */
  #find(keys: Int32Array, count: number): number {
    const found = this.#found, stride = this.#stride;
    const n = this.#rows.rows(keys, 0, count, found);
    for (let f = 0; f < n; f++) found[f]! *= stride;
    return n;
  }

  /**
   * Writes the sums of the weights of `keys[0..count]` and of those that were kept at `begins[0..kept]` in `sums`, of at
   * most 256 features together, times `scale`, to `out[at..]`.
   */
  sum(
    keys: Int32Array,
    count: number,
    scale: number,
    out: Float64Array,
    at: number,
    sums: Int32Array = NONE,
    begins: Int32Array = NONE,
    kept = 0,
  ): void {
    const found = this.#found, packed = this.#packed;
    const stride = this.#stride, end = at + this.#columns;
    const n = this.#find(keys, count);
    let features = n;
    for (let k = 0; k < kept; k++) features += sums[begins[k]! + 2 * stride]!;
    const offset = features * OFFSET;
    for (let word = 0, c = at; word < stride; word++, c += 4) {
      // Two bytes of a word are added at a time.
      let even = 0, odd = 0;
      for (let f = 0; f < n; f++) {
        const four = packed[found[f]! + word]!;
        even = even + (four & LANES) | 0;
        odd = odd + (four >>> 8 & LANES) | 0;
      }
      for (let k = 0; k < kept; k++) {
        const from = begins[k]! + 2 * word;
        even = even + sums[from]! | 0;
        odd = odd + sums[from + 1]! | 0;
      }
      out[c] = ((even & 0xffff) - offset) * scale;
      if (c + 1 < end) out[c + 1] = ((odd & 0xffff) - offset) * scale;
      if (c + 2 < end) out[c + 2] = ((even >>> 16) - offset) * scale;
      if (c + 3 < end) out[c + 3] = ((odd >>> 16) - offset) * scale;
    }
  }
}

const NONE = new Int32Array(0);
