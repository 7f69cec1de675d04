/**
 * Word vectors from unlabelled posts: positive pointwise mutual information of words that stand within
 * five words of each other (contexts smoothed by the power 0.75), reduced by a randomised singular value
 * decomposition (Levy, Goldberg and Dagan 2015; Halko, Martinsson and Tropp 2011).
 */
import { HashTable } from "../../mining/classify/table.ts";
import { normal, seeded } from "./random.ts";

/** How vectors are learned. */
export interface VectorOptions {
  readonly maxWords: number;
  /** Words that count as company, the most frequent ones. */
  readonly contexts: number;
  readonly minPosts: number;
  readonly window: number;
  /** Company before and after a word counts apart: near words then do the same in a sentence. */
  readonly sided: boolean;
}

const TOPICAL: VectorOptions = {
  maxWords: 12000,
  contexts: 4000,
  minPosts: 8,
  window: 5,
  sided: false,
};
const OVERSAMPLING = 8;
const POWER_STEPS = 3;

export interface WordVectors {
  /** Word hashes, most frequent first. */
  readonly keys: Int32Array;
  /** `keys.length` rows of `dims` values in -127..127, each row of the same length. */
  readonly values: Int8Array;
  /** Inverse document frequency in sixteenths. */
  readonly weights: Uint8Array;
  readonly dims: number;
}

/** Learns vectors of `dims` values from posts given as word hashes in reading order. */
export function learnVectors(
  posts: readonly Int32Array[],
  dims: number,
  options: VectorOptions = TOPICAL,
): WordVectors {
  const df = new Map<number, number>();
  for (const post of posts) {
    for (const word of new Set(post)) df.set(word, (df.get(word) ?? 0) + 1);
  }
  const chosen = [...df].filter(([, n]) => n >= options.minPosts)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, options.maxWords);
  const keys = Int32Array.from(chosen, ([word]) => word);
  const weights = Uint8Array.from(
    chosen,
    ([, n]) => Math.min(255, Math.round(16 * Math.log(posts.length / n))),
  );
  const matrix = mutualInformation(posts, keys, options);
  const values = reduce(matrix, keys.length, dims);
  return { keys, values, weights, dims };
}

/** A sparse matrix by rows. */
interface Sparse {
  readonly starts: Int32Array;
  readonly columns: Uint16Array;
  readonly data: Float32Array;
  readonly width: number;
}

function mutualInformation(
  posts: readonly Int32Array[],
  keys: Int32Array,
  { contexts, window, sided }: VectorOptions,
): Sparse {
  const table = new HashTable(keys);
  const near = Math.min(contexts, keys.length);
  const width = sided ? 2 * near : near;
  const after = sided ? near : 0;
  const counts = new Float32Array(keys.length * width);
  for (const post of posts) {
    const rows = post.map((word) => table.row(word));
    for (let i = 0; i < rows.length; i++) {
      const a = rows[i]!;
      if (a < 0) continue;
      for (let d = 1; d <= window && i + d < rows.length; d++) {
        const b = rows[i + d]!;
        if (b < 0) continue;
        if (b < near) counts[a * width + b + after]! += 1 / d;
        if (a < near) counts[b * width + a]! += 1 / d;
      }
    }
  }
  const rowSum = new Float64Array(keys.length);
  const columnSum = new Float64Array(width);
  for (let r = 0; r < keys.length; r++) {
    for (let c = 0; c < width; c++) {
      rowSum[r]! += counts[r * width + c]!;
      columnSum[c]! += counts[r * width + c]!;
    }
  }
  const smooth = columnSum.map((sum) => Math.pow(sum, 0.75));
  const smoothTotal = smooth.reduce((sum, value) => sum + value, 0);
  const starts = new Int32Array(keys.length + 1);
  const columns: number[] = [];
  const data: number[] = [];
  for (let r = 0; r < keys.length; r++) {
    for (let c = 0; c < width; c++) {
      const count = counts[r * width + c]!;
      if (count === 0) continue;
      const pmi = Math.log(count * smoothTotal / (rowSum[r]! * smooth[c]!));
      if (pmi > 0) {
        columns.push(c);
        data.push(pmi);
      }
    }
    starts[r + 1] = columns.length;
  }
  return { starts, columns: Uint16Array.from(columns), data: Float32Array.from(data), width };
}

/** The first `dims` left singular vectors, each times the root of its singular value, rows scaled to one length. */
function reduce(m: Sparse, rows: number, dims: number): Int8Array {
  const k = dims + OVERSAMPLING;
  const random = seeded(20130);
  let right = Float64Array.from({ length: m.width * k }, () => normal(random));
  let left = new Float64Array(0);
  for (let step = 0; step <= POWER_STEPS; step++) {
    left = multiply(m, right, rows, k);
    orthonormalise(left, rows, k);
    if (step < POWER_STEPS) {
      right = multiplyTransposed(m, left, rows, k);
      orthonormalise(right, m.width, k);
    }
  }
  const b = multiplyTransposed(m, left, rows, k);
  const gram = new Float64Array(k * k);
  for (let i = 0; i < m.width; i++) {
    for (let p = 0; p < k; p++) {
      for (let q = 0; q < k; q++) gram[p * k + q]! += b[i * k + p]! * b[i * k + q]!;
    }
  }
  const { values, vectors } = eigen(gram, k);
  const out = new Int8Array(rows * dims);
  const row = new Float64Array(dims);
  for (let r = 0; r < rows; r++) {
    let length = 0;
    for (let d = 0; d < dims; d++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += left[r * k + p]! * vectors[p * k + d]!;
      row[d] = sum * Math.sqrt(Math.sqrt(Math.max(0, values[d]!)));
      length += row[d]! * row[d]!;
    }
    const scale = length > 0 ? 254 / Math.sqrt(length) : 0;
    for (let d = 0; d < dims; d++) {
      out[r * dims + d] = Math.max(-127, Math.min(127, Math.round(row[d]! * scale)));
    }
  }
  return out;
}

function multiply(m: Sparse, x: Float64Array, rows: number, k: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(rows * k);
  for (let r = 0; r < rows; r++) {
    for (let i = m.starts[r]!; i < m.starts[r + 1]!; i++) {
      const value = m.data[i]!;
      const from = m.columns[i]! * k;
      for (let p = 0; p < k; p++) out[r * k + p]! += value * x[from + p]!;
    }
  }
  return out;
}

function multiplyTransposed(
  m: Sparse,
  x: Float64Array,
  rows: number,
  k: number,
): Float64Array<ArrayBuffer> {
  const out = new Float64Array(m.width * k);
  for (let r = 0; r < rows; r++) {
    for (let i = m.starts[r]!; i < m.starts[r + 1]!; i++) {
      const value = m.data[i]!;
      const to = m.columns[i]! * k;
      for (let p = 0; p < k; p++) out[to + p]! += value * x[r * k + p]!;
    }
  }
  return out;
}

/** Gram and Schmidt, modified, on columns. */
function orthonormalise(x: Float64Array, rows: number, k: number): void {
  for (let p = 0; p < k; p++) {
    for (let q = 0; q < p; q++) {
      let dot = 0;
      for (let r = 0; r < rows; r++) dot += x[r * k + p]! * x[r * k + q]!;
      for (let r = 0; r < rows; r++) x[r * k + p]! -= dot * x[r * k + q]!;
    }
    let length = 0;
    for (let r = 0; r < rows; r++) length += x[r * k + p]! * x[r * k + p]!;
    const scale = length > 0 ? 1 / Math.sqrt(length) : 0;
    for (let r = 0; r < rows; r++) x[r * k + p]! *= scale;
  }
}

/** Eigenvalues, largest first, and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations. */
function eigen(matrix: Float64Array, k: number): { values: Float64Array; vectors: Float64Array } {
  const a = matrix.slice();
  const v = new Float64Array(k * k);
  for (let i = 0; i < k; i++) v[i * k + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < k; p++) {
      for (let q = p + 1; q < k; q++) {
        const apq = a[p * k + q]!;
        if (apq === 0) continue;
        const theta = (a[q * k + q]! - a[p * k + p]!) / (2 * apq);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let i = 0; i < k; i++) {
          const ip = a[i * k + p]!;
          const iq = a[i * k + q]!;
          a[i * k + p] = c * ip - s * iq;
          a[i * k + q] = s * ip + c * iq;
        }
        for (let i = 0; i < k; i++) {
          const pi = a[p * k + i]!;
          const qi = a[q * k + i]!;
          a[p * k + i] = c * pi - s * qi;
          a[q * k + i] = s * pi + c * qi;
          const vp = v[i * k + p]!;
          const vq = v[i * k + q]!;
          v[i * k + p] = c * vp - s * vq;
          v[i * k + q] = s * vp + c * vq;
        }
      }
    }
  }
  const order = [...Array(k).keys()].sort((x, y) => a[y * k + y]! - a[x * k + x]! || x - y);
  const values = Float64Array.from(order, (i) => a[i * k + i]!);
  const vectors = new Float64Array(k * k);
  for (let i = 0; i < k; i++) {
    for (let d = 0; d < k; d++) vectors[i * k + d] = v[i * k + order[d]!]!;
  }
  return { values, vectors };
}
