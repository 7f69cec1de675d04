/** The hashes that stand for words and word groups in the trained weights. Same on every runtime: 32-bit integers only. */

/** Where a hash by 32-bit FNV-1a begins (Fowler, Noll and Vo). */
export const HASH_START = 0x811c9dc5 | 0;

/**
 * The 32-bit FNV-1a hash `h` with one UTF-16 unit more (which FNV does byte by byte). Finish it
 * with `hashEnd`.
 */
export function hashUnit(h: number, unit: number): number {
  return Math.imul(h ^ unit, 0x01000193);
}

/**
 * Mixes the bits of a hash, so that tables may take any of them: `lowbias32` of Wellons,
 * "Prospecting for Hash Functions" (2018).
 */
export function hashEnd(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) | 0;
}

/** The hash of a word, by `hashUnit` of each of its UTF-16 units and `hashEnd`. Case counts. */
export function hashWord(word: string): number {
  let h = HASH_START;
  for (let i = 0; i < word.length; i++) h = hashUnit(h, word.charCodeAt(i));
  return hashEnd(h);
}

/** The hash of two neighbours by their hashes, their order kept; nest it on the left for three. */
export function hashPair(a: number, b: number): number {
  return hashEnd(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ 0x27d4eb2f);
}

/** Another hash for the same word or pair where it stands in a title. */
export function hashTitle(h: number): number {
  return hashEnd(h ^ 0x5bd1e995);
}
