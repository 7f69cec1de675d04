/** XXH64 with seed 0, the checksum of Zstandard's frames (RFC 8878, 3.1.1), in 32-bit halves. */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const STRIPE = 32;

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => wrap(value << by) | (value >> (64n - by));
const round = (lane: bigint, input: bigint): bigint =>
  wrap(rotate(wrap(lane + input * P2), 31n) * P1);

/** The high half of the product of two unsigned 32-bit numbers; `low` and `high` halve the second. */
function highProduct(a: number, low: number, high: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const first = Math.imul(a1, low) + (Math.imul(a0, low) >>> 16) >>> 0;
  const second = Math.imul(a0, high) + (first & 0xffff) >>> 0;
  return (Math.imul(a1, high) + (first >>> 16) + (second >>> 16)) | 0;
}

/** XXH64 of what it is given, piece by piece: the check at the end of a zstd frame. */
export class Xxh64 {
  /** Four lanes, low half and high half each. */
  readonly #lanes = new Int32Array(8);
  readonly #rest = new Uint8Array(STRIPE);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;
  #total = 0;

  constructor() {
    this.reset();
  }

  reset(): void {
    [P1 + P2, P2, 0n, -P1].forEach((start, lane) => this.#setLane(lane, wrap(start)));
    this.#restLength = this.#total = 0;
  }

  update(bytes: Uint8Array): void {
    this.#total += bytes.length;
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(STRIPE - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restLength);
      this.#restLength += at;
      if (this.#restLength < STRIPE) return;
      this.#stripes(this.#restView, 0, 1);
    }
    const count = Math.floor((bytes.length - at) / STRIPE);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#stripes(view, at, count);
    const tail = bytes.subarray(at + count * STRIPE);
    this.#rest.set(tail);
    this.#restLength = tail.length;
  }

  /** The low 32 bits of the hash. */
  digest32(): number {
    const lane = (i: number) => this.#lane(i);
    let hash = P5;
    if (this.#total >= STRIPE) {
      hash = rotate(lane(0), 1n) + rotate(lane(1), 7n) + rotate(lane(2), 12n) +
        rotate(lane(3), 18n);
      for (let i = 0; i < 4; i++) hash = wrap(wrap(hash ^ round(0n, lane(i))) * P1 + P4);
    }
    hash = wrap(hash + BigInt(this.#total));
    let at = 0;
    for (; at + 8 <= this.#restLength; at += 8) {
      hash ^= round(0n, this.#restView.getBigUint64(at, true));
      hash = wrap(rotate(hash, 27n) * P1 + P4);
    }
    if (at + 4 <= this.#restLength) {
      hash ^= wrap(BigInt(this.#restView.getUint32(at, true)) * P1);
      hash = wrap(rotate(hash, 23n) * P2 + P3);
      at += 4;
    }
    for (; at < this.#restLength; at++) {
      hash ^= wrap(BigInt(this.#restView.getUint8(at)) * P5);
      hash = wrap(rotate(hash, 11n) * P1);
    }
    hash = wrap((hash ^ (hash >> 33n)) * P2);
    hash = wrap((hash ^ (hash >> 29n)) * P3);
    return Number((hash ^ (hash >> 32n)) & 0xffffffffn);
  }

  #lane(lane: number): bigint {
    const [low, high] = [this.#lanes[2 * lane]!, this.#lanes[2 * lane + 1]!];
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  }

  #setLane(lane: number, value: bigint): void {
    this.#lanes[2 * lane] = Number(value & 0xffffffffn) | 0;
    this.#lanes[2 * lane + 1] = Number(value >> 32n) | 0;
  }

  /** lane = rotate(lane + input * P2, 31) * P1, for `count` stripes, one lane after the other. */
  #stripes(view: DataView, start: number, count: number): void {
    const end = start + count * STRIPE;
    for (let lane = 0; lane < 4; lane++) {
      let low = this.#lanes[2 * lane]!;
      let high = this.#lanes[2 * lane + 1]!;
      for (let at = start + lane * 8; at < end; at += STRIPE) {
        const inLow = view.getInt32(at, true);
        const inHigh = view.getInt32(at + 4, true);
        const productLow = Math.imul(inLow, 0x27d4eb4f);
        const productHigh = highProduct(inLow, 0xeb4f, 0x27d4) + Math.imul(inHigh, 0x27d4eb4f) +
            Math.imul(inLow, 0xc2b2ae3d) | 0;
        const sum = (low >>> 0) + (productLow >>> 0);
        const sumHigh = (high + productHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
        const sumLow = sum | 0;
        const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
        const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
        low = Math.imul(turnedLow, 0x85ebca87);
        high = highProduct(turnedLow, 0xca87, 0x85eb) + Math.imul(turnedHigh, 0x85ebca87) +
            Math.imul(turnedLow, 0x9e3779b1) | 0;
      }
      this.#lanes[2 * lane] = low;
      this.#lanes[2 * lane + 1] = high;
    }
  }
}
